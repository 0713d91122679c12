"""Fits weights to the positions of self-play by stochastic gradient descent with AdaGrad.

A target is a value for the mover in [−1, 1]; the model's score s predicts tanh(s / 2). A network minimises the cross
entropy of win probabilities, a sum the squared error of its score. The last games are held out: an epoch is kept only
if the error on them decreases, and the fit stops early when it no longer does.

The fit is single-threaded with a fixed order: equal samples and seeds give the same weights, bit for bit.
"""

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy

from starscout.evaluation.features import Features
from starscout.game.values import win_probability
from starscout.kernels.kernel import kernel

HELD_OUT = 0.05
"""The share of held-out positions."""
LEAST_HELD_OUT = 100
PATIENCE = 2
"""Epochs without improvement before the fit stops."""
LARGEST_SCORE = 8.0
BLOCK = 10_000
"""Number of positions whose features are mapped at once."""
FINE = 0.4
"""Learning rate of a fit that starts from coarse features, relative to one that starts from zero."""
REFINED, REFINED_DAMPING = 0.1, 1.0
"""Relative learning rate and damping of a fit that starts from the champion's weights."""


@dataclass(frozen=True)
class FitSettings:
    """The settings of a fit."""

    epochs: int = 12
    rate: float = 0.05
    """AdaGrad base learning rate."""
    damping: float = 1e-2
    """Initial sum of squared gradients of a sum's weights; a large one protects weights that occur rarely."""


@dataclass(frozen=True, eq=False)
class Network:
    """The unrounded weights of a network; see `network_weights`."""

    rows: numpy.ndarray
    biases: numpy.ndarray
    outputs: numpy.ndarray
    constant: float


@dataclass(frozen=True)
class Fitted:
    """The root mean square error of values on held-out positions, and the number of epochs."""

    error: float
    epochs: int


Watch = Callable[[int, float], None]
"""Called after each epoch with its number and the error on the held-out positions."""


def new_network(features: Features, units: int, seed: int) -> Network:
    """A network with small random weights, which break the symmetry between units."""
    generator = numpy.random.default_rng(seed)
    rows = generator.normal(0.0, 1.0 / math.sqrt(features.slots), (features.count, units)).astype(numpy.float32)
    signs = numpy.where(numpy.arange(units) % 2 == 0, 0.1, -0.1).astype(numpy.float32)
    return Network(0.3 * rows, numpy.zeros(units, dtype=numpy.float32), signs, 0.0)


def fit_network(
    network: Network,
    images: numpy.ndarray,
    features: numpy.ndarray,
    targets: numpy.ndarray,
    settings: FitSettings,
    seed: int,
    watch: Watch = lambda epoch, error: None,
) -> tuple[Network, Fitted]:
    """Fit a network to the targets, starting from the given one."""
    generator = numpy.random.default_rng(seed)
    learned = len(targets) - held_out(len(targets))
    rows, biases, outputs = network.rows.copy(), network.biases.copy(), network.outputs.copy()
    constant = numpy.array([network.constant], dtype=numpy.float32)
    gradients = [numpy.full_like(array, 1e-3) for array in (rows, biases, outputs, constant)]
    units = numpy.zeros((len(images), len(biases)), dtype=numpy.float32)
    chances = win_probability(targets).astype(numpy.float32)
    predict, descend = _network_kernels()
    best = network
    error = _error(predict(features[learned:], images, rows, biases, outputs, constant, units), targets[learned:])
    waited, epochs = 0, 0
    for epoch in range(settings.epochs):
        order = generator.permutation(learned)
        rate = numpy.float32(settings.rate * (1.0 - epoch / settings.epochs))
        descend(features, chances, order, images, rows, biases, outputs, constant, *gradients, units, rate)
        scores = predict(features[learned:], images, rows, biases, outputs, constant, units)
        now = _error(scores, targets[learned:])
        watch(epoch + 1, now)
        epochs = epoch + 1
        waited += 1
        if now < error:
            best, error, waited = Network(rows.copy(), biases.copy(), outputs.copy(), float(constant[0])), now, 0
        if waited > PATIENCE:
            break
    return best, Fitted(error, epochs)


def fit_sum(
    start: numpy.ndarray,
    features: numpy.ndarray,
    targets: numpy.ndarray,
    settings: FitSettings,
    seed: int,
    watch: Watch = lambda epoch, error: None,
) -> tuple[numpy.ndarray, Fitted]:
    """Fit one weight per feature, starting from the given ones; a score is the sum of a position's weights."""
    generator = numpy.random.default_rng(seed)
    learned = len(targets) - held_out(len(targets))
    rows = start.astype(numpy.float32)
    gradients = numpy.full_like(rows, settings.damping)
    limit = math.tanh(LARGEST_SCORE / 2)
    scores = (2.0 * numpy.arctanh(numpy.clip(targets, -limit, limit))).astype(numpy.float32)
    predict, descend = _sum_kernels()
    best, error = rows.copy(), _error(predict(features[learned:], rows), targets[learned:])
    waited, epochs = 0, 0
    for epoch in range(settings.epochs):
        rate = numpy.float32(settings.rate * (1.0 - epoch / settings.epochs))
        descend(features, scores, generator.permutation(learned), rows, gradients, rate)
        now = _error(predict(features[learned:], rows), targets[learned:])
        watch(epoch + 1, now)
        epochs = epoch + 1
        waited += 1
        if now < error:
            best, error, waited = rows.copy(), now, 0
        if waited > PATIENCE:
            break
    return best, Fitted(error, epochs)


def fit_coarse(
    coarse: numpy.ndarray, features: numpy.ndarray, targets: numpy.ndarray, settings: FitSettings, seed: int
) -> numpy.ndarray:
    """Initial weights for `fit_sum`: features with the same number in `coarse` share a weight."""
    shared = numpy.empty_like(features)
    for first in range(0, len(features), BLOCK):
        shared[first : first + BLOCK] = coarse[features[first : first + BLOCK]]
    rows, _ = fit_sum(numpy.zeros(len(coarse)), shared, targets, settings, seed)
    return rows[coarse]


def held_out(positions: int) -> int:
    """The number of held-out positions."""
    return min(max(round(HELD_OUT * positions), LEAST_HELD_OUT), positions // 2)


def _error(scores: numpy.ndarray, targets: numpy.ndarray) -> float:
    return float(numpy.sqrt(numpy.mean((numpy.tanh(scores.astype(numpy.float64) / 2.0) - targets) ** 2)))


@functools.cache
def _network_kernels() -> tuple[Any, Any]:
    zero, one = numpy.float32(0.0), numpy.float32(1.0)

    @kernel
    def score_of(
        features: numpy.ndarray, images: numpy.ndarray, rows: numpy.ndarray, biases: numpy.ndarray,
        outputs: numpy.ndarray, constant: numpy.ndarray, units: numpy.ndarray,
    ) -> Any:  # fmt: skip
        """The score of a position; writes the sums of all units of all images to `units`."""
        score = constant[0]
        for image in range(len(images)):
            sums = units[image]
            for unit in range(len(biases)):
                sums[unit] = biases[unit]
            for slot in range(len(features)):
                row = rows[images[image, features[slot]]]
                for unit in range(len(biases)):
                    sums[unit] += row[unit]
            for unit in range(len(biases)):
                score += max(sums[unit], zero) * outputs[unit]
        return score

    @kernel
    def predict(
        features: numpy.ndarray, images: numpy.ndarray, rows: numpy.ndarray, biases: numpy.ndarray,
        outputs: numpy.ndarray, constant: numpy.ndarray, units: numpy.ndarray,
    ) -> numpy.ndarray:  # fmt: skip
        scores = numpy.empty(len(features), dtype=numpy.float32)
        for index in range(len(features)):
            scores[index] = score_of(features[index], images, rows, biases, outputs, constant, units)
        return scores

    @kernel
    def descend(
        features: numpy.ndarray, chances: numpy.ndarray, order: numpy.ndarray, images: numpy.ndarray,
        rows: numpy.ndarray, biases: numpy.ndarray, outputs: numpy.ndarray, constant: numpy.ndarray,
        row_squares: numpy.ndarray, bias_squares: numpy.ndarray, output_squares: numpy.ndarray,
        constant_squares: numpy.ndarray, units: numpy.ndarray, rate: Any,
    ) -> None:  # fmt: skip
        """One epoch: update the weights of each position's score."""
        width = len(biases)
        slopes = numpy.empty(width, dtype=numpy.float32)
        for place in range(len(order)):
            index = order[place]
            score = score_of(features[index], images, rows, biases, outputs, constant, units)
            wrong = one / (one + math.exp(-score)) - chances[index]
            wrong = numpy.float32(wrong)
            constant_squares[0] += wrong * wrong
            constant[0] -= rate * wrong / numpy.float32(math.sqrt(constant_squares[0]))
            for image in range(len(images)):
                sums = units[image]
                for unit in range(width):
                    slopes[unit] = wrong * outputs[unit] if sums[unit] > zero else zero
                for slot in range(features.shape[1]):
                    number = images[image, features[index, slot]]
                    row, squares = rows[number], row_squares[number]
                    for unit in range(width):
                        slope = slopes[unit]
                        squares[unit] += slope * slope
                        row[unit] -= rate * slope / numpy.float32(math.sqrt(squares[unit]))
                for unit in range(width):
                    slope = slopes[unit]
                    bias_squares[unit] += slope * slope
                    biases[unit] -= rate * slope / numpy.float32(math.sqrt(bias_squares[unit]))
                    slope = wrong * max(sums[unit], zero)
                    output_squares[unit] += slope * slope
                    outputs[unit] -= rate * slope / numpy.float32(math.sqrt(output_squares[unit]))

    return predict, descend


@functools.cache
def _sum_kernels() -> tuple[Any, Any]:
    @kernel
    def predict(features: numpy.ndarray, rows: numpy.ndarray) -> numpy.ndarray:
        scores = numpy.zeros(len(features), dtype=numpy.float32)
        for index in range(len(features)):
            for slot in range(features.shape[1]):
                scores[index] += rows[features[index, slot]]
        return scores

    @kernel
    def descend(
        features: numpy.ndarray, targets: numpy.ndarray, order: numpy.ndarray, rows: numpy.ndarray,
        squares: numpy.ndarray, rate: Any,
    ) -> None:  # fmt: skip
        """One epoch: update the weights of each position's features."""
        for place in range(len(order)):
            index = order[place]
            score = numpy.float32(0.0)
            for slot in range(features.shape[1]):
                score += rows[features[index, slot]]
            wrong = score - targets[index]
            for slot in range(features.shape[1]):
                number = features[index, slot]
                squares[number] += wrong * wrong
                rows[number] -= rate * wrong / numpy.float32(math.sqrt(squares[number]))

    return predict, descend
