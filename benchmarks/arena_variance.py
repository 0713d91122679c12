"""Variance reduction by shared chance and luck adjustment, relative to two independent games.

    python benchmarks/arena_variance.py [PAIRS [GAME]]

GAME is ewn, ewn-cyclic, backgammon, backgammon-dmp or dark-chess. The mean of two independent games has half the
variance of a game. The ratio is the fraction of games needed for the same interval. Intervals are 95 %, by resampling
pairs.
"""

import sys

import numpy

from starscout.arena.batch import warm
from starscout.arena.director import MatchRun, StoppingRule, run
from starscout.arena.plan import make_plan
from starscout.arena.store import MEMORY, Store
from starscout.arena.workers import LocalRunner, default_workers
from starscout.search.limits import Limit

BACKGAMMON = {
    "depth 2 against depth 1": ("negascout filter=8 depth=2 endgame=on", "quick"),
    "depth 1 against pips": ("quick", "quick eval=pips"),
    "depth 1 against random": ("quick", "random"),
}
CASES = {
    "ewn": {
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
    },
    "ewn-cyclic": {
        "depth 3 against depth 2": ("negascout depth=3 table=0", "negascout depth=2 table=0"),
        "depth 2 against depth 1": ("negascout depth=2 table=0", "negascout depth=1 table=0"),
        "depth 1 against random": ("negascout depth=1 table=0", "random"),
    },
    "backgammon": BACKGAMMON,
    "backgammon-dmp": BACKGAMMON,
    "dark-chess": {
        "300 nodes against 100": ("negascout eval=material nodes=300", "negascout eval=material nodes=100"),
        "learned against material": ("negascout nodes=300", "negascout eval=material nodes=300"),
        "300 nodes against random": ("negascout eval=material nodes=300", "random"),
    },
}
DEFAULT_LUCK = "depth=1"
LUCK = {"ewn": "eval=race depth=3", "dark-chess": "eval=material depth=1"}
RESAMPLES = 2000


def interval(values: numpy.ndarray, unit: float) -> str:
    """The variance of values in this unit, with its 95 % interval; nothing if all games ended alike."""
    if unit == 0:
        return "–"
    generator = numpy.random.default_rng(0)
    drawn = generator.choice(values, (RESAMPLES, len(values))).var(axis=1, ddof=1) / unit
    low, high = numpy.quantile(drawn, (0.025, 0.975))
    return f"{values.var(ddof=1) / unit:.3f} ({low:.3f} to {high:.3f})"


def main() -> None:
    """Print the table."""
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    game = sys.argv[2] if len(sys.argv) > 2 else "ewn"
    print(f"{pairs} pairs per case, {game}; variance of a pair relative to two independent games")
    for name, players in CASES[game].items():
        plan = make_plan(game, *players, Limit(), 5, luck=LUCK.get(game, DEFAULT_LUCK))
        warm(plan)
        runner = LocalRunner(default_workers())
        with Store(MEMORY) as store:
            match_run = MatchRun(store, plan, StoppingRule(pairs))
            run([match_run], runner, store)
            records = list(store.pairs(match_run.id))
        runner.close()
        games = numpy.array([score for record in records for score in record.valid_scores])
        raw = games.reshape(-1, 2).mean(axis=1)
        betas = match_run.tally.luck.betas()
        adjusted = raw - numpy.array([betas[record.pair % 2] * (record.net_luck or 0.0) for record in records])
        independent, draws = games.var(ddof=1) / 2, (games == 0.5).mean()
        print(
            f"  {name:27} score {raw.mean():.3f}, luck-adjusted {adjusted.mean():.3f}, draws {draws:.2f}; "
            f"shared {interval(raw, independent)}, luck-adjusted {interval(adjusted, independent)}",
            flush=True,
        )


if __name__ == "__main__":
    main()
