"""RemotePlayer: the base class of players whose moves come from an engine over a protocol."""

import contextlib
import math
import time
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol

from starscout.errors import public
from starscout.game import ONGOING, Game, GameError, Position
from starscout.game.state import State
from starscout.players.player import Decision, Player, PlayerError
from starscout.protocols.channel import Channel, deadline_in, start_seconds, watchdog_seconds
from starscout.protocols.engine_options import EngineOption, read_options
from starscout.search.limits import Limit

READY = 180.0
"""Seconds that an engine may take to start, load and compile."""

REPLY = 10.0
"""Seconds for replies that need no search."""


class Transport(Protocol):
    """Opens channels to one engine."""

    persistent: bool
    """Whether there is only one channel, so that a late answer does not close it."""

    @property
    def exhausted(self) -> bool:
        """Whether no further channel can be opened."""
        ...

    def open(self) -> Channel:
        """Open a new channel; raises PlayerError."""
        ...


class ConnectedEngine:
    """The transport of an engine that connects over TCP: each of its connections opens once."""

    persistent = True

    def __init__(self, channel: Channel | None = None, name: str = "") -> None:
        self.name = channel.name if channel else name
        self._waiting = channel
        """The connection that opens next."""
        self._opened: Channel | None = None
        self.barred = False
        """Whether the engine is not allowed to return."""

    @property
    def exhausted(self) -> bool:
        """Whether no further connection is waiting."""
        return self._waiting is None or self._waiting.hung_up

    @property
    def alive(self) -> bool:
        """Whether the engine is connected."""
        return any(channel is not None and not channel.hung_up for channel in (self._waiting, self._opened))

    def reconnect(self, channel: Channel) -> None:
        """Use another connection from the next game on."""
        self.close()
        self._waiting = channel

    def close(self, reason: str = "") -> None:
        """Close a connection that was never opened, with a reason for its rejection."""
        if self._waiting is not None:
            with contextlib.suppress(PlayerError):
                self._waiting.send(f"? {reason}\n".encode() if reason else b"", deadline_in(0.0))
            self._waiting.close()
            self._waiting = None

    def open(self) -> Channel:
        channel, self._waiting = self._waiting, None
        if channel is None:
            raise PlayerError("disconnected", f"{self.name} is no longer connected")
        self._opened = channel
        return channel


class RemotePlayer(Player):
    """Base class; protocols override `_greet`, `_begin`, `_answer`, `_follow`, `_finish`, `_leave`.

    A PlayerError closes the channel immediately, which kills a program; the next game opens a new channel.
    """

    local = False

    recoverable: tuple[str, ...] = ()
    """The forfeits after which the channel stays open for the next game."""

    readmitted = True
    """Whether an engine may connect again after a forfeit other than a lost connection."""

    def __init__(self, name: str, transport: Transport) -> None:
        self.name = name
        self.watchdog = watchdog_seconds()
        """Seconds that a move may take if no clock is running."""
        self.ready_timeout = start_seconds(READY)
        """Seconds that the engine may take to get ready; shorter after the first failure."""
        self._first_timeout: float | None = None
        """The timeout of the first failure."""
        self._transport = transport
        self.on_open: Callable[[Channel], None] | None = None
        """Called with every new channel."""
        self._channel: Channel | None = None
        self.game: Game | None = None
        """The game for which `configure` starts the engine; None: it waits for the first game."""
        self._game: Game | None = None
        self._seed = 0
        self._expected: Position | None = None
        self.announced: dict[str, EngineOption] = {}
        """The options that the engine has announced, by name; known once it has started."""
        self._values: dict[str, str] = {}
        """The values of options, which every new channel receives."""

    @property
    def options(self) -> Mapping[str, str]:
        """The values of engine options that were set."""
        return self._values

    @public
    def configure(self, values: Mapping[str, Any]) -> None:
        """Set options of the engine now and whenever it starts; raises GameError and changes nothing if one is invalid.

        An engine that is not running is started if its game is known.
        """
        texts = {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in values.items()}
        try:
            if self._channel is None and self.game is not None:
                self._open(self.game)
            if self._channel is not None:
                valid = self.check_options(texts)
                with self._close_on_failure():
                    for option, value in valid.items():
                        self._set_option(self._channel, option, value)
        except PlayerError as error:
            raise GameError(f"{self.name} fails: {error}") from error
        self._values |= texts

    def check_options(self, values: Mapping[str, str]) -> dict[EngineOption, str]:
        """Validate values against what the engine has announced, without sending them; raises GameError."""
        return read_options(values, self.announced, self.name)

    def check(self, game: Game) -> None:
        """Start the engine and set its options; raises GameError if it does not accept them.

        An engine that cannot start forfeits its games, so that is not reported here.
        """
        with contextlib.suppress(PlayerError):
            self._open(game)

    @property
    def gone(self) -> bool:
        """Whether the engine has disconnected and not returned."""
        return self._transport.exhausted and (self._channel is None or self._channel.hung_up)

    def new_game(self, game: Game, seed: int) -> None:
        self._game, self._seed = game, seed
        self._expected = None
        if self._transport.persistent and not self._transport.exhausted:
            # The engine has connected again.
            self._drop()
        self._open(game)

    def begin(self, start: State, side: int) -> None:
        with self._close_on_failure(), self._getting_ready():
            channel = self._open_channel()
            self._begin(channel, start, side)
            channel.waiting_within(math.inf)
        self._expected = start.position

    def choose(self, state: State, limit: Limit) -> Decision:
        before = state.before_event
        if self._game is None:
            # Used without a referee.
            self.new_game(state.game, 0)
        if self._expected != before.position:
            # The position does not continue the current game: start a new one there.
            self.limits = (limit, limit)
            self.begin(State(state.game, before.position, before.roll, state.ply), state.mover)
        with self._close_on_failure():
            channel = self._open_channel()
            decision = self._answer(channel, state, limit)
            self.withheld = channel.withheld
            return decision

    def observe(self, state: State, move: int) -> None:
        self._expected = state.game.play_position(state.position, move)
        began = time.perf_counter()
        with self._close_on_failure():
            channel = self._open_channel()
            self._follow(channel, state, move)
            self.withheld = channel.waiting_within(time.perf_counter() - began)

    def end(self, winner: int | None, reason: str, detail: str) -> None:
        last, self._expected = self._expected, None
        complete = last is not None and self._game is not None and self._game.outcome(last) != ONGOING
        if self._channel is not None:
            with self._close_on_failure():
                self._finish(self._channel, winner, reason, complete)

    def close(self) -> None:
        if self._channel is not None:
            with contextlib.suppress(PlayerError):
                self._leave(self._channel)
            self._channel.close()
            self._channel = None

    def _open(self, game: Game) -> None:
        """Open a channel if there is none, and set the options."""
        with self._close_on_failure():
            if self._channel is None:
                self._channel = self._transport.open()
                if self.on_open is not None:
                    self.on_open(self._channel)
                with self._getting_ready():
                    self._greet(self._channel, game)
                self._send_options(self._channel, self._values)

    def _send_options(self, channel: Channel, values: Mapping[str, str]) -> None:
        for option, value in self.check_options(values).items():
            self._set_option(channel, option, value)

    def _greet(self, channel: Channel, game: Game) -> None:
        """Exchange the first messages on a new channel, and learn the engine's options."""

    def _set_option(self, channel: Channel, option: EngineOption, value: str) -> None:
        """Set an option of the engine to a valid value."""
        raise GameError(f"{self.name}: its protocol has no options")

    def _begin(self, channel: Channel, start: State, side: int) -> None:
        """Announce a new game."""

    @abstractmethod
    def _answer(self, channel: Channel, state: State, limit: Limit) -> Decision:
        """Ask for the engine's move."""

    def _follow(self, channel: Channel, state: State, move: int) -> None:
        """Report a move of either side."""

    def _finish(self, channel: Channel, winner: int | None, reason: str, complete: bool) -> None:
        """Report the result; `complete`: the game ended by its rules, as the engine can tell from the moves."""

    def _leave(self, channel: Channel) -> None:
        """Send the last message before the channel is closed."""

    def _open_channel(self) -> Channel:
        if self._channel is None:
            raise PlayerError("disconnected", f"{self.name} is no longer connected")
        return self._channel

    @contextlib.contextmanager
    def _close_on_failure(self) -> Iterator[None]:
        """Close the channel if the engine fails, unless the failure is recoverable."""
        try:
            yield
        except (PlayerError, GameError) as error:
            reason = error.reason if isinstance(error, PlayerError) else ""
            if reason not in self.recoverable:
                self._drop()
            if not self.readmitted and reason != "disconnected" and isinstance(self._transport, ConnectedEngine):
                self._transport.barred = True
            raise

    @contextlib.contextmanager
    def _getting_ready(self) -> Iterator[None]:
        """Shorten the timeout after the engine has failed to get ready."""
        try:
            yield
        except PlayerError as error:
            first, self._first_timeout = self._first_timeout, self._first_timeout or self.ready_timeout
            self.ready_timeout = min(self.ready_timeout, REPLY)
            if error.reason == "stalled" and first is not None and first > self.ready_timeout:
                # The games of a pair may be played in either order, so the message also states the first timeout.
                detail = f"{error.detail} (at its first start within {first:g} s)"
                raise PlayerError(error.reason, detail) from error
            raise

    def _drop(self) -> None:
        if self._channel is not None:
            self._channel.close(at_once=True)
            self._channel = None


def read_move(state: State, text: str, name: str) -> int:
    """Parse an engine's move; raises PlayerError if it is not legal."""
    try:
        return state.parse_move(text)
    except GameError as error:
        raise PlayerError("illegal move", f"{name}: {error}") from error
