"""Games a second of `random` against `random` through the whole arena: workers, luck, records, a store on the disk.

    python benchmarks/arena_throughput.py [PAIRS]

One and two workers are measured in turn, three times each; the best counts. `per CPU` is games divided by the processor
time of director and workers together, times two: what two free cores would do, whoever else uses this machine.
"""

import resource
import sys
import tempfile
import time
from pathlib import Path

from starscout.arena.batch import warm
from starscout.arena.director import Bout, Goal, run
from starscout.arena.plan import MatchPlan, make_plan
from starscout.arena.store import Store
from starscout.arena.workers import LocalRunner
from starscout.search.limits import Limit


def processor_seconds() -> float:
    """User and system time of this process and of its finished children."""
    usages = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def measure(plan: MatchPlan, pairs: int, workers: int, folder: str) -> tuple[float, float, float]:
    """Games a second by the clock, games a second of two cores by processor time, and the director's share of it."""
    runner = LocalRunner(workers)
    with Store(Path(folder) / f"{time.monotonic_ns()}.sqlite") as store:
        # The first pairs start the workers; they are not measured.
        run([Bout(store, plan, Goal(64 * workers))], runner, store)
        bout = Bout(store, plan, Goal(64 * workers + pairs))
        began, before, own = time.perf_counter(), processor_seconds(), time.process_time()
        run([bout], runner, store)
        wall, own = time.perf_counter() - began, time.process_time() - own
        runner.close()
        # Children count once they are waited for: take off what they used before.
        processor = processor_seconds() - before - STARTING * workers
    return 2 * pairs / wall, 2 * 2 * pairs / processor, own / processor


STARTING = 0.0
"""Set by `main`: the processor time of a worker that starts and plays 64 pairs."""


def main() -> None:
    """Print the table."""
    global STARTING
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 3000
    print(f"random against random, ewn, {pairs} pairs a run")
    for luck in (None, "off"):
        plan = make_plan("ewn", "random", "random", Limit(), 1, luck=luck)
        warm(plan)
        with tempfile.TemporaryDirectory() as folder:
            before = processor_seconds()
            runner = LocalRunner(1)
            with Store(Path(folder) / "start.sqlite") as store:
                run([Bout(store, plan, Goal(64))], runner, store)
            runner.close()
            STARTING = processor_seconds() - before
            rates = {1: [], 2: []}
            for _ in range(3):
                for workers in rates:
                    rates[workers].append(measure(plan, pairs, workers, folder))
        one, two = (max(rates[workers]) for workers in (1, 2))
        print(f"luck {plan.luck or 'off'}")
        print(f"  one worker   {one[0]:7.0f} games/s")
        print(f"  two workers  {two[0]:7.0f} games/s   {two[0] / one[0]:.2f} times one")
        best = max(rate[1] for rate in rates[2])
        print(
            f"  two cores by processor time {best:7.0f} games/s, the director's part {min(r[2] for r in rates[2]):.0%}"
        )


if __name__ == "__main__":
    main()
