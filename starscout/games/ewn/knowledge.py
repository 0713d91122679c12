"""Knowledge about EinStein würfelt nicht!: evaluations, endgames, players and presentation."""

from pathlib import Path

from starscout.evaluation.knowledge import Knowledge, Preset
from starscout.evaluation.learned import LEARNED
from starscout.game import Game
from starscout.games.ewn import heuristics as shared
from starscout.games.ewn.endgame_table import EwnTableFiles, find_table
from starscout.games.ewn.evaluation import EVALUATIONS, cube_features_of, default_name, luck_name, sum_of_terms
from starscout.games.ewn.setups import set_up
from starscout.learning.recipe import Generation, Recipe

REPORT_000 = "report 000_dbf6a41684ec2ffb.txt"
REPORT_002 = "report 002_703dbf1520f04bfa.txt"


def _learned_or(name: str, game: Game) -> str:
    return LEARNED if KNOWLEDGE.weights_file(game) else name


KNOWLEDGE = Knowledge(
    level_ratings={"ewn": (0, 480, 500, 520, 520, 480, 510, 540)},
    goals=shared.far_corners,
    evaluations=EVALUATIONS,
    parse=sum_of_terms,
    default=lambda game: _learned_or(default_name(game), game),
    luck=lambda game: _learned_or(luck_name(game), game),
    move_classes=lambda game: shared.wins_at_once(shared.board_of(game.rows, game.columns, game.faces)),
    features=cube_features_of,
    weights=Path(__file__).parent,
    recipe=Recipe(
        (
            Generation(depth=2, time=0.5, result=1.0),
            Generation(depth=2, time=1.0, result=0.1),
            Generation(depth=3, time=4.0, result=0.0),
            Generation(depth=3, time=6.0, result=0.0),
        ),
        units=64,
        noise=0.15,
        epochs=8,
        rate=0.1,
        pairs=100,
    ),
    table=find_table,
    table_files=EwnTableFiles(),
    fingerprint=("distance+determinacy", 5, 3),
    set_up=set_up,
    players=(
        Preset(
            "strong",
            "negascout table=20 endgame=on",
            "Star2 with the learned evaluation and endgame tables",
            "this project",
        ),
        Preset(
            "strong-mcts",
            "mcts c=0.2 cutoff=1 chance=enumerated expand=all",
            "UCT with proven values; leaves are expanded and evaluated one ply deeper; rolls by weight",
            "this project",
        ),
        Preset(
            "star-distance",
            "negascout depth=8 eval=distance:2:1 star=1 store=decision scout=on",
            "8 plies of NegaScout and Star1; twice the enemy's least distance minus the mover's",
            REPORT_000,
        ),
        Preset(
            "star-raw",
            "negascout depth=8 eval=raw-distance:2:1 raw=6 star=1 store=decision",
            "star-distance on raw points, with null windows one point wide and no re-search near the leaves",
            REPORT_000,
        ),
        Preset(
            "star-weighted",
            "negascout depth=8 eval=weighted star=1 store=decision scout=on",
            "star-distance with distances weighted by the number of rolls that move a cube",
            REPORT_000,
        ),
        Preset(
            "star-determinacy",
            "negascout eval=distance+determinacy star=1 store=chance scout=on start=3 step=1",
            "NegaScout and Star1; distance plus the number of rolls that move a cube; 3rd of 30 in its course",
            REPORT_002,
        ),
        Preset(
            "zweistein",
            "negascout table=20 eval=zweistein",
            "Star2 with the evaluation of Zweistein, the winner of TCGA 2023: exact race probabilities from distances",
            "Hsueh & Hsu, arXiv 2502.15547; search of this project",
        ),
        shared.UCT_PRUNED,
    ),
)
