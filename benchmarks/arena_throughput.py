"""Arena throughput: games per second of `random` against `random` with a store on disk.

    python benchmarks/arena_throughput.py [PAIRS]

One and two workers are measured alternately, three times each; the best counts. The rates `by CPU time` estimate idle
cores: one worker has its own core, two workers share two cores with the director.
"""

import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from starscout.arena.batch import warm
from starscout.arena.director import MatchRun, StoppingRule, run
from starscout.arena.plan import MatchPlan, make_plan
from starscout.arena.store import Store
from starscout.arena.workers import LocalRunner
from starscout.search.limits import Limit

WARMING = 64


class Run(NamedTuple):
    """Wall-clock seconds, and CPU seconds of the workers and of the director."""

    wall: float
    workers: float
    director: float


def children_seconds() -> float:
    """Return the CPU time of finished child processes."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def measure(plan: MatchPlan, pairs: int, workers: int, starting: float, folder: str) -> Run:
    """Play pairs with running workers; `starting` is the CPU time of starting one."""
    children = children_seconds()
    runner = LocalRunner(workers)
    with Store(Path(folder) / f"{time.monotonic_ns()}.sqlite") as store:
        # The first pairs start the workers and are not measured.
        run([MatchRun(store, plan, StoppingRule(WARMING * workers))], runner, store)
        match_run = MatchRun(store, plan, StoppingRule(WARMING * workers + pairs))
        began, own = time.perf_counter(), time.process_time()
        run([match_run], runner, store)
        wall, own = time.perf_counter() - began, time.process_time() - own
        runner.close()
    return Run(wall, children_seconds() - children - starting * workers, own)


def main() -> None:
    """Print the table."""
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 3000
    print(f"random against random, ewn, {pairs} pairs per run")
    for luck in (None, "off"):
        plan = make_plan("ewn", "random", "random", Limit(), 1, luck=luck)
        warm(plan)
        with tempfile.TemporaryDirectory() as folder:
            starting = min(measure(plan, 0, 1, 0.0, folder).workers for _ in range(2))
            runs: dict[int, list[Run]] = {1: [], 2: []}
            for _ in range(3):
                for workers, found in runs.items():
                    found.append(measure(plan, pairs, workers, starting, folder))
        clock = {workers: 2 * pairs / min(r.wall for r in found) for workers, found in runs.items()}
        one = 2 * pairs / min(r.workers for r in runs[1])
        two = 2 * 2 * pairs / min(r.workers + r.director for r in runs[2])
        share = min(r.director / (r.workers + r.director) for r in runs[2])
        print(f"luck {plan.luck or 'off'}")
        for how, rates in (("by wall clock", (clock[1], clock[2])), ("by CPU time", (one, two))):
            print(f"  {how:18} one worker {rates[0]:5.0f}   two {rates[1]:5.0f}   {rates[1] / rates[0]:.2f} times one")
        print(f"  director and store take {share:.1%} of the CPU time")


if __name__ == "__main__":
    main()
