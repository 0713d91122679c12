"""Every code block of the documentation is run by a test, compared with real output, or listed as a figure."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from starscout import games
from starscout.game.state import start
from starscout.players.spec import make_player
from starscout.records.json_lines import record_to_json
from starscout.referee.game_in_progress import play_game
from starscout.search.limits import Limit
from tests.blocks import ROOT, blocks_of, original_of
from tests.command_line import run as run_command
from tests.test_architecture import LAYERS
from tests.test_site import DOCS
from tests.test_site import PAGES as PROGRAM_PAGES
from tests.test_site_commands import SHELL

README = ROOT / "README.md"
PAGES = [README, *(page for page in sorted(DOCS.rglob("*.md")) if original_of(page) is None)]
COMPARED = {
    ("arena.md", "text"): "tests/test_author_tools.py runs such a bisection",
    ("games.md", "python"): "steps of the guide (tests/test_game_guide.py), part of an example (tests/test_site.py)",
    ("ladder.md", "csv"): "the class list of the commands (tests/ladder/test_documentation.py)",
    ("ladder.md", "python"): "the engine that these commands submit (tests/ladder/test_documentation.py)",
    ("ladder.md", "text"): "a request with curl (tests/ladder/test_server.py)",
    ("learn.md", "python"): "runs in a copy of examples/dice_race.py (below)",
    ("protocols.md", "python"): "both engines of the page play (tests/protocols/test_documentation.py)",
    ("protocols.md", "c"): "is compiled and plays (tests/protocols/test_documentation.py)",
    ("protocols.md", "csv"): "commands of the page read it (tests/test_site_commands.py)",
    ("protocols.md", "text"): "the output of a real engine and of a real judge (below)",
    ("referee.md", "python"): "runs (tests/protocols/test_documentation.py)",
    ("referee.md", "json"): "has the fields of a real record (below)",
    ("experiments.md", "toml"): "a command of the page runs it (tests/test_site_commands.py)",
}
"""Page and language → how these blocks are checked."""
FIGURES = {
    "architecture.md": "the layers, compared with tests/test_architecture.py (below)",
    "negascout.md": "the search as a formula",
    "progressive-pruning.md": "the two tests as formulas",
    "rave.md": "the rule as a formula",
    "star.md": "the cuts as formulas",
    "ucb-variance.md": "the rule as a formula",
    "uct.md": "the rule as a formula",
}
"""Page → what its one text block without a check shows."""


def unchecked(page: Path) -> list[tuple[str, str]]:
    """(language, text) of the blocks that no test runs or compares."""
    left: list[tuple[str, str]] = []
    before = ""
    for language, text in blocks_of(page):
        program = language == "python" and (page == README or page in PROGRAM_PAGES)
        output = language == "text" and before == "python"
        if not (program or output or language in SHELL or (page.name, language) in COMPARED):
            left.append((language, text))
        before = language
    return left


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_block_is_checked_or_a_figure(page: Path) -> None:
    left = unchecked(page)
    assert [text for language, text in left if language != "text"] == [], "no test runs this block"
    assert len(left) == (1 if page.name in FIGURES else 0), "a text block that is neither output nor a figure"


def test_lists_have_no_stale_entries() -> None:
    languages = {(page.name, language) for page in PAGES for language, _ in blocks_of(page)}
    assert set(COMPARED) <= languages
    assert set(FIGURES) <= {page.name for page in PAGES}


def block_of(page: str, language: str, opening: str = "") -> str:
    """The only block of a page in this language with this opening."""
    (text,) = [text for kind, text in blocks_of(DOCS / page) if kind == language and text.startswith(opening)]
    return text


def test_figure_shows_the_layers() -> None:
    layers = [
        {line.split()[0].removesuffix(".py").rstrip("/").replace("/<game>", ".*") for line in part.splitlines()}
        for part in block_of("architecture.md", "text").split("\n\n")
    ]
    assert layers == [set(names) - {"__main__"} for names in reversed(LAYERS)]


def test_setting_of_the_contributing_guide_is_declared_so() -> None:
    schema = (ROOT / "starscout" / "settings" / "schema.py").read_text(encoding="utf-8")
    blocks = [text for language, text in blocks_of(ROOT / "CONTRIBUTING.md") if language == "python"]
    assert blocks
    assert all(text in schema for text in blocks)


def test_lab_conversation_is_that_of_a_real_engine() -> None:
    page = (DOCS / "protocols.md").read_text(encoding="utf-8")
    (command,) = re.findall(r"^What `starscout (engine .*)` answers", page, re.MULTILINE)
    talk = block_of("protocols.md", "text", "> lab 1").splitlines()
    said = "".join(f"{line[2:]}\n" for line in talk if line.startswith("> "))
    words = re.findall(r'"([^"]*)"|(\S+)', command)
    done = run_command(["".join(word) for word in words], given=said)
    assert done.returncode == 0, done.stderr

    def comparable(lines: list[str]) -> list[str]:
        # Node counts may change, results may not.
        return [re.sub(r"nodes \d+", "nodes N", line) for line in lines]

    assert comparable(done.stdout.splitlines()) == comparable([line[2:] for line in talk if line.startswith("< ")])


def test_judge_lines_have_the_printed_format() -> None:
    source = (ROOT / "starscout" / "cli" / "referee.py").read_text(encoding="utf-8")
    (printed,) = re.findall(r'f"(NAME:.*?)\\n"', source)
    form = re.sub(r"\\\{.*?\\\}", r"\\w+", re.escape(printed))
    lines = block_of("protocols.md", "text", "NAME:").splitlines()
    assert len(lines) == 2
    assert all(re.fullmatch(form, line) for line in lines)


def test_record_has_the_fields_of_a_real_one() -> None:
    shown = json.loads(block_of("referee.md", "json"))
    rules = games.load("ewn")
    players = make_player("random", rules), make_player("random", rules)
    record = play_game(start(rules), players, (Limit(), Limit()))
    real = record_to_json(record)
    assert set(shown) == set(real)
    assert all(type(shown[name]) is type(real[name]) for name in shown if name != "winner")
    reported = {"depth", "nodes"}
    assert set(shown["plies"][0]) - reported == set(real["plies"][0])


def test_weights_block_gives_the_values_of_the_example(tmp_path: Path) -> None:
    """Insert the evaluation of docs/learn.md into the example whose names it uses."""
    example = (ROOT / "examples" / "dice_race.py").read_text(encoding="utf-8")
    lead = '"lead": lambda game: Evaluation("lead", lead, order=classify)'
    assert lead in example
    block = block_of("learn.md", "python")
    head, tail = example.split("KNOWLEDGE = Knowledge(")
    both = tail.replace(lead, f'{lead}, "worth": lambda game: WORTH')
    (tmp_path / "race.py").write_text(f"{head}{block}\n\nKNOWLEDGE = Knowledge({both}", encoding="utf-8")
    code = (
        "import starscout\n"
        "state = starscout.start('./race.py').rolled(3)\n"
        "found = [starscout.analyse(state, f'negascout eval={name}', depth=2) for name in ('lead', 'worth')]\n"
        "print(found[0].value == found[1].value != 0, found[0].best == found[1].best)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.stdout == "True True\n", done.stderr
