"""A channel: bytes to and from an engine, over pipes or a socket, that never waits beyond a deadline.

Reading and writing go through `poll`, so an engine that does not read, does not write, writes without end or dies
cannot hold the referee up. No threads: what the engine writes to its standard error is taken along while waiting.
"""

import contextlib
import os
import select
import time
from collections.abc import Callable
from typing import NamedTuple

from starscout.game import GameError
from starscout.kernels import notices
from starscout.players.player import PlayerError
from starscout.protocols.log import EngineLog
from starscout.referee.clock import MARGIN, time_allowed
from starscout.search.limits import Limit
from starscout.settings.numbers import read_decimal

LONGEST_LINE = 65_536
"""Bytes that an engine may send without a line end (or without making sense)."""

WATCHDOG = 60.0
"""Seconds without an answer after which an engine has stalled, if no clock runs."""

WATCHDOG_VARIABLE = "STARSCOUT_ENGINE_WATCHDOG"
"""The environment variable with another number of seconds for it."""

ERROR_TAIL = 4_096
"""How much of the end of an engine's standard error is kept."""

_CHUNK = 65_536

_LONGEST_WAIT = 3600.0
"""Seconds that one system call waits at most; longer waits are repeated."""


class Deadline(NamedTuple):
    """When an answer is due, and the reason of the forfeit if it is late."""

    at: float
    reason: str
    seconds: float

    def left(self) -> float:
        return self.at - time.perf_counter()


def deadline_in(seconds: float, reason: str = "stalled") -> Deadline:
    """Due `seconds` from now."""
    return Deadline(time.perf_counter() + seconds, reason, seconds)


def deadline_of(limit: Limit, watchdog: float) -> Deadline:
    """Due when the limit's time and the margin are used up; without a clock, after the watchdog's time."""
    allowed = time_allowed(limit)
    return deadline_in(watchdog) if allowed is None else deadline_in(allowed + MARGIN, "timeout")


def watchdog_seconds() -> float:
    """What STARSCOUT_ENGINE_WATCHDOG says, else WATCHDOG; raises GameError."""
    text = os.environ.get(WATCHDOG_VARIABLE)
    if not text:
        return WATCHDOG
    seconds = read_decimal(text)
    if seconds is None or seconds <= 0:
        raise GameError(f"{WATCHDOG_VARIABLE} is {text!r}: write a number of seconds")
    return seconds


def start_seconds(usual: float) -> float:
    """The usual seconds for a start, or what STARSCOUT_ENGINE_WATCHDOG says if that is less; raises GameError."""
    return min(usual, watchdog_seconds()) if os.environ.get(WATCHDOG_VARIABLE) else usual


class Channel:
    """Owns its file descriptors: `close` closes them. Whatever is wrong is raised as PlayerError."""

    def __init__(
        self,
        name: str,
        read: int,
        write: int,
        error: int | None = None,
        why_gone: Callable[[], PlayerError] | None = None,
        on_close: Callable[[bool], None] | None = None,
    ) -> None:
        self.name = name
        self._read, self._write, self._error = read, write, error
        self._why_gone = why_gone
        self._on_close = on_close
        self._buffer = bytearray()
        self._error_tail = bytearray()
        self._closed = False
        # A visitor has introduced itself already.
        self._heard = why_gone is None
        self._mentioned = False
        self._log = EngineLog(name)
        for descriptor in self._descriptors():
            os.set_blocking(descriptor, False)

    @property
    def error_text(self) -> str:
        """The end of what the engine wrote to its standard error."""
        return self._error_tail.decode("utf-8", "replace").strip()

    def send(self, data: bytes, deadline: Deadline) -> None:
        """Write everything; an engine that does not read in time has missed the deadline."""
        self._log.write(">", data)
        while data:
            try:
                data = data[os.write(self._write, data) :]
            except BlockingIOError:
                self._wait(deadline, writing=True)
            except OSError as error:
                raise self._gone() from error

    def send_line(self, line: str, deadline: Deadline) -> None:
        """Write a line and its end."""
        self.send(line.encode() + b"\n", deadline)

    def line(self, deadline: Deadline) -> str:
        """The next line, without its end. The deadline holds even if the engine never stops sending."""
        self._check(deadline)
        searched = 0
        while True:
            end = self._buffer.find(b"\n", searched)
            if end >= 0:
                line = bytes(self._buffer[:end])
                del self._buffer[: end + 1]
                return line.decode("utf-8", "replace").rstrip("\r")
            searched = len(self._buffer)
            self._fill(deadline)

    def peek(self) -> bytes:
        """What has been read and not yet taken."""
        return bytes(self._buffer)

    def take(self, count: int) -> bytes:
        """Remove and return the first `count` bytes of what `peek` shows."""
        taken = bytes(self._buffer[:count])
        del self._buffer[:count]
        return taken

    def more(self, deadline: Deadline) -> None:
        """Wait until `peek` shows more than now."""
        self._fill(deadline)

    def more_within(self, seconds: float) -> bool:
        """Wait a short while for more; False when nothing came or nothing will come."""
        with contextlib.suppress(PlayerError):
            self._fill(deadline_in(seconds))
            return True
        return False

    def characters(self, count: int, deadline: Deadline) -> str:
        """Exactly `count` bytes as text."""
        while len(self._buffer) < count:
            self._fill(deadline)
        return self.take(count).decode("latin-1")

    def close(self, *, at_once: bool = False) -> None:
        """Close the descriptors and end the program behind them, at once or after a moment to end by itself."""
        if self._closed:
            return
        self._closed = True
        for descriptor in self._descriptors():
            os.close(descriptor)
        self._log.close()
        if self._on_close is not None:
            self._on_close(at_once)

    def _descriptors(self) -> set[int]:
        return {d for d in (self._read, self._write, self._error) if d is not None}

    def _fill(self, deadline: Deadline) -> None:
        """Read at least one byte."""
        if len(self._buffer) > LONGEST_LINE:
            raise PlayerError("stalled", f"{self.name} sent {len(self._buffer)} bytes without an answer in them")
        while True:
            try:
                chunk = os.read(self._read, _CHUNK)
            except BlockingIOError:
                self._wait(deadline, writing=False)
                continue
            except OSError as error:
                raise self._gone() from error
            if not chunk:
                raise self._gone()
            self._heard = True
            self._log.write("<", chunk)
            self._buffer += chunk
            return

    def _wait(self, deadline: Deadline, *, writing: bool) -> None:
        """Return when reading (or writing) may go on; raise when the deadline has passed."""
        descriptor, event = (self._write, select.POLLOUT) if writing else (self._read, select.POLLIN)
        began = time.perf_counter()
        while True:
            poll = select.poll()
            poll.register(descriptor, event)
            if self._error is not None:
                poll.register(self._error, select.POLLIN)
            self._check(deadline)
            seconds = min(max(deadline.left(), 0), _LONGEST_WAIT, self._mention_silence(began, deadline))
            ready = [ready for ready, _ in poll.poll(seconds * 1000)]
            if self._error in ready:
                self._take_errors()
            if descriptor in ready:
                return

    def _mention_silence(self, began: float, deadline: Deadline) -> float:
        """Tell a person once that a first word is waited for; returns the seconds until that is due."""
        if self._heard or self._mentioned or notices.waiting is None:
            return _LONGEST_WAIT
        due = began + notices.WAITING_SECONDS - time.perf_counter()
        if due > 0:
            return due
        self._mentioned = True
        notices.waiting(f"waiting for the first word of {self.name}, at most {deadline.seconds:g} s")
        return _LONGEST_WAIT

    def _check(self, deadline: Deadline) -> None:
        if deadline.left() <= 0:
            silent = "; it has said nothing at all: does it flush its output after every line?"
            hint = "" if self._heard else silent
            raise PlayerError(deadline.reason, f"{self.name} did not answer within {deadline.seconds:g} s{hint}")

    def _take_errors(self) -> None:
        """Keep the end of what standard error holds now; forget the descriptor when it is closed."""
        if self._error is None:
            return
        with contextlib.suppress(BlockingIOError):
            chunk = os.read(self._error, _CHUNK)
            if not chunk:
                os.close(self._error)
                self._error = None
                return
            self._log.write("!", chunk)
            self._error_tail += chunk
            del self._error_tail[:-ERROR_TAIL]

    def _gone(self) -> PlayerError:
        """Why the other end is closed."""
        self._take_errors()
        failure = self._why_gone() if self._why_gone else PlayerError("disconnected", f"{self.name} closed the line")
        said = self.error_text.splitlines()
        if said:
            return PlayerError(failure.reason, f"{failure.detail}; its last words: {said[-1][:200]}")
        return failure
