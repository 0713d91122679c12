"""Self-play: games of the current player against itself, which give training positions.

A game starts with random plies and has some random plies later; every other move is the best one of a search. Each
position after the opening is recorded with its features, the value of the search before the roll, and the result of the
game. Games are numbered and reproducible: a chunk is a range of numbers.
"""

import functools
from dataclasses import dataclass
from typing import Any

import numpy

from starscout.evaluation.evaluation import Evaluation, EvaluationKernels
from starscout.evaluation.features import Features
from starscout.evaluation.weights import Weights, pack
from starscout.game import ONGOING, Game, Position, new_row
from starscout.game.values import ONE
from starscout.kernels.bits import WORD_ALL, WORD_ONE, WORD_ZERO, Word, below, random_word
from starscout.kernels.kernel import kernel
from starscout.kernels.stop_flags import stoppable
from starscout.search import negascout
from starscout.search import transposition_table as transposition
from starscout.search.negascout import Memory, Switches

TABLE_BITS = 12
_CHANCES = 1 << 16


@dataclass(frozen=True)
class SelfPlay:
    """The settings of self-play."""

    depth: int = 2
    """Search depth in plies."""
    opening: int = 8
    """A game starts with 0 to this many random plies."""
    noise: float = 0.1
    """The share of random plies after the opening."""
    blend: float = 1.0
    """For self-play with a final score: the weight of the next position's target."""


@dataclass(frozen=True, eq=False)
class PositionSample:
    """Positions of some games, one row each."""

    features: numpy.ndarray
    """[position, slot]."""
    values: numpy.ndarray
    """The value of the search for the mover, −1 to 1; exact if the result is proven."""
    results: numpy.ndarray
    """The result of the game for the mover: −1, 0 or 1."""
    games: int

    def __len__(self) -> int:
        return len(self.values)


def joined(samples: list[PositionSample]) -> PositionSample:
    """Concatenate samples."""
    return PositionSample(
        numpy.concatenate([sample.features for sample in samples]),
        numpy.concatenate([sample.values for sample in samples]),
        numpy.concatenate([sample.results for sample in samples]),
        sum(sample.games for sample in samples),
    )


def play_chunk(
    game: Game, evaluation: Evaluation, features: Features, settings: SelfPlay, seed: int, first: int, count: int
) -> PositionSample:
    """Play the games `first` to `first + count − 1` of a seed; raises KeyboardInterrupt when stopped."""
    kernel_of_games = _build(game, evaluation.kernels, features)
    memory = negascout.new_memory(game, Switches(scout=not game.has_dice))[0]
    table = transposition.new_table(TABLE_BITS)
    capacity = count * game.max_plies
    found = numpy.empty((capacity, features.slots), dtype=numpy.int32)
    values, results = numpy.empty(capacity, dtype=numpy.float32), numpy.empty(capacity, dtype=numpy.float32)
    noise = round(settings.noise * _CHANCES)
    with stoppable(memory.flag):
        length = kernel_of_games(
            Word(seed), Word(first), count, game.start_position(), settings.depth, ONE, settings.opening, noise,
            memory, table, evaluation.weights, feature_weights(features), new_row(game), found, values, results,
        )  # fmt: skip
    return PositionSample(found[:length].copy(), values[:length].copy(), results[:length].copy(), count)


def feature_weights(features: Features) -> Weights:
    """The tables of the features as weights, for use without an evaluation."""
    return pack(features.tables or {"none": 0})


@functools.cache
def build_best_move(game: Game, evaluation: EvaluationKernels) -> Any:
    """Build the kernel that chooses a move by search; see `best_move` inside."""
    outcome, moves, play = game.outcome, game.moves, game.play
    search = negascout.build_kernel(game, evaluation)

    @kernel
    def best_move(
        position: Position, roll: int, depth: int, most: int, memory: Memory, table: numpy.ndarray,
        weights: Weights, row: numpy.ndarray,
    ) -> tuple[int, int]:  # fmt: skip
        """The best move after a roll and its value, by a search of `depth` plies.

        `most` is ONE, an argument because a recursive kernel called with a constant fails when loaded from the cache.
        """
        best, chosen = -2 * ONE, 0
        below_child = depth - 1
        for index in range(moves(position, roll, row)):
            child = play(position, row[index])
            result = outcome(child)
            if result != ONGOING:
                value = -ONE * result
            else:
                value = -search(child, below_child, -most, -max(best, -most), memory, table, weights)
            if value > best:
                best, chosen = value, row[index]
                if best >= ONE:
                    break
        return chosen, best

    return best_move


@functools.cache
def _build(game: Game, evaluation: EvaluationKernels, features: Features) -> Any:
    start, outcome, pick, play = game.start, game.outcome, game.pick, game.play
    faces, starts, many_starts = game.faces, Word(game.starts), game.starts != 1
    search, best_move = negascout.build_kernel(game, evaluation), build_best_move(game, evaluation)
    view_of, feature, slots = features.view, features.feature, features.slots
    half, sixteen, chance_mask = Word(32), Word(16), Word(_CHANCES - 1)
    one = float(ONE)

    @kernel
    def games_of(
        seed: Word, first: Word, count: int, only_start: Position, depth: int, most: int, opening: int, noise: int,
        memory: Memory, table: numpy.ndarray, weights: Weights, tables: Weights, row: numpy.ndarray,
        found: numpy.ndarray, values: numpy.ndarray, results: numpy.ndarray,
    ) -> int:  # fmt: skip
        """Play the games; returns the number of recorded positions."""
        length = 0
        number = first
        for _ in range(count):
            if memory.flag[0] != 0:
                break
            game_seed = random_word(seed, number)
            number += WORD_ONE
            choice = random_word(game_seed, WORD_ALL)
            position = only_start
            if many_starts:
                position = start(choice % starts if starts != WORD_ZERO else choice)
            random_plies = below(choice << half, opening + 1)
            begun, ply = length, 0
            counter = WORD_ZERO
            result = outcome(position)
            while result == ONGOING and memory.flag[0] == 0:
                random = random_word(game_seed, counter)
                counter += WORD_ONE
                roll = 1
                if faces > 1:
                    roll = 1 + below(random << half, faces)
                if ply < random_plies:
                    position = play(position, pick(position, roll, random, row))
                    ply += 1
                    result = outcome(position)
                    continue
                move, value = best_move(position, roll, depth, most, memory, table, weights, row)
                if faces > 1:
                    value = search(position, depth, -most, most, memory, table, weights)
                view = view_of(position)
                for slot in range(slots):
                    found[length, slot] = feature(view, slot, tables)
                values[length] = value / one
                # Holds the ply until the result is known.
                results[length] = ply
                length += 1
                if (random_word(game_seed, ~counter) >> sixteen) & chance_mask < Word(noise):
                    move = pick(position, roll, random, row)
                position = play(position, move)
                ply += 1
                result = outcome(position)
            for index in range(begun, length):
                plies_left = ply - int(results[index])
                results[index] = result if plies_left % 2 == 0 else -result
            if result == ONGOING:
                length = begun
        return length

    return games_of
