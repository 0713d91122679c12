"""Rollouts: unbiased with and without variance reduction, systematic first events, the same with equal seeds."""

import numpy
import pytest

import starscout
from starscout import games
from starscout.evaluation import load_evaluation
from starscout.search.deepening import Searcher
from starscout.search.negascout import Switches
from starscout.search.rollouts import Rollouts

GAME = games.load("ewn-3x3-3")
START = "12./3.a/.cb r -"


def results(*, reduced: bool, seed: int = 1, name: str = "zero") -> numpy.ndarray:
    state = starscout.parse("ewn-3x3-3", START)
    rollouts = Rollouts(GAME, load_evaluation(GAME, name), reduced=reduced, plies=0)
    return rollouts.play(state.position, seed, 0, 2_000, 2_000)


def test_variance_reduction_keeps_the_mean_and_reduces_the_variance() -> None:
    game = games.load("ewn")
    start, evaluation = game.start_position(0), load_evaluation(game)
    plain, reduced = (
        Rollouts(game, evaluation, reduced=flag, plies=0).play(start, int(flag), 0, 600, 600) for flag in (False, True)
    )
    error = numpy.sqrt((plain.var() + reduced.var()) / len(plain))
    assert abs(plain.mean() - reduced.mean()) < 4 * error
    assert reduced.var() < 0.6 * plain.var()
    assert set(plain.tolist()) == {-1.0, 1.0}


def test_the_luck_of_an_evaluation_that_knows_nothing_is_subtracted_without_bias() -> None:
    plain, reduced = (results(reduced=flag, seed=3, name="zero") for flag in (False, True))
    error = numpy.sqrt((plain.var() + reduced.var()) / len(plain))
    assert abs(plain.mean() - reduced.mean()) < 4 * error


@pytest.mark.plain
def test_games_cut_after_one_ply_have_each_event_as_often_as_its_weight_says() -> None:
    state = starscout.parse("ewn-3x3-3", START)
    evaluation = load_evaluation(GAME)
    rollouts = Rollouts(GAME, evaluation, reduced=False, plies=1)
    found = rollouts.play(state.position, 5, 0, 60, 60)
    # The value of a search of one ply is the mean over all events.
    deepest = Searcher(GAME, evaluation, Switches(), 0)
    assert found.mean() == pytest.approx(deepest.value(state.position, 1), abs=1e-6)


def test_chunks_and_seeds() -> None:
    state = starscout.parse("ewn-3x3-3", START)
    rollouts = Rollouts(GAME, load_evaluation(GAME), reduced=True, plies=0)
    whole = rollouts.play(state.position, 1, 0, 90, 90)
    parts = [rollouts.play(state.position, 1, first, 30, 90) for first in (0, 30, 60)]
    assert numpy.array_equal(whole, numpy.concatenate(parts))
    assert not numpy.array_equal(whole, rollouts.play(state.position, 2, 0, 90, 90))


def test_moves_are_compared_with_the_same_events() -> None:
    state = starscout.parse("ewn-3x3-3", "12./3.a/.cb r 1")
    rolled = starscout.rollout(state, trials=1_000, progress=False)
    assert rolled.best.difference == 0.0
    assert rolled.moves[0].value >= rolled.moves[1].value
    for move in rolled.moves:
        # With four cubes or fewer both sides play by the endgame table.
        exact = starscout.solve(state.play(move.move)).value
        assert exact is not None
        assert move.value == pytest.approx(-exact, abs=0.02)
    assert rolled.moves[1].difference == pytest.approx(rolled.moves[1].value - rolled.best.value)
    assert rolled.json()["best"] == rolled.best.move
    assert [row["move"] for row in rolled.rows()] == [move.move for move in rolled.moves]


def test_intervals_cover_the_mean() -> None:
    state = starscout.parse("ewn-3x3-3", START)
    precise = starscout.rollout(state, reduction=False, trials=20_000, seed=99, progress=False).best.value
    covered = 0
    for seed in range(100):
        found = starscout.rollout(state, reduction=False, trials=72, seed=seed, progress=False).best
        covered += abs(found.value - precise) <= found.value_error
    assert covered >= 88


def test_equal_results_do_not_prove_a_certain_win() -> None:
    state = starscout.parse("ewn", "...../...../...../3..2./....a r -")
    plain = [
        starscout.rollout(state, reduction=False, trials=36, seed=seed, progress=False).best for seed in range(200)
    ]
    certain = [move for move in plain if abs(move.value) == 1.0]
    assert certain
    # One loss in 36 games changes the mean by 2/36; Student's quantile is 2.03.
    assert all(move.value_error == pytest.approx(2.03 * 2 / 36, rel=1e-3) for move in certain)
    # A move that ends the game is certain.
    won = starscout.rollout(starscout.parse("ewn", "...../...../...../...2./....a r 2"), reduction=False, trials=36)
    assert (won.best.value, won.best.value_error) == (1.0, 0.0)


def test_invalid_rollouts_are_rejected() -> None:
    with pytest.raises(starscout.GameError, match="expected a game with chance events, got othello"):
        starscout.rollout(starscout.start("othello"))
    with pytest.raises(starscout.GameError, match="trials: expected"):
        starscout.rollout(starscout.parse("ewn-3x3-3", START), trials=1)
