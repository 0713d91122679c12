"""The engine's connection to its referee, over standard input and output or over TCP."""

import os
import select
import socket
import time

from starscout.game import GameError, WorkError
from starscout.protocols.channel import EngineLog
from starscout.settings.options import read_whole

STANDARD_INPUT, STANDARD_OUTPUT = 0, 1
"""File descriptors."""

CONNECT_SECONDS = 10.0
"""Seconds for which connecting is retried, because the judge may not be listening yet."""


class RefereeConnection:
    """Reads what the referee sends as soon as it arrives, and writes answers without buffering."""

    def __init__(self, read: int, write: int, *, newlines: bool = True, tcp: socket.socket | None = None) -> None:
        self._read, self._write = read, write
        self._tcp = tcp
        self._buffer = b""
        self._log = EngineLog("engine")
        self.newlines = newlines
        """Whether messages end with a newline."""

    def receive(self) -> bytes:
        """The next bytes, at least one; empty when the referee has closed the connection."""
        try:
            data = os.read(self._read, 65_536)
        except ConnectionError:
            return b""
        self._log.write(">", data)
        return data

    def receive_within(self, seconds: float) -> bytes:
        """The next bytes if they arrive in time, else empty."""
        return self.receive() if select.select([self._read], [], [], seconds)[0] else b""

    def line(self) -> str | None:
        """The next line without its newline; None when the referee has closed the connection."""
        while b"\n" not in self._buffer:
            chunk = self.receive()
            if not chunk:
                rest, self._buffer = self._buffer, b""
                return rest.decode("utf-8", "replace") if rest else None
            self._buffer += chunk
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line.decode("utf-8", "replace").rstrip("\r")

    def character(self) -> str | None:
        """The next character; None when the referee has closed the connection."""
        if not self._buffer:
            self._buffer = self.receive()
        first, self._buffer = self._buffer[:1], self._buffer[1:]
        return first.decode("latin-1") if first else None

    def send(self, text: str) -> None:
        """Write a message, with a newline if the protocol uses them.

        `receive` detects a closed connection. Raises WorkError if writing fails for another reason.
        """
        data = (text + ("\n" if self.newlines else "")).encode()
        self._log.write("<", data)
        try:
            while data:
                data = data[os.write(self._write, data) :]
        except ConnectionError:
            return
        except OSError as error:
            raise WorkError(f"cannot write answers: {error.strerror}") from error

    def rejection(self, line: str) -> WorkError | None:
        """The error if a judge's first line (`? REASON`) rejects this engine, else None."""
        if self._tcp is None or not line.startswith("? "):
            return None
        reason = "".join(character for character in line[2:].strip() if character.isprintable())
        return WorkError(f"the judge rejected this engine: {reason[:200]}")

    def close(self) -> None:
        self._log.close()
        if self._tcp is not None:
            self._tcp.close()


def standard_streams(*, newlines: bool = True) -> RefereeConnection:
    """The connection over standard input and output, bypassing `sys.stdout`."""
    return RefereeConnection(STANDARD_INPUT, STANDARD_OUTPUT, newlines=newlines)


def connect(address: str, *, newlines: bool, timeout: float = CONNECT_SECONDS) -> RefereeConnection:
    """Connect to HOST:PORT; raises GameError."""
    host, colon, port = address.rpartition(":")
    number = read_whole(port, 1, 65_535)
    if not colon or number is None:
        raise GameError(f"address: expected HOST:PORT such as 127.0.0.1:7122, got {address!r}")
    until = time.perf_counter() + timeout
    while True:
        try:
            tcp = socket.create_connection((host or "127.0.0.1", number), timeout=10.0)
            break
        except OSError as error:
            if time.perf_counter() > until:
                raise GameError(f"cannot connect to {address}: {error}") from error
            time.sleep(0.1)
    tcp.settimeout(None)
    tcp.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return RefereeConnection(tcp.fileno(), tcp.fileno(), newlines=newlines, tcp=tcp)
