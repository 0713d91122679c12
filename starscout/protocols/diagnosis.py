"""Diagnosis of engines that do not work: the recorded conversation, and what is wrong in it.

A `Conversation` records all channels of an engine. Before a failed engine is killed it listens on, then closes the
input of the engine: late answers, and answers that were buffered without a flush, arrive only then.
"""

import contextlib
import os
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from starscout.errors import printable
from starscout.protocols.channel import Channel
from starscout.protocols.protocol import Exchange, Protocol
from starscout.referee.clock import scheduling

LISTEN_SECONDS = 2.5
"""Seconds to wait for a late answer."""
IDLE_SECONDS = 3.0
"""Seconds without an answer after which an engine that only waits for input counts as stuck."""
IDLE_CPU = 0.02
"""Maximum CPU seconds that an idle engine uses between two checks."""
FOLLOW_SECONDS = 0.3
"""Seconds to wait for the rest of an answer that was not understood."""
EXIT_SECONDS = 1.0
"""Seconds to wait for buffered output after the input of the engine was closed."""
BUSY = 0.5
"""Share of the time that an engine must have spent on a processor to count as busy."""

CONTEXT = 8
"""Lines of a transcript before and after the line with the problem."""
MAX_LINE = 120
"""Maximum length of a line in a transcript."""
MAX_ENTRIES = 20_000
"""Maximum number of recorded messages; the oldest are dropped."""

_READ = {"x86_64": ("0", "45"), "aarch64": ("63", "207")}
"""Machine → numbers of the system calls `read` and `recvfrom`."""

_IMPATIENT = "`check` waits at most {:g} s for the first move, unless --game-time sets the clock"

_MEMORY = re.compile(r"bad_alloc|MemoryError|[Cc]annot allocate memory|OutOfMemory|out of memory")


class Line(NamedTuple):
    """One line of a conversation."""

    arrow: str
    """`>` to the engine, `<` from it, `!` standard error, `=` a remark of the referee."""
    text: str
    seconds: float
    """Since the start of the program."""
    phase: str = ""
    """Empty during the game; `late` after the failure; `flushed` after the input of the engine was closed."""
    complete: bool = True
    """Whether it ended with a newline."""


@dataclass(frozen=True)
class Problem:
    """Something that is wrong with an engine."""

    kind: str
    """`wrong keyword`, `wrong handshake`, `missing flush`, `missing newline`, `debug output`, `CRLF`, `line ends`,
    `late answer`, `no answer`, `illegal move`, `crash`, `memory` or `cannot start`."""
    message: str
    line: int = 0
    """The number of the line in the conversation; 0 if there is none."""
    transcript: tuple[str, ...] = ()
    """The lines around it, each with its number: `12 < move A2B3`."""


class Conversation:
    """Records the messages to and from one engine."""

    def __init__(self, protocol: Protocol) -> None:
        self.protocol = protocol
        self.memory = 0
        """Largest resident memory of the engine, in bytes."""
        self.crlf = False
        self.busy = False
        """Whether the engine was computing when it failed."""
        self.reads_input: bool | None = None
        """Whether the engine was waiting for input when it failed; None if unknown."""
        self._entries: list[tuple[str, bytes, float, str]] = []
        self._phase = ""
        self._began = time.perf_counter()
        self.patience: float | None = None
        """Maximum seconds to wait for the next answer; None: as long as the clock runs."""
        self.patience_ended = False
        """Whether the referee stopped waiting for the engine because of `patience`."""
        self._asked = (0.0, 0.0)
        """Time and CPU seconds of the engine at the last question."""
        self._idle: tuple[float, float] | None = None
        """Time at which the engine became idle, and its CPU seconds at the last check."""
        self._channel: Channel | None = None

    def attach(self, channel: Channel) -> None:
        """Record a new channel."""
        self._channel, self._phase, self._began = channel, "", time.perf_counter()
        channel.observer = self._record
        channel.on_failure, channel.gave_up = self._listen_on, self._gave_up
        self._note("=", b"started\n")

    def _note(self, arrow: str, data: bytes) -> None:
        if len(self._entries) >= MAX_ENTRIES:
            del self._entries[: MAX_ENTRIES // 2]
        self._entries.append((arrow, data, time.perf_counter() - self._began, self._phase))

    def _record(self, arrow: str, data: bytes) -> None:
        if arrow == "<":
            self.crlf = self.crlf or b"\r" in data
            self._measure_memory()
        elif arrow == ">":
            self._asked, self._idle = (time.perf_counter(), self._cpu_seconds()), None
        self._note(arrow, data)

    def _gave_up(self) -> float | None:
        """Seconds waited for the answer if waiting longer is pointless or exceeds `patience`; else None."""
        now = time.perf_counter()
        waited = now - self._asked[0]
        if self.patience is not None and waited > self.patience:
            self.patience_ended = True
            return waited
        used = self._cpu_seconds()
        since, before = self._idle or (now, used)
        if not self._waits_for_input() or used - before > IDLE_CPU:
            since = now
        self._idle = since, used
        return waited if now - since >= IDLE_SECONDS else None

    def _cpu_seconds(self) -> float:
        """CPU seconds of the engine, including those for which it waited for a processor."""
        found = map(scheduling, self._processes())
        return sum(each.used + each.waited_by_all for each in found)

    def _processes(self) -> list[int]:
        return [] if self._channel is None else self._channel.processes()

    def _measure_memory(self) -> None:
        """Add up the memory of the processes without children: the others are launchers and shells."""
        total = 0
        for process in self._processes():
            with contextlib.suppress(OSError, ValueError, IndexError):
                status = Path(f"/proc/{process}/status").read_text(encoding="ascii", errors="replace")
                if not Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii").split():
                    total += int(status.partition("VmHWM:")[2].split()[0]) << 10
        self.memory = max(self.memory, total)

    def _waits_for_input(self) -> bool | None:
        """Whether a process of the engine is blocked in a read of standard input or a socket; None if unknown."""
        read, receive = _READ.get(os.uname().machine, ("", ""))
        known = None
        for process in self._processes():
            with contextlib.suppress(OSError, ValueError):
                number, *arguments = Path(f"/proc/{process}/syscall").read_text(encoding="ascii").split()
                known = bool(known)
                if number == receive or (number == read and self._is_input(process, int(arguments[0], 16))):
                    return True
        return known

    def _is_input(self, process: int, descriptor: int) -> bool:
        return not descriptor or os.readlink(f"/proc/{process}/fd/{descriptor}").startswith("socket:")

    def _listen_on(self) -> None:
        """Wait for further output of the failed engine, then close its input and wait again."""
        channel = self._channel
        if channel is None:
            return
        channel.gave_up = None
        asked, used = self._asked
        elapsed = time.perf_counter() - asked
        self._measure_memory()
        self.busy = elapsed > 0 and self._cpu_seconds() - used > BUSY * elapsed
        self.reads_input = self._waits_for_input()
        self._phase = "late"
        answered = self._received_since_question()
        # An engine that waits for input sends nothing more on its own.
        patience = FOLLOW_SECONDS if answered or self.reads_input else LISTEN_SECONDS
        until = time.perf_counter() + patience
        while (left := until - time.perf_counter()) > 0 and channel.more_within(left):
            channel.take(len(channel.peek()))
            until = min(until, time.perf_counter() + FOLLOW_SECONDS)
        if self.busy:
            return
        self._phase = "flushed"
        channel.end_input()
        until = time.perf_counter() + EXIT_SECONDS
        while (left := until - time.perf_counter()) > 0 and channel.more_within(left):
            channel.take(len(channel.peek()))

    def _received_since_question(self) -> bool:
        for arrow, data, *_ in reversed(self._entries):
            if arrow in "<>":
                return arrow == "<" and bool(data.strip())
        return False

    def lines(self) -> list[Line]:
        """The conversation, line by line; pieces of a line are joined."""
        found: list[Line] = []
        framed = self.protocol.newlines
        for arrow, data, seconds, phase in self._entries:
            text = data.decode("utf-8", "replace")
            pieces = re.findall(r"[^\n]*\n|[^\n]+", text) if framed or arrow == "!" else [text]
            for piece in pieces:
                complete = not framed or piece.endswith("\n")
                shown = piece.removesuffix("\n") if framed or arrow != "<" else piece
                last = found[-1] if found else None
                if last is not None and not last.complete and last.arrow == arrow and last.phase == phase:
                    found[-1] = Line(arrow, last.text + shown, last.seconds, phase, complete)
                else:
                    found.append(Line(arrow, shown, seconds, phase, complete))
        return found

    def score(self) -> tuple[int, int]:
        """Protocol score of an engine: points for its answers and remarks, and the number of its lines."""
        question, score = None, 0
        for line in self.lines():
            if line.arrow == ">":
                question = exchange_for(self.protocol, line.text) or question
            elif line.arrow == "<":
                specific = question is not None and not re.fullmatch(question.answer, "?")
                if specific and question is not None and re.fullmatch(question.answer, line.text.strip()):
                    score += 2
                elif line.text.strip() and re.fullmatch(self.protocol.remarks, line.text.strip()):
                    score += 1
        return score, sum(line.arrow == "<" for line in self.lines())

    def problem(self, kind: str, message: str, number: int | None = None) -> Problem:
        """A problem at a line of the conversation (default: the last one), with the lines around it."""
        lines = self.lines()
        place = len(lines) - 1 if number is None else number
        chosen = range(max(0, place - CONTEXT), min(len(lines), place + CONTEXT + 1))
        transcript = tuple(f"{index + 1} {_shown(lines[index])}" for index in chosen)
        return Problem(kind, message, place + 1 if lines else 0, transcript)

    def diagnose(self, reason: str, detail: str, moves: Sequence[str] = ()) -> Problem:
        """Explain a forfeit for `reason`; `moves` are the legal moves in the last position."""
        return _Diagnosis(self, reason, detail, moves).problem()

    def remarks(self) -> list[Problem]:
        """Problems of an engine that finished its games: output outside the protocol, and CRLF."""
        found: list[Problem] = []
        strays = [number for number, line in enumerate(self.lines()) if self._is_stray(line)]
        if strays:
            count = "1 line is" if len(strays) == 1 else f"{len(strays)} lines are"
            first = _quoted(self.lines()[strays[0]].text)
            message = f"{count} not part of {self.protocol.name}, first {first}: write debug output to standard error"
            found.append(self.problem("debug output", message, strays[0]))
        if self.crlf:
            place = next((number for number, line in enumerate(self.lines()) if line.arrow == "<"), None)
            found.append(
                self.problem(
                    "CRLF",
                    "lines end with \\r\\n: write \\n alone, because other referees treat \\r as part of the answer",
                    place,
                )
            )
        return found

    def _is_stray(self, line: Line) -> bool:
        if line.arrow != "<" or line.phase or not self.protocol.newlines or not self.protocol.exchanges:
            return False
        text = line.text.strip()
        patterns = (self.protocol.remarks, *(exchange.answer for exchange in self.protocol.exchanges))
        return bool(text) and not any(re.fullmatch(pattern, text) for pattern in patterns)


def exchange_for(protocol: Protocol, question: str) -> Exchange | None:
    """The exchange that a line of the referee begins; None if it needs no answer."""
    return next((item for item in protocol.exchanges if re.fullmatch(item.question, question.strip())), None)


def _quoted(text: str) -> str:
    return f"`{printable(text, 80)}`"


def _shown(line: Line) -> str:
    text = "".join(
        mark if mark.isprintable() else "\\n" if mark == "\n" else "\\r" if mark == "\r" else "?" for mark in line.text
    )
    when = {"late": " (after the failure)", "flushed": " (after its input was closed)"}.get(line.phase, "")
    unfinished = "" if line.complete or line.arrow != "<" else " (no newline)"
    return f"{line.arrow} {text[:MAX_LINE]}{unfinished}{when}"


class _Diagnosis:
    """The last answer of a failed engine, compared with the expected answer."""

    def __init__(self, conversation: Conversation, reason: str, detail: str, moves: Sequence[str]) -> None:
        self.conversation, self.reason, self.detail, self.moves = conversation, reason, detail, moves
        self.protocol, self.lines = conversation.protocol, conversation.lines()
        asked = [number for number, line in enumerate(self.lines) if line.arrow == ">" and not line.phase]
        needing = [number for number in asked if exchange_for(self.protocol, self.lines[number].text) is not None]
        self.asked = needing[-1] if needing else asked[-1] if asked else 0
        self.question = printable(self.lines[self.asked].text, 60) if asked else ""
        self.exchange = exchange_for(self.protocol, self.lines[self.asked].text) if needing else None
        self.answers = [
            number
            for number in range(self.asked + 1, len(self.lines))
            if self.lines[number].arrow == "<" and self.lines[number].text.strip()
        ]

    def problem(self) -> Problem:
        """The most specific explanation."""
        for explanation in (self._crash, self._framing, self._buffered, self._late, self._misspelled, self._illegal):
            found = explanation()
            if found is not None:
                return found
        return self._silent()

    def _at(self, kind: str, message: str, number: int | None = None) -> Problem:
        return self.conversation.problem(kind, message, self.asked if number is None else number)

    def _fits(self, number: int) -> bool:
        """Whether a line answers the question."""
        exchange = self.exchange
        return exchange is not None and re.fullmatch(exchange.answer, self.lines[number].text.strip()) is not None

    def _crash(self) -> Problem | None:
        if self.reason not in ("crash", "disconnected"):
            return None
        words = [line.text.strip() for line in self.lines if line.arrow == "!" and line.text.strip()]
        last = f"; last output: {_quoted(words[-1])}" if words else "; it wrote nothing to standard error"
        detail = self.detail.partition("; last error output")[0]
        if any(_MEMORY.search(text) for text in words[-20:]):
            return self._at("memory", f"{detail}{last}: it needs more memory than it may use", len(self.lines) - 1)
        after = f" after {_quoted(self.question)}" if self.question else ""
        return self._at("crash", f"{detail}{after}{last}", len(self.lines) - 1)

    def _framing(self) -> Problem | None:
        """A complete answer without a newline, or line ends in a protocol that has none."""
        open_lines = [
            n for n in self.answers if not self.lines[n].complete and self._fits(n) and not self.lines[n].phase
        ]
        if open_lines:
            answer = _quoted(self.lines[open_lines[-1]].text)
            return self._at("missing newline", f"the answer {answer} does not end with a newline", open_lines[-1])
        if not self.protocol.newlines and self.reason == "illegal move":
            spaced = [n for n, line in enumerate(self.lines) if line.arrow == "<" and re.search(r"\s", line.text)]
            if (
                spaced
                and self.exchange
                and re.fullmatch(self.exchange.answer, "".join(self.lines[spaced[0]].text.split()))
            ):
                return self._at(
                    "line ends",
                    f"messages of {self.protocol.name} contain no line ends or spaces: write exactly two characters",
                    spaced[0],
                )
            if spaced and not self._move_in(self.lines[spaced[0]].text):
                text = _quoted(self.lines[spaced[0]].text.strip())
                return self._at(
                    "debug output",
                    f"{text} is not part of {self.protocol.name}: write debug output to standard error",
                    spaced[0],
                )
        return None

    def _buffered(self) -> Problem | None:
        flushed = [number for number in self.answers if self.lines[number].phase == "flushed"]
        early = [number for number in self.answers if not self.lines[number].phase and self._fits(number)]
        if not flushed or early or self.conversation.busy:
            return None
        if not any(self._fits(number) for number in flushed) and self.answers[0] != flushed[0]:
            return None
        text = _quoted(self.lines[next(filter(self._fits, flushed), flushed[0])].text)
        return self._at(
            "missing flush",
            f"{text}, the answer to {_quoted(self.question)}, arrived only when the engine exited: "
            "flush standard output after every answer (C++ std::endl, C fflush(stdout), Python flush=True)",
            flushed[0],
        )

    def _late(self) -> Problem | None:
        if self.reason not in ("timeout", "stalled"):
            return None
        late = [number for number in self.answers if self._fits(number)]
        if late:
            line = self.lines[late[0]]
            seconds = line.seconds - self.lines[self.asked].seconds
            return self._at(
                "late answer",
                f"{_quoted(line.text)} came {seconds:.1f} s after {_quoted(self.question)}: {self._allowed()}",
                late[0],
            )
        return None

    def _allowed(self) -> str:
        """The limit that was exceeded, from the detail of the forfeit."""
        if self.conversation.patience_ended:
            return _IMPATIENT.format(self.conversation.patience)
        found = re.search(r"within ([\d.e+]+) s", self.detail)
        return f"it had {float(found[1]) - (0.1 if self.reason == 'timeout' else 0):g} s" if found else self.detail

    def _misspelled(self) -> Problem | None:
        """An answer in an unexpected form."""
        exchange = self.exchange
        wrong = [
            number
            for number in self.answers
            if not self._fits(number) and not re.fullmatch(self.protocol.remarks, self.lines[number].text.strip())
        ]
        if not wrong and self.reason == "illegal move" and not any(map(self._fits, self.answers)):
            wrong = self.answers
        if exchange is None or not wrong:
            return None
        following = [number for number in self.answers if number > wrong[0] and self._fits(number)]
        text = self.lines[wrong[0]].text
        move = self._move_in(text)
        expected = _quoted(exchange.example.format(move or (self.moves[0] if self.moves else "MOVE")))
        if following and self.protocol.newlines:
            return self._at(
                "debug output",
                f"{_quoted(text)} came before the answer {_quoted(self.lines[following[0]].text)} to "
                f"{_quoted(self.question)}: write debug output to standard error",
                wrong[0],
            )
        if exchange.move and not move and not self.protocol.newlines:
            return None
        kind = "wrong keyword" if exchange.move else "wrong handshake"
        if exchange.move and not move:
            kind = "wrong answer"
        return self._at(
            kind, f"{_quoted(text)} is not an answer to {_quoted(self.question)}: expected {expected}", wrong[0]
        )

    def _move_in(self, text: str) -> str:
        """The move in a line: a legal move, or text in the form that the protocol uses for moves."""
        words = {word.strip(",;:.").lower() for word in text.split()}
        legal = next((move for move in self.moves if move.lower() in words), "")
        pattern = self.exchange.move if self.exchange is not None else ""
        if legal or not pattern or pattern == r"\S+":
            return legal
        found = re.search(pattern, text)
        return found[0] if found else ""

    def _illegal(self) -> Problem | None:
        if self.reason != "illegal move":
            return None
        number = self.answers[-1] if self.answers else len(self.lines) - 1
        return self._at("illegal move", self.detail, number)

    def _silent(self) -> Problem:
        conversation = self.conversation
        question = _quoted(self.question) if self.question else "its start"
        said = f"{self.detail.partition(';')[0]} to {question}" if self.question else self.detail.partition(";")[0]
        impatient = f"; {_IMPATIENT.format(conversation.patience)}" if conversation.patience_ended else ""
        if conversation.busy:
            return self._at("late answer", f"{said}: it was still computing{impatient}")
        if conversation.reads_input is False and self.reason == "timeout":
            return self._at("late answer", f"{said}: it was not waiting for input{impatient}")
        remarks = [number for number in self.answers if not self.lines[number].phase]
        if self.exchange is not None and not self.exchange.move and (remarks or conversation.reads_input):
            example = _quoted(self.exchange.example)
            return self._at("wrong handshake", f"{said}: it waits for more input; expected {example}")
        waits = "it waits for more input" if conversation.reads_input else "it was idle"
        return self._at("no answer", f"{said}: {waits}. Does it read {question}, and flush its answer?")
