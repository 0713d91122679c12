"""A study: what came out of an experiment, as numbers that can be kept in a small file."""

import dataclasses
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from starscout.experiments.experiment import Experiment
from starscout.game import GameError


@dataclass(frozen=True)
class StudyRow:
    """A duel or a player of a Swiss; scores are of the first player, `games` 0 where only the report has numbers."""

    name: str
    games: int
    score: float | None
    score_error: float | None
    """The half-width of the 95 % interval over pairs; over tournaments for a Swiss."""
    numbers: dict[str, float | None] = field(default_factory=dict)
    """The columns of the experiment by title."""
    reported: dict[str, float] = field(default_factory=dict)
    """What the report says: `games`, `score`, and columns by title."""
    players: tuple[str, ...] = ()
    """Their descriptions."""
    counts: dict[str, float] = field(default_factory=dict)
    """Wins, losses and draws; the points in a Swiss."""
    quick_counts: dict[str, float] = field(default_factory=dict)
    """The same of a quick run, which plays the first pairs of the full one."""


@dataclass(frozen=True)
class Study:
    """The rows of an experiment, and how to get them again."""

    name: str
    command: str
    version: str
    code: str
    """The digest of the code that played."""
    seed: int
    quick: bool
    seconds: float
    """For how long the players thought, in seconds of wall time."""
    rows: tuple[StudyRow, ...]

    def row(self, name: str) -> StudyRow:
        """The row of a name; raises GameError."""
        found = next((row for row in self.rows if row.name == name), None)
        if found is None:
            raise GameError(f"the study {self.name} has no row {name!r}: run the experiment again")
        return found

    def save(self, folder: Path) -> Path:
        """Write the study to its file in a folder."""
        path = study_file(folder, self.name)
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(dataclasses.asdict(self), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        return path


def study_file(folder: Path, name: str) -> Path:
    """Where the study of an experiment is kept in a folder."""
    return folder / f"{name}.json"


def load_study(experiment: Experiment, folder: Path) -> Study | None:
    """The study of an experiment from a folder; None if there is none. Raises GameError."""
    path = study_file(folder, experiment.name)
    if not path.is_file():
        return None
    try:
        values: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        rows = tuple(StudyRow(**{**row, "players": tuple(row["players"])}) for row in values.pop("rows"))
        return Study(**values, rows=rows)
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise GameError(f"{path} holds no study: {error}") from error
