"""Variance reduction by shared dice and luck adjustment, relative to two independent games.

    python benchmarks/arena_variance.py [PAIRS]

The mean of two independent games between players with score s has variance s(1 − s)/2. The ratio is the fraction of
games needed for the same interval.
"""

import sys

from starscout.arena.batch import warm
from starscout.arena.director import MatchRun, StoppingRule, run
from starscout.arena.plan import make_plan
from starscout.arena.store import MEMORY, Store
from starscout.arena.workers import LocalRunner, default_workers
from starscout.search.limits import Limit

CASES = {
    "depth 3 against depth 2": ("negascout depth=3 eval=race table=0", "negascout depth=2 eval=race table=0"),
    "a slight change of weights": (
        "negascout depth=2 eval=distance:20:10 table=0",
        "negascout depth=2 eval=distance:21:10 table=0",
    ),
    "another slight change": (
        "negascout depth=2 eval=distance:20:19 table=0",
        "negascout depth=2 eval=distance:20:20 table=0",
    ),
    "depth 1 against random": ("negascout depth=1 eval=race table=0", "random"),
}


def main() -> None:
    """Print the table."""
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    print(f"{pairs} pairs per case, ewn 5×5; variance of a pair relative to two independent games")
    for name, players in CASES.items():
        plan = make_plan("ewn", *players, Limit(), 5, luck="eval=race depth=3")
        warm(plan)
        runner = LocalRunner(default_workers())
        with Store(MEMORY) as store:
            match_run = MatchRun(store, plan, StoppingRule(pairs))
            run([match_run], runner, store)
        runner.close()
        raw, adjusted = match_run.tally.sample, match_run.tally.luck.adjusted()
        independent = raw.mean * (1 - raw.mean) / 2
        print(
            f"  {name:27} score {raw.mean:.3f}, luck-adjusted {adjusted.mean:.3f}; "
            f"same dice {raw.variance / independent:.3f}, luck-adjusted {adjusted.variance / independent:.3f}"
        )


if __name__ == "__main__":
    main()
