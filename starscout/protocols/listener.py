"""Where engines from elsewhere come in: a TCP port that wants a token, bounds its visitors and survives them."""

import contextlib
import hmac
import re
import selectors
import socket
import time

from starscout.game import GameError
from starscout.protocols.channel import Channel

LOOPBACK = "127.0.0.1"

MOST_STRANGERS = 32
"""Connections that have not introduced themselves yet; the next one sends the oldest away."""

LONGEST_HELLO = 256
"""Bytes of the first line."""

HELLO_SECONDS = 5.0
"""How long a stranger may take to introduce itself."""


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

    def visitors(self, count: int, seconds: float, token: str | None) -> list[Channel]:
        """The first `count` engines in the order in which they came; fewer when the time is over.

        With a token, each must begin with the line `hello NAME TOKEN`; without one, whoever connects is welcome.
        """
        until = time.perf_counter() + seconds
        lobby = _Lobby(self._socket, token)
        try:
            while len(lobby.arrived) < count and (left := until - time.perf_counter()) > 0:
                lobby.serve(min(left, 0.2))
        finally:
            lobby.close(count)
        return lobby.arrived[:count]


class _Lobby:
    """The connections that have not introduced themselves yet, and those that have."""

    def __init__(self, listening: socket.socket, token: str | None) -> None:
        self._listening = listening
        self._token = token
        self._strangers: dict[int, tuple[socket.socket, float, bytearray]] = {}
        self._selector = selectors.DefaultSelector()
        self._selector.register(listening, selectors.EVENT_READ)
        self.arrived: list[Channel] = []

    def serve(self, seconds: float) -> None:
        """Wait at most this long for something to happen, and deal with it."""
        for key, _ in self._selector.select(seconds):
            if key.fd == self._listening.fileno():
                self._accept()
            else:
                self._hear(key.fd)
        for number, (_, until, _) in list(self._strangers.items()):
            if until < time.perf_counter():
                self._turn_away(number, "hello is missing")

    def close(self, count: int) -> None:
        """Turn away whoever is left over."""
        for number in list(self._strangers):
            self._turn_away(number, "nobody is waited for any more")
        for channel in self.arrived[count:]:
            channel.close()
        self._selector.close()

    def _accept(self) -> None:
        try:
            connection, address = self._listening.accept()
        except OSError:
            # It has gone again before we came to the door.
            return
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self._token is None:
            self._welcome(connection, f"{address[0]}:{address[1]}")
        else:
            if len(self._strangers) >= MOST_STRANGERS:
                self._turn_away(next(iter(self._strangers)), "too many are waiting")
            connection.setblocking(False)
            self._strangers[connection.fileno()] = connection, time.perf_counter() + HELLO_SECONDS, bytearray()
            self._selector.register(connection, selectors.EVENT_READ)

    def _hear(self, number: int) -> None:
        connection, _, said = self._strangers[number]
        try:
            # No byte beyond the first line is taken: what follows belongs to the channel.
            waiting = connection.recv(LONGEST_HELLO, socket.MSG_PEEK)
            end = waiting.find(b"\n")
            said += connection.recv(len(waiting) if end < 0 else end + 1) if waiting else b""
        except OSError:
            waiting, end = b"", -1
        if not waiting or len(said) > LONGEST_HELLO:
            self._turn_away(number, "hello is missing")
        elif end >= 0:
            match = re.fullmatch(r"hello ([!-~]{1,64}) (\S+)\s*", said.decode("utf-8", "replace"))
            if match and hmac.compare_digest(match[2].encode(), (self._token or "").encode()):
                self._forget(number)
                self._welcome(connection, match[1])
            else:
                self._turn_away(number, "the first line must be: hello NAME TOKEN, with the judge's token")

    def _welcome(self, connection: socket.socket, name: str) -> None:
        names = {channel.name for channel in self.arrived}
        unique = next(n for n in (name, *(f"{name}-{k}" for k in range(2, 1000))) if n not in names)
        descriptor = connection.detach()
        self.arrived.append(Channel(unique, descriptor, descriptor))

    def _turn_away(self, number: int, why: str) -> None:
        connection = self._forget(number)
        with contextlib.suppress(OSError):
            connection.send(f"? {why}\n".encode())
        connection.close()

    def _forget(self, number: int) -> socket.socket:
        connection, _, _ = self._strangers.pop(number)
        self._selector.unregister(connection)
        return connection
