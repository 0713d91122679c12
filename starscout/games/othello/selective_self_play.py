"""Self-play of Othello by the selective search, in balanced games, with exact labels for late positions.

A game starts with random plies. In one game in four they are random moves; in the others, moves that lose at most a
few discs by a 1-ply search, a limit drawn for each game. The game continues with the best moves of a selective search
on the learned evaluation, and occasionally with a random one. From SOLVED empty squares on, every position is solved,
and moves are random in the same manner.

The targets of earlier positions are computed backwards:

    target = −(blend · target of the next position + (1 − blend) · search value of the next position)

After a random move, which says nothing about the position before it, the target is that position's search value.
"""

import functools
from typing import Any

import numpy

from starscout.evaluation.evaluation import Evaluation
from starscout.evaluation.features import Features
from starscout.evaluation.network import LIMIT
from starscout.evaluation.weights import Weights
from starscout.game import Game
from starscout.games.othello import midgame, solver_search
from starscout.games.othello.patterns import DISCS_PER_UNIT, POINTS, SIZE, pattern_score
from starscout.games.othello.rules import Position as OthelloPosition
from starscout.games.othello.rules import build_discs
from starscout.games.othello.selective import SOLVER_TABLE_BITS, fitted_model, margins
from starscout.games.othello.solver_search import SolverSwitches
from starscout.kernels.bits import WORD_ALL, WORD_ONE, WORD_ZERO, Word, below, popcount, random_word, select
from starscout.kernels.kernel import kernel
from starscout.kernels.stop_flags import stoppable
from starscout.learning.self_play import PositionSample, SelfPlay, feature_weights
from starscout.search import transposition_table as transposition

SOLVED = 16
"""Number of empty squares from which every position is solved."""
CONFIDENCE = 1.2
"""The margin of ProbCut in standard deviations."""
UNBALANCED = 4
"""One in this many games starts with random moves."""
LEAST_LOSS, LOSSES = 2, 11
"""The limits of loss in balanced games, in discs: LEAST_LOSS to LEAST_LOSS + LOSSES − 1."""
MISTAKES = 16
"""One in this many later moves is random."""
GUESSED = 4
"""Plies of the search that gives the solver's first window."""
WIDTH = 6
"""Half the width of the solver's first window, in discs."""
TABLE_BITS = 15
SCALE = 2.0 * DISCS_PER_UNIT


def play_chunk(
    game: Game, evaluation: Evaluation, features: Features, settings: SelfPlay, seed: int, first: int, count: int
) -> PositionSample:
    """Play the games `first` to `first + count − 1` of a seed; raises KeyboardInterrupt when stopped."""
    memory = midgame.new_midgame_memory()
    memory.selective = True
    # The search adds the solver's nodes to its limit.
    memory.node_limit = solver_search.NO_LIMIT // 2
    memory.checks, memory.margins = margins(fitted_model(), CONFIDENCE, POINTS, midgame.MOST_EMPTY)
    solver = solver_search.new_solver_memory(SolverSwitches(), shared=False)
    capacity = count * game.max_plies
    found = numpy.empty((capacity, features.slots), dtype=numpy.int32)
    values, discs = numpy.empty(capacity, dtype=numpy.float32), numpy.empty(capacity, dtype=numpy.float32)
    links = numpy.zeros(capacity, dtype=numpy.float32)
    start = OthelloPosition(*game.start_position())
    with stoppable(memory.flag):
        length = _build(features)(
            Word(seed), Word(first), count, start.own, start.enemy, settings.depth, 1, settings.opening, settings.blend,
            memory, transposition.new_table(TABLE_BITS), evaluation.weights, feature_weights(features), solver,
            transposition.new_table(SOLVER_TABLE_BITS), numpy.zeros(solver_search.BUSY_SLOTS, dtype=Word), found,
            values, discs, links,
        )  # fmt: skip
    return PositionSample(
        found[:length].copy(), numpy.tanh(values[:length] / SCALE), numpy.tanh(discs[:length] / SCALE), count
    )


@functools.cache
def _build(features: Features) -> Any:
    board = build_discs(SIZE)
    mobility, turned, squares = board.mobility, board.turned, board.squares
    search, solve, score = midgame.build(), solver_search.build(SIZE, pattern_score()), pattern_score()
    feature, slots = features.feature, features.slots
    half, points = Word(32), float(POINTS)

    @kernel
    def random_move(own: Word, enemy: Word, moves: Word, loss: int, random: Word, weights: Weights) -> int:
        """A random move among those that lose at most `loss` points by a 1-ply search; any if `loss` is negative."""
        allowed = moves
        if loss >= 0:
            best = -2 * LIMIT
            for turn in range(2):
                left = moves
                allowed = WORD_ZERO
                while left != WORD_ZERO:
                    disc = left & (~left + WORD_ONE)
                    left ^= disc
                    discs = turned(disc, own, enemy)
                    value = -score(enemy ^ discs, own | disc | discs, weights)
                    if turn == 0:
                        best = max(best, value)
                    elif value >= best - loss:
                        allowed |= disc
        return select(allowed, below(random, popcount(allowed)))

    @kernel
    def exact(
        own: Word, enemy: Word, guess: int, one_ply: int, solver: solver_search.Memory, solver_table: numpy.ndarray,
        busy: numpy.ndarray, weights: Weights,
    ) -> int:  # fmt: skip
        """The exact difference; searched around `guess` first."""
        most = squares * one_ply
        middle = min(max(guess, WIDTH - most), most - WIDTH)
        low, high = middle - WIDTH, middle + WIDTH
        value = solve(own, enemy, low, high, solver, solver_table, busy, weights)
        if value <= low and low > -most:
            value = solve(own, enemy, -most, low + 1, solver, solver_table, busy, weights)
        elif value >= high and high < most:
            value = solve(own, enemy, high - 1, most, solver, solver_table, busy, weights)
        return value

    @kernel
    def games_of(
        seed: Word, first: Word, count: int, start_own: Word, start_enemy: Word, depth: int, one_ply: int, opening: int,
        blend: float, memory: midgame.MidgameMemory, table: numpy.ndarray, weights: Weights, tables: Weights,
        solver: solver_search.Memory, solver_table: numpy.ndarray, busy: numpy.ndarray, found: numpy.ndarray,
        values: numpy.ndarray, discs: numpy.ndarray, links: numpy.ndarray,
    ) -> int:  # fmt: skip
        """Play the games; returns the number of recorded positions. `values` and `discs` are in discs."""
        length = 0
        number = first
        # A recursive kernel called with a constant fails when loaded from the cache.
        most, guessed = LIMIT * one_ply, GUESSED * one_ply
        for _ in range(count):
            if memory.flag[0] != 0:
                break
            # A game does not depend on the games before it.
            table[:] = transposition.EMPTY
            solver_table[:] = transposition.EMPTY
            game_seed = random_word(seed, number)
            number += WORD_ONE
            choice = random_word(game_seed, WORD_ALL)
            random_plies = below(choice, opening + 1)
            choice = random_word(choice, WORD_ZERO)
            loss = -1 if below(choice << half, UNBALANCED) == 0 else POINTS * (LEAST_LOSS + below(choice, LOSSES))
            own, enemy, ply, begun = start_own, start_enemy, 0, length
            counter = WORD_ZERO
            while memory.flag[0] == 0:
                moves = mobility(own, enemy)
                if moves == WORD_ZERO:
                    if mobility(enemy, own) == WORD_ZERO:
                        break
                    own, enemy = enemy, own
                    if length > begun:
                        links[length - 1] = -links[length - 1]
                    continue
                random, mistaken = random_word(game_seed, counter), random_word(game_seed, ~counter)
                counter += WORD_ONE
                empties = squares - popcount(own) - popcount(enemy)
                mistake = below(mistaken, MISTAKES) == 0
                square = random_move(own, enemy, moves, -1 if mistake else loss, random, weights)
                if empties <= SOLVED:
                    guess = search(
                        own, enemy, guessed, -most, most, one_ply, memory, table, weights, solver, solver_table, busy
                    )
                    value = exact(own, enemy, guess // POINTS, one_ply, solver, solver_table, busy, weights)
                    values[length], links[length] = float(value), 0.0
                elif ply >= random_plies:
                    worth = 0
                    for plies in range(2 - depth % 2, depth + 1, 2):
                        worth = search(
                            own, enemy, plies, -most, most, one_ply, memory, table, weights, solver, solver_table, busy
                        )
                    values[length], links[length] = worth / points, 0.0
                    slot = transposition.slot_of(table, own, enemy)
                    best = transposition.probe(table, slot, own, enemy, depth).best
                    if not mistake and best < squares:
                        square, links[length] = best, -1.0
                if empties <= SOLVED or ply >= random_plies:
                    position = OthelloPosition(own, enemy, 0)
                    for slot in range(slots):
                        found[length, slot] = feature(position, slot, tables)
                    length += 1
                disc = WORD_ONE << Word(square)
                discs_turned = turned(disc, own, enemy)
                own, enemy = enemy ^ discs_turned, own | disc | discs_turned
                ply += 1
            for index in range(length - 1, begun - 1, -1):
                discs[index] = values[index]
                if links[index] != 0.0 and index + 1 < length:
                    discs[index] = links[index] * (blend * discs[index + 1] + (1.0 - blend) * values[index + 1])
        return length

    return games_of
