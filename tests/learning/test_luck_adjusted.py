"""Luck-adjusted targets and the fit to them, on backgammon."""

import dataclasses
from pathlib import Path

import numpy
import pytest

from starscout.evaluation import exact_table, load_evaluation
from starscout.evaluation.weights import NETWORKS, LearnedWeights, read_learned, write_learned
from starscout.game import ONGOING, GameError
from starscout.game.values import ONE
from starscout.games.backgammon.board import Position
from starscout.games.backgammon.evaluation import FEATURES, position_class
from starscout.kernels.bits import WORD_ZERO, Word, random_word
from starscout.learning.fit import FitSettings
from starscout.learning.luck_adjusted import fit_networks, play_games
from starscout.learning.recipe import Generation, Recipe, recipe_from_json
from starscout.learning.temporal_difference import Networks, TemporalDifference, given_networks, rounded_networks
from starscout.learning.training import Training, file_digest
from starscout.search.endgame import UNKNOWN, KnownPositions
from tests.learning.test_temporal_difference import DMP, SETTINGS, learned, score

TRACE = 0.6
RECIPE = Recipe(
    generations=(Generation(1, 1.0, 0.0, games=3), Generation(1, 1.0, 0.0, games=120, refine=True)),
    epochs=2,
    temporal=dataclasses.replace(SETTINGS, endgame=True),
)


def value_of(networks: Networks, known: KnownPositions, position: Position) -> float:
    """The mover's value by the rules, the table or the networks."""
    result = int(DMP.outcome(position))
    if result != ONGOING:
        return float(result)
    value = int(known.value(position, known.record))
    return numpy.tanh(score(networks, position) / 2.0) if value == UNKNOWN else value / ONE


def rows_of(position: Position) -> list[int]:
    view, first = FEATURES.view(position), position_class(position) * FEATURES.count
    return [first + FEATURES.feature(view, slot, None) for slot in range(FEATURES.slots)]


def known_positions() -> KnownPositions:
    table = exact_table(DMP)
    assert table is not None
    known = table.known()
    assert known is not None
    return known


def test_targets_are_those_of_the_formula() -> None:
    known = known_positions()
    networks = learned([5])
    sample = play_games(DMP, FEATURES, networks, TRACE, 3, 0, 1, known)
    # Replay the game by the rules.
    position, positions, events = DMP.start_position(), [], []
    game_seed = Word(random_word(Word(3), WORD_ZERO))
    while DMP.outcome(position) == ONGOING and int(known.value(position, known.record)) == UNKNOWN:
        events.append(int(DMP.draw(position, Word(random_word(game_seed, Word(len(events)))) << Word(32))))
        positions.append(position)
        children = [DMP.play_position(position, move) for move in DMP.legal(position, events[-1])]
        position = min(children, key=lambda child: value_of(networks, known, child))
    assert sample.features.tolist() == [rows_of(position) for position in positions]
    target = value_of(networks, known, position)
    for index in range(len(positions) - 1, len(positions) - 5, -1):
        position, expectation, value_after = positions[index], 0.0, 0.0
        for number in range(int(DMP.events(position))):
            event, weight = DMP.event(position, number)
            moves = DMP.legal(position, int(event))
            best = max(-value_of(networks, known, DMP.play_position(position, move)) for move in moves)
            expectation += weight * best / 36
            if event == events[index]:
                value_after = best
        target = expectation - TRACE * (target + value_after)
        assert sample.values[index] == pytest.approx(target, abs=1e-4)
    assert set(numpy.unique(sample.results)) <= {-1.0, 1.0}


def test_the_fit_reduces_the_error_and_leaves_the_given_networks_alone() -> None:
    networks = learned([20])
    before = {name: array.copy() for name, array in networks.arrays().items()}
    sample = play_games(DMP, FEATURES, networks, TRACE, 3, 0, 60, known_positions())
    errors: list[float] = []
    fits = [
        fit_networks(
            networks, FEATURES, sample, sample.values, FitSettings(5, 0.1), 1, lambda _, error: errors.append(error)
        )
        for _ in range(2)
    ]
    assert all(numpy.array_equal(networks.arrays()[name], array) for name, array in before.items())
    assert all(numpy.array_equal(fits[0][0].arrays()[name], array) for name, array in fits[1][0].arrays().items())
    assert fits[0][1].error == min(errors) < 0.9 * errors[0]
    seen = numpy.unique(sample.features[: len(sample) // 2])
    assert (fits[0][0].row_squares[seen] > 1.0).all()


def run(out: Path, stop_after: int | None = None, recipe: Recipe = RECIPE, start: Path | None = None) -> None:
    calls = 0

    def watch() -> None:
        nonlocal calls
        calls += 1
        if calls == stop_after:
            raise KeyboardInterrupt

    Training("backgammon-dmp", out, recipe, 5, None, watch, start).run(lambda *arguments: (0.5, 0.1), 1)


# Compiling takes seconds; tests/learning/test_temporal_difference.py resumes a run without refinement.
@pytest.mark.slow
def test_a_run_with_refinement_is_resumed_with_equal_weights(tmp_path: Path) -> None:
    run(tmp_path / "whole.weights")
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "parts.weights", stop_after=3)
    run(tmp_path / "parts.weights")
    assert (tmp_path / "whole.weights").read_bytes() == (tmp_path / "parts.weights").read_bytes()
    assert abs(load_evaluation(DMP, str(tmp_path / "whole.weights")).value(DMP.start_position())) < ONE


REFINEMENT = dataclasses.replace(RECIPE, generations=RECIPE.generations[1:])


def test_the_recipe_of_a_refinement_is_stored_and_checked(tmp_path: Path) -> None:
    assert recipe_from_json(RECIPE.to_json()) == RECIPE
    for recipe, start in ((REFINEMENT, None), (RECIPE, tmp_path / "start.weights")):
        with pytest.raises(GameError, match="the first one needs refine=true with start weights"):
            Training("backgammon-dmp", tmp_path / "out.weights", recipe, 5, None, lambda: None, start)


@pytest.mark.slow
def test_given_networks_have_the_values_of_their_file_and_can_be_refined(tmp_path: Path) -> None:
    networks = learned([20])
    arrays = rounded_networks(FEATURES, networks)
    again = rounded_networks(FEATURES, given_networks(FEATURES, arrays))
    scales = numpy.array([float(kept["factor"]) for kept in (arrays, again)])
    for first, second in ((arrays["rows"], again["rows"]), (arrays["outputs"], again["outputs"])):
        assert numpy.corrcoef(first.ravel(), second.ravel())[0, 1] > 0.9999
    constants = arrays["constants"] * scales[0], again["constants"] * scales[1]
    assert numpy.allclose(*constants, rtol=1e-3, atol=1e-3)

    start = tmp_path / "start.weights"
    write_learned(start, LearnedWeights("backgammon-dmp", NETWORKS, FEATURES.name, arrays))
    outs = [tmp_path / name for name in ("whole.weights", "parts.weights")]
    run(outs[0], recipe=REFINEMENT, start=start)
    with pytest.raises(KeyboardInterrupt):
        run(outs[1], stop_after=3, recipe=REFINEMENT, start=start)
    run(outs[1], recipe=REFINEMENT, start=start)
    assert outs[0].read_bytes() == outs[1].read_bytes()
    assert read_learned(outs[0]).learned["start"] == file_digest(start)
    assert not numpy.array_equal(read_learned(outs[0]).arrays["rows"], arrays["rows"])

    wider = dataclasses.replace(REFINEMENT, temporal=TemporalDifference(units=2 * SETTINGS.units))
    with pytest.raises(GameError, match="start: expected 32 units, got 16"):
        run(tmp_path / "wider.weights", recipe=wider, start=start)
