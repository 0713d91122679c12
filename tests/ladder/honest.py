"""Honest engines of known strength in several languages, and their true ratings.

Their strength does not depend on time: a fixed depth or number of nodes, mixed with a share of random moves.
"""

import io
import subprocess
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import starscout

GAME = "ewn"
ENGINES = Path(__file__).with_name("engines")
SETTINGS = {
    "C++": ("1 1", "1 3", "0.4 3", "0.8 3", "0.5 2", "1 2", "0.3 1", "0.7 1"),
    "class": ("1 30", "0.25 30", "1 3000", "0.6 3000", "0.4 300", "1 300", "0.5 30"),
    "Perl": ("1", "0.15", "0.65", "0.3"),
    "C": ("0.15", "1", "0.3", "0.6"),
    "JavaScript": ("0.5", "1", "0.25", "0.75"),
    "Python": ("0.6", "0.2", "1"),
}
"""Language → share of the moves that are searched, and the depth or the number of nodes of the search."""
SWISS_ROUNDS, SWISS_PAIRS = 10, 25
ROUND_ROBIN_PAIRS = 25


@dataclass(frozen=True)
class Honest:
    """An engine: its language and its settings."""

    language: str
    settings: str

    @property
    def name(self) -> str:
        return f"{self.language} {self.settings}"

    def files(self) -> dict[str, str]:
        """The files of a submission."""
        share, _, more = self.settings.partition(" ")
        if self.language == "class":
            text = _source("agent.py").replace("SHARE, NODES = 1.0, 100", f"SHARE, NODES = {share}, {more}")
            return {"agent.py": text}
        if self.language in ("C", "C++"):
            compiler, file, protocol = (
                ("gcc", "engine.c", "tcg-ewn") if self.language == "C" else ("g++", "engine.cpp", "lab")
            )
            makefile = f"engine: {file}\n\t{compiler} -O2 -DSHARE={share} -o engine {file}\n"
            arguments = "" if self.language == "C" else f" {self.settings}"
            return {"Makefile": makefile, file: _source(file), "engine.txt": f"{protocol}:./engine{arguments}\n"}
        file, protocol = {
            "Perl": ("engine.pl", "tcg-ewn"), "JavaScript": ("engine.js", "tcg-ewn"), "Python": ("greedy.py", "lab"),
        }[self.language]  # fmt: skip
        return {file: _source(file), "engine.txt": f"{protocol}:./{file} {share}\n"}


def _source(name: str) -> str:
    return (ENGINES / name).read_text(encoding="utf-8")


def honest_engines(count: int) -> list[Honest]:
    """The first engines, of all languages in turn."""
    found: list[Honest] = []
    for number in range(max(map(len, SETTINGS.values()))):
        found += [Honest(language, given[number]) for language, given in SETTINGS.items() if number < len(given)]
    return found[:count]


def zipped(files: dict[str, str]) -> bytes:
    """A zip archive."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return content.getvalue()


def true_ratings(engines: Sequence[Honest], folder: Path, workers: int) -> dict[str, tuple[float, float]]:
    """Play a tournament of the engines without clocks; returns name → Elo and half-width of its 95 % interval."""
    specs = []
    for engine in engines:
        place = folder / "engines" / engine.name.replace(" ", "-")
        place.mkdir(parents=True, exist_ok=True)
        files = engine.files()
        for name, text in files.items():
            (place / name).write_text(text, encoding="utf-8")
            (place / name).chmod(0o755)
        if "Makefile" in files:
            subprocess.run(["make", "-s"], cwd=place, check=True)
        spec = files.get("engine.txt", f"python:{place}/agent.py:Agent").strip()
        specs.append(spec.replace(":./", f":{place}/"))
    many = len(engines) > 2 * SWISS_ROUNDS
    result = starscout.tournament(
        GAME, specs, names=[engine.name for engine in engines], swiss=SWISS_ROUNDS if many else None,
        pairs=SWISS_PAIRS if many else ROUND_ROBIN_PAIRS, seed=1, workers=workers, trust=True,
        store=folder / "true.sqlite",
    )  # fmt: skip
    return {row.player: (row.elo, row.elo_error or 0.0) for row in result.table}
