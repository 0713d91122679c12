"""Player: the one interface between those who choose moves and those who judge them."""

from dataclasses import dataclass, field
from typing import Protocol

from starscout.game import Game
from starscout.search.limits import Limit
from starscout.state import State


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


class Player(Protocol):
    """Chooses moves in one game after the other. Not shared by threads."""

    name: str

    def new_game(self, game: Game, seed: int) -> None:
        """Forget everything learnt so far; compile or load what `choose` needs (no clock runs here)."""
        ...

    def choose(self, state: State, limit: Limit) -> Decision:
        """A legal move for a state whose die lies. With equal seeds and a limit without time: the same move."""
        ...

    def close(self) -> None:
        """Release processes, sockets and memory. Nothing is called afterwards."""
        ...


class PlayerError(Exception):
    """A player that cannot go on: it loses the game. `reason` is one of the referee's words, `detail` a sentence."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail


class Follower:
    """A player that follows the whole game, as programs behind a protocol do: the referee tells it what happens.

    After `new_game` come `begin`, then `observe` for every move of both sides, then `end`. Any of them may raise
    PlayerError.
    """

    name: str
    limits: tuple[Limit, Limit] = (Limit(), Limit())
    """What each side may still use; the referee keeps it up to date before `begin` and before `choose`."""

    def begin(self, start: State, side: int) -> None:
        """The game starts here, and the player has this side. No clock runs: get ready to answer."""

    def observe(self, state: State, move: int) -> None:
        """`move` was played in `state`, by either side."""

    def end(self, winner: int | None, reason: str, detail: str) -> None:
        """The game is over: the side that won (None: nobody) and why."""
