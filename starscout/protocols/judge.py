"""Where engines connect: a TCP port that lets in engines that introduce themselves, and survives everything else.

With a token, an engine's first line is `hello NAME TOKEN`. Without one (the course's Othello protocol) it is asked
`name`, and is let in when it has answered `name …`.

The judge: waits until engines have connected over TCP, and makes players of them.
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
from starscout.protocols.remote import RemotePlayer, Visitor
from starscout.referee.series import Schedule


class MissingEnginesError(WorkError):
    """Fewer engines have connected than were waited for."""


class Judge:
    """Listens from the moment it is made; leaving the `with` block ends every connection."""

    def __init__(self, game: str, port: int, host: str, protocol: str | None, token: str | None) -> None:
        self.game = games.load(game)
        self.protocol = _spoken(protocol or self._usual_protocol())
        check_game(self.protocol.name, self.game)
        if token is not None and (not token or token.split() != [token]):
            raise GameError(f"{token!r} is not a token: one word without spaces")
        self._token = (token or secrets.token_urlsafe(9)) if self.protocol.token else None
        self._listener = Listener(port, host)
        self._players: list[RemotePlayer] = []
        address = f"{host}:{self._listener.port}"
        secret = "" if self._token is None else f" --token {self._token}"
        name = self.protocol.name
        self.invitation = (
            f"waiting at {address} for: starscout engine SPEC --protocol {name} --connect {address}{secret}"
        )

    def __enter__(self) -> "Judge":
        return self

    def __exit__(self, *error: object) -> None:
        self._listener.close()
        for player in self._players:
            player.close()

    @property
    def course(self) -> Course:
        """The limit and the schedule of its games: the course's, where the protocol has one for the game."""
        usual = Course(self.protocol.usual, Schedule(shuffled=False))
        return self.protocol.courses.get(self.game.name, usual)

    def wait_for_players(
        self, count: int, seconds: float | None = None, tell: Callable[[str], None] | None = None
    ) -> list[Player]:
        """The engines that came first, in their order, each with a name of its own; raises MissingEnginesError.

        `tell` gets a sentence about each that is turned away.
        """
        seconds = self.protocol.wait if seconds is None else seconds
        channels = self._listener.visitors(count, seconds, self._token, tell)
        self._players = [self.protocol.player(channel.name, Visitor(channel)) for channel in channels]
        if len(channels) < count:
            raise MissingEnginesError(f"only {len(channels)} of {count} engines connected within {seconds:g} s")
        return list(self._players)

    def _usual_protocol(self) -> str:
        """The protocol of the game's course if it is spoken over TCP, else lab."""
        courses = (p.name for p in PROTOCOLS.values() if p.connects and self.game.name in p.courses)
        return next(courses, "lab")


def _spoken(name: str) -> Protocol:
    spoken = [protocol.name for protocol in PROTOCOLS.values() if protocol.connects]
    if name not in spoken:
        raise GameError(f"a judge speaks {' or '.join(spoken)}, not {name!r}")
    return PROTOCOLS[name]


LOOPBACK = "127.0.0.1"

MOST_STRANGERS = 32
"""Connections that have not introduced themselves yet; one more closes the oldest."""

LONGEST_HELLO = 256
"""Bytes of an introduction."""

HELLO_SECONDS = 5.0
"""Seconds that a stranger has to introduce itself."""

MOST_TOLD = 20
"""How many of those who are turned away are mentioned: a port scanner must not fill a terminal."""

_QUIET = 0.05
"""Seconds without another byte after which an answer without a line end is complete."""

_WANTED_HELLO = "the first line must be: hello NAME TOKEN, with the judge's token"
_NO_HELLO = f"hello is missing: {_WANTED_HELLO} (--protocol lab)"
_WANTED_NAME = "the answer to name must be: name NAME (--protocol otp)"

_HELLO = re.compile(r"hello ([!-~]{1,64}) (\S+)\s*")
_NAME = re.compile(r"\s*name[ \t]+(\S[^\r\n]*?)\s*", re.IGNORECASE)


class Listener:
    """Listens from the moment it is made until it is closed. Port 0 takes any free one."""

    def __init__(self, port: int, host: str = LOOPBACK) -> None:
        try:
            self._socket = socket.create_server((host, port), backlog=16)
        except (OSError, OverflowError) as error:
            raise GameError(f"port {port} of {host} cannot be opened: {error}") from error
        self._socket.setblocking(False)
        self.port: int = self._socket.getsockname()[1]

    def close(self) -> None:
        self._socket.close()

    def visitors(
        self, count: int, seconds: float, token: str | None, tell: Callable[[str], None] | None = None
    ) -> list[Channel]:
        """The first `count` engines in the order in which they introduced themselves; fewer when the time is over.

        `tell` gets a sentence about each that is turned away, not about those who hang up without a word.
        """
        until = time.perf_counter() + seconds
        lobby = _Lobby(self._socket, token, tell)
        try:
            while len(lobby.arrived) < count and (left := until - time.perf_counter()) > 0:
                lobby.serve(min(left, 0.2))
        finally:
            lobby.close(count)
        return lobby.arrived[:count]


class _Stranger:
    """A connection that has not introduced itself yet."""

    def __init__(self, connection: socket.socket, address: str) -> None:
        self.connection = connection
        self.address = address
        self.until = time.perf_counter() + HELLO_SECONDS
        self.said = bytearray()
        self.heard_at = time.perf_counter()


class _Lobby:
    """The connections that have not introduced themselves yet, and those that have."""

    def __init__(self, listening: socket.socket, token: str | None, tell: Callable[[str], None] | None = None) -> None:
        self._listening = listening
        self._token = token
        self._tell = tell
        self._told = 0
        self._strangers: dict[int, _Stranger] = {}
        self._selector = selectors.DefaultSelector()
        self._selector.register(listening, selectors.EVENT_READ)
        self.arrived: list[Channel] = []

    def serve(self, seconds: float) -> None:
        """Wait at most this long for something to happen, and deal with it."""
        for key, _ in self._selector.select(min(seconds, _QUIET) if self._token is None else seconds):
            if key.fd == self._listening.fileno():
                self._accept()
            else:
                self._hear(key.fd)
        now = time.perf_counter()
        for number, stranger in list(self._strangers.items()):
            if self._token is None and now - stranger.heard_at >= _QUIET:
                self._check_name(number)
            if number in self._strangers and stranger.until < now:
                self._turn_away(number, _WANTED_NAME if self._token is None else _NO_HELLO)

    def close(self, count: int) -> None:
        """Close the connections that are left over."""
        for number in list(self._strangers):
            self._hang_up(number, "the judge waits for nobody else")
        for channel in self.arrived[count:]:
            channel.close()
        self._selector.close()

    def _accept(self) -> None:
        try:
            connection, address = self._listening.accept()
        except OSError:
            # It hung up before it was accepted.
            return
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if len(self._strangers) >= MOST_STRANGERS:
            self._turn_away(next(iter(self._strangers)), "too many are waiting")
        connection.setblocking(False)
        self._strangers[connection.fileno()] = _Stranger(connection, f"{address[0]}:{address[1]}")
        self._selector.register(connection, selectors.EVENT_READ)
        if self._token is None:
            with contextlib.suppress(OSError):
                connection.send(b"name")

    def _hear(self, number: int) -> None:
        stranger = self._strangers[number]
        stranger.heard_at = time.perf_counter()
        try:
            # No byte beyond the introduction is taken: what follows belongs to the channel.
            waiting = stranger.connection.recv(LONGEST_HELLO, socket.MSG_PEEK)
            end = waiting.find(b"\n")
            stranger.said += stranger.connection.recv(len(waiting) if end < 0 else end + 1) if waiting else b""
        except OSError:
            waiting, end = b"", -1
        if not waiting and not stranger.said:
            self._forget(number).close()
        elif not waiting or len(stranger.said) > LONGEST_HELLO:
            self._turn_away(number, _WANTED_NAME if self._token is None else _NO_HELLO)
        elif end >= 0 and self._token is not None:
            match = _HELLO.fullmatch(stranger.said.decode("utf-8", "replace"))
            if match and hmac.compare_digest(match[2].encode(), self._token.encode()):
                self._welcome(number, match[1])
            else:
                self._turn_away(number, _WANTED_HELLO)

    def _check_name(self, number: int) -> None:
        """Let in a stranger that has answered `name`; turn away one whose answer is something else."""
        said = self._strangers[number].said.decode("latin-1")
        match = _NAME.fullmatch(said)
        if match:
            self._welcome(number, match[1][:64])
        elif said.strip() and not "name ".startswith(said.strip().lower()[:5]):
            self._turn_away(number, _WANTED_NAME)

    def _welcome(self, number: int, name: str) -> None:
        names = {channel.name for channel in self.arrived}
        candidates = itertools.chain([name], (f"{name}-{count}" for count in itertools.count(2)))
        unique = next(candidate for candidate in candidates if candidate not in names)
        descriptor = self._forget(number).detach()
        self.arrived.append(Channel(unique, descriptor, descriptor))

    def _turn_away(self, number: int, why: str) -> None:
        """Say why on the line and to the person at the judge, and hang up."""
        address = self._strangers[number].address
        self._hang_up(number, why)
        self._told += 1
        if self._tell is not None and self._told <= MOST_TOLD + 1:
            more = "whoever else is turned away is not mentioned"
            self._tell(f"turned away {address}: {why}" if self._told <= MOST_TOLD else more)

    def _hang_up(self, number: int, why: str) -> None:
        connection = self._forget(number)
        # Without a token the question `name` stands before it, without a line end.
        begin = "\n" if self._token is None else ""
        with contextlib.suppress(OSError):
            connection.send(f"{begin}? {why}\n".encode())
        connection.close()

    def _forget(self, number: int) -> socket.socket:
        connection = self._strangers.pop(number).connection
        self._selector.unregister(connection)
        return connection
