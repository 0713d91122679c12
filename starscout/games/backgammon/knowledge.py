"""Knowledge about backgammon: evaluations, endgames, players and presentation."""

from dataclasses import replace
from pathlib import Path

from starscout.evaluation.evaluation import zero
from starscout.evaluation.knowledge import Knowledge, Preset
from starscout.games.backgammon import gnubg
from starscout.games.backgammon.bearoff import BearoffTableFiles, find_table
from starscout.games.backgammon.evaluation import FEATURES, PIPS_LEAD, move_class
from starscout.learning.recipe import Generation, Recipe
from starscout.learning.temporal_difference import TemporalDifference

GNU = "GNU Backgammon (gnubg-nn)"

RECIPE = Recipe(
    generations=(
        Generation(depth=1, time=1.0, result=0.0),
        Generation(depth=1, time=1.0, result=0.0),
        Generation(depth=1, time=1.0, result=0.0, refine=True),
    ),
    pairs=20,
    nodes=500,
    temporal=TemporalDifference(units=128),
)

KNOWLEDGE = Knowledge(
    luck_depth=1,
    equity_unit="mEMG",
    level_ratings={"backgammon": (0, 760, 780, 780, 800, 860, 820, 820)},
    evaluations={"pips": lambda game: PIPS_LEAD, "zero": lambda game: zero()},
    move_classes=lambda game: move_class,
    features=lambda game: FEATURES,
    weights=Path(__file__).parent,
    recipe=RECIPE,
    refinement=replace(RECIPE, generations=RECIPE.generations[-1:]),
    table=find_table,
    table_files=BearoffTableFiles(),
    kinds={"gnubg": gnubg},
    players=(
        Preset(
            "strong",
            "negascout filter=16 margin=0.16 endgame=on",
            "expectimax with move filters, learned networks and bear-off tables",
            "this project",
        ),
        Preset(
            "quick",
            "negascout depth=1 table=0 endgame=on",
            "the best play by the learned networks and bear-off tables, without search",
            "this project",
        ),
        Preset("gnubg:0ply", "gnubg plies=0", "GNU Backgammon's networks without search", GNU),
        Preset("gnubg:2ply", "gnubg plies=2", "GNU Backgammon, searching two plies", GNU),
    ),
)
