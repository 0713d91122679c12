"""Matches and tournaments started from the page: `starscout` processes that write to the server's store.

Every argument of these processes is a number or comes from the catalogue.
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

MAX_RUNS = 2
STDERR_BYTES = 2000
"""Number of bytes kept from the end of a run's standard error."""
STOP_SECONDS = 5.0


@dataclass
class Run:
    """A match or tournament in a separate process."""

    number: int
    title: str
    seed: int
    """The seed, which identifies its games in the store."""
    owner: str
    """The browser that started it, the only one that may stop it."""
    process: asyncio.subprocess.Process
    running: bool = True
    """Whether the process has not ended, or its standard error has not been read to the end."""
    stopped: bool = False
    stderr: str = ""

    def to_json(self, client: str = "") -> dict[str, Any]:
        """The run for the page of a browser."""
        failed = not self.running and self.process.returncode != 0 and not self.stopped
        return {
            "run": self.number, "title": self.title, "running": self.running, "seed": self.seed,
            "error": self.stderr if failed else "", "mine": self.owner == client,
        }  # fmt: skip


class Runs:
    """The runs of a server."""

    def __init__(self, store: str) -> None:
        self._store = store
        self._runs: list[Run] = []
        self._readers: set[asyncio.Task[None]] = set()

    def to_json(self, client: str = "") -> list[dict[str, Any]]:
        """All runs, newest first, for the page of a browser."""
        return [run.to_json(client) for run in reversed(self._runs)]

    async def start(self, title: str, arguments: Sequence[str], owner: str = "") -> Run:
        """Start `starscout` with these arguments and a random seed; raises GameError if too many runs are active."""
        if any(run.running and run.owner == owner for run in self._runs):
            raise GameError("your last match is still running: wait, or stop it", code="run_running")
        if sum(run.running for run in self._runs) >= MAX_RUNS:
            raise GameError(
                f"at most {MAX_RUNS} matches run at a time: wait, or stop one", code="too_many_runs", count=MAX_RUNS
            )
        workers = max(1, default_workers() // 2)
        # With a new seed, a repeated setup is a new match.
        seed = secrets.randbits(32)
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "starscout", *arguments, "--seed", str(seed), "--store", self._store, "--workers",
            str(workers), "--json",
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        run = Run(len(self._runs) + 1, title, seed, owner, process)
        self._runs.append(run)
        task = asyncio.ensure_future(_read_stderr(run))
        self._readers.add(task)
        task.add_done_callback(self._readers.discard)
        return run

    def stop(self, number: int, owner: str | None = None) -> None:
        """Stop a run of this owner (None: of anybody); finished games stay in the store. Raises GameError."""
        run = next((run for run in self._runs if run.number == number), None)
        if run is None:
            raise GameError(f"no run {number}", code="unknown_run", number=number)
        if owner is not None and run.owner != owner:
            raise GameError("only the browser that started a match can stop it", code="foreign_run")
        if run.running:
            run.stopped = True
            with contextlib.suppress(ProcessLookupError):
                run.process.send_signal(signal.SIGINT)

    async def close(self) -> None:
        """Stop all runs."""
        for run in self._runs:
            if run.running:
                self.stop(run.number)
        for run in self._runs:
            try:
                await asyncio.wait_for(run.process.wait(), STOP_SECONDS)
            except TimeoutError:
                with contextlib.suppress(ProcessLookupError):
                    run.process.kill()
                await run.process.wait()
        if self._readers:
            await asyncio.wait(self._readers, timeout=1.0)


async def _read_stderr(run: Run) -> None:
    assert run.process.stderr is not None
    tail = b""
    while chunk := await run.process.stderr.read(4096):
        tail = (tail + chunk)[-STDERR_BYTES:]
    run.stderr = tail.decode("utf-8", "replace").strip()
    await run.process.wait()
    run.running = False


def limit_arguments(limit: Limit) -> list[str]:
    """A limit as command-line options."""
    if limit.simulations is not None:
        return ["--simulations", str(limit.simulations)]
    if limit.depth is not None:
        return ["--depth", str(limit.depth)]
    return [] if limit.time is None else ["--time", f"{limit.time:g}"]
