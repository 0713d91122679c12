"""Knowledge about EinStein würfelt nicht! with cyclic dice: evaluations, endgames, players and presentation."""

from pathlib import Path

from starscout.evaluation.evaluation import zero
from starscout.evaluation.knowledge import Knowledge, Preset
from starscout.games.ewn import heuristics as shared
from starscout.games.ewn_cyclic import baselines
from starscout.games.ewn_cyclic.evaluation import (
    DISTANCE_CALIBRATION,
    LATEST,
    arrival_turn,
    cyclic_features,
    exact_race,
    exact_race_and_squares,
)
from starscout.games.ewn_cyclic.rules import COLUMNS, CUBES, ROWS
from starscout.learning.recipe import Generation, Recipe

_BOARD = shared.board_of(ROWS, COLUMNS, CUBES)

KNOWLEDGE = Knowledge(
    level_ratings={"ewn-cyclic": (0, 760, 870, 950, 1060, 1130, 1130, 1220)},
    goals=shared.far_corners,
    evaluations={
        "race+squares": lambda game: exact_race_and_squares(_BOARD),
        "race": lambda game: exact_race(_BOARD),
        "distance": lambda game: shared.nearest_cubes(_BOARD, DISTANCE_CALIBRATION),
        "zero": lambda game: zero(shared.move_order(_BOARD)),
    },
    move_classes=lambda game: shared.wins_at_once(_BOARD),
    features=lambda game: cyclic_features(_BOARD, arrival_turn(_BOARD), LATEST),
    weights=Path(__file__).parent,
    recipe=Recipe(
        (
            Generation(depth=3, time=0.4, result=1.0),
            Generation(depth=4, time=1.0, result=0.3),
            Generation(depth=6, time=3.0, result=0.1),
            Generation(depth=7, time=6.0, result=0.1),
            Generation(depth=8, time=10.0, result=0.05),
        ),
        units=64,
        epochs=5,
    ),
    fingerprint=("race", 12, 7),
    kinds={"cyclic-baseline": baselines},
    players=(
        Preset(
            "strong",
            "negascout table=20",
            "deep alpha-beta with the learned evaluation",
            "this project",
        ),
        Preset(
            "strong-mcts",
            "mcts c=0.2 cutoff=1 expand=all burst=16",
            "UCT with proven values, in batches; leaves are expanded and evaluated one ply deeper",
            "this project",
        ),
        Preset("easy", "random", "a random legal move", "course baseline"),
        Preset(
            "normal",
            "cyclic-baseline depth=2",
            "alpha-beta, 2 plies, difference of the least distances, ties as in the original",
            "course baseline",
        ),
        Preset(
            "hard",
            "cyclic-baseline depth=8",
            "alpha-beta, 8 plies, difference of the least distances, ties as in the original",
            "course baseline",
        ),
        shared.UCT_PRUNED,
    ),
)
