"""The study of set-ups: exact matrices against brute force, equilibria against SciPy."""

import itertools
import shutil
import subprocess
from fractions import Fraction
from pathlib import Path

import numpy
import pytest
from scipy.optimize import linprog

from benchmarks.ewn_setups import canonical, equilibrium, exact_matrix, payoffs, set_ups, start, transposed
from starscout import games
from starscout.game import GameError
from starscout.game.state import from_position
from starscout.games.ewn.board import triangle
from starscout.games.ewn.setups import set_up
from starscout.players.spec import describe, make_player
from starscout.referee.series import Series
from starscout.search.limits import Limit
from tests.games.ewn.rational import RationalGame, Side

YARDSTICK = Path(__file__).parents[3] / "benchmarks" / "yardstick" / "ewn_values.cpp"


def side(columns: int, rows: int, found: tuple[int, ...]) -> Side:
    """The side in the notation of the brute force: rows and columns to go."""
    return tuple(
        (cube + 1, rows - 1 - square // columns, columns - 1 - square % columns) for cube, square in enumerate(found)
    )


def test_3x3_equals_rational_arithmetic() -> None:
    game = games.load("ewn-3x3-3")
    brute_force, chosen, chances = RationalGame(3, 3, 3), set_ups(game), exact_matrix(game)
    for row, first in enumerate(chosen):
        for column, second in enumerate(chosen):
            expected: Fraction = brute_force.chance(side(3, 3, first), side(3, 3, second))
            assert chances[row, column] == pytest.approx(float(expected), abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("size", [3, 4])
def test_exact_matrix_equals_brute_force(size: int, tmp_path: Path) -> None:
    """All pairs of arrangements, including those that the matrix represents by symmetry; about 20 million positions."""
    if shutil.which("g++") is None:
        pytest.skip("no C++ compiler")
    subprocess.run(["g++", "-O2", "-o", tmp_path / "brute_force", YARDSTICK], check=True)
    game = games.load(f"ewn-{size}x{size}-3")
    chosen, chances = set_ups(game), exact_matrix(game)
    everything = list(itertools.permutations(triangle(size, 3)))
    pairs = list(itertools.product(everything, everything))
    lines = "".join(f"{' '.join(map(str, (*first, *second)))}\n" for first, second in pairs)
    command = [tmp_path / "brute_force", str(size), str(size), "3"]
    found = subprocess.run(command, input=lines, capture_output=True, text=True, check=True).stdout.split()
    assert len(found) == len(pairs) == 36
    for (first, second), value in zip(pairs, found, strict=True):
        row, column = chosen.index(canonical(game, first)), chosen.index(canonical(game, second))
        assert chances[row, column] == pytest.approx(float(value), abs=1e-12)


def test_symmetries_of_set_ups() -> None:
    game = games.load("ewn-3x3-3")
    chosen = set_ups(game)
    assert len(chosen) == 3
    assert {canonical(game, found) for found in chosen} == {transposed(game, found) for found in chosen} == set(chosen)
    assert game.format(start(game, chosen[0], chosen[1]), 0).endswith("r -")
    assert len(set_ups(games.load("ewn"))) == 360


def test_equilibrium_equals_linear_programming() -> None:
    generator = numpy.random.default_rng(3)
    for size in (3, 8, 30):
        payoff = payoffs(generator.uniform(0.3, 0.7, (size, size)))
        mixture, gap = equilibrium(payoff, rounds=3000)
        assert mixture.sum() == pytest.approx(1.0)
        assert (payoff @ mixture).max() <= 0.5 + gap + 1e-12
        assert gap < 2e-3
        # Maximise the value v: every column gives the mixture at least v.
        bounds = [(0.0, None)] * size + [(None, None)]
        constraints = numpy.hstack([-payoff.T, numpy.ones((size, 1))])
        solved = linprog(
            [0.0] * size + [-1.0], constraints, numpy.zeros(size), [[1.0] * size + [0.0]], [1.0], bounds=bounds
        )
        assert solved.x[-1] == pytest.approx(0.5)
        assert (payoff.T @ mixture).min() >= 0.5 - gap - 1e-12


def test_best_set_up_is_that_of_the_exact_matrix() -> None:
    game = games.load("ewn-3x3-3")
    payoff, chosen = payoffs(exact_matrix(game)), set_ups(game)
    best = chosen[int(payoff.min(axis=1).argmax())]
    first = from_position(game, start(game, chosen[0], chosen[1]))
    placed = set_up(set_up(first, 0, "best"), 1, "best").position
    assert placed in {start(game, found, found) for found in (best, best[::-1])}


def test_players_choose_their_set_up_in_both_seats() -> None:
    game = games.load("ewn")
    players = make_player("negascout depth=1 placement=best", game), make_player("random", game)
    series = Series(game, seed=5)
    starts = [series.play(0, half, players, (Limit(), Limit())).record.start for half in (0, 1)]
    drawn = series.start(0, 0).text
    assert starts[0][:12] == "123../64.../"
    assert starts[0][14:] == drawn[14:]
    assert starts[1][:14] == drawn[:14]
    assert starts[1].endswith("e/...df/..cba r -")


def test_invalid_set_ups_are_rejected() -> None:
    for name, text, message in (
        ("ewn", "A1,A1,B1,B2,C1,A3", "placement: expected best or the squares of cubes 1 to 6"),
        ("ewn-4x4", "best", "best set-up of ewn-4x4-6 is unknown"),
        ("kari", "best", "players of kari cannot choose"),
    ):
        with pytest.raises(GameError, match=message):
            describe(f"mcts placement={text}", games.load(name))
