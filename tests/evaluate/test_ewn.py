"""Scores by hand, the race against brute force, and what every evaluation has to keep."""

import itertools
import math

import numpy
import pytest

from starscout import evaluate, games
from starscout.evaluate import ewn
from starscout.evaluate.calibration import Calibration, fit, value_table
from starscout.evaluate.ewn_squares import read_weights, write_weights
from starscout.evaluate.race import arrival, factors
from starscout.game import GameError
from starscout.games.die import movable
from starscout.value import ONE, as_float
from tests.search.search_positions import random_positions

pytestmark = pytest.mark.plain

EWN = games.load("ewn")


def logit(name: str, text: str) -> float:
    position, _ = EWN.parse(text)
    return 2.0 * math.atanh(as_float(evaluate.load(EWN, name).evaluate(position)))


# Red: cubes 2 and 4, two and four steps from E5. Blue: cubes 1 and 6, one and four steps from A1.
@pytest.mark.parametrize(
    ("name", "score"),
    [
        ("distance", 1 - 2),
        ("distance:2:1", 2 * 1 - 2),
        ("distance:3:5", 3 * 1 - 5 * 2),
        # Cube 2 moves on 1 2 3, cube 4 on 3 4 5 6; cube 1 on 1–5, cube 6 on 2–6.
        ("weighted", (1 * 5 + 4 * 5) - (2 * 3 + 4 * 4)),
        ("determinacy", 7 / 2 - 10 / 2),
        ("distance+determinacy", 1 - 2 + 7 / 2 - 10 / 2),
    ],
)
def test_scores_by_hand(name: str, score: float):
    curve = ewn.CALIBRATIONS.get(name) or ewn.CALIBRATIONS[name.split(":")[0]]
    assert logit(name, "4a.../...../..2../...../....f r -") == pytest.approx(
        curve.offset + curve.slope * score, abs=1e-9
    )


def test_race_by_hand():
    within = arrival(4, 6)
    # One cube alone moves with every roll: it needs as many turns as steps.
    assert within[3][:5] == pytest.approx([0, 0, 0, 1, 1])
    # Two cubes one step away, 1 and 6: every roll moves one of them home.
    assert within[1 + 5**5][1] == pytest.approx(1.0)
    # Cubes 1 and 2, one and four steps away: cube 1 moves on a 1 alone, but cube 2 may be walked home as well.
    assert within[1 + 4 * 5][1] == pytest.approx(1 / 6)


def test_race_equals_a_direct_computation():
    within = arrival(2, 3)

    def chance(steps: tuple[int, ...], turns: int) -> tuple[float, float]:
        """(expected turns, chance to arrive within `turns`) with the choice of the fewest expected turns."""
        left = sum(1 << cube for cube in range(3) if steps[cube])
        expected, arrived = 1.0, 0.0
        for roll in (1, 2, 3):
            options = []
            for cube in movable(left, roll, 3):
                after = tuple(s - (c == cube) for c, s in enumerate(steps))
                options.append((0.0, 1.0) if after[cube] == 0 else chance(after, turns - 1))
            best = min(options)
            expected += best[0] / 3
            arrived += best[1] / 3 if turns > 0 else 0.0
        return expected, arrived

    for steps in itertools.product(range(3), repeat=3):
        if any(steps):
            number = sum(step * 3**cube for cube, step in enumerate(steps))
            for turns in range(within.shape[1]):
                assert within[number, turns] == pytest.approx(chance(steps, turns)[1])


def test_factors_come_close_to_the_chance():
    within = arrival(4, 6)
    mover, waiter = factors(4, 6)
    generator = numpy.random.default_rng(0)
    own, enemy = generator.integers(1, len(within), (2, 5000))
    chance = (numpy.diff(within, axis=1)[own] * (1 - within[:, :-1])[enemy]).sum(axis=1)
    error = (mover[own] * waiter[enemy]).sum(axis=1) - chance
    assert math.sqrt((error**2).mean()) < 0.003
    assert abs(error).max() < 0.1


@pytest.mark.parametrize("game_name", games.NAMES)
def test_every_evaluation_keeps_its_range_and_the_symmetries(game_name: str):
    game = games.load(game_name)
    for name in evaluate.names(game):
        evaluation = evaluate.load(game, name)
        for position in random_positions(game, 20, 20):
            value = int(evaluation.evaluate(position))
            assert -ONE < value < ONE
            for symmetry in game.symmetries:
                other = int(evaluation.evaluate(symmetry.position(position)))
                assert other == pytest.approx(value, abs=ONE * 1e-5), (name, symmetry.name)


def test_better_is_better():
    ahead, behind = "1..../...../...../...2./....f r -", "12.../...../...../...../f.... r -"
    for name in ("distance", "race", "race+squares"):
        assert logit(name, ahead) > logit(name, behind), name


def test_small_and_large_boards_have_a_default():
    assert evaluate.load(games.load("ewn-4x4-3")).name == "race"
    assert evaluate.load(games.load("ewn-7x7-6")).name == "distance"
    with pytest.raises(GameError, match="use race here"):
        evaluate.load(games.load("ewn-4x4-3"), "race+squares")
    with pytest.raises(GameError, match="use distance here"):
        evaluate.load(games.load("ewn-7x7-6"), "race")


def test_fit_finds_the_curve_of_its_own_games():
    generator = numpy.random.default_rng(1)
    truth = Calibration(0.3, 0.7)
    scores = generator.normal(0, 2, 20000)
    results = (generator.random(20000) < [(truth.expected(s) + 1) / 2 for s in scores]).astype(float)
    found = fit(scores, results)
    assert found.offset == pytest.approx(truth.offset, abs=0.06)
    assert found.slope == pytest.approx(truth.slope, abs=0.06)


def test_value_table_is_the_curve():
    table = value_table(Calibration(0.0, 1.0), -2, 2, 1)
    assert [round(as_float(value), 4) for value in table] == [-0.7616, -0.4621, 0.0, 0.4621, 0.7616]


def test_weights_survive_their_file(tmp_path):
    weights = read_weights()
    write_weights(weights, tmp_path / "weights.csv")
    again = read_weights(tmp_path / "weights.csv")
    assert all(numpy.array_equal(one, other) for one, other in zip(weights, again, strict=True))
