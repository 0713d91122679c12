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
