"""Fuzzer for all parsers, protocols, files, messages and arguments: `make fuzz`.

    .venv/bin/python tests/fuzz.py --minutes 10
    .venv/bin/python tests/fuzz.py --inputs 10000000 --seed 7
    .venv/bin/python tests/fuzz.py --target lab-engine --minutes 1

Mutated valid texts are fed to every parser. A parser must accept a text or raise its documented error; anything else is
a finding, which is printed with a minimised input and sets exit code 1. Each target has its own random generator, so
its n-th input depends only on the seed and n. Add an example for every finding to the tests of the parser.
"""

import argparse
import collections
import contextlib
import os
import signal
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

# Run without JIT compilation.
os.environ["NUMBA_DISABLE_JIT"] = "1"
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.fuzzing import calls, files, ladder, parsers, talk
from tests.fuzzing.target import Target

HANG_SECONDS = 300
"""Seconds of CPU time after which an input counts as a hang; far more than any input needs."""

SILENCE_SECONDS = 3600
"""Elapsed seconds after which it does too: a process can wait long for a busy processor."""

Finding = tuple[str, str, str]
"""Exception type, place, and traceback."""


class HangError(Exception):
    """An input that takes longer than HANG_SECONDS or SILENCE_SECONDS."""


class Tally:
    """Counts of the inputs of one target."""

    def __init__(self, target: Target, seed: int) -> None:
        self.target = target
        self.generator = Random(f"{seed} {target.name}")
        self.inputs = self.accepted = self.refused = 0
        self.seconds = 0.0
        self.findings: collections.Counter[tuple[str, str]] = collections.Counter()

    def row(self) -> str:
        rate = self.inputs / self.seconds if self.seconds else 0.0
        found = sum(self.findings.values())
        return _row(self.target.name, self.inputs, rate, self.accepted, self.refused, found)


def _row(name: str, *numbers: float) -> str:
    return f"{name:22}" + "".join(f"{number:>13,.0f}" for number in numbers)


def problem(target: Target, text: str) -> Finding | None:
    """Feed a text to a target; return a finding or None. Raises the documented errors."""
    caught: list[BaseException] = []
    usual, threading.excepthook = threading.excepthook, lambda details: caught.append(details.exc_value or KeyError())
    signal.setitimer(signal.ITIMER_PROF, HANG_SECONDS)
    signal.setitimer(signal.ITIMER_REAL, SILENCE_SECONDS)
    try:
        target.feed(text)
    except target.errors:
        if not caught:
            raise
    except (Exception, RecursionError) as error:
        caught.append(error)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        threading.excepthook = usual
    if not caught:
        return None
    error = caught[0]
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if f"{os.sep}starscout{os.sep}" in frame.filename] or frames
    place = f"{Path(ours[-1].filename).name}:{ours[-1].lineno}" if ours else "?"
    return type(error).__name__, place, "".join(traceback.format_exception(error))


def minimised(text: str, fails: Callable[[str], bool]) -> str:
    """Minimise a failing text by removing ever smaller parts (delta debugging)."""
    size = max(len(text) // 2, 1)
    while True:
        place = 0
        while place < len(text):
            shorter = text[:place] + text[place + size :]
            if fails(shorter):
                text = shorter
            else:
                place += size
        if size == 1:
            return text
        size //= 2


def feed_one(tally: Tally) -> None:
    """Generate one input, feed it, count the result and print a new finding."""
    target = tally.target
    text = target.make(tally.generator)
    count = sum(1 for line in text.split("\n") if line.strip()) if target.lines else 1
    tally.inputs += count
    try:
        finding = problem(target, text)
    except target.errors:
        tally.refused += count
        return
    if finding is None:
        tally.accepted += count
        return
    kind = finding[:2]
    tally.findings[kind] += 1
    if tally.findings[kind] > 1:
        return

    def fails(shorter: str) -> bool:
        try:
            found = problem(target, shorter)
        except target.errors:
            return False
        return found is not None and found[:2] == kind

    short = text if kind[0] == HangError.__name__ else minimised(text, fails)
    print(f"\n{target.name}: {kind[0]} at {kind[1]}\ninput: {short!r}\n{finding[2]}", flush=True)


def search(tallies: list[Tally], inputs: int | None, seconds: float) -> None:
    """Feed all targets in turn until the number of inputs or the time is reached."""
    began = time.perf_counter()
    while True:
        for tally in tallies:
            before = time.perf_counter()
            for _ in range(tally.target.share):
                feed_one(tally)
            tally.seconds += time.perf_counter() - before
            if inputs is not None and sum(tally.inputs for tally in tallies) >= inputs:
                return
            if inputs is None and time.perf_counter() - began >= seconds:
                return


def report(tallies: list[Tally], processor: float) -> None:
    """Print a line per target and a total; `processor` is the CPU time in seconds."""
    headings = ("inputs", "per second", "accepted", "refused", "findings")
    print(f"\n{'target':22}" + "".join(f"{heading:>13}" for heading in headings))
    for tally in tallies:
        print(tally.row())
    totals = [sum(getattr(tally, name) for tally in tallies) for name in ("inputs", "accepted", "refused")]
    seconds = sum(tally.seconds for tally in tallies)
    found = sum(sum(tally.findings.values()) for tally in tallies)
    print(_row("all", totals[0], totals[0] / max(seconds, 1e-9), *totals[1:], found))
    rate = totals[0] / max(processor, 1e-9)
    print(f"{seconds:,.0f} seconds, {processor:,.0f} of CPU time: {rate:,.0f} inputs per CPU second")
    print(f"{sum(len(tally.findings) for tally in tallies)} different findings")


def planted() -> Target:
    """Return a parser with a bug, to test the fuzzer."""

    def feed(text: str) -> None:
        if "²" in text:
            int(text[text.index("²")])

    return parsers.target("planted", ["1 2 3"], feed)


@contextlib.contextmanager
def empty_folder() -> Iterator[None]:
    """Work in an empty folder, in memory if possible, so that paths in inputs lead nowhere."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def _hung(number: int, frame: Any) -> None:
    raise HangError(f"no result after {HANG_SECONDS} s of CPU time or {SILENCE_SECONDS} s")


def main() -> int:
    """Run the fuzzer; return 1 if there are findings, else 0."""
    parser = argparse.ArgumentParser(description="Fuzz all parsers and protocols.")
    parser.add_argument("--minutes", type=float, default=10.0, help="duration (default: 10)")
    parser.add_argument("--inputs", type=int, help="number of inputs; overrides --minutes")
    parser.add_argument("--seed", type=int, help="random seed (default: random)")
    parser.add_argument("--target", help="fuzz only this target")
    arguments = parser.parse_args()
    seed = int.from_bytes(os.urandom(4)) if arguments.seed is None else arguments.seed
    for number in (signal.SIGPROF, signal.SIGALRM):
        signal.signal(number, _hung)
    with empty_folder():
        targets = [*parsers.targets(), *talk.targets(), *files.targets(), *ladder.targets(), *calls.targets()]
        known = {target.name: target for target in (*targets, planted())}
        if arguments.target is not None and arguments.target not in known:
            parser.error(f"target: expected one of {', '.join(known)}, got {arguments.target!r}")
        chosen = targets if arguments.target is None else [known[arguments.target]]
        print(f"seed {seed}, {len(chosen)} targets", flush=True)
        tallies = [Tally(target, seed) for target in chosen]
        began = time.process_time()
        try:
            search(tallies, arguments.inputs, 60 * arguments.minutes)
        except KeyboardInterrupt:
            print("interrupted")
        report(tallies, time.process_time() - began)
    return int(any(tally.findings for tally in tallies))


if __name__ == "__main__":
    sys.exit(main())
