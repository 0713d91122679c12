"""Coverage of the 95 % confidence interval and error rates of the SPRT.

    python benchmarks/arena_coverage.py [PAIRS]
    python benchmarks/arena_coverage.py exact

`exact` prints the coverage of the interval of a score, by enumeration, and of the interval of a difference between two
rows (`experiments/verdict.py`), from 4,000 samples per cell. Otherwise:

1. Simulated matches of known strength: the win probability is a martingale (the luck) that ends in a result.
2. Real players: negascout at depth 2 against depth 1 on 5×5 EWN. PAIRS (20,000) pairs are stored in
   arena_coverage.sqlite in the temporary folder, where a second run finds them. Their mean is the true score, and
   matches are sampled from them without replacement.
"""

import dataclasses
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
from starscout.arena.statistics import confidence_interval, sample_of, sample_of_counts
from starscout.arena.store import Store
from starscout.arena.workers import LocalRunner, default_workers
from starscout.experiments.experiment import Claim, find_experiment
from starscout.experiments.runner import Study, StudyRow
from starscout.experiments.verdict import verdicts
from starscout.search.limits import Limit

Draw = Callable[[numpy.random.Generator, int], numpy.ndarray]
"""(generator, pairs) → array of A's net luck and score, one row per pair."""

PLAYERS = ("negascout depth=2 eval=race table=0", "negascout depth=1 eval=race table=0")


SIZES, SCORES = (10, 20, 50, 200), (0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.95, 0.99)
SAMPLES = 4000


def pair_distribution(score: float) -> tuple[float, float, float]:
    """Return the chances of a lost, split and won pair of independent games."""
    return (1 - score) ** 2, 2 * score * (1 - score), score**2


def exact_coverage(pairs: int) -> list[float]:
    """Return the coverage of the interval of a score at each of SCORES, by enumeration."""
    lost, won = (part.ravel() for part in numpy.meshgrid(numpy.arange(pairs + 1), numpy.arange(pairs + 1)))
    lost, won = lost[lost + won <= pairs], won[lost + won <= pairs]
    split = pairs - lost - won
    counts = zip(lost, split, won, strict=True)
    ends = [confidence_interval(sample_of_counts({0.0: int(a), 0.5: int(b), 1.0: int(c)})) for a, b, c in counts]
    low, high = numpy.array(ends).T
    logs = numpy.cumsum([0.0, *numpy.log(numpy.arange(1, pairs + 1))])
    ways = logs[pairs] - logs[lost] - logs[split] - logs[won]
    found = []
    for score in SCORES:
        chances = numpy.log(pair_distribution(score))
        weights = numpy.exp(ways + lost * chances[0] + split * chances[1] + won * chances[2])
        found.append(float(weights[(low <= score) & (score <= high)].sum()))
    return found


def difference_coverage(pairs: int, generator: numpy.random.Generator) -> list[float]:
    """Return the coverage of the interval of a difference of 0 between two rows at each of SCORES."""
    experiment = find_experiment("002-depth")
    names = [experiment.row_name(duel) for duel in experiment.duel[:2]]
    asked = dataclasses.replace(experiment, claim=(Claim("equal", better=names[0], than=names[1]),))
    found = []
    for score in SCORES:
        drawn = generator.multinomial(pairs, pair_distribution(score), size=(SAMPLES, 2))
        kinds, weights = numpy.unique(drawn.reshape(SAMPLES, 6), axis=0, return_counts=True)
        covered = 0
        for kind, weight in zip(kinds, weights, strict=True):
            rows = (_row(names[0], kind[:3]), _row(names[1], kind[3:]))
            (verdict,) = verdicts(asked, Study("", "", "", "", 0, False, 0.0, rows))
            assert verdict.interval is not None
            covered += weight * (verdict.interval[0] <= 0 <= verdict.interval[1])
        found.append(covered / SAMPLES)
    return found


def _row(name: str, counts: numpy.ndarray) -> StudyRow:
    pairs = {str(score): int(count) for score, count in zip((0.0, 0.5, 1.0), counts, strict=True)}
    sample = sample_of_counts({float(score): count for score, count in pairs.items()})
    return StudyRow(name, 2 * sample.n, sample.mean, 0.1, pair_counts=pairs)


def print_exact() -> None:
    """Print both tables as Markdown."""
    generator = numpy.random.default_rng(30)
    for title, coverage in (("score", exact_coverage), ("difference", lambda n: difference_coverage(n, generator))):
        print(f"| {title} | " + " | ".join(f"{100 * score:g} %" for score in SCORES) + " |")
        print("|---:" * (len(SCORES) + 1) + "|")
        for pairs in SIZES:
            shares = [f"{share:.3f}"[-4:] if share < 0.9995 else "1.00" for share in coverage(pairs)]
            print(f"| {pairs} pairs | " + " | ".join(shares) + " |")


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
        low, high = confidence_interval(luck_tally(rows).adjusted(), bounded=False)
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
    if sys.argv[1:] == ["exact"]:
        print_exact()
    else:
        main()
