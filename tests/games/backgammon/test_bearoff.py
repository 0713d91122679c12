"""Bear-off tables, against cases computed by hand, the rules, an exact search and GNU Backgammon."""

import random

import numpy
import pytest

from starscout import games
from starscout.api.solve import solve
from starscout.evaluation import load_evaluation
from starscout.game import GameError
from starscout.game.state import State
from starscout.game.values import ONE
from starscout.games.backgammon.bearoff import (
    SIDES,
    BearoffTable,
    BearoffTableFiles,
    _side_words,
    find_table,
    side_number,
    sides_up_to,
)
from starscout.games.backgammon.board import Position
from starscout.games.backgammon.rules import boards, position_of
from starscout.kernels.bits import Word
from starscout.search.endgame import UNKNOWN
from starscout.search.endgame import solve as search_to_the_end
from tests.games.backgammon.test_rules import board

DMP, POINTS = games.load("backgammon-dmp"), games.load("backgammon")


def table(game=DMP) -> BearoffTable:
    found = find_table(game)
    assert isinstance(found, BearoffTable)
    return found


def random_sides(count: int, sides: int) -> list[Position]:
    generator = random.Random(3)
    lows, highs = _side_words()
    numbers = [(generator.randrange(1, sides), generator.randrange(1, sides)) for _ in range(count)]
    return [Position(lows[own], highs[own], lows[enemy], highs[enemy], 0, 0) for own, enemy in numbers]


def test_positions_of_a_side_are_numbered_without_gaps() -> None:
    lows, highs = _side_words()
    assert len(set(zip(lows.tolist(), highs.tolist(), strict=True))) == SIDES == 54_264
    assert [int(side_number(lows[number], highs[number])) for number in range(0, SIDES, 997)] == [*range(0, SIDES, 997)]


def test_values_computed_by_hand() -> None:
    # A checker on the six point leaves with 27 of 36 rolls; one on the ace point always.
    assert table().value(position_of(board(p6=1), board(p1=1), 0)) == pytest.approx(2 * 27 / 36 - 1, abs=1e-14)
    twice = 27 / 36 + 9 / 36 * 9 / 36
    assert table().value(position_of(board(p6=1), board(p6=1), 0)) == pytest.approx(2 * twice - 1, abs=1e-14)
    # Two checkers on the ace point leave in one turn, three need two except with the six doubles.
    assert table().turns(position_of(board(p1=3), board(p1=1), 0))[:4] == pytest.approx([0, 1 / 6, 5 / 6, 0], abs=1e-7)
    assert table(POINTS).value(position_of(board(p6=1), board(p1=1), 0)) == pytest.approx((2 * 27 / 36 - 1) / 3)


def test_two_sided_values_follow_from_those_after_each_roll() -> None:
    assert table().first_wrong_value() is None
    assert table(POINTS).first_wrong_value() is None
    assert sum(entry.positions for entry in table().classes()) == (sides_up_to(table().most) - 1) ** 2


@pytest.mark.slow
def test_a_search_to_the_end_finds_the_same_value() -> None:
    zero = load_evaluation(DMP, "zero")
    for own, enemy in ((board(p2=1, p4=2), board(p1=3)), (board(p5=2, p6=1), board(p3=2, p2=1))):
        position = position_of(own, enemy, 0)
        found = search_to_the_end(DMP, zero, position, 0, 60.0)
        assert found.value == pytest.approx(table().value(position), abs=1e-11)
        assert solve(State(DMP, position)).value == table().value(position)


def test_distributions_sum_to_one_and_races_are_close_to_exact_values() -> None:
    sums = table().record["turns"].sum(axis=1, dtype=numpy.float64)
    assert abs(sums[1:] - 1.0).max() < 1e-5
    errors = [table().race_value(position) - table().value(position) for position in random_sides(500, 924)]
    # The side that is behind can do better than minimise its expected turns.
    assert 1e-4 < max(map(abs, errors)) < 0.04


def test_gnubg_has_the_same_races() -> None:
    gnubg = pytest.importorskip("gnubg_nn", reason="gnubg-nn is not installed")
    gnubg.set.score(1, 1)
    for sides, value in ((924, table().value), (SIDES, table().race_value)):
        for position in random_sides(300, sides):
            own, enemy = boards(position)
            chance = gnubg.probabilities([list(enemy), list(own)], 0)[0]
            assert (value(position) + 1) / 2 == pytest.approx(chance, abs=2e-4)


def test_only_bear_offs_without_gammons_are_known() -> None:
    contact = DMP.start_position()
    gammon = position_of(board(p6=1), board(p6=15), 0)
    race = position_of(board(p7=1), board(p1=1), 0)
    for game, unknown in ((DMP, (contact, race)), (POINTS, (contact, race, gammon))):
        known = table(game).known()
        assert [int(known.value(position, known.record)) for position in unknown] == [UNKNOWN] * len(unknown)
        assert not any(table(game).covers(position) for position in unknown)
    known = table().known()
    assert int(known.value(gammon, known.record)) / ONE == pytest.approx(table().race_value(gammon))


def test_the_evaluation_uses_both_tables() -> None:
    plain = load_evaluation(DMP, "pips")
    with_table = table().evaluation(plain)
    small = position_of(board(p6=1), board(p6=1), 0)
    large = position_of(board(p6=5, p5=5, p4=5), board(p6=9, p5=6), 0)
    assert with_table.value(small) / ONE == pytest.approx(table().value(small))
    assert with_table.value(large) / ONE == pytest.approx(table().race_value(large))
    assert with_table.value(DMP.start_position()) == plain.value(DMP.start_position())


def test_sizes_are_checked() -> None:
    with pytest.raises(GameError, match="expected 2 to 8 checkers of each side for backgammon, got 9"):
        BearoffTableFiles().check_size(POINTS, 9)


def test_words_are_those_of_the_board() -> None:
    position = position_of(board(p6=2, p1=1), board(p1=1), 0)
    lows, highs = _side_words()
    number = int(side_number(position.own_low, position.own_high))
    assert (Word(lows[number]), Word(highs[number])) == (position.own_low, position.own_high)


def test_no_value_exceeds_that_of_a_certain_win() -> None:
    known, far_behind = table().known(), position_of(board(p6=15), board(p1=4), 0)
    low, high = far_behind.own_low, far_behind.own_high
    lows, highs = _side_words()
    values = [
        int(known.value(Position(*sides, 0, 0), known.record))
        for side in range(sides_up_to(6), SIDES, 7)
        for sides in ((lows[side], highs[side], low, high), (low, high, lows[side], highs[side]))
    ]
    assert min(values) > -ONE
    assert max(values) < ONE
