"""Knowledge about Kari: evaluations, endgames, players and presentation."""

from pathlib import Path

from starscout.evaluation.evaluation import zero
from starscout.evaluation.knowledge import Knowledge, Preset
from starscout.games.ewn import heuristics as shared
from starscout.games.kari import baselines
from starscout.games.kari.evaluation import DISTANCE_CALIBRATION, cubes_and_corners, kari_features, move_classes
from starscout.games.kari.rules import CUBES, SIZE
from starscout.learning.recipe import Generation, Recipe

COURSE = "the baseline of the course that invented kari"
REPORT = "report 003_9d342764b8c1410e.txt"

_BOARD = shared.board_of(SIZE, SIZE, CUBES)

KNOWLEDGE = Knowledge(
    level_ratings={"kari": (0, 760, 1130, 1270, 1420, 1470, 1570, 1630)},
    goals=shared.far_corners,
    evaluations={
        "cubes": lambda game: cubes_and_corners(_BOARD),
        "distance": lambda game: shared.nearest_cubes(_BOARD, DISTANCE_CALIBRATION),
        "zero": lambda game: zero(shared.move_order(_BOARD)),
    },
    move_classes=lambda game: move_classes(_BOARD, arrivals=True),
    other_classes={"captures": lambda game: move_classes(_BOARD, arrivals=False)},
    features=lambda game: kari_features(_BOARD),
    weights=Path(__file__).parent,
    recipe=Recipe(
        (
            Generation(depth=3, time=0.2, result=1.0),
            Generation(depth=4, time=1.5, result=0.3),
            Generation(depth=4, time=3.0, result=0.2),
            Generation(depth=5, time=5.0, result=0.15),
            Generation(depth=5, time=6.0, result=0.1),
        ),
        epochs=6,
    ),
    fingerprint=("cubes", 7, 4),
    kinds={"kari-baseline": baselines},
    players=(
        Preset(
            "strong",
            "negascout table=20",
            "deep alpha-beta with the learned evaluation",
            "this project",
        ),
        Preset(
            "strong-mcts",
            "mcts c=0.06 cutoff=1 playout=classes expand=all burst=16",
            "UCT with proven values, in batches; leaves are expanded and evaluated one ply of the best class deeper",
            "this project",
        ),
        Preset(
            "greedy",
            "kari-baseline style=greedy",
            "1-ply search: few threatened cubes, a distant enemy and, a quirk, distant own cubes",
            COURSE,
        ),
        Preset(
            "conservative",
            "kari-baseline style=conservative",
            "the first capture of an enemy, else the first straight move that is not a self-capture, else random",
            COURSE,
        ),
        Preset(
            "kari-mcts",
            "mcts rule=ucb c=1.18 choose=value expand=all total=4000 playout=classes",
            "4,000 playouts divided among the children of a new leaf; special moves get double and are played first",
            REPORT,
        ),
        Preset(
            "kari-mcts-pruned",
            "mcts rule=ucb c=1.18 choose=value expand=all total=4000 playout=classes "
            "prune=deviation period=1 rd=1 sigma=2 trials=100",
            "kari-mcts with progressive pruning by the deviation of result ÷ √plies",
            REPORT,
        ),
        Preset(
            "kari-mcts-old",
            "mcts rule=ucb c=1.18 choose=value expand=all total=4000 playout=classes classes=captures",
            "kari-mcts whose only special moves are captures",
            REPORT,
        ),
        Preset(
            "kari-mcts-old-pruned",
            "mcts rule=ucb c=1.18 choose=value expand=all total=4000 playout=classes classes=captures "
            "prune=deviation period=1 rd=1 sigma=2 trials=100",
            "kari-mcts-old with progressive pruning",
            REPORT,
        ),
        shared.UCT_PRUNED,
    ),
)
