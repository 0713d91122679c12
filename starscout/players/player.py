"""Player: the interface between players and the referee."""

import gc
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Self

from starscout.errors import public
from starscout.game import Game, GameError
from starscout.game.state import State
from starscout.search.limits import Limit

Limits = tuple[Limit, Limit]
"""One limit for each side, in the order of the game's sides."""


@dataclass(frozen=True)
class MoveReport:
    """Report on one move: the mover's expected result in [−1, 1] and the visits."""

    move: int
    value: float | None = None
    visits: int | None = None
    interval: tuple[float, float] | None = None
    """The 95 % confidence interval of the value, for searches that sample."""
    pruned: int | None = None
    """The simulation at which progressive pruning removed the move."""
    proven: bool = False
    """Whether the value is exact."""


@dataclass(frozen=True)
class Decision:
    """A chosen move and the player's report. Values are the mover's expected result in [−1, 1].

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
    """A failure that forfeits the game. `reason` is one of FORFEITS; `detail` explains it."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail


class Player(ABC):
    """Chooses moves in one game after another. Not thread-safe.

    For each game the referee calls `new_game` and `begin`, then `choose` on the player's turns and `observe` after each
    move of either side, then `end`. Only `choose` is required. All of them may raise PlayerError.

    >>> import starscout
    >>> class First(starscout.Player):
    ...     def choose(self, state, limit):
    ...         return starscout.Decision(state.legal[0])
    >>> starscout.match("ewn-3x3-3", First, "random", pairs=2, workers=0, store=":memory:").games
    4
    """

    name: str = "player"

    limit: Limit = Limit()
    """The player's own limit, which replaces that of the match: see `replaced`."""

    placement: str = ""
    """The set-up of its pieces, in games with free placement (`Knowledge.set_up`); empty: that of the start."""

    limits: Limits = (Limit(), Limit())
    """The current limit of each side; the referee updates it before `begin` and `choose`."""

    local: bool = True
    """Whether it runs in this process; False for programs."""

    trusted: bool = False
    """Whether it receives a seed from which the dice can be computed, as built-in players do; others receive a hash."""

    withheld: float = 0.0
    """Seconds of the last move during which an engine in another process waited for a processor."""

    rehearses: bool = True
    """Whether an engine may call `choose` once before the first game, to compile what it needs."""

    supports_take_back: bool = True
    """Whether it accepts any position; False if it only follows a game from its start."""

    @property
    def gone(self) -> bool:
        """Whether it can never answer again, for example after a disconnection."""
        return False

    def new_game(self, game: Game, seed: int) -> None:
        """Reset state from earlier games; load or compile what `choose` needs. No clock is running."""

    def begin(self, start: State, side: int) -> None:
        """Begin a game at `start` with this side. No clock is running."""

    @abstractmethod
    def choose(self, state: State, limit: Limit) -> Decision:
        """Choose a legal move; deterministic for a seed unless the limit has a time."""

    def observe(self, state: State, move: int) -> None:
        """Observe a move that either side played in `state`. The time counts for the player's next move."""

    def end(self, winner: int | None, reason: str, detail: str) -> None:
        """Receive the result: the side that won (None: neither) and the reason."""

    def close(self) -> None:
        """Release processes, sockets and memory. No other method is called afterwards."""

    @public
    def configure(self, values: Mapping[str, Any]) -> None:
        """Set options of an engine, by name; raises GameError if the player has none."""
        raise GameError(f"{self.name} has no options to configure: they are part of its description")

    def __enter__(self) -> Self:
        """Use a player in a `with` statement, which closes it."""
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def analyse(self, state: State, limit: Limit) -> Decision:
        """Like `choose`, with a report on every move if the player supports it."""
        return self.choose(state, limit)

    @public
    def tree(self, depth: int) -> dict[str, Any]:
        """The tree of the last search down to `depth` plies; raises GameError if there is none."""
        raise GameError(f"{self.name!r} has no Monte-Carlo tree: choose a player of the kind mcts")

    def bound(self, limit: Limit) -> Limit:
        """The effective limit: the player's own where it has one, else the given one."""
        return limit if self.limit == Limit() else replaced(self.limit, limit)


Players = tuple[Player, Player]
"""The players of the two sides."""


def replaced(own: Limit, match: Limit) -> Limit:
    """The limit of a player in a match: its own time control and its own search limits replace those of the match.

    Time per move, clock and increment are one time control; depth, nodes and simulations are search limits.

    >>> print(replaced(Limit(clock=60.0), Limit(time=0.1, depth=8)))
    60 s per game, 8 plies
    """
    timed = own if own.time is not None or own.clock is not None else match
    counted = own if (own.depth, own.nodes, own.simulations) != (None, None, None) else match
    increment = own.increment or timed.increment
    return Limit(timed.time, timed.clock, increment, counted.depth, counted.nodes, counted.simulations)


def merged(own: Limit, other: Limit) -> Limit:
    """Combine two limits field by field: `own` where set, else `other`."""
    chosen: dict[str, Any] = {}
    for item in fields(Limit):
        mine = getattr(own, item.name)
        chosen[item.name] = getattr(other, item.name) if mine == item.default else mine
    return Limit(**chosen)


def warm_texts(state: State) -> None:
    """Compile or load the kernels that format events and moves, because reports are written while the clock runs."""
    game, position = state.game, state.position
    for event in state.chance:
        game.format_event(position, event)
    if not state.needs_roll:
        for move in state.legal:
            game.format_move(position, move)


FULL_COLLECTION = 60.0
"""Seconds between two collections of all objects."""
_collected = time.monotonic()
"""Time of the last one."""


def keep_loaded() -> None:
    """Exempt all objects of this process from garbage collection; call it after loading, with no clock running.

    The compiler has more than 100,000 objects. Traversing them takes a tenth of a second, more than the margin of a
    clock. Exempt objects that have become garbage since, such as the search tree of a class, are collected once a
    minute.
    """
    global _collected
    if gc.get_freeze_count():
        if time.monotonic() - _collected >= FULL_COLLECTION:
            gc.unfreeze()
            _collected = time.monotonic()
        # Collect first, so that no garbage is exempted; quick when most objects are exempt already.
        gc.collect()
    gc.freeze()
