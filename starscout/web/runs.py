"""Matches and tournaments that were started from the page: the command line's own processes, with the server's store.

Everything on their command lines is a number or comes from the catalogue.
"""

import asyncio
import contextlib
import secrets
import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from starscout.arena.workers import default_workers
from starscout.game import GameError
from starscout.search.limits import Limit

MOST_RUNS = 2
LAST_WORDS = 2000
"""Bytes of a run's last words that are kept."""
ENDING_SECONDS = 5.0


@dataclass
class Run:
    """A process that plays."""

    number: int
    title: str
    seed: int
    """Its games are those with this seed in the store."""
    process: asyncio.subprocess.Process
    stopped: bool = False
    last_words: str = ""

    @property
    def running(self) -> bool:
        """Whether it still plays."""
        return self.process.returncode is None

    def to_json(self) -> dict[str, Any]:
        """The run for a page."""
        failed = not self.running and self.process.returncode != 0 and not self.stopped
        return {
            "run": self.number, "title": self.title, "running": self.running, "seed": self.seed,
            "error": self.last_words if failed else "",
        }  # fmt: skip


class Runs:
    """The runs of a server."""

    def __init__(self, store: str) -> None:
        self._store = store
        self._runs: list[Run] = []
        self._readers: set[asyncio.Task[None]] = set()

    def to_json(self) -> list[dict[str, Any]]:
        """All runs, the newest first."""
        return [run.to_json() for run in reversed(self._runs)]

    async def start(self, title: str, arguments: Sequence[str]) -> Run:
        """Start `starscout` with these arguments and a seed of its own; raises GameError when enough is running."""
        if sum(run.running for run in self._runs) >= MOST_RUNS:
            raise GameError(f"at most {MOST_RUNS} matches run at a time: wait, or stop one")
        workers = max(1, default_workers() // 2)
        # The same setup may be played again: it is another match then.
        seed = secrets.randbits(32)
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "starscout", *arguments, "--seed", str(seed), "--store", self._store, "--workers",
            str(workers), "--json",
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        run = Run(len(self._runs) + 1, title, seed, process)
        self._runs.append(run)
        task = asyncio.ensure_future(_listen(run))
        self._readers.add(task)
        task.add_done_callback(self._readers.discard)
        return run

    def stop(self, number: int) -> None:
        """Let a run stop: what is finished stays in the store. Raises GameError."""
        run = next((run for run in self._runs if run.number == number), None)
        if run is None:
            raise GameError(f"there is no run {number}")
        if run.running:
            run.stopped = True
            run.process.send_signal(signal.SIGINT)

    async def close(self) -> None:
        """Stop all runs."""
        for run in self._runs:
            if run.running:
                self.stop(run.number)
        for run in self._runs:
            try:
                await asyncio.wait_for(run.process.wait(), ENDING_SECONDS)
            except TimeoutError:
                with contextlib.suppress(ProcessLookupError):
                    run.process.kill()
        if self._readers:
            await asyncio.wait(self._readers, timeout=1.0)


async def _listen(run: Run) -> None:
    assert run.process.stderr is not None
    words = b""
    while chunk := await run.process.stderr.read(4096):
        words = (words + chunk)[-LAST_WORDS:]
    run.last_words = words.decode("utf-8", "replace").strip()
    await run.process.wait()


def limit_arguments(limit: Limit) -> list[str]:
    """A limit as the command line writes it."""
    if limit.simulations is not None:
        return ["--simulations", str(limit.simulations)]
    if limit.depth is not None:
        return ["--depth", str(limit.depth)]
    return [] if limit.time is None else ["--time", f"{limit.time:g}"]
