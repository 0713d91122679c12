"""Studies: the results of experiments, stored as JSON files."""

import dataclasses
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from starscout.experiments.experiment import Experiment
from starscout.game import GameError


@dataclass(frozen=True)
class StudyRow:
    """A duel, or a player of a Swiss; the score is that of the first player.

    `games` is 0 if only the report has numbers.
    """

    name: str
    games: int
    score: float | None
    score_error: float | None
    """Half-width of the 95 % confidence interval over pairs; over tournaments for a Swiss."""
    numbers: dict[str, float | None] = field(default_factory=dict)
    """Title → value of the experiment's columns."""
    reported: dict[str, float] = field(default_factory=dict)
    """Numbers in the report: `games`, `score`, and columns by title."""
    players: tuple[str, ...] = ()
    """Specifications of the players."""
    counts: dict[str, float] = field(default_factory=dict)
    """Wins, losses and draws; points in a Swiss."""
    quick_counts: dict[str, float] = field(default_factory=dict)
    """Counts of a quick run, which plays the first pairs of the full run."""


@dataclass(frozen=True)
class Study:
    """The rows of an experiment, and how to reproduce them."""

    name: str
    command: str
    version: str
    code: str
    """Digest of the code that played."""
    seed: int
    quick: bool
    seconds: float
    """Wall-clock thinking time of all players."""
    rows: tuple[StudyRow, ...]

    def row(self, name: str) -> StudyRow:
        """Return the row with this name; raises GameError."""
        found = next((row for row in self.rows if row.name == name), None)
        if found is None:
            raise GameError(f"study {self.name}: no row {name!r}; run the experiment again")
        return found

    def save(self, folder: Path) -> Path:
        """Write the study to its file in a folder."""
        path = study_file(folder, self.name)
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(dataclasses.asdict(self), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        return path


def study_file(folder: Path, name: str) -> Path:
    """Return the path of an experiment's study in a folder."""
    return folder / f"{name}.json"


def load_study(experiment: Experiment, folder: Path) -> Study | None:
    """Load the study of an experiment from a folder; None if there is none."""
    path = study_file(folder, experiment.name)
    if not path.is_file():
        return None
    try:
        values: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        rows = tuple(StudyRow(**{**row, "players": tuple(row["players"])}) for row in values.pop("rows"))
        return Study(**values, rows=rows)
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise GameError(f"{path}: not a study: {error}") from error
