"""A small experiment and studies of it, for tests."""

from pathlib import Path

from starscout.experiments.experiment import parse_experiment
from starscout.experiments.runner import Study, StudyRow

TEXT = """
question = "Does a tree beat a random mover?"
report = "000_example.txt"
table = "a table"
title = "A tree against a random mover"
headline = "It does"
notes = "A note."
game = "ewn-3x3-3"
seed = 7
pairs = 20
quick = 3
limit = "simulations=20"

[players]
tree = "mcts"
chance = "random"

[columns]
simulations = "simulations_per_move"
"first move" = "first_moves 1 simulations_per_move"

[[duel]]
first = "tree"
second = "chance"
reported = { games = 10, score = 0.9 }

[[duel]]
first = "chance"
second = "random"
name = "even"
pairs = 15

[[duel]]
name = "another compiler"
reported = { games = 10, score = 0.7, simulations = 5000 }

[[claim]]
says = "a tree beats a random mover"
better = "tree – chance"

[[claim]]
says = "a tree scores more than chance"
better = "tree – chance"
than = "even"
"""

EXPERIMENT = parse_experiment(TEXT, Path("example.toml"))


def row(
    name: str, score: float | None, error: float | None = 0.05, reported: dict[str, float] | None = None
) -> StudyRow:
    """Return a row of 100 games with this score (None: no games) and reported numbers."""
    games, known = (0, None) if score is None else (100, error)
    return StudyRow(name, games, score, known, reported=reported or {})


def study_of(*rows: StudyRow) -> Study:
    """Return a study with these rows."""
    return Study("example", "starscout experiment example", "0.1.0", "c0de", 7, False, 12.0, rows)
