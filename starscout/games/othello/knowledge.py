"""Knowledge about Othello: evaluations, endgames, players and presentation."""

from functools import partial
from pathlib import Path

from starscout.evaluation.evaluation import Evaluation, zero
from starscout.evaluation.knowledge import Knowledge, Preset, Score
from starscout.game import Game
from starscout.games.othello.endgame import SolverEndgame
from starscout.games.othello.evaluation import discs, mobility, move_classes, move_order, positional
from starscout.games.othello.patterns import SIZE, is_pattern_evaluation, pattern_features
from starscout.games.othello.rules import disc_difference, disc_lead
from starscout.games.othello.selective import SelectiveSearcher
from starscout.games.othello.self_play import play_chunk
from starscout.games.othello.solver import OthelloSolver
from starscout.learning.recipe import Generation, Recipe


def selective_search(game: Game, evaluation: Evaluation) -> "partial[SelectiveSearcher] | None":
    """The selective midgame search on an evaluation by patterns; None for other evaluations."""
    return partial(SelectiveSearcher, game, evaluation) if is_pattern_evaluation(evaluation) else None


KNOWLEDGE = Knowledge(
    level_ratings={"othello": (0, 570, 790, 1050, 1440, 1590, 1660, 1910)},
    evaluations={
        "positional": positional,
        "mobility": mobility,
        "discs": discs,
        "zero": lambda game: zero(move_order(game)),
    },
    move_classes=move_classes,
    features=lambda game: pattern_features() if game.rows == SIZE else None,
    weights=Path(__file__).parent,
    recipe=Recipe(
        (
            Generation(depth=2, time=1.0, result=1.0),
            Generation(depth=2, time=1.0, result=1.0, blend=0.9),
            Generation(depth=2, time=1.5, result=1.0, blend=0.85),
            Generation(depth=3, time=3.0, result=1.0, blend=0.8),
            Generation(depth=3, time=5.0, result=1.0, blend=0.75),
            Generation(depth=3, time=10.0, result=1.0, blend=0.7),
            Generation(depth=4, time=25.0, result=1.0, blend=0.7),
        ),
        opening=32,
        noise=0.0,
        pairs=20,
    ),
    refinement=Recipe(
        (Generation(depth=6, time=1.0, result=1.0, blend=0.85, refine=True),),
        opening=32,
        noise=0.0,
        epochs=3,
        pairs=20,
    ),
    self_play=play_chunk,
    endgame=SolverEndgame,
    selective_search=selective_search,
    score=Score("discs", disc_lead, disc_difference, lambda game, threads: OthelloSolver(game, threads=threads)),
    fingerprint=("positional", 10, 6),
    players=(
        Preset(
            "strong",
            "negascout table=20 endgame=on probcut=1",
            "selective alpha-beta with learned patterns and exact endgames; on small boards the positional evaluation",
            "this project",
        ),
        Preset(
            "strong-mcts",
            "mcts c=0.06 cutoff=1 expand=all burst=16",
            "UCT with proven values, in batches; leaves are expanded and evaluated one ply deeper",
            "this project",
        ),
        Preset(
            "uct-pruned",
            "mcts rule=ucb c=1.414 choose=value prune=visits period=1000 factor=2",
            "UCT that prunes moves with fewer visits than average every 1,000 visits; corners count twice",
            "report 001_b337862ddef67b6b.txt",
        ),
    ),
)
