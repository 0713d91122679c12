"""Luck-adjusted targets: self-play with a search of one ply at every position, and the fit of networks to it.

The result of a game is mostly luck, and temporal-difference targets include it. A search of one ply removes the luck:
it finds the best move after each event, and the mean of their values is the expectation of the position. The luck of
the event that happened is the value after it with best play, minus the expectation. A target is

    target(t) = expectation(t) + λ · (−target(t + 1) − value after the event with best play)

With λ = 0 it is the value of the search, with λ = 1 the result of a rollout of one game with reduced variance. It costs
as much as the self-play of several games, but its noise is so low that the fit can make many passes.
"""

import functools
import math
from typing import Any

import numpy

from starscout.evaluation.features import Features
from starscout.evaluation.weights import NO_WEIGHTS, Weights
from starscout.game import ONGOING, Game, Position, new_row
from starscout.game.values import ONE
from starscout.kernels.bits import WORD_ONE, WORD_ZERO, Word, random_word
from starscout.kernels.kernel import kernel
from starscout.learning.fit import PATIENCE, FitSettings, Fitted, Watch, held_out
from starscout.learning.self_play import PositionSample, feature_weights
from starscout.learning.temporal_difference import (
    FIRST_SQUARES,
    MOST_POSITIONS,
    Networks,
    PartialSums,
    check_game,
    choice_kernels,
    new_partial_sums,
    nothing_known,
    step_kernels,
)
from starscout.search.endgame import UNKNOWN, KnownPositions


def play_games(
    game: Game, features: Features, networks: Networks, trace: float, seed: int, first: int, count: int,
    known: KnownPositions | None = None,
) -> PositionSample:  # fmt: skip
    """The positions of the games `first` to `first + count − 1`, with luck-adjusted targets as their `values`.

    The networks choose the moves. Games end where a value is `known`; those of more than `MOST_POSITIONS` are dropped.
    """
    check_game(game)
    kernel_of_games = _build(game, features, None if known is None else known.value)
    capacity = count * MOST_POSITIONS
    found = numpy.empty((capacity, features.slots), dtype=numpy.int32)
    values, results = numpy.empty(capacity, dtype=numpy.float32), numpy.empty(capacity, dtype=numpy.float32)
    length = kernel_of_games(
        Word(seed), Word(first), count, game.start_position(),
        networks.rows, networks.biases, networks.outputs, networks.constants,
        feature_weights(features), NO_WEIGHTS if known is None else known.record, numpy.float32(trace), new_row(game),
        new_partial_sums(features, networks.biases.shape[1]), found, values, results,
    )  # fmt: skip
    return PositionSample(found[:length].copy(), values[:length].copy(), results[:length].copy(), count)


@functools.cache
def _build(game: Game, features: Features, known_value: Any) -> Any:
    outcome, play, draw, points, longest = game.outcome, game.play, game.draw, float(game.points), MOST_POSITIONS
    groups, group, total = game.groups, game.group, game.total
    known_value = known_value or nothing_known
    list_features, choose = choice_kernels(game, features, known_value, forced=True)
    one, upper, unit = numpy.float32(1.0), Word(32), float(ONE)

    @kernel
    def games_of(
        seed: Word, first: Word, count: int, only_start: Position, rows: numpy.ndarray, biases: numpy.ndarray,
        outputs: numpy.ndarray, constants: numpy.ndarray, tables: Weights, record: Weights, trace: Any,
        row: numpy.ndarray, partial: PartialSums, found: numpy.ndarray, values: numpy.ndarray, results: numpy.ndarray,
    ) -> int:  # fmt: skip
        """Play the games; returns the number of positions."""
        length = 0
        number_of_game = first
        for _ in range(count):
            game_seed = random_word(seed, number_of_game)
            number_of_game += WORD_ONE
            position, counter, begun = only_start, WORD_ZERO, length
            result = outcome(position)
            value = known_value(position, record)
            while result == ONGOING and value == UNKNOWN and length < begun + longest:
                list_features(position, tables, found[length])
                happened = draw(position, random_word(game_seed, counter) << upper)
                counter += WORD_ONE
                partial.known[:] = 0
                chosen, expectation, value_after = 0, 0.0, 0.0
                for index in range(groups(position)):
                    event, weight = group(position, index)
                    move, score = choose(
                        position, event, rows, biases, outputs, constants, tables, record, row, partial
                    )
                    following = -math.tanh(0.5 * score)
                    expectation += weight * following
                    if event == happened:
                        chosen, value_after = move, following
                # Until the game is over: its expectation and the value after the event.
                values[length], results[length] = expectation / total(position), value_after
                length += 1
                position = play(position, chosen)
                result = outcome(position)
                value = known_value(position, record) if result == ONGOING else UNKNOWN
            if result == ONGOING and value == UNKNOWN:
                length = begun
                continue
            final = numpy.float32(result / points if result != ONGOING else value / unit)
            target = final
            for index in range(length - 1, begun - 1, -1):
                target = values[index] - trace * (target + results[index])
                target = min(max(target, -one), one)
                final = -final
                values[index], results[index] = target, final
        return length

    return games_of


def fit_networks(
    networks: Networks, features: Features, sample: PositionSample, targets: numpy.ndarray, settings: FitSettings,
    seed: int, watch: Watch = lambda epoch, error: None,
) -> tuple[Networks, Fitted]:  # fmt: skip
    """Fit networks to the targets, starting from the given ones, by several passes in random order.

    The sums of squared errors are initialised by a pass that leaves the weights unchanged. The last games are held out;
    the result is that of the epoch with the least error on them.
    """
    generator = numpy.random.default_rng(seed)
    learned = len(targets) - held_out(len(targets))
    numbers = [networks.rows.copy(), networks.biases.copy(), networks.outputs.copy(), networks.constants.copy()]
    squares = [numpy.full_like(array, FIRST_SQUARES) for array in (networks.row_squares, networks.class_squares)]
    units = numpy.empty(networks.biases.shape[1], dtype=numpy.float32)
    targets = targets.astype(numpy.float32)
    descend, error_of = _fit_kernels(features)
    descend(sample.features, targets, numpy.arange(learned), *numbers, *squares, units, numpy.float32(0.0))
    error = error_of(sample.features[learned:], targets[learned:], *numbers, units)
    best, waited, epochs = networks, 0, 0
    for epoch in range(settings.epochs):
        rate = numpy.float32(settings.rate * (1.0 - epoch / settings.epochs))
        descend(sample.features, targets, generator.permutation(learned), *numbers, *squares, units, rate)
        now = error_of(sample.features[learned:], targets[learned:], *numbers, units)
        watch(epoch + 1, now)
        epochs, waited = epoch + 1, waited + 1
        if now < error:
            best, error, waited = Networks(*(array.copy() for array in (*numbers, *squares))), now, 0
        if waited > PATIENCE:
            break
    # Keep the squares of rows that do not occur in the sample: they were learned before.
    kept = numpy.maximum(best.row_squares, networks.row_squares)
    return Networks(best.rows, best.biases, best.outputs, best.constants, kept, best.class_squares), Fitted(
        error, epochs
    )


@functools.cache
def _fit_kernels(features: Features) -> tuple[Any, Any]:
    score_of, step = step_kernels(features)
    one, half = numpy.float32(1.0), numpy.float32(0.5)

    @kernel
    def descend(
        found: numpy.ndarray, targets: numpy.ndarray, order: numpy.ndarray, rows: numpy.ndarray, biases: numpy.ndarray,
        outputs: numpy.ndarray, constants: numpy.ndarray, row_squares: numpy.ndarray, class_squares: numpy.ndarray,
        units: numpy.ndarray, rate: Any,
    ) -> None:  # fmt: skip
        """One epoch: a step for each position."""
        for place in range(len(order)):
            index = order[place]
            score = score_of(found[index], rows, biases, outputs, constants, units)
            chance = one / (one + numpy.float32(math.exp(-score)))
            wrong = chance - half * (targets[index] + one)
            step(found[index], wrong, rate, rows, biases, outputs, constants, row_squares, class_squares, units)

    @kernel
    def error_of(
        found: numpy.ndarray, targets: numpy.ndarray, rows: numpy.ndarray, biases: numpy.ndarray,
        outputs: numpy.ndarray, constants: numpy.ndarray, units: numpy.ndarray,
    ) -> float:  # fmt: skip
        """The root mean square error of the values."""
        squares = 0.0
        for index in range(len(targets)):
            score = score_of(found[index], rows, biases, outputs, constants, units)
            wrong = math.tanh(0.5 * score) - targets[index]
            squares += wrong * wrong
        return math.sqrt(squares / max(len(targets), 1))

    return descend, error_of
