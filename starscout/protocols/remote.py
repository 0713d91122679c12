"""A player behind a channel: what every protocol shares about opening, following a game, failing and closing."""

import contextlib
from abc import abstractmethod
from collections.abc import Iterator
from typing import Protocol

from starscout.game import NOT_ROLLED, ONGOING, Game, GameError, Position
from starscout.game.state import State
from starscout.players.player import Decision, Player, PlayerError
from starscout.protocols.channel import Channel, start_seconds, watchdog_seconds
from starscout.search.limits import Limit

READY = 180.0
"""Seconds that an engine may take to start, load and compile before it is asked for moves."""

REPLY = 10.0
"""Seconds for replies that need no thinking."""


class Link(Protocol):
    """Where channels come from."""

    lasting: bool
    """Whether there is only one channel, so that a late answer does not close it."""

    spent: bool
    """Whether no further channel can be opened."""

    def open(self) -> Channel:
        """A fresh channel; raises PlayerError."""
        ...


class Visitor:
    """A connection made to us: it cannot be opened a second time."""

    lasting = True

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self.spent = False

    def open(self) -> Channel:
        if self.spent:
            raise PlayerError("disconnected", f"{self._channel.name} is no longer connected")
        self.spent = True
        return self._channel


class RemotePlayer(Player):
    """Base of the protocols. A protocol fills in the methods with an underscore, which get the open channel.

    Whatever raises PlayerError closes the channel at once (a program is killed); the next game opens another.
    """

    local = False

    survives: tuple[str, ...] = ()
    """The forfeits after which the channel stays usable for the next game."""

    def __init__(self, name: str, link: Link) -> None:
        self.name = name
        self.watchdog = watchdog_seconds()
        """Seconds that a move may take where no clock runs."""
        self.patience = start_seconds(READY)
        """Seconds that it may take to get ready; less after it has failed to once."""
        self._first_patience: float | None = None
        """What that was when it failed for the first time."""
        self._link = link
        self._channel: Channel | None = None
        self._game: Game | None = None
        self._seed = 0
        self._expected: Position | None = None

    @property
    def gone(self) -> bool:
        """Whether the only channel is closed."""
        return self._channel is None and self._link.spent

    def new_game(self, game: Game, seed: int) -> None:
        self._game, self._seed = game, seed
        self._expected = None
        with self._giving_up():
            if self._channel is None:
                self._channel = self._link.open()
                with self._getting_ready():
                    self._greet(self._channel, game)

    def begin(self, start: State, side: int) -> None:
        with self._giving_up(), self._getting_ready():
            self._begin(self._open_channel(), start, side)
        self._expected = start.position

    def choose(self, state: State, limit: Limit) -> Decision:
        if self._expected != state.position:
            # Somebody asks about a position outside of a game: it becomes the start of one.
            roll = NOT_ROLLED if state.game.has_dice else state.roll
            self.limits = (limit, limit)
            self.begin(State(state.game, state.position, roll, state.ply), state.mover)
        with self._giving_up():
            return self._answer(self._open_channel(), state, limit)

    def observe(self, state: State, move: int) -> None:
        self._expected = state.game.play_position(state.position, move)
        with self._giving_up():
            self._follow(self._open_channel(), state, move)

    def end(self, winner: int | None, reason: str, detail: str) -> None:
        last, self._expected = self._expected, None
        complete = last is not None and self._game is not None and self._game.outcome(last) != ONGOING
        if self._channel is not None:
            with self._giving_up():
                self._finish(self._channel, winner, reason, complete)

    def close(self) -> None:
        if self._channel is not None:
            with contextlib.suppress(PlayerError):
                self._leave(self._channel)
            self._channel.close()
            self._channel = None

    def _greet(self, channel: Channel, game: Game) -> None:
        """Right after the channel was opened."""

    def _begin(self, channel: Channel, start: State, side: int) -> None:
        """A game begins."""

    @abstractmethod
    def _answer(self, channel: Channel, state: State, limit: Limit) -> Decision:
        """The engine's move."""

    def _follow(self, channel: Channel, state: State, move: int) -> None:
        """A move of either side was played."""

    def _finish(self, channel: Channel, winner: int | None, reason: str, complete: bool) -> None:
        """The game is over; `complete` when the engine has followed it to a finished position."""

    def _leave(self, channel: Channel) -> None:
        """The last words before the channel is closed."""

    def _open_channel(self) -> Channel:
        if self._channel is None:
            raise PlayerError("disconnected", f"{self.name} is no longer connected")
        return self._channel

    @contextlib.contextmanager
    def _giving_up(self) -> Iterator[None]:
        """Close the channel when the engine has failed, unless it may go on in the next game."""
        try:
            yield
        except (PlayerError, GameError) as error:
            if not (isinstance(error, PlayerError) and error.reason in self.survives):
                self._drop()
            raise

    @contextlib.contextmanager
    def _getting_ready(self) -> Iterator[None]:
        """Wait less for an engine that has failed to get ready."""
        try:
            yield
        except PlayerError as error:
            first, self._first_patience = self._first_patience, self._first_patience or self.patience
            self.patience = min(self.patience, REPLY)
            if error.reason == "stalled" and first is not None and first > self.patience:
                # The games of a pair are played in any order: who reads only this one learns of the longer wait.
                detail = f"{error.detail} (at its first start within {first:g} s)"
                raise PlayerError(error.reason, detail) from error
            raise

    def _drop(self) -> None:
        if self._channel is not None:
            self._channel.close(at_once=True)
            self._channel = None


def read_move(state: State, text: str, name: str) -> int:
    """The legal move that an engine's text stands for; raises PlayerError."""
    try:
        return state.parse_move(text)
    except GameError as error:
        raise PlayerError("illegal move", f"{name}: {error}") from error
