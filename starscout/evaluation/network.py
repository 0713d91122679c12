"""Learned evaluations with one hidden layer of rectified units over the features of a position.

    unit  = bias + Σ over slots of row[feature]          score = constant + Σ over units of max(unit, 0) · output

All arithmetic is in integers, so values are the same on every machine. Units are 16 bits wide and summed by vector
instructions, one row at a time; the scales exclude overflow. The images of a feature under the symmetries of the game
share their weights: each group of units reads one image of the board, and all groups have the same rows.

Features with classes of positions have one network per class.
"""

import functools
from collections.abc import Mapping
from typing import Any

import numpy

from starscout.evaluation.evaluation import Calibration, Evaluation, no_order, value_table
from starscout.evaluation.features import Features
from starscout.evaluation.weights import Weights, pack
from starscout.game import Position
from starscout.kernels.bits import integer
from starscout.kernels.kernel import PLAIN, kernel

if PLAIN:

    def units_instructions(width: int) -> tuple[Any, Any]:
        """(rows, index) → a row of units, and (units, rows of weights, index) → Σ max(unit, 0) · weight."""
        return lambda rows, index: rows[index], lambda units, weights, index: int(
            numpy.maximum(units, 0) @ weights[index].astype(int)
        )

else:
    from starscout.kernels.vectors import units_instructions

UNIT = 256
LIMIT = 8 * UNIT
"""Scores are looked up in units of 1/256 logit, up to eight logits."""

FINE = 8
"""Networks of classes use units that are FINE times smaller, to compare many moves of nearly equal value."""

LARGEST_UNIT = 2**15 - 1
LARGEST_SUM = 2**31 - 1
FINEST_WEIGHT = 4 * UNIT
"""Rounding steps per logit of the weights of a sum; finer steps only make files larger."""
WIDTHS = (8, 16, 32, 64)
"""Possible numbers of units of a network, all images together."""


def network_weights(
    features: Features,
    images: numpy.ndarray,
    rows: numpy.ndarray,
    biases: numpy.ndarray,
    outputs: numpy.ndarray,
    constant: float,
) -> dict[str, numpy.ndarray]:
    """The arrays of a network, rounded to integers.

    `rows` is [feature, unit]; a score is constant + Σ over images and units of max(bias + Σ rows[image], 0) · output.
    """
    reach = numpy.abs(biases) + sum(
        numpy.abs(rows[first : first + size]).max(axis=0)
        for first, size in zip(features.first, features.sizes, strict=True)
    )
    row_scale = LARGEST_UNIT / 2 / max(float(reach.max()), 1e-6)
    # Rounding adds half a step per slot to the range of a unit.
    reach = reach * row_scale + features.slots
    output_scale = LARGEST_SUM / 2 / max(float(len(images) * (reach * numpy.abs(outputs)).sum()), 1e-6)
    output_scale = min(output_scale, LARGEST_UNIT / max(float(numpy.abs(outputs).max()), 1e-6))
    return {
        "rows": numpy.rint(rows * row_scale).astype(numpy.int16),
        "biases": numpy.rint(biases * row_scale).astype(numpy.int16),
        "outputs": numpy.rint(outputs * output_scale).astype(numpy.int16),
        "constant": numpy.array(round(constant * row_scale * output_scale)),
        "factor": numpy.array(UNIT / row_scale / output_scale),
        "images": images.astype(numpy.int32),
    }


def network_evaluation(
    name: str, features: Features, arrays: Mapping[str, numpy.ndarray], order: Any = no_order
) -> Evaluation:
    """The evaluation with the arrays of `network_weights`."""
    images, rows = arrays["images"], arrays["rows"]
    # The last row contains the biases, which are added for every position.
    expanded = [numpy.concatenate([rows[image], arrays["biases"][None, :]]) for image in images]
    weights = pack(
        {
            **features.tables,
            "rows": numpy.concatenate(expanded, axis=1),
            "outputs": numpy.tile(arrays["outputs"], len(images))[None, :],
            "constant": arrays["constant"],
            "factor": arrays["factor"],
            "values": score_values(),
        }
    )
    return Evaluation(name, _network(features, weights.rows.shape[1]), order, weights)


@functools.cache
def _network(features: Features, width: int) -> Any:
    row, rectified = units_instructions(width)
    view_of, feature, slots, bias_row = features.view, features.feature, features.slots, features.count

    @kernel
    def evaluate(position: Position, weights: Weights) -> int:
        view = view_of(position)
        units = row(weights.rows, bias_row)
        for slot in range(slots):
            units = units + row(weights.rows, feature(view, slot, weights))
        score = integer((rectified(units, weights.outputs, 0) + weights.constant) * weights.factor)
        return integer(weights.values[LIMIT + min(max(score, -LIMIT), LIMIT)])

    return evaluate


def class_weights(
    features: Features, rows: numpy.ndarray, biases: numpy.ndarray, outputs: numpy.ndarray, constants: numpy.ndarray
) -> dict[str, numpy.ndarray]:
    """The arrays of one network per class, rounded to integers.

    `rows` is [class · features + feature, unit], `biases` and `outputs` are [class, unit], `constants` is [class].
    """
    by_class = rows.reshape(features.classes, features.count, -1)
    reach = numpy.abs(biases) + sum(
        numpy.abs(by_class[:, first : first + size]).max(axis=1)
        for first, size in zip(features.first, features.sizes, strict=True)
    )
    row_scale = LARGEST_UNIT / 2 / max(float(reach.max()), 1e-6)
    # Rounding adds half a step per slot to the range of a unit.
    reach = reach * row_scale + features.slots
    output_scale = LARGEST_SUM / 2 / max(float((reach * numpy.abs(outputs)).sum(axis=1).max()), 1e-6)
    output_scale = min(output_scale, LARGEST_UNIT / max(float(numpy.abs(outputs).max()), 1e-6))
    return {
        "rows": numpy.rint(rows * row_scale).astype(numpy.int16),
        "biases": numpy.rint(biases * row_scale).astype(numpy.int16),
        "outputs": numpy.rint(outputs * output_scale).astype(numpy.int16),
        "constants": numpy.rint(constants * row_scale * output_scale).astype(numpy.int64),
        "factor": numpy.array(UNIT / row_scale / output_scale),
    }


def class_evaluation(
    name: str, features: Features, arrays: Mapping[str, numpy.ndarray], order: Any = no_order
) -> Evaluation:
    """The evaluation with the arrays of `class_weights`."""
    weights = pack(
        {
            **features.tables,
            "rows": numpy.concatenate([arrays["rows"], arrays["biases"]]),
            "outputs": arrays["outputs"],
            "constants": arrays["constants"],
            "factor": FINE * arrays["factor"],
            "values": score_values(FINE),
        }
    )
    return Evaluation(name, _class_network(features, weights.rows.shape[1]), order, weights)


@functools.cache
def _class_network(features: Features, width: int) -> Any:
    row, rectified = units_instructions(width)
    view_of, feature, slots, count, classify = (
        features.view, features.feature, features.slots, features.count, features.classify
    )  # fmt: skip
    bias_rows, limit = features.classes * count, FINE * LIMIT

    @kernel
    def evaluate(position: Position, weights: Weights) -> int:
        number = classify(position)
        view = view_of(position)
        units = row(weights.rows, bias_rows + number)
        first = number * count
        for slot in range(slots):
            units = units + row(weights.rows, first + feature(view, slot, weights))
        score = integer((rectified(units, weights.outputs, number) + weights.constants[number]) * weights.factor)
        return integer(weights.values[limit + min(max(score, -limit), limit)])

    return evaluate


def sum_weights(rows: numpy.ndarray) -> dict[str, numpy.ndarray]:
    """The arrays of a sum, rounded to integers; `rows` is [feature] in logits."""
    scale = min(LARGEST_UNIT / max(float(numpy.abs(rows).max()), 1e-6), FINEST_WEIGHT)
    return {"rows": numpy.rint(rows * scale).astype(numpy.int16), "factor": numpy.array(UNIT / scale)}


@functools.cache
def score_values(fine: int = 1) -> numpy.ndarray:
    """[fine · LIMIT + score] → value, for scores in units of 1 / (fine · UNIT)."""
    return value_table(Calibration(0.0, 1.0), -fine * LIMIT, fine * LIMIT, fine * UNIT)
