"""Self-play of Othello, with final disc differences as targets instead of results.

A game starts with random plies and continues with the best moves of a search. At SOLVED empty squares the solver finds
its difference. The game continues with random moves, and from SOLVED_ANEW empty squares each position is solved again.

The target of a solved position is its disc difference. The targets of earlier positions are computed backwards:

    target = −(blend · target of the next position + (1 − blend) · search value of the next position)

With blend = 1 this is the result of the game, which is noisy because of mistakes. A difference d has the value
tanh(d / 16).
"""

import functools
import math
from typing import Any

import numpy

from starscout.evaluation.evaluation import Evaluation, EvaluationKernels
from starscout.evaluation.features import Features
from starscout.evaluation.weights import NO_WEIGHTS, Weights
from starscout.game import ONGOING, Game, Position, new_row
from starscout.game.values import ONE
from starscout.games.othello import selective_self_play, solver_search
from starscout.games.othello.patterns import DISCS_PER_UNIT
from starscout.games.othello.solver_search import SolverSwitches
from starscout.kernels.bits import WORD_ALL, WORD_ONE, WORD_ZERO, Word, below, popcount, random_word
from starscout.kernels.kernel import kernel
from starscout.kernels.stop_flags import stoppable
from starscout.learning.self_play import PositionSample, SelfPlay, build_best_move, feature_weights
from starscout.search import negascout
from starscout.search import transposition_table as transposition
from starscout.search.negascout import Memory, Switches

SOLVED = 14
"""Number of empty squares at which a game is solved."""
SOLVED_ANEW = 11
"""Number of empty squares from which every position is solved."""
SCALE = 2.0 * DISCS_PER_UNIT
"""tanh(discs / SCALE) is the value."""
TABLE_BITS = 12
SOLVER_TABLE_BITS = 14


def play_chunk(
    game: Game, evaluation: Evaluation, features: Features, settings: SelfPlay, seed: int, first: int, count: int
) -> PositionSample:
    """Play the games `first` to `first + count − 1` of a seed; raises KeyboardInterrupt when stopped."""
    if settings.refine:
        return selective_self_play.play_chunk(game, evaluation, features, settings, seed, first, count)
    memory = negascout.new_memory(game, Switches(scout=True))[0]
    solver = solver_search.new_solver_memory(SolverSwitches(), shared=False)
    capacity = count * game.max_plies
    found = numpy.empty((capacity, features.slots), dtype=numpy.int32)
    values, discs = numpy.empty(capacity, dtype=numpy.float32), numpy.empty(capacity, dtype=numpy.float32)
    squares = game.rows * game.columns
    with stoppable(memory.flag):
        length = _build(game, evaluation.kernels, features)(
            Word(seed), Word(first), count, game.start_position(), settings.depth, ONE, settings.opening,
            settings.blend, memory, transposition.new_table(TABLE_BITS), evaluation.weights,
            feature_weights(features), new_row(game), solver, transposition.new_table(SOLVER_TABLE_BITS),
            numpy.zeros(solver_search.BUSY_SLOTS, dtype=Word), found, values, discs, -squares, squares, NO_WEIGHTS,
        )  # fmt: skip
    results = numpy.tanh(discs[:length] / SCALE)
    return PositionSample(found[:length].copy(), values[:length].copy(), results, count)


@functools.cache
def _build(game: Game, evaluation: EvaluationKernels, features: Features) -> Any:
    outcome, pick, play = game.outcome, game.pick, game.play
    best_move, solve = build_best_move(game, evaluation), solver_search.build(game.rows, solver_search.no_score)
    feature, slots = features.feature, features.slots
    squares, half = game.rows * game.columns, Word(32)
    one, highest = float(ONE), math.tanh(squares / SCALE)

    @kernel
    def games_of(
        seed: Word, first: Word, count: int, start: Position, depth: int, most: int, opening: int, blend: float,
        memory: Memory, table: numpy.ndarray, weights: Weights, tables: Weights, row: numpy.ndarray,
        solver: solver_search.Memory, solver_table: numpy.ndarray, busy: numpy.ndarray, found: numpy.ndarray,
        values: numpy.ndarray, discs: numpy.ndarray, least_discs: int, most_discs: int, nothing: Weights,
    ) -> int:  # fmt: skip
        """Play the games; returns the number of recorded positions."""
        length = 0
        number = first
        for _ in range(count):
            if memory.flag[0] != 0:
                break
            game_seed = random_word(seed, number)
            number += WORD_ONE
            random_plies = below(random_word(game_seed, WORD_ALL) << half, opening + 1)
            position, ply, begun = start, 0, length
            counter = WORD_ZERO
            solved = False
            while outcome(position) == ONGOING and memory.flag[0] == 0:
                random = random_word(game_seed, counter)
                counter += WORD_ONE
                move = pick(position, 1, random, row)
                empties = squares - popcount(position.own) - popcount(position.enemy)
                if ply >= random_plies and (not solved or empties <= SOLVED_ANEW):
                    for slot in range(slots):
                        found[length, slot] = feature(position, slot, tables)
                    length += 1
                    if empties <= SOLVED:
                        value = solve(
                            position.own, position.enemy, least_discs, most_discs, solver, solver_table, busy, nothing
                        )
                        discs[length - 1] = value
                        values[length - 1] = math.tanh(value / SCALE)
                        if not solved:
                            for index in range(length - 2, begun - 1, -1):
                                expected = SCALE * math.atanh(min(max(values[index + 1], -highest), highest))
                                discs[index] = -(blend * discs[index + 1] + (1.0 - blend) * expected)
                        solved = True
                    else:
                        move, worth = best_move(position, 1, depth, most, memory, table, weights, row)
                        values[length - 1] = worth / one
                position = play(position, move)
                ply += 1
            if not solved:
                length = begun
        return length

    return games_of
