"""The engine's end of a line: bytes in and out, over standard input and output or over a connection."""

import os
import select
import socket
import time

from starscout.game import GameError, WorkError
from starscout.protocols.log import EngineLog
from starscout.settings.numbers import read_whole

STANDARD_INPUT, STANDARD_OUTPUT = 0, 1
"""The file descriptors of a process."""


class Wire:
    """Reads what a referee sends as it comes, and writes answers at once."""

    def __init__(
        self, read: int, write: int, *, newlines: bool = True, connection: socket.socket | None = None
    ) -> None:
        self._read, self._write = read, write
        self._connection = connection
        self._buffer = b""
        self._log = EngineLog("engine")
        self.newlines = newlines
        """False on connections of protocols that send no line ends."""

    def receive(self) -> bytes:
        """The next bytes, at least one; nothing at all when the other end is closed."""
        try:
            data = os.read(self._read, 65_536)
        except ConnectionError:
            return b""
        self._log.write(">", data)
        return data

    def receive_within(self, seconds: float) -> bytes:
        """The next bytes if they come soon; nothing otherwise."""
        return self.receive() if select.select([self._read], [], [], seconds)[0] else b""

    def line(self) -> str | None:
        """The next line without its end; None when the other end is closed."""
        while b"\n" not in self._buffer:
            chunk = self.receive()
            if not chunk:
                rest, self._buffer = self._buffer, b""
                return rest.decode("utf-8", "replace") if rest else None
            self._buffer += chunk
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line.decode("utf-8", "replace").rstrip("\r")

    def character(self) -> str | None:
        """The next character; None when the other end is closed."""
        if not self._buffer:
            self._buffer = self.receive()
        first, self._buffer = self._buffer[:1], self._buffer[1:]
        return first.decode("latin-1") if first else None

    def send(self, text: str) -> None:
        """Write a message, with a line end where the protocol has them; a closed other end is noticed by `receive`.

        Raises WorkError when it cannot be written for another reason.
        """
        data = (text + ("\n" if self.newlines else "")).encode()
        self._log.write("<", data)
        try:
            while data:
                data = data[os.write(self._write, data) :]
        except ConnectionError:
            return
        except OSError as error:
            raise WorkError(f"the answers cannot be written: {error.strerror}") from error

    def refusal(self, line: str) -> WorkError | None:
        """What a line says that a judge sends before it asks anything: why this engine is turned away, or nothing."""
        if self._connection is None or not line.startswith("? "):
            return None
        why = "".join(character for character in line[2:].strip() if character.isprintable())
        return WorkError(f"the judge has turned this engine away: {why[:200]}")

    def close(self) -> None:
        self._log.close()
        if self._connection is not None:
            self._connection.close()


def standard_wire(*, newlines: bool = True) -> Wire:
    """Standard input and output; agents that print may have another `sys.stdout`."""
    return Wire(STANDARD_INPUT, STANDARD_OUTPUT, newlines=newlines)


PATIENCE = 10.0
"""Seconds for which a connection is tried again: the judge may not listen yet."""


def connect(address: str, *, newlines: bool, patience: float = PATIENCE) -> Wire:
    """A connection to HOST:PORT; raises GameError."""
    host, colon, port = address.rpartition(":")
    number = read_whole(port, 1, 65_535)
    if not colon or number is None:
        raise GameError(f"{address!r} is not an address: write HOST:PORT, like 127.0.0.1:7122")
    until = time.perf_counter() + patience
    while True:
        try:
            connection = socket.create_connection((host or "127.0.0.1", number), timeout=10.0)
            break
        except OSError as error:
            if time.perf_counter() > until:
                raise GameError(f"nobody answers at {address}: {error}") from error
            time.sleep(0.1)
    connection.settimeout(None)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return Wire(connection.fileno(), connection.fileno(), newlines=newlines, connection=connection)
