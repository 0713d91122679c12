"""Player: the one interface between whoever chooses moves and the referee."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, fields
from typing import Any

from starscout.game import Game, GameError
from starscout.game.state import State
from starscout.search.limits import Limit

Limits = tuple[Limit, Limit]
"""One limit for each side, in the order of the game's sides."""


@dataclass(frozen=True)
class MoveReport:
    """What a search thinks of one move: the mover's expected result in [−1, 1], and how often it was visited."""

    move: int
    value: float | None = None
    visits: int | None = None
    interval: tuple[float, float] | None = None
    """The 95 % confidence interval of the value, for searches that sample."""
    pruned: int | None = None
    """The simulation at which progressive pruning dropped the move."""
    proven: bool = False
    """Whether the value is exact."""


@dataclass(frozen=True)
class Decision:
    """A chosen move and what the player reports about it. Values are the mover's expected result in [−1, 1].

    >>> Decision(17, value=0.5, depth=6).move
    17
    """

    move: int
    value: float | None = None
    depth: int | None = None
    nodes: int | None = None
    simulations: int | None = None
    line: tuple[str, ...] = ()
    """The principal variation as text; rolls are plain numbers."""
    moves: tuple[MoveReport, ...] = field(default=())


class PlayerError(Exception):
    """The player cannot go on and loses the game. `reason` is one of FORFEITS, `detail` a sentence."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail


class Player(ABC):
    """Chooses moves in one game after another. Not shared by threads.

    For each game the referee calls `new_game`, `begin`, then `choose` at the player's turns and `observe` after every
    move of either side, then `end`. Only `choose` is required. Any of them may raise PlayerError.

    >>> import starscout
    >>> class First(starscout.Player):
    ...     def choose(self, state, limit):
    ...         return starscout.Decision(state.legal[0])
    >>> starscout.match("ewn-3x3-3", First, "random", pairs=2, workers=0, store=":memory:").games
    4
    """

    name: str = "player"

    limit: Limit = Limit()
    """The player's own limit: each field that it sets replaces that of the match's limit."""

    limits: Limits = (Limit(), Limit())
    """What each side may still use; the referee updates it before `begin` and before `choose`."""

    local: bool = True
    """Whether it runs in this process; False for programs behind a protocol."""

    supports_take_back: bool = True
    """Whether it can be asked about any position; False if it only follows a game from its start."""

    @property
    def gone(self) -> bool:
        """Whether it will never answer again, like a visitor who has disconnected."""
        return False

    def new_game(self, game: Game, seed: int) -> None:
        """Forget earlier games; compile or load what `choose` needs. No clock runs."""

    def begin(self, start: State, side: int) -> None:
        """A game begins at `start`, and the player has this side. No clock runs."""

    @abstractmethod
    def choose(self, state: State, limit: Limit) -> Decision:
        """A legal move in a state whose die is rolled; the same for equal seeds, unless the limit has a time."""

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
        """The tree of the last search down to `depth` plies; GameError for players without one."""
        raise GameError(f"{self.name!r} has no Monte-Carlo tree: choose a player of the kind mcts")

    def bound(self, limit: Limit) -> Limit:
        """The limit in force: the player's own, field by field, else the given one."""
        return limit if self.limit == Limit() else merged(self.limit, limit)


Players = tuple[Player, Player]
"""The players of the two sides."""


def merged(own: Limit, other: Limit) -> Limit:
    """Field by field: `own` where it is set, else `other`."""
    chosen: dict[str, Any] = {}
    for item in fields(Limit):
        mine = getattr(own, item.name)
        chosen[item.name] = getattr(other, item.name) if mine == item.default else mine
    return Limit(**chosen)
