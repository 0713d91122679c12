"""Temporal-difference learning: networks that learn from each game of self-play as soon as it is over.

For games with chance, in which the dice explore: the mover chooses the move with the best value of the next position.
The target of a position is a λ-return, a mean of the values of the following positions and of the result:

    target(t) = −((1 − λ) · value(t + 1) + λ · target(t + 1))

After a game, gradient descent takes one step for each of its positions, from the last to the first. The learning
rate of a feature decreases with the errors of the positions that contained it (AdaGrad with one sum per feature), so
that rare features learn as much from an example as frequent ones did initially. A position belongs to one of several
classes, like race and contact; each class has its own network.

A game ends at the first position that the game's endgame table covers. The positions after the moves of one decision
are similar: their first layers are computed from each other.

Games are numbered, and a chunk of games depends only on the weights before it: equal seeds give equal weights.
"""

import functools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy

from starscout.evaluation.features import Features
from starscout.evaluation.network import UNIT, class_weights
from starscout.evaluation.weights import NO_WEIGHTS, Weights
from starscout.game import ONGOING, Game, GameError, Position, new_row
from starscout.game.values import ONE
from starscout.kernels.bits import WORD_ONE, WORD_ZERO, Word, random_word
from starscout.kernels.kernel import kernel
from starscout.learning.self_play import feature_weights
from starscout.search.endgame import UNKNOWN, KnownPositions

MOST_POSITIONS = 1024
"""Positions of a game that are learned from: the last ones."""


LARGEST_VALUE = 1.0 - 1e-15
"""Value of a certain result as a score, which is larger than those of networks."""
MEAN_POWER = 8
FIRST_SQUARES = 1.0
"""Initial sums of squared errors."""
GIVEN_ROWS = 0.08
"""Root mean square of the weights of the first layer of given networks."""


@dataclass(frozen=True)
class TemporalDifference:
    """The settings of a run; they do not depend on its length, so that any run can be continued."""

    units: int = 64
    rate: float = 0.3
    """AdaGrad base learning rate; each feature and each class has one sum of squared errors."""
    trace: float = 0.8
    """λ of the first games."""
    last_trace: float = 0.6
    decay: int = 30_000
    """The number of games after which λ is halfway to its final value."""
    endgame: bool = True
    """Whether a game of self-play ends at a position in the game's endgame table, whose value becomes the target."""
    adjusted_trace: float = 0.5
    """λ of luck-adjusted targets; see `luck_adjusted.py`."""
    adjusted_rate: float = 0.1
    """AdaGrad base learning rate of the fit to them."""

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
    row_squares: numpy.ndarray
    """[class · features + feature]: the sum of squared errors of the positions with this feature."""
    class_squares: numpy.ndarray
    """[class]: the same of all positions of a class."""

    def arrays(self) -> dict[str, numpy.ndarray]:
        """The arrays by name."""
        return {
            "rows": self.rows,
            "biases": self.biases,
            "outputs": self.outputs,
            "constants": self.constants,
            "row_squares": self.row_squares,
            "class_squares": self.class_squares,
        }


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
        numpy.full(classes * features.count, FIRST_SQUARES, dtype=numpy.float32),
        numpy.full(classes, FIRST_SQUARES, dtype=numpy.float32),
    )


def add_to_mean(mean: Networks, networks: Networks, chunk: int) -> None:
    """Include the networks after chunk number `chunk`, from 1 on, in a mean of about the last ninth of all chunks.

    The mean has less noise than the networks that learn from each game. The weight of a chunk does not depend on the
    length of the run (polynomial-decay averaging).
    """
    share = (MEAN_POWER + 1) / (chunk + MEAN_POWER)
    for old, new in zip(mean.arrays().values(), networks.arrays().values(), strict=True):
        old += numpy.float32(share) * (new - old)


def rounded_networks(features: Features, networks: Networks) -> dict[str, numpy.ndarray]:
    """The arrays of a weights file; rows of features that never occurred are 0, which compresses better."""
    rows = numpy.where(networks.row_squares[:, None] > FIRST_SQUARES, networks.rows, 0.0)
    return class_weights(features, rows, networks.biases, networks.outputs, networks.constants)


def given_networks(features: Features, arrays: Mapping[str, numpy.ndarray]) -> Networks:
    """The networks of a weights file, to continue from; the inverse of `rounded_networks` up to rounding and scale.

    A file contains only the product of the scales of rows and outputs: the rows are given those of short runs.
    """
    seen = arrays["rows"].any(axis=1)
    scale = numpy.sqrt(numpy.mean(arrays["rows"][seen].astype(float) ** 2)) / GIVEN_ROWS
    output_scale = UNIT / float(arrays["factor"]) / scale
    return Networks(
        (arrays["rows"] / scale).astype(numpy.float32),
        (arrays["biases"] / scale).astype(numpy.float32),
        (arrays["outputs"] / output_scale).astype(numpy.float32),
        (arrays["constants"] / (scale * output_scale)).astype(numpy.float32),
        numpy.where(seen, 2.0 * FIRST_SQUARES, FIRST_SQUARES).astype(numpy.float32),
        numpy.full(features.classes, FIRST_SQUARES, dtype=numpy.float32),
    )


def learn_from_games(
    game: Game, features: Features, networks: Networks, settings: TemporalDifference, seed: int, first: int, count: int,
    known: KnownPositions | None = None,
) -> tuple[float, int]:  # fmt: skip
    """Play and learn from the games `first` to `first + count − 1`; they end where a value is `known`.

    Returns the root mean square of the differences between values and targets, and the number of positions. Raises
    GameError for games that it does not support.
    """
    check_game(game)
    kernel_of_games = _build(game, features, None if known is None else known.value)
    units = networks.biases.shape[1]
    squares, positions = kernel_of_games(
        Word(seed), Word(first), count, game.start_position(), *networks.arrays().values(), feature_weights(features),
        NO_WEIGHTS if known is None else known.record,
        numpy.float32(settings.rate), numpy.float32(settings.trace_at(first)), new_row(game),
        numpy.empty((MOST_POSITIONS, features.slots), dtype=numpy.int32),
        new_partial_sums(features, units), numpy.empty(units, dtype=numpy.float32),
    )  # fmt: skip
    return math.sqrt(squares / max(positions, 1)), int(positions)


def check_game(game: Game) -> None:
    """Raise GameError for games that the kernels do not support."""
    if game.resolves or not game.alternating:
        raise GameError(
            f"{game.name}: temporal differences need a die before the move and alternating turns; "
            "use a recipe without `temporal`"
        )


@kernel(inline=True)
def nothing_known(position: Position, record: Weights) -> int:
    return UNKNOWN


class PartialSums(NamedTuple):
    """The first layer of the last evaluated position of each class, from which that of a similar one is computed."""

    known: numpy.ndarray
    """[class]: whether it has such a position."""
    active: numpy.ndarray
    """[class, slot]: its features."""
    units: numpy.ndarray
    """[class, unit]."""


def new_partial_sums(features: Features, units: int) -> PartialSums:
    """Memory for kernels."""
    return PartialSums(
        numpy.zeros(features.classes, dtype=numpy.int32),
        numpy.zeros((features.classes, features.slots), dtype=numpy.int32),
        numpy.zeros((features.classes, units), dtype=numpy.float32),
    )


@functools.cache
def step_kernels(features: Features) -> tuple[Any, Any]:
    """Kernels of the networks for a list of rows: the score, and a step of gradient descent."""
    slots, count_of_features = features.slots, features.count
    zero = numpy.float32(0.0)

    @kernel(fastmath=True)
    def score_of(
        active: numpy.ndarray, rows: numpy.ndarray, biases: numpy.ndarray, outputs: numpy.ndarray,
        constants: numpy.ndarray, units: numpy.ndarray,
    ) -> Any:  # fmt: skip
        """The score of a position with the rows `active`; writes its units."""
        number, width = active[0] // count_of_features, len(units)
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
        active: numpy.ndarray, wrong: Any, rate: Any, rows: numpy.ndarray, biases: numpy.ndarray,
        outputs: numpy.ndarray, constants: numpy.ndarray, row_squares: numpy.ndarray, class_squares: numpy.ndarray,
        units: numpy.ndarray,
    ) -> None:  # fmt: skip
        """Take a gradient step that reduces the error `wrong` of a score; `units` are those of the position."""
        number, width, square = active[0] // count_of_features, len(units), wrong * wrong
        class_squares[number] += square
        slope = rate * wrong / numpy.float32(math.sqrt(class_squares[number]))
        constants[number] -= slope
        for unit in range(width):
            activation, output = units[unit], outputs[number, unit]
            units[unit] = output if activation > zero else zero
            outputs[number, unit] = output - slope * max(activation, zero)
            biases[number, unit] -= slope * units[unit]
        for slot in range(slots):
            number_of_row = numpy.uint64(active[slot])
            row_squares[number_of_row] += square
            slope = rate * wrong / numpy.float32(math.sqrt(row_squares[number_of_row]))
            for unit in range(width):
                rows[number_of_row, unit] -= slope * units[unit]

    return score_of, descend


def _final_scores(points: int) -> numpy.ndarray:
    """[result + points] → the score with the value of a result."""
    values = numpy.clip(numpy.arange(-points, points + 1) / points, -LARGEST_VALUE, LARGEST_VALUE)
    return (2.0 * numpy.arctanh(values)).astype(numpy.float32)


@functools.cache
def choice_kernels(game: Game, features: Features, known_value: Any, *, forced: bool) -> tuple[Any, Any]:
    """The kernels that list the rows of a position, and that choose a move.

    `forced`: the position after a forced move is evaluated too.
    """
    outcome, moves, play, classify = game.outcome, game.moves, game.play, features.classify
    view_of, feature, slots, count_of_features = features.view, features.feature, features.slots, features.count
    zero, unit_of_values, points = numpy.float32(0.0), float(ONE), game.points
    final_scores = _final_scores(points)

    @kernel
    def list_features(position: Position, tables: Weights, out: numpy.ndarray) -> None:
        """Write the rows of a position's features: its class · features + feature."""
        view = view_of(position)
        first = classify(position) * count_of_features
        for slot in range(slots):
            out[slot] = first + feature(view, slot, tables)

    @kernel(fastmath=True)
    def score_after(
        position: Position, tables: Weights, rows: numpy.ndarray, biases: numpy.ndarray, outputs: numpy.ndarray,
        constants: numpy.ndarray, known: numpy.ndarray, active: numpy.ndarray, sums: numpy.ndarray,
    ) -> Any:  # fmt: skip
        """The score of a position after a move: only rows of slots that differ from the last one are replaced."""
        number = numpy.uint64(classify(position))
        view, width = view_of(position), sums.shape[1]
        first = number * numpy.uint64(count_of_features)
        if known[number] == 0:
            known[number] = 1
            for unit in range(width):
                sums[number, unit] = biases[number, unit]
            for slot in range(slots):
                row = numpy.uint64(feature(view, slot, tables))
                active[number, slot] = row
                for unit in range(width):
                    sums[number, unit] += rows[first + row, unit]
        else:
            for slot in range(slots):
                row, before = numpy.uint64(feature(view, slot, tables)), numpy.uint64(active[number, slot])
                if row != before:
                    active[number, slot] = row
                    for unit in range(width):
                        sums[number, unit] += rows[first + row, unit] - rows[first + before, unit]
        score = constants[number]
        for unit in range(width):
            score += max(sums[number, unit], zero) * outputs[number, unit]
        return score

    @kernel
    def choose(
        position: Position, event: int, rows: numpy.ndarray, biases: numpy.ndarray, outputs: numpy.ndarray,
        constants: numpy.ndarray, tables: Weights, record: Weights, row: numpy.ndarray, partial: PartialSums,
    ) -> tuple[int, Any]:  # fmt: skip
        """The best move after an event, and the other side's score after it."""
        number = moves(position, event, row)
        chosen, best = row[0], numpy.float32(1e30)
        if number == 1 and not forced:
            return chosen, best
        for index in range(number):
            child = play(position, row[index])
            ended = outcome(child)
            if ended != ONGOING:
                score = final_scores[ended + points]
            else:
                value = known_value(child, record)
                if value == UNKNOWN:
                    score = score_after(
                        child, tables, rows, biases, outputs, constants, partial.known, partial.active, partial.units
                    )
                else:
                    score = numpy.float32(math.log((unit_of_values + value) / (unit_of_values - value)))
            if score < best:
                chosen, best = row[index], score
        return chosen, best

    return list_features, choose


@functools.cache
def _build(game: Game, features: Features, known_value: Any) -> Any:
    outcome, play, draw, points, longest = game.outcome, game.play, game.draw, float(game.points), game.max_plies
    known_value = known_value or nothing_known
    score_of, descend = step_kernels(features)
    list_features, choose = choice_kernels(game, features, known_value, forced=False)
    one, half, upper, unit = numpy.float32(1.0), numpy.float32(0.5), Word(32), float(ONE)

    @kernel
    def games_of(
        seed: Word, first: Word, count: int, only_start: Position, rows: numpy.ndarray, biases: numpy.ndarray,
        outputs: numpy.ndarray, constants: numpy.ndarray, row_squares: numpy.ndarray, class_squares: numpy.ndarray,
        tables: Weights, record: Weights, rate: Any, trace: Any, row: numpy.ndarray, found: numpy.ndarray,
        partial: PartialSums, units: numpy.ndarray,
    ) -> tuple[float, int]:  # fmt: skip
        squares, positions = 0.0, 0
        number_of_game = first
        for _ in range(count):
            game_seed = random_word(seed, number_of_game)
            number_of_game += WORD_ONE
            position, counter, length = only_start, WORD_ZERO, 0
            result = outcome(position)
            value = known_value(position, record)
            while result == ONGOING and value == UNKNOWN and length < longest:
                list_features(position, tables, found[length % MOST_POSITIONS])
                length += 1
                event = draw(position, random_word(game_seed, counter) << upper)
                counter += WORD_ONE
                partial.known[:] = 0
                move, _ = choose(position, event, rows, biases, outputs, constants, tables, record, row, partial)
                position = play(position, move)
                result = outcome(position)
                value = known_value(position, record) if result == ONGOING else UNKNOWN
            if result == ONGOING and value == UNKNOWN:
                continue
            target = numpy.float32(result / points if result != ONGOING else value / unit)
            following = target
            for index in range(length - 1, max(length - MOST_POSITIONS, 0) - 1, -1):
                active = found[index % MOST_POSITIONS]
                score = score_of(active, rows, biases, outputs, constants, units)
                target = -((one - trace) * following + trace * target)
                chance = one / (one + numpy.float32(math.exp(-score)))
                following = chance + chance - one
                wrong = chance - half * (target + one)
                squares += wrong * wrong * 4.0
                positions += 1
                descend(active, wrong, rate, rows, biases, outputs, constants, row_squares, class_squares, units)
        return squares, positions

    return games_of
