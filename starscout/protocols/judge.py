"""The judge: accepts engines over TCP and turns them into players.

With a token, an engine logs in with the line `hello NAME TOKEN`. Without one (the course's Othello protocol) the judge
sends `name` and accepts engines that answer `name NAME`. Other connections are rejected without blocking the judge.

A thread serves logins while games are played: an engine that has lost its connection may connect again under its name.
"""

import contextlib
import hmac
import re
import secrets
import selectors
import socket
import threading
import time
from collections.abc import Callable, Mapping, Sequence

from starscout import games
from starscout.game import GameError, WorkError
from starscout.players.player import Player, Players
from starscout.protocols.channel import Channel
from starscout.protocols.protocol import Course, Protocol
from starscout.protocols.registry import PROTOCOLS, check_game
from starscout.protocols.remote_player import ConnectedEngine, RemotePlayer
from starscout.referee.series import Schedule

Tokens = str | Mapping[str, str]
"""One token for all engines, or the token of each name."""

TOKEN = re.compile(r"[!-~]{1,128}")
NAME = re.compile(r"[!-~]{1,64}")
"""A token and a name in `hello NAME TOKEN`."""


class MissingEnginesError(WorkError):
    """Fewer engines have connected than required."""


class Judge:
    """Listens as soon as it is created; leaving the `with` block closes every connection.

    `report` receives a line about each rejected connection and each engine that returns.
    """

    def __init__(
        self,
        game: str,
        port: int,
        host: str,
        protocol: str | None,
        tokens: Tokens | None,
        *,
        shown: bool = True,
        report: Callable[[str], None] | None = None,
    ) -> None:
        """Listen on a port; `shown`: the invitation contains the token."""
        self.game = games.load(game)
        self.protocol = _tcp_protocol(protocol or self._usual_protocol())
        check_game(self.protocol.name, self.game)
        if isinstance(tokens, Mapping) and not self.protocol.token:
            raise GameError(f"tokens: engines of the protocol {self.protocol.name} do not send tokens")
        if isinstance(tokens, str) and not TOKEN.fullmatch(tokens):
            raise GameError(f"token: expected text without spaces, got {tokens!r}")
        generated = tokens is None
        self._tokens = (tokens or secrets.token_urlsafe(9)) if self.protocol.token else None
        self._report = report
        self._listener = Listener(port, host)
        self._players: dict[str, RemotePlayer] = {}
        self._engines: dict[str, ConnectedEngine] = {}
        self._lost: dict[str, float] = {}
        """Name → time at which the loss of its connection was detected."""
        self._field: set[str] | None = None
        """The names of the tournament; None while engines may join."""
        self._changed = threading.Condition()
        self._closing = threading.Event()
        self.listening_port = self._listener.port
        address = f"{host}:{self.listening_port}"
        options = f"--protocol {self.protocol.name} --connect {address} --name NAME"
        if isinstance(self._tokens, str) and (shown or generated):
            options += f" --token {self._tokens}"
        self.invitation = f"waiting at {address} for: starscout engine SPEC {options}"
        self._thread = threading.Thread(target=self._serve, name="starscout judge", daemon=True)
        self._thread.start()

    def __enter__(self) -> "Judge":
        return self

    def __exit__(self, *error: object) -> None:
        self._closing.set()
        self._thread.join()
        self._listener.close()
        for player in self._players.values():
            player.close()
        for engine in self._engines.values():
            engine.close()

    @property
    def course(self) -> Course:
        """The limit and schedule of the games: those of the course if there is one."""
        usual = Course(self.protocol.usual, Schedule(shuffled=False))
        return self.protocol.courses.get(self.game.name, usual)

    def wait_for_engines(self, count: int, seconds: float | None = None) -> list[str]:
        """Wait until this many engines have connected, and return their names; raises MissingEnginesError."""
        seconds = self.protocol.wait if seconds is None else seconds
        with self._changed:
            if not self._changed.wait_for(lambda: len(self._engines) >= count, seconds):
                missing = ""
                if isinstance(self._tokens, Mapping):
                    missing = f"; missing: {', '.join(name for name in self._tokens if name not in self._engines)}"
                connected = len(self._engines)
                raise MissingEnginesError(
                    f"only {connected} of {count} engines connected within {seconds:g} s{missing}"
                )
            return list(self._engines)[:count]

    @property
    def connected(self) -> list[str]:
        """The names of the engines that have connected, in this order."""
        with self._changed:
            return list(self._engines)

    def players(self, names: Sequence[str]) -> dict[str, Player]:
        """Return the players of a tournament; engines that are missing may still connect, other names may not."""
        with self._changed:
            self._field = set(names)
            for name in [name for name in self._engines if name not in self._field]:
                self._engines.pop(name).close(_NO_MORE)
            for name in names:
                engine = self._engines.setdefault(name, ConnectedEngine(name=name))
                self._players[name] = self.protocol.player(name, engine)
            return dict(self._players)

    def wait_for_return(self, players: Players, seconds: float) -> None:
        """Wait for disconnected players to return, each at most this long after its disconnection was detected."""
        with self._changed:
            for player in players:
                if not player.gone:
                    self._lost.pop(player.name, None)
                    continue
                if player.name not in self._lost and self._report is not None:
                    self._report(f"{player.name} is disconnected")
                until = self._lost.setdefault(player.name, time.perf_counter()) + seconds
                if not self._engines[player.name].barred:
                    self._changed.wait_for(lambda: not player.gone, max(0.0, until - time.perf_counter()))  # noqa: B023

    def _serve(self) -> None:
        logins = _Logins(self._listener.socket, self._tokens is not None, self._admit, self._report)
        try:
            while not self._closing.is_set():
                logins.serve(0.2)
        finally:
            logins.close()

    def _admit(self, name: str, token: str, descriptor: int | None) -> str:
        """Check a login, and take its connection if there is a descriptor; return the reason if it is rejected."""
        if self._tokens is not None and not is_token(self._tokens, name, token):
            return _WANTED_HELLO
        with self._changed:
            engine = self._engines.get(name)
            if engine is None and self._field is not None:
                return _NO_MORE
            if engine is not None and engine.alive:
                return f"an engine with the name {name} is connected already"
            if engine is not None and engine.barred:
                return f"{name} has broken the protocol and lost its later rounds"
            if descriptor is not None:
                channel = Channel(name, descriptor, descriptor)
                if engine is None:
                    self._engines[name] = ConnectedEngine(channel)
                else:
                    engine.reconnect(channel)
                    if self._report is not None:
                        self._report(f"{name} is connected again")
                self._changed.notify_all()
        return ""

    def _usual_protocol(self) -> str:
        """The protocol of the game's course if it works over TCP, else lab."""
        courses = (p.name for p in PROTOCOLS.values() if p.connects and self.game.name in p.courses)
        return next(courses, "lab")


def is_token(tokens: Tokens, name: str, token: str) -> bool:
    """Whether this is the token of a name; takes the same time for every wrong token."""
    expected = tokens if isinstance(tokens, str) else tokens.get(name, secrets.token_urlsafe(9))
    return hmac.compare_digest(token.encode(), expected.encode())


def _tcp_protocol(name: str) -> Protocol:
    supported = [protocol.name for protocol in PROTOCOLS.values() if protocol.connects]
    if name not in supported:
        raise GameError(f"protocol of a judge: expected {' or '.join(supported)}, got {name!r}")
    return PROTOCOLS[name]


LOOPBACK = "127.0.0.1"

MAX_PENDING = 32
"""Maximum number of connections that have not logged in; one more closes the oldest."""

LONGEST_HELLO = 256
"""Maximum number of bytes of a login."""

HELLO_SECONDS = 5.0
"""Seconds within which a connection has to log in."""

MAX_REPORTED = 20
"""Maximum number of rejected connections to report, to limit the output of port scans."""

_QUIET = 0.05
"""Seconds of silence after which an answer without a newline is complete."""

_NO_MORE = "the judge expects no further engines"
_WANTED_HELLO = "the first line must be: hello NAME TOKEN, with the judge's token"
_NO_HELLO = f"hello is missing: {_WANTED_HELLO} (--protocol lab)"
_WANTED_NAME = "the answer to name must be: name NAME (--protocol otp)"

_HELLO = re.compile(rf"hello ({NAME.pattern}) (\S+)\s*")
_NAME = re.compile(r"\s*name[ \t]+(\S[^\r\n]*?)\s*", re.IGNORECASE)


Admit = Callable[[str, str, int | None], str]
"""Receives name, token and descriptor of a login (None: only check it); returns the reason if it is rejected."""


class Listener:
    """A listening TCP socket; port 0 takes any free port."""

    def __init__(self, port: int, host: str = LOOPBACK) -> None:
        try:
            self.socket = socket.create_server((host, port), backlog=16)
        except (OSError, OverflowError) as error:
            raise GameError(f"cannot listen on port {port} of {host}: {error}") from error
        self.socket.setblocking(False)
        self.port: int = self.socket.getsockname()[1]

    def close(self) -> None:
        self.socket.close()

    def accept_engines(
        self, count: int, seconds: float, token: str | None, report: Callable[[str], None] | None = None
    ) -> list[Channel]:
        """The first `count` engines in the order of their logins; fewer after the timeout.

        `report` receives a message about each rejected connection, except those that close without sending anything.
        """
        accepted: list[Channel] = []

        def admit(name: str, sent: str, descriptor: int | None) -> str:
            if token is not None and not is_token(token, name, sent):
                return _WANTED_HELLO
            if name in (channel.name for channel in accepted):
                return f"an engine with the name {name} is connected already"
            if descriptor is not None:
                accepted.append(Channel(name, descriptor, descriptor))
            return ""

        until = time.perf_counter() + seconds
        logins = _Logins(self.socket, token is not None, admit, report)
        try:
            while len(accepted) < count and (left := until - time.perf_counter()) > 0:
                logins.serve(min(left, 0.2))
        finally:
            logins.close()
        for channel in accepted[count:]:
            channel.close()
        return accepted[:count]


class _PendingConnection:
    """A connection that has not logged in yet."""

    def __init__(self, connection: socket.socket, address: str) -> None:
        self.connection = connection
        self.address = address
        self.until = time.perf_counter() + HELLO_SECONDS
        self.received = bytearray()
        self.received_at = time.perf_counter()


class _Logins:
    """The connections that have not logged in yet."""

    def __init__(
        self, listening: socket.socket, with_token: bool, admit: Admit, report: Callable[[str], None] | None = None
    ) -> None:
        self._listening = listening
        self._with_token = with_token
        self._admit = admit
        self._report = report
        self._rejected = 0
        self._pending: dict[int, _PendingConnection] = {}
        self._selector = selectors.DefaultSelector()
        self._selector.register(listening, selectors.EVENT_READ)

    def serve(self, seconds: float) -> None:
        """Wait at most this long for an event, and handle it."""
        for key, _ in self._selector.select(min(seconds, _QUIET) if self._pending else seconds):
            if key.fd == self._listening.fileno():
                self._accept()
            elif key.fd in self._pending:
                self._receive(key.fd)
        now = time.perf_counter()
        for number, pending in list(self._pending.items()):
            if not self._with_token and now - pending.received_at >= _QUIET:
                self._check_name(number)
            if number in self._pending and pending.until < now:
                self._reject(number, _NO_HELLO if self._with_token else _WANTED_NAME)

    def close(self) -> None:
        """Close the remaining connections."""
        for number in list(self._pending):
            self._close(number, _NO_MORE)
        self._selector.close()

    def _accept(self) -> None:
        try:
            connection, address = self._listening.accept()
        except OSError:
            # It was closed before it was accepted.
            return
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # Detect machines that vanish without closing the connection.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for option, value in (("TCP_KEEPIDLE", 10), ("TCP_KEEPINTVL", 5), ("TCP_KEEPCNT", 3)):
            if hasattr(socket, option):
                connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), value)
        if len(self._pending) >= MAX_PENDING:
            self._reject(next(iter(self._pending)), "too many connections are waiting")
        connection.setblocking(False)
        self._pending[connection.fileno()] = _PendingConnection(connection, f"{address[0]}:{address[1]}")
        self._selector.register(connection, selectors.EVENT_READ)
        if not self._with_token:
            with contextlib.suppress(OSError):
                connection.send(b"name")

    def _receive(self, number: int) -> None:
        pending = self._pending[number]
        pending.received_at = time.perf_counter()
        try:
            # Read no byte after the login: the rest belongs to the channel.
            waiting = pending.connection.recv(LONGEST_HELLO, socket.MSG_PEEK)
            end = waiting.find(b"\n")
            pending.received += pending.connection.recv(len(waiting) if end < 0 else end + 1) if waiting else b""
        except OSError:
            waiting, end = b"", -1
        if not waiting and not pending.received:
            self._forget(number).close()
        elif not waiting or len(pending.received) > LONGEST_HELLO:
            self._reject(number, _NO_HELLO if self._with_token else _WANTED_NAME)
        elif end >= 0 and self._with_token:
            match = _HELLO.fullmatch(pending.received.decode("utf-8", "replace"))
            if match:
                self._log_in(number, match[1], match[2])
            else:
                self._reject(number, _WANTED_HELLO)

    def _check_name(self, number: int) -> None:
        """Accept a connection that has answered `name`; reject one with another answer."""
        answer = self._pending[number].received.decode("latin-1")
        match = _NAME.fullmatch(answer)
        if match:
            self._log_in(number, "".join(filter(str.isprintable, match[1][:64])), "")
        elif answer.strip() and not "name ".startswith(answer.strip().lower()[:5]):
            self._reject(number, _WANTED_NAME)

    def _log_in(self, number: int, name: str, token: str) -> None:
        reason = self._admit(name, token, None)
        if reason:
            self._reject(number, reason, name)
        else:
            self._admit(name, token, self._forget(number).detach())

    def _reject(self, number: int, reason: str, name: str = "") -> None:
        """Send the reason, close the connection and report it."""
        address = f"{self._pending[number].address}{f' ({name})' if name else ''}"
        self._close(number, reason)
        self._rejected += 1
        if self._report is not None and self._rejected <= MAX_REPORTED + 1:
            more = "further rejected connections will not be reported"
            self._report(f"rejected {address}: {reason}" if self._rejected <= MAX_REPORTED else more)

    def _close(self, number: int, reason: str) -> None:
        connection = self._forget(number)
        # Without a token, `name` was sent before, without a newline.
        begin = "" if self._with_token else "\n"
        with contextlib.suppress(OSError):
            connection.send(f"{begin}? {reason}\n".encode())
        connection.close()

    def _forget(self, number: int) -> socket.socket:
        connection = self._pending.pop(number).connection
        self._selector.unregister(connection)
        return connection
