"""Match tallies: counts by hand, independent of pair order, valid JSON."""

import itertools
import json
import math
import random

import pytest

from starscout.arena.sprt import Sprt
from starscout.arena.tally import Tally, finite
from tests.arena.pairs import pair, tally_of


def test_counts_by_hand() -> None:
    tally = tally_of((1, 1), (1, 0), (0.5, 1), (0, 0))
    assert tally.count == 4
    assert tally.results == {1.0: 4, 0.0: 3, 0.5: 1}
    assert tally.pairs == {1.0: 1, 0.5: 1, 0.75: 1, 0.0: 1}
    assert tally.decisive == 3
    # Scores 1, ½, ¾, 0: mean 9/16, mean square 29/64.
    assert (tally.sample.n, tally.sample.mean) == (4, 9 / 16)
    assert tally.sample.variance == pytest.approx(29 / 64 - (9 / 16) ** 2)


def test_the_summary_of_a_match() -> None:
    summary = tally_of((1, 1), (1, 0), (0.5, 1), (0, 0)).summary()
    assert {name: summary[name] for name in ("pairs", "games", "wins", "losses", "draws")} == {
        "pairs": 4, "games": 8, "wins": 4, "losses": 3, "draws": 1,
    }  # fmt: skip
    assert summary["pair_counts"] == {"0": 1, "0.5": 1, "0.75": 1, "1": 1}
    assert summary["score"] == 9 / 16
    assert summary["elo"] == pytest.approx(-400 * math.log10(16 / 9 - 1))
    # Two of three decisive pairs were won: 2·(1 + 3)/2³.
    assert summary["decisive_p_value"] == pytest.approx(1.0)
    assert summary["mean_plies"] == 10.0
    assert (summary["sprt"], summary["luck_adjusted"]) == (None, None)


def test_tally_is_independent_of_pair_order() -> None:
    pairs = [(1.0, 1.0), (1.0, 0.0), (0.0, 0.0)]
    summaries = [tally_of(*order).summary() for order in itertools.permutations(pairs)]
    assert all(summary == summaries[0] for summary in summaries)


def test_single_game_is_not_a_full_pair() -> None:
    summary = tally_of((1, 0), (1,)).summary()
    assert (summary["pairs"], summary["games"], summary["wins"]) == (1, 3, 2)
    assert summary["score"] == 0.75


def test_forfeits_are_counted_by_player() -> None:
    tally = Tally()
    tally.add(pair(0, 0, 1, reasons=("timeout", "crash")))
    tally.add(pair(1, 0, 0, reasons=("timeout", "corner")))
    assert tally.summary()["forfeits"] == {"A": {"timeout": 2}, "B": {"crash": 1}}


def test_luck_is_the_mean_over_a_pair() -> None:
    tally = Tally()
    for number in range(8):
        won = number % 4 < 2
        tally.add(pair(number, float(won), float(won), luck=(0.5, 0.3) if won else (-0.5, -0.3)))
    luck = tally.summary()["luck_adjusted"]
    # Luck (0.4 on average) explains every win: the adjusted score is even, with variance 0.
    assert luck["score"] == pytest.approx(0.5)
    assert luck["variance_ratio"] < 1


def test_sprt_verdict() -> None:
    test = Sprt(0, 200)
    won = tally_of(*[(1.0, 1.0)] * 60, *[(1.0, 0.0)] * 20, *[(0.0, 0.0)] * 10)
    summary = won.summary(test)["sprt"]
    assert summary["verdict"] == won.verdict(test, adjusted=False) == "elo1"
    assert summary["llr"] > summary["upper"]
    assert tally_of((1, 0)).verdict(test, adjusted=False) == "undecided"


@pytest.mark.parametrize("pairs", [(), ((1.0, 1.0),), ((0.0, 0.0),) * 3, ((0.5, 0.5),)])
def test_summary_is_json_without_infinity(pairs: tuple[tuple[float, ...], ...]) -> None:
    json.dumps(tally_of(*pairs).summary(Sprt(0, 5)), allow_nan=False)


def test_finite() -> None:
    assert [finite(number) for number in (1.5, math.inf, -math.inf, math.nan)] == [1.5, None, None, None]


def test_points_per_game_and_their_luck_adjustment() -> None:
    tally = Tally()
    assert tally.summary()["points_per_game"] is None
    generator = random.Random(4)
    for number in range(200):
        luck = generator.gauss(0.0, 0.6), generator.gauss(0.0, 0.6)
        # A gains a third of a point per game, plus its luck.
        points = tuple(round(lucky + generator.choice((-1, 1, 1))) for lucky in luck)
        scores = tuple(0.5 + (point > 0) / 2 - (point < 0) / 2 for point in points)
        tally.add(pair(number, *scores, luck=luck)._replace(points=points, scale=3))
    summary = tally.summary()
    low, high = summary["points_interval"]
    mean = sum(points * count for points, count in tally.points.pairs.items()) / 200
    assert (summary["points_per_game"], summary["points_error"]) == (mean, (high - low) / 2)
    assert low < 1 / 3 < high
    adjusted = summary["luck_adjusted"]
    assert adjusted["points_interval"][0] < 1 / 3 < adjusted["points_interval"][1]
    assert adjusted["points_error"] < 0.95 * summary["points_error"]
    assert adjusted["points_error"] == pytest.approx(
        (adjusted["points_interval"][1] - adjusted["points_interval"][0]) / 2
    )


def test_drawn_games_have_a_points_interval() -> None:
    tally = Tally()
    for number in range(10):
        tally.add(pair(number, 0.5, 0.5)._replace(points=(0, 0), scale=2))
    low, high = tally.summary()["points_interval"]
    assert -0.5 < low < 0 < high < 0.5
