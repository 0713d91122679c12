"""Temporal-difference learning: networks that learn from each game of self-play as soon as it is over.

For games with chance, in which the dice explore: the mover chooses the move with the best value of the next position.
The target of a position is a λ-return, a mean of the values of the following positions and of the result:

    target(t) = −((1 − λ) · value(t + 1) + λ · target(t + 1))

After a game, one step of stochastic gradient descent is made for each of its positions, from the last to the first. A
position belongs to one of several classes, like race and contact; each class has its own network.

Games are numbered, and a chunk of games depends only on the weights before it: equal seeds give equal weights.
"""

import functools
import math
from dataclasses import dataclass
from typing import Any

import numpy

from starscout.evaluation.features import Features
from starscout.evaluation.weights import Weights
from starscout.game import ONGOING, Game, GameError, Position, new_row
from starscout.kernels.bits import WORD_ONE, WORD_ZERO, Word, integer, random_word
from starscout.kernels.kernel import kernel
from starscout.learning.self_play import feature_weights

MOST_POSITIONS = 1024
"""Positions of a game that are learned from: the last ones."""


@dataclass(frozen=True)
class TemporalDifference:
    """The settings of a run; they do not depend on its length, so that any run can be continued."""

    units: int = 128
    rate: float = 0.005
    """Learning rate of the first games."""
    last_rate: float = 0.0002
    trace: float = 0.9
    """λ of the first games."""
    last_trace: float = 0.3
    decay: int = 30_000
    """The number of games after which rate and λ are half-way to the last ones."""

    def rate_at(self, games: int) -> float:
        """The learning rate after a number of games."""
        return self.last_rate + (self.rate - self.last_rate) / (1.0 + games / self.decay)

    def trace_at(self, games: int) -> float:
        """λ after a number of games."""
        return self.last_trace + (self.trace - self.last_trace) / (1.0 + games / self.decay)


@dataclass(eq=False)
class Networks:
    """One network per class of positions; the training changes the arrays."""

    rows: numpy.ndarray
    """[class · features + feature, unit]."""
    biases: numpy.ndarray
    """[class, unit]."""
    outputs: numpy.ndarray
    """[class, unit]."""
    constants: numpy.ndarray
    """[class]."""

    def arrays(self) -> dict[str, numpy.ndarray]:
        """The arrays by name."""
        return {"rows": self.rows, "biases": self.biases, "outputs": self.outputs, "constants": self.constants}


def new_networks(features: Features, units: int, seed: int) -> Networks:
    """Networks with small random weights, equal for all classes."""
    generator, classes = numpy.random.default_rng(seed), features.classes
    rows = 0.5 * generator.normal(0.0, 1.0 / math.sqrt(features.slots), (features.count, units))
    outputs = numpy.where(numpy.arange(units) % 2 == 0, 0.1, -0.1)
    return Networks(
        numpy.tile(rows, (classes, 1)).astype(numpy.float32),
        numpy.zeros((classes, units), dtype=numpy.float32),
        numpy.tile(outputs, (classes, 1)).astype(numpy.float32),
        numpy.zeros(classes, dtype=numpy.float32),
    )


def learn_from_games(
    game: Game, features: Features, networks: Networks, settings: TemporalDifference, seed: int, first: int, count: int
) -> tuple[float, int]:  # fmt: skip
    """Play and learn from the games `first` to `first + count − 1`; returns the root mean square of the differences
    between values and targets, and the number of positions. Raises GameError for games that it does not support."""
    if game.resolves or not game.alternating:
        raise GameError(
            f"{game.name}: temporal differences need a die before the move and alternating turns; "
            "use a recipe without `temporal`"
        )
    kernel_of_games = _build(game, features)
    units = networks.biases.shape[1]
    found = numpy.empty((MOST_POSITIONS, features.slots), dtype=numpy.int32)
    values = numpy.empty(MOST_POSITIONS, dtype=numpy.float32)
    squares, positions = kernel_of_games(
        Word(seed), Word(first), count, game.start_position(), *networks.arrays().values(), feature_weights(features),
        numpy.float32(settings.rate_at(first)), numpy.float32(settings.trace_at(first)), new_row(game), found, values,
        numpy.empty(features.slots, dtype=numpy.int32), numpy.empty(units, dtype=numpy.float32),
    )  # fmt: skip
    return math.sqrt(squares / max(positions, 1)), int(positions)


@functools.cache
def _build(game: Game, features: Features) -> Any:
    outcome, moves, play, draw, points = game.outcome, game.moves, game.play, game.draw, float(game.points)
    longest, classify = game.max_plies, features.classify
    view_of, feature, slots, count_of_features = features.view, features.feature, features.slots, features.count
    zero, one, half = numpy.float32(0.0), numpy.float32(1.0), numpy.float32(0.5)
    upper = Word(32)

    @kernel
    def list_features(position: Position, tables: Weights, out: numpy.ndarray) -> int:
        """Write the rows of a position's features; returns its class."""
        number = classify(position)
        view = view_of(position)
        first = number * count_of_features
        for slot in range(slots):
            out[slot] = first + feature(view, slot, tables)
        return number

    @kernel(fastmath=True)
    def score_of(
        active: numpy.ndarray, number: int, rows: numpy.ndarray, biases: numpy.ndarray, outputs: numpy.ndarray,
        constants: numpy.ndarray, units: numpy.ndarray,
    ) -> Any:  # fmt: skip
        width = len(units)
        for unit in range(width):
            units[unit] = biases[number, unit]
        for slot in range(slots):
            number_of_row = numpy.uint64(active[slot])
            for unit in range(width):
                units[unit] += rows[number_of_row, unit]
        score = constants[number]
        for unit in range(width):
            score += max(units[unit], zero) * outputs[number, unit]
        return score

    @kernel(fastmath=True)
    def descend(
        active: numpy.ndarray, number: int, slope: Any, rows: numpy.ndarray, biases: numpy.ndarray,
        outputs: numpy.ndarray, constants: numpy.ndarray, units: numpy.ndarray,
    ) -> None:  # fmt: skip
        """A step along `slope`, the learning rate times the error; `units` become the steps of the rows."""
        width = len(units)
        constants[number] -= slope
        for unit in range(width):
            activation, output = units[unit], outputs[number, unit]
            units[unit] = slope * output if activation > zero else zero
            outputs[number, unit] = output - slope * max(activation, zero)
            biases[number, unit] -= units[unit]
        for slot in range(slots):
            number_of_row = numpy.uint64(active[slot])
            for unit in range(width):
                rows[number_of_row, unit] -= units[unit]

    @kernel
    def games_of(
        seed: Word, first: Word, count: int, only_start: Position, rows: numpy.ndarray, biases: numpy.ndarray,
        outputs: numpy.ndarray, constants: numpy.ndarray, tables: Weights, rate: Any, trace: Any, row: numpy.ndarray,
        found: numpy.ndarray, classes: numpy.ndarray, active: numpy.ndarray, units: numpy.ndarray,
    ) -> tuple[float, int]:  # fmt: skip
        squares, positions = 0.0, 0
        number_of_game = first
        for _ in range(count):
            game_seed = random_word(seed, number_of_game)
            number_of_game += WORD_ONE
            position, counter, length = only_start, WORD_ZERO, 0
            result = outcome(position)
            while result == ONGOING and length < longest:
                place = length % MOST_POSITIONS
                classes[place] = list_features(position, tables, found[place])
                length += 1
                event = draw(position, random_word(game_seed, counter) << upper)
                counter += WORD_ONE
                number = moves(position, event, row)
                chosen, best = row[0], numpy.float32(1e30)
                if number > 1:
                    for index in range(number):
                        child = play(position, row[index])
                        ended = outcome(child)
                        if ended != ONGOING:
                            score = numpy.float32(100.0 * ended)
                        else:
                            kind = list_features(child, tables, active)
                            score = score_of(active, kind, rows, biases, outputs, constants, units)
                        if score < best:
                            chosen, best = row[index], score
                position = play(position, chosen)
                result = outcome(position)
            if result == ONGOING:
                continue
            target = numpy.float32(result / points)
            following = target
            for index in range(length - 1, max(length - MOST_POSITIONS, 0) - 1, -1):
                place = index % MOST_POSITIONS
                kind = integer(classes[place])
                score = score_of(found[place], kind, rows, biases, outputs, constants, units)
                target = -((one - trace) * following + trace * target)
                chance = one / (one + numpy.float32(math.exp(-score)))
                following = chance + chance - one
                wrong = chance - half * (target + one)
                squares += wrong * wrong * 4.0
                positions += 1
                descend(found[place], kind, rate * wrong, rows, biases, outputs, constants, units)
        return squares, positions

    return games_of
