"""The judge: accepts engines over TCP and turns them into players.

With a token, an engine logs in with the line `hello NAME TOKEN`. Without one (the course's Othello protocol) the judge
sends `name` and accepts engines that answer `name NAME`. Other connections are rejected without blocking the judge.
"""

import contextlib
import hmac
import itertools
import re
import secrets
import selectors
import socket
import time
from collections.abc import Callable

from starscout import games
from starscout.game import GameError, WorkError
from starscout.players.player import Player
from starscout.protocols.channel import Channel
from starscout.protocols.protocol import Course, Protocol
from starscout.protocols.registry import PROTOCOLS, check_game
from starscout.protocols.remote_player import ConnectedEngine, RemotePlayer
from starscout.referee.series import Schedule


class MissingEnginesError(WorkError):
    """Fewer engines have connected than required."""


class Judge:
    """Listens from its creation on; leaving the `with` block closes every connection."""

    def __init__(self, game: str, port: int, host: str, protocol: str | None, token: str | None) -> None:
        self.game = games.load(game)
        self.protocol = _tcp_protocol(protocol or self._usual_protocol())
        check_game(self.protocol.name, self.game)
        if token is not None and (not token or token.split() != [token]):
            raise GameError(f"token: expected text without spaces, got {token!r}")
        self._token = (token or secrets.token_urlsafe(9)) if self.protocol.token else None
        self._listener = Listener(port, host)
        self._players: list[RemotePlayer] = []
        address = f"{host}:{self._listener.port}"
        token_option = "" if self._token is None else f" --token {self._token}"
        options = f"--protocol {self.protocol.name} --connect {address}{token_option}"
        self.invitation = f"waiting at {address} for: starscout engine SPEC {options}"

    def __enter__(self) -> "Judge":
        return self

    def __exit__(self, *error: object) -> None:
        self._listener.close()
        for player in self._players:
            player.close()

    @property
    def course(self) -> Course:
        """The limit and schedule of the games: those of the course if there is one."""
        usual = Course(self.protocol.usual, Schedule(shuffled=False))
        return self.protocol.courses.get(self.game.name, usual)

    def wait_for_players(
        self, count: int, seconds: float | None = None, report: Callable[[str], None] | None = None
    ) -> list[Player]:
        """The first `count` engines, with unique names; raises MissingEnginesError.

        `report` receives a message about each rejected connection.
        """
        seconds = self.protocol.wait if seconds is None else seconds
        channels = self._listener.accept_engines(count, seconds, self._token, report)
        self._players = [self.protocol.player(channel.name, ConnectedEngine(channel)) for channel in channels]
        if len(channels) < count:
            raise MissingEnginesError(f"only {len(channels)} of {count} engines connected within {seconds:g} s")
        return list(self._players)

    def _usual_protocol(self) -> str:
        """The protocol of the game's course if it works over TCP, else lab."""
        courses = (p.name for p in PROTOCOLS.values() if p.connects and self.game.name in p.courses)
        return next(courses, "lab")


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

_WANTED_HELLO = "the first line must be: hello NAME TOKEN, with the judge's token"
_NO_HELLO = f"hello is missing: {_WANTED_HELLO} (--protocol lab)"
_WANTED_NAME = "the answer to name must be: name NAME (--protocol otp)"

_HELLO = re.compile(r"hello ([!-~]{1,64}) (\S+)\s*")
_NAME = re.compile(r"\s*name[ \t]+(\S[^\r\n]*?)\s*", re.IGNORECASE)


class Listener:
    """A listening TCP socket; port 0 takes any free port."""

    def __init__(self, port: int, host: str = LOOPBACK) -> None:
        try:
            self._socket = socket.create_server((host, port), backlog=16)
        except (OSError, OverflowError) as error:
            raise GameError(f"cannot listen on port {port} of {host}: {error}") from error
        self._socket.setblocking(False)
        self.port: int = self._socket.getsockname()[1]

    def close(self) -> None:
        self._socket.close()

    def accept_engines(
        self, count: int, seconds: float, token: str | None, report: Callable[[str], None] | None = None
    ) -> list[Channel]:
        """The first `count` engines in the order of their logins; fewer after the timeout.

        `report` receives a message about each rejected connection, except those that close without sending anything.
        """
        until = time.perf_counter() + seconds
        logins = _Logins(self._socket, token, report)
        try:
            while len(logins.accepted) < count and (left := until - time.perf_counter()) > 0:
                logins.serve(min(left, 0.2))
        finally:
            logins.close(count)
        return logins.accepted[:count]


class _PendingConnection:
    """A connection that has not logged in yet."""

    def __init__(self, connection: socket.socket, address: str) -> None:
        self.connection = connection
        self.address = address
        self.until = time.perf_counter() + HELLO_SECONDS
        self.received = bytearray()
        self.received_at = time.perf_counter()


class _Logins:
    """The connections that have not logged in yet, and those that have."""

    def __init__(
        self, listening: socket.socket, token: str | None, report: Callable[[str], None] | None = None
    ) -> None:
        self._listening = listening
        self._token = token
        self._report = report
        self._rejected = 0
        self._pending: dict[int, _PendingConnection] = {}
        self._selector = selectors.DefaultSelector()
        self._selector.register(listening, selectors.EVENT_READ)
        self.accepted: list[Channel] = []

    def serve(self, seconds: float) -> None:
        """Wait at most this long for an event, and handle it."""
        for key, _ in self._selector.select(min(seconds, _QUIET) if self._token is None else seconds):
            if key.fd == self._listening.fileno():
                self._accept()
            else:
                self._receive(key.fd)
        now = time.perf_counter()
        for number, pending in list(self._pending.items()):
            if self._token is None and now - pending.received_at >= _QUIET:
                self._check_name(number)
            if number in self._pending and pending.until < now:
                self._reject(number, _WANTED_NAME if self._token is None else _NO_HELLO)

    def close(self, count: int) -> None:
        """Close the remaining connections."""
        for number in list(self._pending):
            self._close(number, "the judge expects no further engines")
        for channel in self.accepted[count:]:
            channel.close()
        self._selector.close()

    def _accept(self) -> None:
        try:
            connection, address = self._listening.accept()
        except OSError:
            # It was closed before it was accepted.
            return
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if len(self._pending) >= MAX_PENDING:
            self._reject(next(iter(self._pending)), "too many connections are waiting")
        connection.setblocking(False)
        self._pending[connection.fileno()] = _PendingConnection(connection, f"{address[0]}:{address[1]}")
        self._selector.register(connection, selectors.EVENT_READ)
        if self._token is None:
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
            self._reject(number, _WANTED_NAME if self._token is None else _NO_HELLO)
        elif end >= 0 and self._token is not None:
            match = _HELLO.fullmatch(pending.received.decode("utf-8", "replace"))
            if match and hmac.compare_digest(match[2].encode(), self._token.encode()):
                self._accept_engine(number, match[1])
            else:
                self._reject(number, _WANTED_HELLO)

    def _check_name(self, number: int) -> None:
        """Accept a connection that has answered `name`; reject one with another answer."""
        answer = self._pending[number].received.decode("latin-1")
        match = _NAME.fullmatch(answer)
        if match:
            self._accept_engine(number, match[1][:64])
        elif answer.strip() and not "name ".startswith(answer.strip().lower()[:5]):
            self._reject(number, _WANTED_NAME)

    def _accept_engine(self, number: int, name: str) -> None:
        names = {channel.name for channel in self.accepted}
        candidates = itertools.chain([name], (f"{name}-{count}" for count in itertools.count(2)))
        unique = next(candidate for candidate in candidates if candidate not in names)
        descriptor = self._forget(number).detach()
        self.accepted.append(Channel(unique, descriptor, descriptor))

    def _reject(self, number: int, reason: str) -> None:
        """Send the reason, close the connection and report it."""
        address = self._pending[number].address
        self._close(number, reason)
        self._rejected += 1
        if self._report is not None and self._rejected <= MAX_REPORTED + 1:
            more = "further rejected connections will not be reported"
            self._report(f"rejected {address}: {reason}" if self._rejected <= MAX_REPORTED else more)

    def _close(self, number: int, reason: str) -> None:
        connection = self._forget(number)
        # Without a token, `name` was sent before, without a newline.
        begin = "\n" if self._token is None else ""
        with contextlib.suppress(OSError):
            connection.send(f"{begin}? {reason}\n".encode())
        connection.close()

    def _forget(self, number: int) -> socket.socket:
        connection = self._pending.pop(number).connection
        self._selector.unregister(connection)
        return connection
