"""Weights as records and CSV files."""

from pathlib import Path

import numpy
import pytest
from numba.core.event import install_recorder

from starscout import games
from starscout.evaluation import load_evaluation
from starscout.evaluation.evaluation import Evaluation
from starscout.evaluation.weights import NO_WEIGHTS, Weights, pack, read_arrays, write_arrays
from starscout.game import Position
from starscout.game.values import ONE
from starscout.kernels.kernel import PLAIN, kernel
from starscout.search import deepening, negascout
from starscout.search.deepening import Searcher
from starscout.search.exact import exact_value
from starscout.search.negascout import Switches

pytestmark = pytest.mark.plain


def test_arrays_round_trip_as_integers(tmp_path: Path):
    file = tmp_path / "weights.csv"
    write_arrays(file, {"first": numpy.array([1.4, -2.6]), "second": numpy.array([[1, 2], [3, 4]])})
    assert file.read_text(encoding="utf-8") == "first,1,-3\nsecond,1,2,3,4\n"
    again = read_arrays(file)
    assert {name: array.tolist() for name, array in again.items()} == {"first": [1, -3], "second": [1, 2, 3, 4]}
    assert again["first"].dtype == numpy.int64


def test_record_keeps_values_types_and_shapes():
    weights = pack({"rows": numpy.arange(6, dtype=numpy.int16).reshape(2, 3), "scale": 0.5, "offset": 7})
    assert weights.rows.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert (weights.rows.dtype, float(weights.scale), int(weights.offset)) == (numpy.int16, 0.5, 7)
    assert pack({"rows": numpy.ones((2, 3), numpy.int16), "scale": 1.0, "offset": 1}).dtype is weights.dtype


@kernel
def _worth(position: Position, weights: Weights) -> int:
    return weights.worth[position.mover]


def _sides(red: int, blue: int) -> Evaluation:
    return Evaluation("sides", _worth, weights=pack({"worth": numpy.array([red, blue])}))


@pytest.mark.slow_compiled
def test_searches_read_the_weights_of_their_evaluation():
    game = games.load("ewn-3x3-3")
    position = game.start_position(0)
    for red in (ONE // 4, -ONE // 8):
        evaluation = _sides(red, 0)
        assert evaluation.value(position) == red
        # After one ply blue is to move and worth nothing; after two red is to move again.
        assert (
            Searcher(game, evaluation, Switches()).value(position, 1) == exact_value(game, evaluation, position, 1) == 0
        )
        expected = exact_value(game, evaluation, position, 2)
        assert Searcher(game, evaluation, Switches()).value(position, 2) == pytest.approx(expected, abs=1e-12)
        assert (expected > 0) == (red > 0)


def test_new_weights_do_not_recompile():
    game = games.load("ewn")
    position = game.start_position(5)

    def value(text: str) -> float | None:
        return Searcher(game, load_evaluation(game, text), Switches(), 4).value(position, 2)

    first = value("distance:1:1+determinacy")
    with install_recorder("numba:compile") as compiled:
        others = {value(f"distance:{enemy}:{own}+determinacy") for enemy in (2, 7, 99) for own in (3, 98)}
    assert compiled.buffer == []
    assert len(others | {first}) == 7
    search = negascout.build(game, load_evaluation(game, "distance:1:1+determinacy"))
    assert negascout.build(game, load_evaluation(game, "distance:9:4+determinacy")) is search
    _, search_node = deepening._build(game, load_evaluation(game, "distance:1:1+determinacy").kernels)
    assert PLAIN or len(search_node.signatures) == 1


def test_kernel_without_weights():
    game = games.load("kari")
    nothing = load_evaluation(game, "zero")
    assert nothing.weights is NO_WEIGHTS
    assert nothing.kernels.evaluate(game.start_position(0), NO_WEIGHTS) == nothing.value(game.start_position(0)) == 0
