"""The player kind `cyclic-baseline`: the opponents `normal` and `hard` of the course of the cyclic game.

They reproduce the originals: alpha-beta to a fixed depth on the difference of the least distances, regardless of the
limit. More than three quarters of the decisions have ties, so tie-breaking matters: moves are listed with the lower
cube first, each cube's steps in the order of the game; the first move with the best value is played; all wins have the
same value; if every move loses, the first diagonal move is played.
"""

from dataclasses import dataclass
from typing import Annotated

from starscout.evaluation import load_evaluation
from starscout.game import Game, GameError
from starscout.game.state import State
from starscout.games.ewn.board import SHIFT_MASK, TARGET_SHIFT
from starscout.games.ewn_cyclic.rules import COLUMNS
from starscout.players.player import Decision, MoveReport, Player
from starscout.search.deepening import Searcher
from starscout.search.limits import Limit
from starscout.search.negascout import Switches
from starscout.settings.arguments import check_fields
from starscout.settings.schema import Depth, Setting

DEEPEST = 12
TABLE_BITS = 14
LOST = -1.0


@dataclass(frozen=True)
class Options:
    """The depth in plies: 2 is `normal`, 8 is `hard`."""

    depth: Annotated[Depth, Setting(high=DEEPEST)] = 8

    def __post_init__(self) -> None:
        check_fields(self)


class CyclicBaseline(Player):
    """Deterministic fixed-depth search with the value of every move."""

    def __init__(self, game: Game, depth: int, name: str) -> None:
        self.name = name
        self._depth = depth
        self._searcher = Searcher(game, load_evaluation(game, "distance"), Switches(), TABLE_BITS)

    def new_game(self, game: Game, seed: int) -> None:
        self._searcher.clear()
        self.choose(State(game, game.start_position(0), 1), Limit())

    def choose(self, state: State, limit: Limit) -> Decision:
        self._searcher.begin()
        depths = range(self._depth, self._depth + 1)
        (iteration,) = self._searcher.deepen(state.position, state.roll, depths, every_move=True)
        move = iteration.best.move
        if iteration.best.value == LOST:
            move = next((root.move for root in iteration.moves if _is_diagonal(state, root.move)), move)
        moves = tuple(MoveReport(root.move, root.value) for root in iteration.moves)
        return Decision(move, iteration.best.value, self._depth, iteration.nodes, moves=moves)


def check(game: Game, options: Options) -> None:
    """Raise GameError for any game but the cyclic one."""
    if game.name != "ewn-cyclic":
        raise GameError(f"cyclic-baseline plays ewn-cyclic, not {game.name}")


def own_limit(options: Options) -> Limit:
    """The fixed depth, regardless of the match."""
    return Limit(depth=options.depth)


def make(game: Game, options: Options, name: str) -> CyclicBaseline:
    """Create a baseline player."""
    return CyclicBaseline(game, options.depth, name)


def _is_diagonal(state: State, move: int) -> bool:
    """Whether a move goes one row and one column forward."""
    start = int(state.position.own) >> (move & SHIFT_MASK) & SHIFT_MASK
    return move >> TARGET_SHIFT == start + COLUMNS + 1
