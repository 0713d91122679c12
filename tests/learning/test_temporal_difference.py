"""Temporal-difference learning with one network per class of positions, on backgammon."""

import dataclasses
from pathlib import Path

import numpy
import pytest

from starscout import games
from starscout.evaluation import exact_table, load_evaluation
from starscout.evaluation.network import class_evaluation, class_weights
from starscout.game import ONGOING, GameError
from starscout.game.values import ONE
from starscout.games.backgammon.board import Position
from starscout.games.backgammon.evaluation import CLASSES, FEATURES, position_class
from starscout.games.backgammon.rules import position_of
from starscout.kernels.bits import WORD_ZERO, Word, random_word
from starscout.learning.recipe import Generation, Recipe, recipe_from_json
from starscout.learning.temporal_difference import (
    Networks,
    TemporalDifference,
    add_to_mean,
    learn_from_games,
    new_networks,
    rounded_networks,
)
from starscout.learning.training import Training
from starscout.search.endgame import UNKNOWN, KnownPositions
from tests.games.backgammon.test_rules import board, random_decisions

DMP = games.load("backgammon-dmp")
EXAMPLES = Path(__file__).parents[2] / "examples"
SETTINGS = TemporalDifference(units=16, rate=0.2, trace=0.7, last_trace=0.7, endgame=False)
RECIPE = Recipe(generations=(Generation(1, 1.0, 0.0), Generation(1, 1.0, 0.0)), temporal=SETTINGS).with_games(3)


def learned(chunks: list[int]) -> Networks:
    networks, first = new_networks(FEATURES, SETTINGS.units, 1), 0
    for count in chunks:
        learn_from_games(DMP, FEATURES, networks, SETTINGS, 1, first, count)
        first += count
    return networks


@pytest.mark.slow
def test_races_are_learned() -> None:
    networks = learned([300])
    evaluation = class_evaluation("test", FEATURES, rounded_networks(FEATURES, networks))
    ahead = position_of(board(p1=2, p2=3), board(p6=9, p5=3), 0)
    behind = position_of(board(p6=9, p5=3), board(p1=2, p2=3), 0)
    assert evaluation.value(ahead) - evaluation.value(behind) > 0.4 * ONE


@pytest.mark.parametrize("name", ["dark-chess", "kalah.py"])
def test_games_with_reveals_or_repeated_turns_are_rejected(name: str) -> None:
    game = games.load(str(EXAMPLES / name) if name.endswith(".py") else name)
    with pytest.raises(GameError, match="temporal differences need a die before the move and alternating turns"):
        learn_from_games(game, FEATURES, new_networks(FEATURES, 16, 1), SETTINGS, 1, 0, 1)


def score(networks: Networks, position: Position) -> float:
    """The score of a position, with the first layer computed from scratch."""
    number, view = position_class(position), FEATURES.view(position)
    rows = [number * FEATURES.count + FEATURES.feature(view, slot, None) for slot in range(FEATURES.slots)]
    units = networks.biases[number] + networks.rows[rows].sum(axis=0)
    return float(networks.constants[number] + numpy.maximum(units, 0.0) @ networks.outputs[number])


def played_in_python(networks: Networks, seed: int, known: KnownPositions | None) -> tuple[list[Position], float]:
    """The positions of game 0 and the mover's result in the last one, played by the rules and `score`."""

    def value(position: Position) -> float | None:
        result = DMP.outcome(position)
        if result != ONGOING:
            return float(result)
        found = UNKNOWN if known is None else int(known.value(position, known.record))
        return None if found == UNKNOWN else found / ONE

    position, positions = DMP.start_position(), []
    game_seed = Word(random_word(Word(seed), WORD_ZERO))
    while (result := value(position)) is None:
        positions.append(position)
        event = DMP.draw(position, Word(random_word(game_seed, Word(len(positions) - 1))) << Word(32))
        children = [DMP.play_position(position, move) for move in DMP.legal(position, event)]
        known_values = [value(child) for child in children]
        values = [
            numpy.tanh(score(networks, child) / 2.0) if number is None else number
            for child, number in zip(children, known_values, strict=True)
        ]
        position = children[int(numpy.argmin(values))]
    return positions, result


@pytest.mark.parametrize("endgame", [pytest.param(False, marks=pytest.mark.slow), True])
def test_games_are_played_by_the_networks_to_a_known_value(endgame: bool) -> None:
    networks = learned([5])
    settings = dataclasses.replace(SETTINGS, rate=0.0, trace=1.0, last_trace=1.0)
    before = {name: array.copy() for name, array in networks.arrays().items() if not name.endswith("squares")}
    table = exact_table(DMP) if endgame else None
    known = None if table is None else table.known()
    error, count = learn_from_games(DMP, FEATURES, networks, settings, 1, 0, 1, known)
    assert all(numpy.array_equal(networks.arrays()[name], array) for name, array in before.items())
    positions, result = played_in_python(networks, 1, known)
    assert count == len(positions)
    targets = [result * (-1) ** (len(positions) - index) for index in range(len(positions))]
    values = [numpy.tanh(score(networks, position) / 2.0) for position in positions]
    assert error == pytest.approx(float(numpy.sqrt(numpy.mean((numpy.array(values) - targets) ** 2))), rel=1e-4)


def test_the_mean_has_the_last_networks_with_the_largest_weight() -> None:
    networks, mean = new_networks(FEATURES, 16, 1), new_networks(FEATURES, 16, 2)
    for chunk in range(1, 41):
        networks.constants[:] = chunk
        add_to_mean(mean, networks, chunk)
    weights = numpy.array([1.0])
    for chunk in range(2, 41):
        share = 9 / (chunk + 8)
        weights = numpy.append(weights * (1 - share), share)
    assert weights.sum() == pytest.approx(1.0)
    assert mean.constants[0] == pytest.approx(float(weights @ numpy.arange(1, 41)), rel=1e-5)
    assert numpy.array_equal(mean.rows, networks.rows)


def test_rounded_networks_equal_the_unrounded_ones() -> None:
    networks = learned([20])
    seen_or_not = networks.rows, networks.biases, networks.outputs, networks.constants
    evaluation = class_evaluation("test", FEATURES, class_weights(FEATURES, *seen_or_not))
    seen = set()
    for position, _ in random_decisions(300, 4)[::5]:
        number = position_class(position)
        seen.add(number)
        assert evaluation.value(position) / ONE == pytest.approx(numpy.tanh(score(networks, position) / 2.0), abs=0.01)
    assert len(seen) >= 3


def test_features_are_in_their_slots() -> None:
    for position, _ in random_decisions(2_000, 6)[::4]:
        view = FEATURES.view(position)
        for slot, (first, size) in enumerate(zip(FEATURES.first, FEATURES.sizes, strict=True)):
            assert first <= FEATURES.feature(view, slot, None) < first + size
        assert 0 <= position_class(position) < CLASSES


def test_chunks_give_the_same_weights_if_the_rate_is_constant() -> None:
    whole, parts = learned([6]), learned([2, 4])
    assert all(numpy.array_equal(whole.arrays()[name], array) for name, array in parts.arrays().items())


def run(out: Path, stop_after: int | None = None) -> None:
    """Train two generations; `stop_after` chunks the run is interrupted."""
    calls = 0

    def watch() -> None:
        nonlocal calls
        calls += 1
        if calls == stop_after:
            raise KeyboardInterrupt

    training = Training("backgammon-dmp", out, RECIPE, 5, None, watch)
    training.run(lambda *arguments: (0.5, 0.1), 1)


def test_an_interrupted_run_is_resumed(tmp_path: Path) -> None:
    run(tmp_path / "whole.weights")
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "parts.weights", stop_after=2)
    run(tmp_path / "parts.weights")
    assert (tmp_path / "whole.weights").read_bytes() == (tmp_path / "parts.weights").read_bytes()
    evaluation = load_evaluation(DMP, str(tmp_path / "whole.weights"))
    assert abs(evaluation.value(DMP.start_position())) < ONE


def test_the_recipe_is_stored() -> None:
    assert recipe_from_json(RECIPE.to_json()) == RECIPE
    assert recipe_from_json(dataclasses.replace(RECIPE, temporal=None).to_json()).temporal is None
