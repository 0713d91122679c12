"""What StarScout knows about dark chess beyond the rules."""

from starscout.evaluation.evaluation import zero
from starscout.evaluation.knowledge import Knowledge, Preset
from starscout.games.dark_chess.evaluation import MATERIAL, move_class, order

COURSE = "the course that plays dark chess"

KNOWLEDGE = Knowledge(
    evaluations={"material": lambda game: MATERIAL, "zero": lambda game: zero(order)},
    move_classes=lambda game: move_class,
    players=(
        Preset("strong", "negascout table=18", "alpha-beta with Star2 at reveals and material", "this project"),
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
