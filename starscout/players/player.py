"""Player: the one interface between those who choose moves and those who judge them."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, fields
from typing import Any

from starscout.game import Game, GameError
from starscout.search.limits import Limit
from starscout.state import State

Limits = tuple[Limit, Limit]
"""One limit for each side, in the order of the game's sides."""


@dataclass(frozen=True)
class MoveReport:
    """What a search thinks of one move: the mover's expected result in [−1, 1], and how often it was visited."""

    move: int
    value: float | None = None
    visits: int | None = None
    interval: tuple[float, float] | None = None
    """Where the value lies with 95 % confidence, for searches that sample."""
    pruned: int | None = None
    """The simulation at which progressive pruning dropped the move."""
    proven: bool = False
    """Whether the value is exact."""


@dataclass(frozen=True)
class Decision:
    """A chosen move and what is known about it. Values are the mover's expected result in [−1, 1]."""

    move: int
    value: float | None = None
    depth: int | None = None
    nodes: int | None = None
    simulations: int | None = None
    line: tuple[str, ...] = ()
    """The principal variation as text; rolls stand in it as plain numbers."""
    moves: tuple[MoveReport, ...] = field(default=())


class PlayerError(Exception):
    """A player that cannot go on: it loses the game. `reason` is one of the referee's words, `detail` a sentence."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail


class Player(ABC):
    """Chooses moves in one game after the other. Not shared by threads.

    For each game the referee calls `new_game`, `begin`, then `choose` at the player's turns and `observe` after every
    move of either side, then `end`. Only `choose` must be written. Any of them may raise PlayerError.
    """

    name: str = "player"

    limit: Limit = Limit()
    """The player's own limit: where it says something, it replaces the limit of the match."""

    limits: Limits = (Limit(), Limit())
    """What each side may still use; the referee keeps it up to date before `begin` and before `choose`."""

    local: bool = True
    """Whether it thinks in this process; False for programs behind a protocol."""

    goes_back: bool = True
    """Whether it can be asked about any position; False if it only follows a game from its start."""

    @property
    def gone(self) -> bool:
        """Whether it will never answer again, like a visitor who has hung up."""
        return False

    def new_game(self, game: Game, seed: int) -> None:
        """Forget everything learnt so far; compile or load what `choose` needs (no clock runs here)."""

    def begin(self, start: State, side: int) -> None:
        """The game starts here, and the player has this side. No clock runs: get ready to answer."""

    @abstractmethod
    def choose(self, state: State, limit: Limit) -> Decision:
        """A legal move for a state whose die is rolled. With equal seeds and a limit without time: the same move."""

    def observe(self, state: State, move: int) -> None:
        """`move` was played in `state`, by either side."""

    def end(self, winner: int | None, reason: str, detail: str) -> None:
        """The game is over: the side that won (None: nobody) and why."""

    def close(self) -> None:
        """Release processes, sockets and memory. Nothing is called afterwards."""

    def analyse(self, state: State, limit: Limit) -> Decision:
        """Like `choose`, with a report of every move where the player can give one."""
        return self.choose(state, limit)

    def tree(self, depth: int) -> dict[str, Any]:
        """The tree of the last search down to `depth` plies; GameError for players that grow none."""
        raise GameError(f"{self.name!r} grows no Monte-Carlo tree: choose a player of the kind mcts")

    def bound(self, limit: Limit) -> Limit:
        """The limit in force: the player's own where it has one, the given one elsewhere."""
        return limit if self.limit == Limit() else merged(self.limit, limit)


def merged(own: Limit, other: Limit) -> Limit:
    """Field by field: `own` where it says something, else `other`."""
    chosen = {}
    for item in fields(Limit):
        mine = getattr(own, item.name)
        chosen[item.name] = getattr(other, item.name) if mine == item.default else mine
    return Limit(**chosen)
