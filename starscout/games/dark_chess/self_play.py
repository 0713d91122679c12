"""Self-play of dark chess for `starscout learn`: the search deepens as far as hidden pieces allow.

A fixed depth does not suit this game: two plies cost 20 nodes in an ending and 14,000 at the start. The depth of a
generation determines a number of nodes instead. A game ends in the first position of the endgame table, with its exact
result. Without an evaluation, games are random: the first legal moves would repeat.

Positions with many quiet plies are not recorded, and values are those without quiet plies: the evaluation itself
reduces them. A pending flip is recorded with the value of the position that it led to.
"""

import functools
from typing import Any

import numpy

from starscout.evaluation.evaluation import Evaluation, EvaluationKernels
from starscout.evaluation.features import Features
from starscout.evaluation.weights import Weights
from starscout.game import ONGOING, Game, Position, new_row
from starscout.game.values import ONE
from starscout.games.dark_chess.board import NOT_PENDING, hidden_pieces
from starscout.games.dark_chess.endgame_table import DarkChessTable, DarkChessTableFiles, covers_and_entry, open_table
from starscout.games.dark_chess.rules import QUIET_LIMIT
from starscout.games.dark_chess.table_builder import MOST_PIECES
from starscout.kernels.bits import WORD_ALL, WORD_ONE, WORD_ZERO, Word, below, popcount, random_word
from starscout.kernels.kernel import kernel
from starscout.kernels.stop_flags import stoppable
from starscout.learning.self_play import PositionSample, SelfPlay, feature_weights
from starscout.search import negascout
from starscout.search import transposition_table as transposition
from starscout.search.negascout import Memory, Switches

NODES = 100
"""Nodes of a move at depth 1; four times as many for each further ply."""
DEEPEST = 24
TABLE_BITS = 14
RECORDED_QUIET = 10
"""Positions with fewer quiet plies are recorded."""
MOST_CERTAIN = 0.75
"""Bound of targets: a sum is fitted to scores, where certain results would outweigh all others."""
CHANCES = 1 << 16


def play_self(
    game: Game, evaluation: Evaluation, features: Features, settings: SelfPlay, seed: int, first: int, count: int
) -> PositionSample:
    """Play the games `first` to `first + count − 1` of a seed; raises KeyboardInterrupt when stopped."""
    table = _endgame_table(game)
    searched = evaluation.name != "zero"
    with_table = table.evaluation(evaluation)
    play = _build(game, with_table.kernels, features, table.most)
    memory = negascout.new_memory(game, Switches(scout=False))[0]
    transpositions = transposition.new_table(TABLE_BITS)
    capacity = 2 * count * game.max_depth
    found = numpy.empty((capacity, features.slots), dtype=numpy.int32)
    values, results = numpy.empty(capacity, dtype=numpy.float32), numpy.empty(capacity, dtype=numpy.float32)
    nodes = NODES << 2 * (settings.depth - 1) if searched else 0
    with stoppable(memory.flag):
        length = play(
            Word(seed), Word(first), count, game.start_position(), nodes, ONE, settings.opening,
            round(settings.noise * CHANCES), memory, transpositions, with_table.weights, table.record,
            feature_weights(features), new_row(game), found, values, results,
        )  # fmt: skip
    values = values[:length].clip(-MOST_CERTAIN, MOST_CERTAIN)
    return PositionSample(found[:length].copy(), values, MOST_CERTAIN * results[:length], count)


@functools.lru_cache(maxsize=2)
def _endgame_table(game: Game) -> DarkChessTable:
    """The table of MOST_PIECES, built if it is missing: results must not depend on the tables that exist."""
    table = open_table(game, MOST_PIECES)
    if table is None:
        for _ in DarkChessTableFiles().build(game, MOST_PIECES, 1):
            pass
        table = open_table(game, MOST_PIECES)
    assert table is not None
    return table


@functools.cache
def _build(game: Game, evaluation: EvaluationKernels, features: Features, most_pieces: int) -> Any:
    outcome, moves, pick, play, draw, resolve = game.outcome, game.moves, game.pick, game.play, game.draw, game.resolve
    result_value, longest = game.result_value, game.max_depth
    search = negascout.build_kernel(game, evaluation)
    covers, entry_of = covers_and_entry(most_pieces)
    view_of, feature, slots = features.view, features.feature, features.slots
    half, sixteen, chance_mask, one = Word(32), Word(16), Word(CHANCES - 1), float(ONE)

    @kernel
    def best_move(
        position: Position, event: int, nodes: int, most: int, memory: Memory, table: numpy.ndarray,
        weights: Weights, row: numpy.ndarray,
    ) -> tuple[int, int]:  # fmt: skip
        """The best move of a decision and its value, by searches that get deeper until the next would need more nodes.

        `most` is ONE, an argument because a recursive kernel called with a constant fails when loaded from the cache.
        """
        count = moves(position, event, row)
        hidden = popcount(hidden_pieces(position))
        growth = 4 + hidden * hidden // 2
        memory.nodes = 0
        value = 0
        for depth in range(DEEPEST):
            best, best_index = -2 * ONE, 0
            for index in range(count):
                child = play(position, row[index])
                result = outcome(child)
                found = -result_value(result)
                if result == ONGOING:
                    found = -search(child, depth, -most, -max(best, -most), memory, table, weights)
                if found > best:
                    best, best_index = found, index
                    if best >= ONE:
                        break
            # Search the best move first at the next depth.
            chosen = row[best_index]
            for index in range(best_index, 0, -1):
                row[index] = row[index - 1]
            row[0] = chosen
            value = best
            if memory.flag[0] != 0 or abs(best) >= ONE or count == 1 or growth * memory.nodes > nodes:
                break
        return row[0], value

    @kernel
    def games_of(
        seed: Word, first: Word, count: int, start: Position, nodes: int, most: int, opening: int, noise: int,
        memory: Memory, table: numpy.ndarray, weights: Weights, endgame: numpy.record, tables: Weights,
        row: numpy.ndarray, found: numpy.ndarray, values: numpy.ndarray, results: numpy.ndarray,
    ) -> int:  # fmt: skip
        """Play the games; returns the number of recorded positions."""
        length = 0
        number = first
        for _ in range(count):
            if memory.flag[0] != 0:
                break
            game_seed = random_word(seed, number)
            number += WORD_ONE
            position = start
            random_plies = below(random_word(game_seed, WORD_ALL) << half, opening + 1)
            begun, ply = length, 0
            counter = WORD_ZERO
            result = outcome(position)
            while result == ONGOING and ply < longest and memory.flag[0] == 0:
                random = random_word(game_seed, counter)
                counter += WORD_ONE
                event = draw(position, random << half)
                decision = resolve(position, event)
                result = outcome(decision)
                if result != ONGOING:
                    position = decision
                    break
                if covers(decision):
                    result = 0
                    entry = entry_of(decision, endgame)
                    if abs(entry) > decision.quiet:
                        result = 1 if entry > 0 else -1
                    position = decision
                    break
                move, value = pick(decision, event, random, row), 0
                if ply >= random_plies:
                    chance = (random_word(game_seed, ~counter) >> sixteen) & chance_mask
                    if nodes > 0:
                        best, value = best_move(decision, event, nodes, most, memory, table, weights, row)
                        move = move if chance < Word(noise) else best
                    if decision.quiet < RECORDED_QUIET:
                        for kind in range(2 if position.pending != NOT_PENDING and decision.colours != 0 else 1):
                            view = view_of(decision if kind == 0 else position)
                            if (decision if kind == 0 else position).colours == 0:
                                continue
                            for slot in range(slots):
                                found[length, slot] = feature(view, slot, tables)
                            values[length] = value / one * QUIET_LIMIT / (QUIET_LIMIT - decision.quiet)
                            # Stores the mover until the result is known.
                            results[length] = decision.mover
                            length += 1
                position = play(decision, move)
                ply += 1
                result = outcome(position)
            if result == ONGOING:
                length = begun
            for index in range(begun, length):
                results[index] = result if int(results[index]) == position.mover else -result
        return length

    return games_of
