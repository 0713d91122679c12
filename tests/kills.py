"""Kill directors and workers at random times and compare the stored pairs with an undisturbed run: `make kills`.

    .venv/bin/python tests/kills.py --kills 1000
    .venv/bin/python tests/kills.py --kills 1000 --minutes 60 --seed 7

Each round plays a match in a new store. Until the match is finished, SIGKILL ends the director, a worker or all of
them, and the same command resumes: a quarter of the kills at random times from the start of the process on, the others
after a random number of further pairs. Then every pair must be stored once, and equal that of an undisturbed run byte
for byte. Exit code 1 if a pair is lost, duplicated or different. Commands are forks of this process, which has imported
the package.
"""

import argparse
import multiprocessing
import os
import signal
import sys
import tempfile
import time
from multiprocessing.process import BaseProcess as Process
from pathlib import Path
from random import Random

# Without the compiler, processes start faster.
os.environ["NUMBA_DISABLE_JIT"] = "1"
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import starscout.api.match
import starscout.cli.matches  # noqa: F401  # loaded once for all commands
from starscout.cli.main import main as starscout_main
from tests.arena.test_kill import alive, children, command_line, count, kill, stored

PAIRS = 4_000
PLAYERS = ("random", "negascout eval=distance depth=1 table=0")
DEADLINE_SECONDS = 600
LONGEST_START_SECONDS = 2.0
LARGEST_STEP = 400
"""Usual maximum number of further pairs before a kill."""
WHOLE, DIRECTOR, WORKER = "director and workers", "director", "worker"


def command(store: Path, seed: int, pairs: int, workers: int) -> list[str]:
    """Return the command of a match, which resumes it too."""
    fixed = ["match", "ewn-3x3-3", *PLAYERS, "--luck", "off", "--json", "--seed", str(seed), "--pairs", str(pairs)]
    return ["starscout", *fixed, "--workers", str(workers), "--store", str(store)]


def start(*arguments: str) -> Process:
    process = multiprocessing.get_context("fork").Process(target=_run_command, args=(arguments,))
    process.start()
    return process


def _run_command(arguments: tuple[str, ...]) -> None:
    os.setsid()
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    sys.argv = list(arguments)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    starscout_main()


def finish(process: Process, seed: int) -> None:
    """Wait until a command has finished; raises AssertionError if it fails."""
    process.join(DEADLINE_SECONDS)
    if process.exitcode != 0:
        raise AssertionError(f"seed {seed}: exit code {process.exitcode}")


def workers_of(process: int) -> list[int]:
    """Return the worker processes of a director."""
    return [child for child in children(process) if "spawn_main" in command_line(child)]


def wait_for_exit(processes: list[int]) -> None:
    """Wait until all processes have exited; raises TimeoutError."""
    deadline = time.monotonic() + DEADLINE_SECONDS
    while any(alive(process) for process in processes):
        if time.monotonic() > deadline:
            raise TimeoutError(f"processes {processes} outlive their director")
        time.sleep(0.02)


class Round:
    """One match that is killed until it is finished."""

    def __init__(self, folder: Path, seed: int, pairs: int, generator: Random, step: int) -> None:
        self.store, self.seed, self.pairs, self._generator = folder / f"{seed}.sqlite", seed, pairs, generator
        self._step = step
        self.kills: dict[str, int] = {WHOLE: 0, DIRECTOR: 0, WORKER: 0}

    def play(self, most: int, until: float) -> None:
        """Play the match to its end, with up to `most` kills before `until`."""
        while True:
            left = most - sum(self.kills.values()) if time.monotonic() < until else 0
            if self._run(left):
                return

    def _run(self, kills: int) -> bool:
        """Run the command once; returns whether it has finished the match. Kills it, if `kills` is positive."""
        workers = self._generator.choice((0, 1, 2))
        before = count(self.store)
        process = start(*command(self.store, self.seed, self.pairs, workers))
        while kills > 0 and self._pause(process):
            targets = workers_of(process.pid or 0)
            kind = self._generator.choice((WHOLE, DIRECTOR, WORKER, WORKER))
            if kind == WORKER and targets:
                kill(self._generator.choice(targets))
                self.kills[WORKER] += 1
                kills -= 1
                continue
            kill(process.pid or 0)
            if kind == WHOLE:
                for target in targets:
                    kill(target)
            self.kills[WHOLE if kind == WHOLE else DIRECTOR] += 1
            process.join()
            wait_for_exit(targets)
            if count(self.store) < before:
                raise AssertionError(f"seed {self.seed}: {before - count(self.store)} stored pairs are lost")
            return False
        finish(process, self.seed)
        return True

    def _pause(self, process: Process) -> bool:
        """Wait for a random time or number of pairs; returns False if the process has exited meanwhile."""
        if self._generator.random() < 0.25:
            process.join(self._generator.random() ** 2 * LONGEST_START_SECONDS)
            return process.is_alive()
        wanted = count(self.store) + self._generator.randrange(1, self._step)
        while process.is_alive() and count(self.store) < wanted:
            process.join(0.02)
        return process.is_alive()

    def check(self) -> None:
        """Compare the pairs with those of an undisturbed run; raises AssertionError."""
        other = self.store.with_suffix(".undisturbed")
        finish(start(*command(other, self.seed, self.pairs, 0)), self.seed)
        found, expected = stored(self.store), stored(other)
        if [row[1] for row in found] != list(range(self.pairs)):
            raise AssertionError(f"seed {self.seed}: {len(found)} pairs stored, expected {self.pairs}")
        if found != expected:
            wrong = [row[1] for row, right in zip(found, expected, strict=True) if row != right]
            raise AssertionError(f"seed {self.seed}: {len(wrong)} pairs differ, the first is {wrong[0]}")


def run(kills: int, seconds: float, seed: int, pairs: int = PAIRS, step: int = LARGEST_STEP) -> int:
    """Play rounds until this number of kills or this time; returns the number of kills. Raises AssertionError."""
    generator, until, done = Random(seed), time.monotonic() + seconds, 0
    with tempfile.TemporaryDirectory() as folder:
        number = 0
        while done < kills and time.monotonic() < until:
            match = Round(Path(folder), 1_000 * seed + number, pairs, generator, step)
            match.play(kills - done, until)
            match.check()
            done += sum(match.kills.values())
            number += 1
            counts = ", ".join(f"{kind} {times}" for kind, times in match.kills.items())
            print(f"match {number}: {pairs} pairs equal after {counts}; {done} kills in total", flush=True)
    return done


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=1_000)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pairs", type=int, default=PAIRS, help="pairs of each match")
    parser.add_argument("--step", type=int, default=LARGEST_STEP, help="maximum number of further pairs before a kill")
    given = parser.parse_args()
    try:
        done = run(given.kills, given.minutes * 60, given.seed, given.pairs, given.step)
    except AssertionError as error:
        print(f"FAILED: {error}")
        return 1
    print(f"{done} kills, no pair lost, duplicated or changed")
    return 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    sys.exit(main())
