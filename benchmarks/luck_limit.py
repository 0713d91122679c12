"""Variance left by luck adjustment, by value function, and its lower bound (ewn).

    python benchmarks/luck_limit.py [PAIRS [METER …]]

With a perfect value function, a result is the value of the start plus all luck minus the losses of both players' moves.
The residual after luck adjustment is then the losses, and their variance is the lower bound. All variances are relative
to two games with independent dice.
"""

import sys
import time

import numpy

from starscout.arena.batch import warm
from starscout.arena.director import MatchRun, StoppingRule, run
from starscout.arena.plan import make_plan
from starscout.arena.store import MEMORY, Store
from starscout.arena.workers import LocalRunner
from starscout.records.packed import SeatedGame
from starscout.search.limits import Limit

PLAYERS = ("negascout depth=3 eval=race table=0", "negascout depth=2 eval=race table=0")
JUDGES = ("eval=race depth=3", "eval=learned depth=1", "eval=learned depth=2", "eval=learned depth=3")


def main(pairs: int, judges: list[str]) -> None:
    """Print the table; all meters measure the same games."""
    print(f"{pairs} pairs of {' and '.join(PLAYERS)}")
    for judge in judges:
        plan = make_plan("ewn", *PLAYERS, Limit(), 5, luck=judge)
        warm(plan)
        began, runner = time.monotonic(), LocalRunner(1)
        losses = []
        with Store(MEMORY) as store:
            match_run = MatchRun(store, plan, StoppingRule(pairs))
            run([match_run], runner, store)
            for record in store.counted_pairs(store.matches()[0]):
                losses.append(extra_loss(record.games("ewn", PLAYERS, 5)))
        runner.close()
        raw, adjusted = match_run.tally.sample, match_run.tally.luck.adjusted()
        independent = raw.mean * (1 - raw.mean) / 2
        left, least = adjusted.variance / independent, numpy.var(losses) / independent
        by_losses, seconds = 0.5 + numpy.mean(losses), time.monotonic() - began
        print(
            f"  {judge:32} adjusted {left:.3f}, losses {least:.3f}, "
            f"score {adjusted.mean:.4f}, by losses {by_losses:.4f}, {seconds:.0f} s",
            flush=True,
        )


def extra_loss(games: list[SeatedGame]) -> float:
    """Return the losses of B minus those of A, in win probability, per game of a pair."""
    total = 0.0
    for game in games:
        assert game.annotation is not None
        loss = game.annotation.loss
        first_lost_more = sum(loss[0::2]) - sum(loss[1::2])
        total += -first_lost_more if game.side == game.first else first_lost_more
    return total / len(games)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 300, sys.argv[2:] or list(JUDGES))
