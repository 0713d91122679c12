"""Coverage of the 95 % confidence interval and error rates of the SPRT.

    python benchmarks/arena_coverage.py [PAIRS]

1. Simulated matches of known strength: the win probability is a martingale (the luck) that ends in a result.
2. Real players: negascout at depth 2 against depth 1 on 5×5 EWN. PAIRS (20,000) pairs are stored in
   arena_coverage.sqlite in the temporary folder, where a second run finds them. Their mean is the true score, and
   matches are sampled from them without replacement.
"""

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy

from starscout.arena.batch import warm
from starscout.arena.director import MatchRun, StoppingRule, run
from starscout.arena.elo import elo, expected_score
from starscout.arena.luck_adjustment import LuckTally
from starscout.arena.plan import make_plan
from starscout.arena.sprt import Sprt, likelihood_ratio, normal_likelihood_ratio
from starscout.arena.statistics import confidence_interval, sample_of, sample_of_counts, shrunk_prior
from starscout.arena.store import Store
from starscout.arena.workers import LocalRunner, default_workers
from starscout.search.limits import Limit

Draw = Callable[[numpy.random.Generator, int], numpy.ndarray]
"""(generator, pairs) → array of A's net luck and score, one row per pair."""

PLAYERS = ("negascout depth=2 eval=race table=0", "negascout depth=1 eval=race table=0")


def simulated(strength: float, shared: float) -> Draw:
    """Simulate pairs; `shared` is the fraction of luck that affects both games."""

    def draw(generator: numpy.random.Generator, pairs: int) -> numpy.ndarray:
        truth = expected_score(strength)
        chance = numpy.full((pairs, 2), truth)
        luck = numpy.zeros((pairs, 2))
        for _ in range(8):
            signs = generator.choice((-1.0, 1.0), size=(pairs, 2))
            # With the same dice, good luck for A in one game is good luck for B in the other.
            same = generator.random(pairs) < shared
            signs[same, 1] = -signs[same, 0]
            step = 0.5 * numpy.minimum(chance, 1 - chance) * signs
            chance += step
            luck += step
        score = generator.random((pairs, 2)) < chance
        return numpy.column_stack((luck.mean(axis=1), score.mean(axis=1)))

    return draw


def played(pairs: int) -> numpy.ndarray:
    """Return luck and score of the pairs of the real players."""
    plan = make_plan("ewn", *PLAYERS, Limit(), 0)
    with Store(Path(tempfile.gettempdir()) / "arena_coverage.sqlite") as store:
        match_run = MatchRun(store, plan, StoppingRule(pairs))
        if not match_run.finished:
            warm(plan)
            runner = LocalRunner(default_workers())
            run([match_run], runner, store)
            runner.close()
        return numpy.array([(sum(record.luck or (0, 0)) / 2, record.score) for record in store.pairs(match_run.id)])


def coverage(draw: Draw, truth: float, adjusted_truth: float, pairs: int, matches: int) -> tuple[float, float]:
    """Return the coverage of the raw and the luck-adjusted interval."""
    generator = numpy.random.default_rng(pairs)
    raw = adjusted = 0
    for _ in range(matches):
        rows = draw(generator, pairs)
        low, high = confidence_interval(sample_of(rows[:, 1].tolist()))
        raw += low <= truth <= high
        tally = luck_tally(rows)
        adjusted_sample = tally.adjusted()
        low, high = confidence_interval(adjusted_sample, shrunk_prior(adjusted_sample, tally.raw()))
        adjusted += low <= adjusted_truth <= high
    return raw / matches, adjusted / matches


def luck_tally(rows: numpy.ndarray) -> LuckTally:
    tally = LuckTally()
    for pair, (luck, score) in enumerate(rows.tolist()):
        tally.add(pair, luck, score)
    return tally


def error_rates(draw: Callable[[float], Draw], tests: int) -> dict[str, float]:
    """Return the error rates of an SPRT [0, 40] at both bounds, raw and luck-adjusted."""
    test = Sprt(0, 40)
    rates = {}
    for adjusted in (False, True):
        for truth, wrong in ((0.0, "elo1"), (40.0, "elo0")):
            generator = numpy.random.default_rng(17)
            errors = 0
            for _ in range(tests):
                errors += sequential(draw(truth), generator, test, adjusted) == wrong
            name = f"{'luck-adjusted' if adjusted else 'raw'}, truth {truth:g}"
            rates[name] = errors / tests
    return rates


def sequential(draw: Draw, generator: numpy.random.Generator, test: Sprt, adjusted: bool) -> str:
    tally, counts, pair = LuckTally(), {0.0: 0, 0.5: 0, 1.0: 0}, 0
    while pair < 20_000:
        for luck, score in draw(generator, 8).tolist():
            tally.add(pair, luck, score)
            counts[score] += 1
            pair += 1
        ratio = normal_likelihood_ratio(tally.adjusted(), test) if adjusted else likelihood_ratio(counts, test)
        verdict = test.verdict(ratio, counts[0.0] + counts[1.0])
        if verdict != "undecided":
            return verdict
    return "undecided"


def main() -> None:
    """Print the tables."""
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    print("coverage of the 95 % interval, raw / luck-adjusted, by pairs")
    sizes = {20: 4000, 100: 2000, 1000: 1000}
    for strength, shared in ((0, 0.0), (0, 0.6), (35, 0.6), (100, 0.6), (200, 0.3)):
        truth = expected_score(strength)
        found = [coverage(simulated(strength, shared), truth, truth, n, m) for n, m in sizes.items()]
        print(
            f"  simulated {strength:3} Elo, {shared:.0%} shared luck   "
            + "   ".join(f"{a:.3f} / {b:.3f}" for a, b in found)
        )
    rows = played(pairs)
    truth = float(rows[:, 1].mean())
    adjusted = luck_tally(rows).adjusted()
    counts = {score: float((rows[:, 1] == score).sum()) for score in (0.0, 0.5, 1.0)}
    assert sample_of_counts(counts).n == len(rows)
    print(f"  {PLAYERS[0]} against {PLAYERS[1]}: {len(rows)} pairs, score {truth:.4f} ({elo(truth):+.1f} Elo), ")
    print(f"    luck-adjusted {adjusted.mean:.4f}, variance × {adjusted.variance / rows[:, 1].var():.3f}")

    def from_real(generator: numpy.random.Generator, n: int) -> numpy.ndarray:
        return rows[generator.choice(len(rows), n, replace=False)]

    # The mean luck of these pairs is not exactly zero, so samples estimate their adjusted mean.
    found = [coverage(from_real, truth, adjusted.mean, n, m) for n, m in sizes.items()]
    print("    real pairs " + "   ".join(f"{a:.3f} / {b:.3f}" for a, b in found))
    print("SPRT [0, 40], nominal error rates 0.05 (1,000 tests: ± 0.014)")
    for name, rate in error_rates(lambda strength: simulated(strength, 0.6), 1000).items():
        print(f"  {name}: {rate:.3f}")


if __name__ == "__main__":
    main()
