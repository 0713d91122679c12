"""Every combination of switches returns the value of the definition."""

import itertools
from dataclasses import replace
from typing import Any

import pytest

from starscout import games
from starscout.game import ONGOING, Game
from starscout.game.chance import sampled_weight
from starscout.game.values import ONE, as_float
from starscout.kernels.kernel import PLAIN
from starscout.search import negascout
from starscout.search.exact import exact_value
from starscout.search.negascout import Switches
from starscout.search.time_control import RAISED
from starscout.search.transposition_table import new_table
from tests.search.search_positions import NOISE, random_positions

pytestmark = pytest.mark.plain

COMBINATIONS = [
    Switches(star, 2, scout, store, store_depth, merge, order)
    for star, scout, (store, store_depth), merge, order in itertools.product(
        (0, 1, 2, 2.5),
        (False, True),
        (("nothing", 1), ("chance", 1), ("chance", 2), ("decision", 1)),
        (False, True),
        (False, True),
    )
]

POSITIONS = 100 if PLAIN else 1200
CASES = [("ewn-3x3-3", 3, 8), ("kari", 2, 40), ("ewn-cyclic", 3, 12), ("othello-4x4", 4, 10)]


def search(game: Game, switches: Switches, position, depth: int, table_bits: int = 5) -> tuple[float, int]:
    memory = negascout.new_memory(game, switches)[0]
    value = negascout.build(game, NOISE)(position, depth, -ONE, ONE, memory, new_table(table_bits), NOISE.weights)
    return as_float(value), int(memory.nodes)


@pytest.mark.parametrize(
    ("name", "deepest", "plies"),
    [case if case[0] == "ewn-3x3-3" else pytest.param(*case, marks=pytest.mark.slow_compiled) for case in CASES],
)
def test_switches_do_not_change_the_value(name: str, deepest: int, plies: int):
    game = games.load(name)
    combinations = itertools.cycle(COMBINATIONS)
    for number, position in enumerate(random_positions(game, POSITIONS, plies)):
        depth = 1 + number % (2 if PLAIN else deepest)
        expected = exact_value(game, NOISE, position, depth)
        for switches in itertools.islice(combinations, 5):
            value, _ = search(game, switches, position, depth)
            assert value == pytest.approx(expected, abs=1e-12), (switches, game.format(position, 0), depth)


def test_as_many_samples_as_events_are_exact() -> None:
    game = games.load("ewn-3x3-3")
    for position in random_positions(game, 10, 8):
        assert search(game, Switches(samples=3), position, 2) == search(game, Switches(), position, 2)


@pytest.mark.parametrize("samples", [1, 2])
def test_samples_have_one_value_with_all_other_switches(samples: int) -> None:
    """The draws define a smaller game, which the switches search without changing its value."""
    game = games.load("ewn-3x3-3")
    differing = 0
    for seed, position in enumerate(random_positions(game, 4 if PLAIN else 60, 8)):
        switches = [replace(one, samples=samples, seed=seed) for one in COMBINATIONS if one.merge]
        depth = 1 if PLAIN else 3
        first, *others = [search(game, one, position, depth)[0] for one in switches[seed % 3 :: 5]]
        assert set(others) == {first}
        memory = negascout.new_memory(game, switches[0], reverse=True)[0]
        turned = negascout.build(game, NOISE)(position, depth, -ONE, ONE, memory, new_table(5), NOISE.weights)
        assert as_float(turned) == first, "the order of the groups must not matter"
        differing += first != search(game, Switches(), position, depth)[0]
    assert differing > 0


def test_a_sampled_value_is_right_on_average() -> None:
    """Three merged groups of weights 1, 4 and 1: with two draws one of them always falls on the second."""
    weights = (1, 4, 1)
    drawn = [
        tuple(sampled_weight(before, weight, 6, 2, offset) for before, weight in zip((0, 1, 5), weights, strict=True))
        for offset in range(6)
    ]
    assert sorted(set(drawn)) == [(0, 1, 1), (0, 2, 0), (1, 1, 0)]
    assert [sum(column) / 12 for column in zip(*drawn, strict=True)] == [weight / 6 for weight in weights]
    for samples, total in ((1, 7), (5, 7), (9, 4)):
        for offset in range(total):
            assert sum(sampled_weight(before, 1, total, samples, offset) for before in range(total)) == samples


def test_draws_follow_the_seed() -> None:
    game = games.load("ewn-3x3-3")
    (position,) = [
        found
        for found in random_positions(game, 12, 8)
        if len({exact_value_of_roll(game, found, r) for r in (1, 2, 3)}) == 3
    ][:1]
    rolls = [exact_value_of_roll(game, position, roll) for roll in (1, 2, 3)]
    found = [search(game, Switches(samples=1, seed=seed, merge=False), position, 1)[0] for seed in range(150)]
    assert found == [search(game, Switches(samples=1, seed=s, merge=False), position, 1)[0] for s in range(150)]
    assert set(found) == set(rolls)
    # Each roll has 50 of 150 seeds on average, with a standard deviation of 5.8.
    assert all(30 < found.count(roll) < 70 for roll in rolls)


def exact_value_of_roll(game: Game, position: Any, roll: int) -> float:
    """The mover's best value after a roll, one ply deep."""
    values = []
    for move in game.legal(position, roll):
        child = game.play_position(position, move)
        result = int(game.outcome(child))
        value = NOISE.kernels.evaluate(child, NOISE.weights) / ONE if result == ONGOING else result
        values.append(-float(value))
    return max(values)


@pytest.mark.parametrize("window", [2, ONE // 16, 3 * ONE])
def test_wide_null_windows_do_not_change_the_value(window: int):
    game = games.load("ewn-3x3-3")
    for position in random_positions(game, POSITIONS // 10, 8):
        for store in ("nothing", "decision"):
            value, _ = search(game, Switches(1, store=store, window=window), position, 3)
            assert value == pytest.approx(exact_value(game, NOISE, position, 3), abs=1e-12)


@pytest.mark.slow_compiled
def test_settle_depth_changes_values_only_with_dice():
    settled = Switches(1, store="nothing", settle_depth=3)
    wrong = {}
    for name, plies in (("ewn-3x3-3", 8), ("othello-4x4", 10)):
        game = games.load(name)
        positions = random_positions(game, POSITIONS // 10, plies)
        values = [(search(game, settled, p, 2)[0], exact_value(game, NOISE, p, 2)) for p in positions]
        wrong[name] = sum(value != pytest.approx(exact, abs=1e-12) for value, exact in values)
    assert wrong["othello-4x4"] == 0
    assert wrong["ewn-3x3-3"] > 0


@pytest.mark.slow
@pytest.mark.parametrize(("name", "deepest", "plies"), [("ewn", 3, 20), ("ewn-4x4-3", 4, 12), *CASES])
def test_every_combination_on_many_positions(name: str, deepest: int, plies: int):
    game = games.load(name)
    for position in random_positions(game, 150, plies, seed=1):
        for depth in range(1, deepest + 1):
            expected = exact_value(game, NOISE, position, depth)
            for switches in COMBINATIONS:
                value, _ = search(game, switches, position, depth)
                assert value == pytest.approx(expected, abs=1e-12), (switches, game.format(position, 0), depth)


def test_bounds_are_fail_soft():
    game = games.load("ewn-3x3-3")
    kernel = negascout.build(game, NOISE)
    checked = {"low": 0, "high": 0, "inside": 0}
    for number, position in enumerate(random_positions(game, 150 if PLAIN else 400, 8)):
        for star in (1, 2, 2.5):
            switches = Switches(star)
            exact = int(
                kernel(position, 2, -ONE, ONE, negascout.new_memory(game, switches)[0], new_table(4), NOISE.weights)
            )
            alpha = (number * 7919 % 2000 - 1000) * (ONE // 1001)
            for width in (1, ONE // 10):
                memory = negascout.new_memory(game, switches)[0]
                bound = int(kernel(position, 2, alpha, alpha + width, memory, new_table(4), NOISE.weights))
                if bound <= alpha:
                    checked["low"] += 1
                    assert exact <= bound
                elif bound >= alpha + width:
                    checked["high"] += 1
                    assert exact >= bound
                else:
                    checked["inside"] += 1
                    assert exact == bound
    assert min(checked.values()) > 0


def test_each_switch_saves_nodes():
    game = games.load("ewn-3x3-3")
    positions = random_positions(game, 5 if PLAIN else 60, 4)

    def nodes(**changes) -> int:
        values = {"star": 0, "scout": False, "store": "nothing", "store_depth": 1, "merge": False, "order": False}
        return sum(search(game, Switches(**(values | changes)), p, 3, 12)[1] for p in positions)

    plain = nodes()
    assert nodes(merge=True) < plain
    assert nodes(star=1) < plain
    assert nodes(star=2) < nodes(star=1)
    assert nodes(store="chance") < plain
    assert nodes(store="decision") < plain


def test_node_limit_and_flag_stop_the_search():
    game = games.load("ewn-3x3-3")
    kernel = negascout.build(game, NOISE)
    memory = negascout.new_memory(game, Switches(store="nothing"))[0]
    memory.node_limit = 1000
    kernel(game.start_position(0), 8, -ONE, ONE, memory, new_table(0), NOISE.weights)
    assert memory.flag[0] == RAISED
    assert 1000 <= memory.nodes < 1100
    memory.nodes = 0
    kernel(game.start_position(0), 8, -ONE, ONE, memory, new_table(0), NOISE.weights)
    assert memory.nodes < 100


def test_invalid_switches_are_rejected():
    with pytest.raises(ValueError, match=r"star is 0, 1, 2 or 2\.5, not 3"):
        Switches(star=3)
    with pytest.raises(ValueError, match="store is nothing, chance, decision"):
        Switches(store="all")
    with pytest.raises(ValueError, match="probes is 1 or more"):
        Switches(probes=0)
