"""Knowledge about dark chess: evaluations, endgames, players and presentation."""

from pathlib import Path

from starscout.evaluation.evaluation import zero
from starscout.evaluation.knowledge import Knowledge, Preset
from starscout.games.dark_chess.board import Position
from starscout.games.dark_chess.endgame_table import DarkChessTableFiles, find_table
from starscout.games.dark_chess.evaluation import MATERIAL, move_class, order
from starscout.games.dark_chess.relations import FEATURES
from starscout.games.dark_chess.self_play import play_self
from starscout.learning.recipe import Generation, Recipe

COURSE = "the course that plays dark chess"


def _side_colours(position: Position) -> tuple[str, str] | None:
    """The colours of both sides; None before the first flip."""
    return (None, ("red", "black"), ("black", "red"))[int(position.colours)]


KNOWLEDGE = Knowledge(
    level_ratings={"dark-chess": (0, 520, 700, 830, 900, 980, 1040)},
    evaluations={"material": lambda game: MATERIAL, "zero": lambda game: zero(order)},
    luck_depth=1,
    colours=_side_colours,
    move_classes=lambda game: move_class,
    features=lambda game: FEATURES,
    weights=Path(__file__).parent,
    recipe=Recipe(
        (
            Generation(depth=1, time=0.5, result=1.0),
            Generation(depth=1, time=0.5, result=0.7),
            Generation(depth=2, time=1.0, result=0.6),
            Generation(depth=3, time=6.0, result=0.5),
        ),
        opening=30,
        noise=0.05,
        epochs=8,
        rate=0.004,
        pairs=4,
        nodes=300,
    ),
    self_play=play_self,
    table=find_table,
    table_files=DarkChessTableFiles(),
    players=(
        Preset(
            "strong",
            "negascout table=18 endgame=on",
            "Star2 with the learned evaluation and endgame tables",
            "this project",
        ),
        Preset(
            "course-starter",
            "mcts expand=all leaf=20 simulations=1 choose=value",
            "flat Monte-Carlo: 20 random playouts for each action",
            COURSE,
        ),
        Preset("course-rave", "mcts rule=rave c=0.3", "Monte-Carlo tree search with RAVE, as in homework 2", COURSE),
        Preset("course-star1", "negascout star=1 table=16", "NegaScout with Star1, as in the final project", COURSE),
    ),
)
