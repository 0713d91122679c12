"""Coverage of every 95 % interval that users see, from simulated matches with known truth.

    python benchmarks/interval_coverage.py [KIND …]

A kind is a function below; without one, all are printed as Markdown tables. Columns are true scores, rows are numbers
of pairs. Elo intervals are those of the score on another scale, so their coverage is the same. All cells but those of
`score` without draws, which are exact, are shares of 4,000 matches (standard error .003).

    score         score of a match: pairs of independent games, of games with shared dice, and of games with draws
    difference    difference of two rows of a report page
    luck          luck-adjusted score: six rolls per ply, shared dice, luck measured without knowing who is better
    points        points per game, in a game whose wins count 1 to 3
    normalised    normalised Elo
    swiss         score of a player in a Swiss that is repeated ten times
    ratings       ratings of a round robin of four
    reports       scores and differences of the reports (Wilson, Newcombe): single games
    rollouts      `starscout rollout` in three positions of ewn
    equivalence   share of false "no real difference" at a true difference equal to the margin (nominal: at most .05)
"""

import dataclasses
import math
import sys
from collections.abc import Callable, Sequence

import numpy

import starscout
from starscout.arena.elo import elo, expected_score, normalised_elo, normalised_elo_interval
from starscout.arena.luck_adjustment import LuckTally
from starscout.arena.ratings import MeetingScore, bradley_terry
from starscout.arena.statistics import (
    NO_PRIOR,
    Sample,
    confidence_interval,
    points_interval,
    sample_of,
    sample_of_counts,
    shrunk_prior,
)
from starscout.experiments.exact_tests import Count
from starscout.experiments.experiment import Claim, find_experiment
from starscout.experiments.runner import Study, StudyRow
from starscout.experiments.verdict import Verdict, reported_interval, verdicts

SIZES = (10, 20, 50, 200)
SCORES = (0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.95, 0.99)
MATCHES = 4000
Generator = numpy.random.Generator
Array = numpy.ndarray
Interval = tuple[float, float]
PAIR_SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)


def independent(score: float) -> Array:
    """Return the probabilities of PAIR_SCORES for two independent games without draws."""
    return numpy.array([(1 - score) ** 2, 0.0, 2 * score * (1 - score), 0.0, score**2])


def shared_dice(score: float) -> Array:
    """Return them if half the pairs have as few decisive results as the score allows."""
    fewest = numpy.array([max(1 - 2 * score, 0), 0.0, 1 - abs(2 * score - 1), 0.0, max(2 * score - 1, 0)])
    return (independent(score) + fewest) / 2


def with_draws(score: float) -> Array:
    """Return them for independent games of which up to half are draws."""
    draws = min(0.5, score, 1 - score)
    game = numpy.array([1 - score - draws / 2, draws, score - draws / 2])
    return numpy.convolve(game, game)


PAIR_MODELS: dict[str, Callable[[float], Array]] = {
    "independent games": independent,
    "shared dice": shared_dice,
    "draws": with_draws,
}


def counted(drawn: Array) -> tuple[Array, Array]:
    """Return the different rows of an array and how often each occurs."""
    return numpy.unique(drawn.reshape(len(drawn), -1), axis=0, return_counts=True)


def sample_of_row(counts: Sequence[int] | Array) -> Sample:
    return sample_of_counts({score: int(count) for score, count in zip(PAIR_SCORES, counts, strict=True)})


def share(intervals: Callable[[Array], Interval | None], truth: float, drawn: Array) -> float:
    """Return the share of the rows whose interval contains the truth; rows without an interval do not count."""
    kinds, weights = counted(drawn)
    found = [intervals(kind) for kind in kinds]
    shown = sum(int(weight) for one, weight in zip(found, weights, strict=True) if one is not None)
    covered = sum(int(w) for one, w in zip(found, weights, strict=True) if one and one[0] <= truth <= one[1])
    return covered / shown if shown else math.nan


def draws(model: Callable[[float], Array], score: float, pairs: int, generator: Generator) -> Array:
    return generator.multinomial(pairs, model(score), size=MATCHES)


def enumerated(pairs: int, chances: Array) -> float:
    """Return the exact coverage of the interval of a score for pairs that are lost, split or won."""
    lost, won = (part.ravel() for part in numpy.meshgrid(numpy.arange(pairs + 1), numpy.arange(pairs + 1)))
    lost, won = lost[lost + won <= pairs], won[lost + won <= pairs]
    split = pairs - lost - won
    logs = numpy.cumsum([0.0, *numpy.log(numpy.arange(1, pairs + 1))])
    ways = logs[pairs] - logs[lost] - logs[split] - logs[won]
    with numpy.errstate(divide="ignore", invalid="ignore"):
        terms = [numpy.where(n > 0, n * numpy.log(chances[i]), 0.0) for n, i in ((lost, 0), (split, 2), (won, 4))]
    weights = numpy.exp(ways + sum(terms))
    likely = weights > 1e-12
    low, high = numpy.array(
        [
            confidence_interval(sample_of_row((a, 0, b, 0, c)))
            for a, b, c in zip(lost[likely], split[likely], won[likely], strict=True)
        ]
    ).T
    truth = float(chances @ numpy.array(PAIR_SCORES))
    return float(weights[likely][(low <= truth + 1e-12) & (truth - 1e-12 <= high)].sum())


def score() -> None:
    """Print the coverage of the interval of a score."""
    for name, model in PAIR_MODELS.items():
        generator = numpy.random.default_rng(1)

        def cell(pairs: int, truth: float, model: Callable[[float], Array] = model) -> float:
            if not model(truth)[1]:
                return enumerated(pairs, model(truth))
            drawn = draws(model, truth, pairs, generator)  # noqa: B023
            return share(lambda row: confidence_interval(sample_of_row(row)), truth, drawn)

        table(f"score, {name}", cell)


def rows_of(kind: Array, names: Sequence[str]) -> tuple[StudyRow, ...]:
    rows: list[StudyRow] = []
    for name, counts in zip(names, kind.reshape(-1, len(PAIR_SCORES)), strict=True):
        pairs = {str(score): int(count) for score, count in zip(PAIR_SCORES, counts, strict=True) if count}
        sample = sample_of_row(counts)
        rows.append(StudyRow(name, 2 * sample.n, sample.mean, 0.1, pair_counts=pairs))
    return tuple(rows)


EXAMPLE = find_experiment("002-depth")
NAMES = tuple(EXAMPLE.row_name(duel) for duel in EXAMPLE.duel[:2])


def verdict_of(kind: Array) -> Verdict:
    """Return the verdict on the claim that the first of two rows is better, or better than even for one row."""
    rows = rows_of(kind, NAMES[: len(kind) // len(PAIR_SCORES)])
    claim = Claim("better", better=NAMES[0], than=NAMES[1] if len(rows) > 1 else "")
    (found,) = verdicts(dataclasses.replace(EXAMPLE, claim=(claim,)), Study("", "", "", "", 0, False, 0.0, rows))
    return found


def difference() -> None:
    """Print the coverage of the interval of a difference between two rows."""
    generator = numpy.random.default_rng(2)
    for gap in (0.0, 0.1):

        def cell(pairs: int, truth: float, gap: float = gap) -> float:
            other = truth - gap if truth > 0.5 else truth + gap
            drawn = numpy.hstack([draws(independent, each, pairs, generator) for each in (truth, other)])
            return share(lambda row: verdict_of(row).interval, truth - other, drawn)

        table(f"difference, truth {100 * gap:g} points", cell)


PLIES, SPREAD = 10, 0.35


def winning_chance(position: Array, left: int) -> Array:
    """Logistic approximation of a walk with `left` more rolls; ignores which player is better."""
    return 1 / (1 + numpy.exp(-1.7 * position / math.sqrt(1 + left * 35 / 12 * SPREAD**2)))


def walks(pairs: int, advantage: float, generator: Generator) -> tuple[Array, Array]:
    """Play pairs with shared dice; return A's net luck and score in each.

    A roll moves a position by one of six steps, A's skill by `advantage`, and the players' mistakes by a random amount.
    The second game has the same rolls for the other side.
    """
    rolls = generator.integers(0, 6, size=(pairs, PLIES)) - 2.5
    luck, results = numpy.zeros(pairs), numpy.zeros(pairs)
    steps = SPREAD * (numpy.arange(6) - 2.5)
    for side in (1, -1):
        position = numpy.zeros(pairs)
        for ply in range(PLIES):
            left = PLIES - 1 - ply
            mean = sum(winning_chance(position + step, left) for step in steps) / 6
            position = position + SPREAD * side * rolls[:, ply]
            luck += winning_chance(position, left) - mean
            position = position + advantage / PLIES
        results += position + generator.normal(size=pairs) > 0
    return luck / 2, results / 2


def advantage_of(truth: float) -> tuple[float, float]:
    """Return an advantage with about this true score, and its true score, from a million pairs."""
    low, high = -12.0, 12.0
    for _ in range(20):
        middle = (low + high) / 2
        scored = walks(20_000, middle, numpy.random.default_rng(3))[1].mean()
        low, high = (middle, high) if scored < truth else (low, middle)
    many = [walks(100_000, low, numpy.random.default_rng(seed)) for seed in range(10)]
    # Luck has mean 0, so the adjusted mean is the more precise one.
    return low, float(numpy.mean([(scores - lucks).mean() for lucks, scores in many]))


def luck() -> None:
    """Print the coverage of the interval of a luck-adjusted score."""
    generator, known = numpy.random.default_rng(4), {truth: advantage_of(truth) for truth in SCORES}

    def cell(pairs: int, truth: float) -> float:
        advantage, mean = known[truth]
        lucks, scores = (part.reshape(MATCHES, pairs) for part in walks(MATCHES * pairs, advantage, generator))
        tallies = (luck_tally(*rows) for rows in zip(lucks, scores, strict=True))
        samples = ((tally.adjusted(), tally.raw()) for tally in tallies)
        ends = [confidence_interval(sample, shrunk_prior(sample, raw)) for sample, raw in samples]
        return sum(low <= mean <= high for low, high in ends) / MATCHES

    table("luck-adjusted score", cell)


def luck_tally(lucks: Array, scores: Array) -> LuckTally:
    tally = LuckTally()
    for pair, (one, score) in enumerate(zip(lucks.tolist(), scores.tolist(), strict=True)):
        tally.add(pair, one, score)
    return tally


def points() -> None:
    """Print the coverage of the interval of points per game, for wins of 1, 2 or 3 points."""
    generator = numpy.random.default_rng(5)
    values = numpy.array([-3, -2, -1, 1, 2, 3])

    def cell(pairs: int, truth: float) -> float:
        chances = numpy.concatenate(
            [(1 - truth) * numpy.array([0.01, 0.26, 0.73]), truth * numpy.array([0.73, 0.26, 0.01])]
        )
        games = generator.choice(values, size=(MATCHES, pairs, 2), p=chances)
        means = games.mean(axis=2)
        least = abs(games).min(axis=(1, 2))
        mean = float(values @ chances)
        samples = zip(means.mean(axis=1), means.var(axis=1), least, strict=True)
        ends = [points_interval(Sample(pairs, float(m), float(v)), float(w), 3) for m, v, w in samples]
        return sum(low <= mean <= high for low, high in ends) / MATCHES

    table("points per game", cell)


def normalised() -> None:
    """Print the coverage of normalised Elo; matches in which all pairs have the same score do not count."""
    for name, model in PAIR_MODELS.items():
        generator = numpy.random.default_rng(6)

        def drawn(pairs: int, truth: float, model: Callable[[float], Array] = model) -> tuple[float, Array]:
            real = normalised_elo(sample_of_counts(chances_of(model(truth) * 1e9)))
            assert real is not None
            return real[0], draws(model, truth, pairs, generator)  # noqa: B023

        def ours(row: Array) -> Interval | None:
            counts = chances_of(row)
            return normalised_elo_interval(counts) if normalised_elo(sample_of_counts(counts)) else None

        def fastchess(row: Array) -> Interval | None:
            found = normalised_elo(sample_of_row(row))
            return None if found is None else (found[0] - found[1], found[0] + found[1])

        kinds = {"": ours, ", fastchess's error bar": fastchess} if model is independent else {"": ours}
        for whose, interval in kinds.items():

            def cell(pairs: int, truth: float, interval: Callable[[Array], Interval | None] = interval) -> float:
                return share(interval, *drawn(pairs, truth))

            table(f"normalised Elo, {name}{whose}", cell)


def chances_of(weights: Array) -> dict[float, float]:
    return dict(zip(PAIR_SCORES, weights.tolist(), strict=True))


def swiss() -> None:
    """Print the coverage of the interval of a Swiss row: the mean of ten tournaments, 2·pairs games in each."""
    generator = numpy.random.default_rng(7)

    def cell(pairs: int, truth: float) -> float:
        scores = generator.binomial(2 * pairs, truth, size=(MATCHES, 10)) / (2 * pairs)
        ends = [confidence_interval(sample_of(row), NO_PRIOR) for row in scores.tolist()]
        return sum(low <= truth <= high for low, high in ends) / MATCHES

    table("Swiss, 10 tournaments of so many pairs", cell)


FIELDS = {"equal": (0, 0, 0, 0), "spread": (250, 80, -80, -250), "one strong": (600, -200, -200, -200)}


def ratings() -> None:
    """Print the coverage of the ratings of a round robin, mean over the players."""
    generator = numpy.random.default_rng(8)
    matches = MATCHES // 8
    print(f"\n| ratings, pairs per meeting | {' | '.join(FIELDS)} |")
    print("|---:" * (len(FIELDS) + 1) + "|")
    for pairs in SIZES:
        cells: list[str] = []
        for field in FIELDS.values():
            meetings = [(i, j) for i in range(4) for j in range(i)]
            drawn = [
                generator.multinomial(pairs, independent(expected_score(field[i] - field[j])), size=matches)
                for i, j in meetings
            ]
            covered = numpy.zeros(4)
            for number in range(matches):
                samples = [sample_of_row(one[number]) for one in drawn]
                found = bradley_terry(
                    4,
                    [MeetingScore(i, j, s.n, s.mean, s.variance) for (i, j), s in zip(meetings, samples, strict=True)],
                )
                covered += [abs(rating.elo - true) <= rating.error for rating, true in zip(found, field, strict=True)]
            shares = covered / matches
            cells.append(f"{shares.min():.3f} to {shares.max():.3f}")
        print(f"| {pairs} | {' | '.join(cells)} |")


def reports() -> None:
    """Print the coverage of the intervals of the reports' own numbers, which are single games."""
    generator = numpy.random.default_rng(9)

    def one(games: int, truth: float) -> float:
        drawn = generator.binomial(games, truth, size=(MATCHES, 1))
        return share(lambda row: reported_interval([count(row[0], games)]), truth - 0.5, drawn)

    def two(games: int, truth: float) -> float:
        drawn = generator.binomial(games, truth, size=(MATCHES, 2))
        return share(lambda row: reported_interval([count(row[0], games), count(row[1], games)]), 0.0, drawn)

    def count(won: int, games: int) -> Count:
        return Count(int(won), 0, games - int(won))

    table("report, one row", one, "games")
    table("report, two rows", two, "games")


POSITIONS = (
    "123../45.../6...f/...ed/..cba r -",
    "1..../...../..2../a..../....b r -",
    "....1/...../...2./a..../....b r -",
)


def rollouts() -> None:
    """Print the coverage of the interval of a rollout."""
    states = [starscout.parse("ewn", text) for text in POSITIONS]
    truths = [starscout.rollout(state, trials=100_000, seed=10**6, progress=False).best for state in states]
    shown = " | ".join(f"{truth.win_probability:.1%}".replace("%", " %") for truth in truths)
    print(f"\n| rollout, true winning chance | {shown} |\n|---:" + "|---:" * len(states) + "|")
    for reduction in (True, False):
        for trials in (36, 144, 1296):
            cells: list[str] = []
            for state, truth in zip(states, truths, strict=True):
                found = [
                    starscout.rollout(state, trials=trials, seed=seed, reduction=reduction, progress=False).best
                    for seed in range(MATCHES // 10)
                ]
                cells.append(text(sum(abs(one.value - truth.value) <= one.value_error for one in found) / len(found)))
            name = f"{trials:,} games, {'with' if reduction else 'without'} variance reduction"
            print(f"| {name} | {' | '.join(cells)} |", flush=True)


def equivalence() -> None:
    """Print the share of rows that are declared equivalent though they differ by the margin."""
    generator = numpy.random.default_rng(10)
    margin = EXAMPLE.margin or 35.0

    def cell(pairs: int, truth: float) -> float:
        other = expected_score(elo(truth) + (margin if truth < 0.5 else -margin))
        drawn = numpy.hstack([draws(independent, each, pairs, generator) for each in (truth, other)])
        kinds, weights = counted(drawn)
        found = [verdict_of(kind).equivalence_p_value for kind in kinds]
        wrong = sum(int(w) for p, w in zip(found, weights, strict=True) if p is not None and p < 0.05)
        return wrong / MATCHES

    table(f"false equivalence within ± {margin:g} Elo", cell, sizes=(50, 200, 500, 1000))


def table(title: str, cell: Callable[[int, float], float], unit: str = "pairs", sizes: Sequence[int] = SIZES) -> None:
    """Print a Markdown table of a coverage by pairs and true score."""
    print(f"\n| {title} | " + " | ".join(f"{100 * truth:g} %" for truth in SCORES) + " |")
    print("|---:" * (len(SCORES) + 1) + "|")
    for size in sizes:
        shares = [cell(size, truth) for truth in SCORES]
        print(
            f"| {size} {unit} | " + " | ".join("–" if math.isnan(one) else text(one) for one in shares) + " |",
            flush=True,
        )


def text(value: float) -> str:
    return "1.00" if value >= 0.9995 else f"{value:.3f}".removeprefix("0")


KINDS: dict[str, Callable[[], None]] = {
    kind.__name__: kind
    for kind in (score, difference, luck, points, normalised, swiss, ratings, reports, rollouts, equivalence)
}


if __name__ == "__main__":
    for name in sys.argv[1:] or KINDS:
        KINDS[name]()
