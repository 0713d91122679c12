"""Byte channel from the referee to an engine, over pipes or a socket, with deadlines.

Reads and writes use `poll`, so an engine that does not read, does not write, never stops writing or dies cannot block
the referee. There are no threads: the engine's standard error is drained while waiting.

Log of the traffic with engines: one line per message, with time and direction.

    12:03:04.517 lab:./agent > go die 4 movetime 1000
    12:03:04.533 lab:./agent < bestmove A2B3
    12:03:04.534 lab:./agent ! a line on its standard error

`--log FILE` sets the environment variable STARSCOUT_LOG, so that worker processes write to the same file.
"""

import contextlib
import datetime
import os
import select
import sys
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

from starscout.errors import printable
from starscout.game import GameError
from starscout.kernels import notices
from starscout.players.player import PlayerError
from starscout.referee.clock import MARGIN, MAX_WITHHELD, Scheduling, runnable, time_allowed
from starscout.search.limits import Limit
from starscout.settings.options import read_decimal

VARIABLE = "STARSCOUT_LOG"

MAX_LOG = 64 << 20
"""Maximum number of bytes that one process or connection of an engine adds to the log."""


def _without_controls(line: str) -> str:
    """A line of an engine without control characters: a log is read in terminals."""
    return line if line.isprintable() else "".join(mark if mark.isprintable() else " " for mark in line)


@contextlib.contextmanager
def logged(file: str | os.PathLike[str] | None) -> Iterator[None]:
    """Log every line to and from engines to a file, in this process and in its workers; None: no change."""
    if file is None:
        yield
        return
    open(file, "a").close()
    before = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = os.path.realpath(file)
    try:
        yield
    finally:
        os.environ.pop(VARIABLE)
        if before is not None:
            os.environ[VARIABLE] = before


class EngineLog:
    """The log of one engine; does nothing unless STARSCOUT_LOG is set."""

    def __init__(self, name: str) -> None:
        path = os.environ.get(VARIABLE)
        self._name = printable(name)
        self._left = MAX_LOG
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666) if path else None

    def write(self, arrow: str, data: bytes) -> None:
        """Append data with its direction: `>` to the engine, `<` from it, `!` standard error."""
        if self._file is None or self._left <= 0:
            return
        now = datetime.datetime.now().strftime("%H:%M:%S.%f")[:-3]
        lines = data.decode("utf-8", "replace").splitlines() or [""]
        text = "".join(f"{now} {self._name} {arrow} {_without_controls(line)}\n" for line in lines).encode()
        self._left -= len(text)
        if self._left <= 0:
            text = f"{now} {self._name} ! the log of this engine ends here: it has {MAX_LOG >> 20} MiB\n".encode()
        os.write(self._file, text)

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


LONGEST_LINE = 65_536
"""Maximum number of unparsed bytes, such as a line without a newline."""

WATCHDOG = 60.0
"""Seconds without an answer after which an engine has stalled, if no clock is running."""

WATCHDOG_VARIABLE = "STARSCOUT_ENGINE_WATCHDOG"
"""Environment variable that overrides WATCHDOG."""

ERROR_TAIL = 4_096
"""Number of bytes kept from the end of an engine's standard error."""

MAX_ECHO = 1 << 20
"""Maximum number of bytes of an engine's standard error that are printed."""

_CHUNK = 65_536

_UNMEASURED = 0.02
"""Seconds of a move before the scheduling of the engine is measured."""

_LONGEST_WAIT = 3600.0
"""Maximum seconds per system call; longer waits are repeated."""

_CHECK_INTERVAL = 0.5
"""Seconds between two calls of `Channel.gave_up`."""


class Deadline(NamedTuple):
    """The time at which an answer is due, and the forfeit reason if it is late."""

    at: float
    reason: str
    seconds: float

    def left(self) -> float:
        return self.at - time.perf_counter()


def deadline_in(seconds: float, reason: str = "stalled") -> Deadline:
    """A deadline `seconds` from now."""
    return Deadline(time.perf_counter() + seconds, reason, seconds)


def deadline_of(limit: Limit, watchdog: float) -> Deadline:
    """The deadline of a move: its limit plus the margin, or the watchdog without a clock."""
    allowed = time_allowed(limit)
    return deadline_in(watchdog) if allowed is None else deadline_in(allowed + MARGIN, "timeout")


def watchdog_seconds() -> float:
    """The value of STARSCOUT_ENGINE_WATCHDOG, else WATCHDOG; raises GameError."""
    text = os.environ.get(WATCHDOG_VARIABLE)
    if not text:
        return WATCHDOG
    seconds = read_decimal(text)
    if seconds is None or seconds <= 0:
        raise GameError(f"{WATCHDOG_VARIABLE}: expected a positive number of seconds, got {text!r}")
    return seconds


def start_seconds(usual: float) -> float:
    """The startup timeout: `usual`, or the watchdog variable if shorter; raises GameError."""
    return min(usual, watchdog_seconds()) if os.environ.get(WATCHDOG_VARIABLE) else usual


class Channel:
    """Owns its file descriptors; every failure raises PlayerError."""

    def __init__(
        self,
        name: str,
        read: int,
        write: int,
        error: int | None = None,
        why_gone: Callable[[], PlayerError] | None = None,
        on_close: Callable[[bool], None] | None = None,
        *,
        echo: str = "",
        scheduling: Callable[[], Scheduling] | None = None,
    ) -> None:
        self.name = name
        self._label, self._echo_left = printable(echo), MAX_ECHO if echo else 0
        """The label of printed lines of standard error, and the number of bytes that may still be printed."""
        self._echo_at_start = True
        """Whether the next output begins a line."""
        self._scheduling = scheduling
        self._baseline: tuple[float, Scheduling] | None = None
        """The time at which the current message is due, and the scheduling of the engine soon after it was sent."""
        self._used = 0.0
        """CPU seconds of the engine when its scheduling was last measured."""
        self.withheld = 0.0
        """Seconds by which the last deadline was extended."""
        self._waited = 0.0
        """Seconds for which the engine had waited for a processor at the last call of `waiting_within`."""
        self._read, self._write, self._error = read, write, error
        self._unused: int | None = None
        self._why_gone = why_gone
        self._on_close = on_close
        self._buffer = bytearray()
        self._error_tail = bytearray()
        self._closed = False
        self.observer: Callable[[str, bytes], None] | None = None
        """Called with everything that is sent (`>`), received (`<`) and written to standard error (`!`)."""
        self.on_failure: Callable[[], None] | None = None
        """Called before the engine is killed because it has failed."""
        self.gave_up: Callable[[], float | None] | None = None
        """Called regularly during a wait; returns the seconds waited if waiting longer is pointless, else None."""
        self.processes: Callable[[], list[int]] = list
        """The processes of the engine."""
        # An engine that connected over TCP has already sent its name.
        self._received = why_gone is None
        self._notified = False
        self._log = EngineLog(name)
        for descriptor in self._descriptors():
            os.set_blocking(descriptor, False)

    @property
    def error_text(self) -> str:
        """The end of the engine's standard error."""
        return self._error_tail.decode("utf-8", "replace").strip()

    def waiting_within(self, seconds: float) -> float:
        """Seconds for which the engine waited for a processor since the last call, at most `seconds`."""
        if self._scheduling is None or seconds < _UNMEASURED:
            return 0.0
        before, self._waited = self._waited, self._scheduling().waited
        return max(0.0, min(self._waited - before, seconds, MAX_WITHHELD))

    def send(self, data: bytes, deadline: Deadline) -> None:
        """Write all data; an engine that does not read it in time misses the deadline."""
        self._note(">", data)
        self._baseline, self.withheld = None, 0.0
        while data:
            try:
                data = data[os.write(self._write, data) :]
            except BlockingIOError:
                self._wait(deadline, writing=True)
            except OSError as error:
                raise self._gone() from error

    def send_line(self, line: str, deadline: Deadline) -> None:
        """Write a line and a newline."""
        self.send(line.encode() + b"\n", deadline)

    def line(self, deadline: Deadline) -> str:
        """The next line, without its newline, even if the engine never stops sending."""
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
        """The bytes that were read and not yet consumed."""
        return bytes(self._buffer)

    def take(self, count: int) -> bytes:
        """Consume and return the first `count` bytes of the buffer."""
        taken = bytes(self._buffer[:count])
        del self._buffer[:count]
        return taken

    def more(self, deadline: Deadline) -> None:
        """Wait for more bytes."""
        self._fill(deadline)

    def more_within(self, seconds: float) -> bool:
        """Wait briefly for more bytes; False if none arrived."""
        with contextlib.suppress(PlayerError):
            self._fill(deadline_in(seconds))
            return True
        return False

    def characters(self, count: int, deadline: Deadline) -> str:
        """Read exactly `count` bytes as text."""
        while len(self._buffer) < count:
            self._fill(deadline)
        return self.take(count).decode("latin-1")

    @property
    def hung_up(self) -> bool:
        """Whether this channel is closed, or the other end of its socket."""
        if self._closed:
            return True
        poll = select.poll()
        poll.register(self._read, getattr(select, "POLLRDHUP", select.POLLHUP))
        return bool(poll.poll(0))

    def close(self, *, at_once: bool = False) -> None:
        """Close the descriptors and end the program, at once or after a grace period."""
        if self._closed:
            return
        if at_once and self.on_failure is not None:
            self.on_failure()
        self._closed = True
        self.take_errors()
        for descriptor in self._descriptors():
            os.close(descriptor)
        self._log.close()
        if self._on_close is not None:
            self._on_close(at_once)

    def switch_to(self, socket: int) -> None:
        """Continue over a socket to the same program; the pipe to its standard input stays open."""
        os.set_blocking(socket, False)
        os.close(self._read)
        self._unused, self._read, self._write = self._write, socket, socket

    def end_input(self) -> None:
        """Close the input of a program, which then usually exits."""
        if self._write != self._read:
            # The descriptor stays reserved until the channel is closed.
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, self._write)
            os.close(null)

    def _note(self, arrow: str, data: bytes) -> None:
        """Log data, and show it to the observer."""
        self._log.write(arrow, data)
        if self.observer is not None:
            self.observer(arrow, data)

    def _descriptors(self) -> set[int]:
        return {d for d in (self._read, self._write, self._error, self._unused) if d is not None}

    def _fill(self, deadline: Deadline) -> None:
        """Read at least one byte."""
        if len(self._buffer) > LONGEST_LINE:
            raise PlayerError("stalled", f"{self.name} sent {len(self._buffer)} bytes that contain no answer")
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
            self._received = True
            self._note("<", chunk)
            self._buffer += chunk
            return

    def _wait(self, deadline: Deadline, *, writing: bool) -> None:
        """Wait until reading (or writing) can continue; raises PlayerError after the deadline."""
        descriptor, event = (self._write, select.POLLOUT) if writing else (self._read, select.POLLIN)
        began = time.perf_counter()
        while True:
            poll = select.poll()
            poll.register(descriptor, event)
            if self._error is not None:
                poll.register(self._error, select.POLLIN)
            left = self._time_left(deadline)
            longest = _LONGEST_WAIT if self.gave_up is None else _CHECK_INTERVAL
            seconds = min(max(left, 0), longest, self._notify_silence(began, deadline))
            ready = [ready for ready, _ in poll.poll(seconds * 1000)]
            waited = None if ready or self.gave_up is None else self.gave_up()
            if waited is not None:
                raise PlayerError(deadline.reason, f"{self.name} did not answer within {waited:.0f} s")
            if descriptor not in ready and left <= 0:
                # An answer that arrived in time counts, no matter how late this process reads it.
                self._check(deadline)
            if self._error in ready:
                self.take_errors()
            if descriptor in ready:
                return

    def _notify_silence(self, began: float, deadline: Deadline) -> float:
        """Notify the user once of a silent engine; return the seconds until that is due."""
        if self._received or self._notified or notices.waiting is None:
            return _LONGEST_WAIT
        due = began + notices.WAITING_SECONDS - time.perf_counter()
        if due > 0:
            return due
        self._notified = True
        notices.waiting(f"waiting up to {deadline.seconds:g} s for the first output of {self.name}")
        return _LONGEST_WAIT

    def _time_left(self, deadline: Deadline) -> float:
        """Seconds until a deadline, extended while an engine waits for a processor on a busy machine."""
        left = deadline.left() + self.withheld
        if deadline.reason != "timeout" or self._scheduling is None:
            return left
        if self._baseline is None or self._baseline[0] != deadline.at:
            # Fast answers need no measurement.
            used = deadline.seconds - left
            if used < _UNMEASURED:
                return min(left, _UNMEASURED - used)
            self._baseline = deadline.at, self._scheduling()
            self._used = self._baseline[1].used
        if left <= 0:
            before, now = self._baseline[1], self._scheduling()
            # An engine that has used up its time on the processor is late, whatever its other threads wait for.
            if now.used - before.used <= deadline.seconds:
                waited = now.waited - before.waited
                if now.used == self._used and any(map(runnable, self.processes())):
                    # The operating system counts a wait only when it ends, and this one has not ended.
                    waited = max(waited, self.withheld + _UNMEASURED)
                self.withheld = min(waited, MAX_WITHHELD)
            self._used = now.used
            left = deadline.left() + self.withheld
        return left

    def _check(self, deadline: Deadline) -> None:
        if deadline.left() + self.withheld <= 0:
            silent = "; it has sent nothing at all: does it flush its output after every line?"
            hint = "" if self._received else silent
            raise PlayerError(deadline.reason, f"{self.name} did not answer within {deadline.seconds:g} s{hint}")

    def take_errors(self) -> None:
        """Read the available standard error and keep its end; drop a closed descriptor."""
        if self._error is None:
            return
        with contextlib.suppress(OSError):
            chunk = os.read(self._error, _CHUNK)
            if not chunk:
                os.close(self._error)
                self._error = None
                return
            self._note("!", chunk)
            self._error_tail += chunk
            del self._error_tail[:-ERROR_TAIL]
            self._echo(chunk)

    def _echo(self, chunk: bytes) -> None:
        """Print standard error of an engine, without control characters, up to MAX_ECHO bytes."""
        if self._echo_left <= 0:
            return
        name, text = self._label, chunk[: self._echo_left].decode("utf-8", "replace")
        self._echo_left -= len(chunk)
        for piece in text.splitlines(keepends=True):
            # Output of several players may alternate: every line names its player.
            start = f"{name}: " if self._echo_at_start else ""
            self._echo_at_start = piece.endswith("\n")
            line = _without_controls(piece.removesuffix("\n"))
            sys.stderr.write(start + line + ("\n" if self._echo_at_start else ""))
        if self._echo_left <= 0:
            sys.stderr.write(f"\n{name}: further output is not shown\n")
        sys.stderr.flush()

    def _gone(self) -> PlayerError:
        """The error for a closed channel, with the last line of standard error."""
        closed = PlayerError("disconnected", f"{self.name} closed the connection")
        failure = self._why_gone() if self._why_gone else closed
        # A program that has ended has written all of its standard error by now.
        self.take_errors()
        errors = self.error_text.splitlines()
        if errors:
            return PlayerError(failure.reason, f"{failure.detail}; last error output: {printable(errors[-1], 200)}")
        return failure
