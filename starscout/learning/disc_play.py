"""Self-play of Othello: the discs with which a game ends say more than who wins.

A game opens with random plies, goes on with the best plies of a search, and is solved exactly when SOLVED squares are
empty: all its positions then have the solved difference of discs as their result. The ending goes on with random plies,
and each of its positions is solved anew. A difference d stands for the value tanh(d / 16): a disc is an eighth of the
logistic curve's unit.
"""

import functools
from typing import Any

import numpy

from starscout.bits import WORD_ALL, WORD_ONE, WORD_ZERO, Word, below, popcount, random_word
from starscout.evaluate.evaluation import Evaluation, EvaluationKernels
from starscout.evaluate.features import Features
from starscout.evaluate.weights import Weights
from starscout.flags import stoppable
from starscout.game import ONGOING, Game, Position, new_row, new_rows
from starscout.kernel import kernel
from starscout.learning.self_play import PositionSample, SelfPlay, build_best_move, feature_weights
from starscout.search import negascout
from starscout.search import table as transposition
from starscout.search.negascout import Memory, Switches
from starscout.value import ONE

SOLVED = 10
"""The empty squares from which endings are solved."""
SORTED = 5
"""The least number of empty squares at which the solver sorts its moves."""
DISCS_PER_UNIT = 16.0
TABLE_BITS = 12


def play_disc_chunk(
    game: Game, evaluation: Evaluation, features: Features, settings: SelfPlay, seed: int, first: int, count: int
) -> PositionSample:
    """Games number first … first + count − 1 of this seed; raises KeyboardInterrupt when it is stopped."""
    memory = negascout.new_memory(game, Switches(scout=True))
    capacity = count * game.max_plies
    found = numpy.empty((capacity, features.slots), dtype=numpy.int32)
    discs = numpy.empty(capacity, dtype=numpy.float32)
    with stoppable(memory.flag):
        length = _build(game, evaluation.kernels, features)(
            Word(seed), Word(first), count, game.start_position(), settings.depth, ONE, settings.opening, memory,
            transposition.new_table(TABLE_BITS), evaluation.weights, feature_weights(features), new_row(game),
            new_rows(game, game.max_plies), new_rows(game, game.max_plies), found, discs, game.rows * game.columns, 0,
        )  # fmt: skip
    values = numpy.tanh(discs[:length] / DISCS_PER_UNIT)
    return PositionSample(found[:length].copy(), values, values, count)


@functools.cache
def build_solver(game: Game) -> Any:
    """The kernel solve(position, alpha, beta, depth, rows, ranks) → the mover's discs − the other's.

    Empty squares count for the winner. Fail-soft; `depth` is the number of plies below the first call, `rows` and
    `ranks` have a row for each.
    """
    outcome, moves, play, count = game.outcome, game.moves, game.play, game.count
    squares = game.rows * game.columns

    @kernel
    def solve(position: Position, alpha: int, beta: int, depth: int, rows: numpy.ndarray, ranks: numpy.ndarray) -> int:
        own, enemy = popcount(position.own), popcount(position.enemy)
        empties = squares - own - enemy
        if outcome(position) != ONGOING:
            difference = own - enemy
            return difference + empties if difference > 0 else difference - empties if difference < 0 else 0
        row, rank = rows[depth], ranks[depth]
        number = moves(position, 1, row)
        if empties >= SORTED:
            # The fewest answers first.
            for index in range(number):
                move = row[index]
                answers = count(play(position, move), 1, rows[depth + 1])
                place = index
                while place > 0 and rank[place - 1] > answers:
                    rank[place], row[place] = rank[place - 1], row[place - 1]
                    place -= 1
                rank[place], row[place] = answers, move
        best = -squares - 1
        below_node = depth + 1
        for index in range(number):
            value = -solve(play(position, row[index]), -beta, -max(alpha, best), below_node, rows, ranks)
            if value > best:
                best = value
                if best >= beta:
                    break
        return best

    return solve


@functools.cache
def _build(game: Game, evaluation: EvaluationKernels, features: Features) -> Any:
    outcome, pick, play = game.outcome, game.pick, game.play
    best_move, solve = build_best_move(game, evaluation), build_solver(game)
    feature, slots = features.feature, features.slots
    squares, half = game.rows * game.columns, Word(32)

    @kernel
    def games_of(
        seed: Word, first: Word, count: int, start: Position, depth: int, most: int, opening: int, memory: Memory,
        table: numpy.ndarray, weights: Weights, tables: Weights, row: numpy.ndarray, rows: numpy.ndarray,
        ranks: numpy.ndarray, found: numpy.ndarray, discs: numpy.ndarray, most_discs: int, top: int,
    ) -> int:  # fmt: skip
        """Play the games; returns how many positions were recorded."""
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
                if ply >= random_plies:
                    for slot in range(slots):
                        found[length, slot] = feature(position, slot, tables)
                    # The ply stands here until the result is known.
                    discs[length] = ply
                    length += 1
                    if squares - popcount(position.own) - popcount(position.enemy) <= SOLVED:
                        value = solve(position, -most_discs, most_discs, top, rows, ranks)
                        for index in range(length - 1 if solved else begun, length):
                            plies_left = ply - int(discs[index])
                            discs[index] = value if plies_left % 2 == 0 else -value
                        solved = True
                    else:
                        move, _ = best_move(position, 1, depth, most, memory, table, weights, row)
                position = play(position, move)
                ply += 1
            if not solved:
                length = begun
        return length

    return games_of
