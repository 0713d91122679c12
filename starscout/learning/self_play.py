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
    refine: bool = False
    """Play with the game's stronger search, if it has one."""


@dataclass(frozen=True, eq=False)
class PositionSample:
    """Positions of some games, one row each."""

    features: numpy.ndarray
    """[position, slot]."""
    values: numpy.ndarray
    """The value of the search for the mover, −1 to 1; exact if the result is proven."""
    results: numpy.ndarray
    """The result of the game for the mover, points / largest points: −1, 0 or 1 where every win counts the same."""
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
    memory = negascout.new_memory(game, Switches(scout=not game.has_chance))[0]
    table = transposition.new_table(TABLE_BITS)
    if game.repetition:
        memory.path_end = settings.depth
    capacity = count * game.max_depth
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
    outcome, moves, play, sign, result_value = game.outcome, game.moves, game.play, game.sign, game.result_value
    alternating, repeats, repetition_key = game.alternating, game.repetition > 0, game.repetition_key
    search = negascout.build_kernel(game, evaluation)

    @kernel
    def best_move(
        position: Position, roll: int, depth: int, most: int, memory: Memory, table: numpy.ndarray,
        weights: Weights, row: numpy.ndarray,
    ) -> tuple[int, int]:  # fmt: skip
        """The best move of a decision and its value, by a search of `depth` plies.

        `most` is ONE, an argument because a recursive kernel called with a constant fails when loaded from the cache.
        """
        best, chosen = -2 * ONE, 0
        below_child = depth - 1
        if repeats:
            memory.path[0, 0], memory.path[0, 1] = repetition_key(position)
        for index in range(moves(position, roll, row)):
            child = play(position, row[index])
            result = outcome(child)
            if result != ONGOING:
                value = sign(position, child) * result_value(result)
            elif not alternating and child.mover == position.mover:
                value = search(child, below_child, max(best, -most), most, memory, table, weights)
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
    draw, resolve, resolves = game.draw, game.resolve, game.resolves
    has_chance, points, longest = game.has_chance, float(game.points), game.max_depth
    starts, many_starts = Word(game.starts), game.starts != 1
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
            while result == ONGOING and ply < longest and memory.flag[0] == 0:
                random = random_word(game_seed, counter)
                counter += WORD_ONE
                event = draw(position, random << half)
                decision = resolve(position, event)
                if resolves and outcome(decision) != ONGOING:
                    position, result = decision, outcome(decision)
                    break
                if ply < random_plies:
                    position = play(decision, pick(decision, event, random, row))
                    ply += 1
                    result = outcome(position)
                    continue
                move, value = best_move(decision, event, depth, most, memory, table, weights, row)
                if has_chance:
                    value = search(position, depth, -most, most, memory, table, weights)
                view = view_of(position)
                for slot in range(slots):
                    found[length, slot] = feature(view, slot, tables)
                values[length] = value / one
                # Stores the mover until the result is known.
                results[length] = position.mover
                length += 1
                if (random_word(game_seed, ~counter) >> sixteen) & chance_mask < Word(noise):
                    move = pick(decision, event, random, row)
                position = play(decision, move)
                ply += 1
                result = outcome(position)
            if result == ONGOING and ply == longest:
                # A game with cycles that did not end.
                result = 0
            for index in range(begun, length):
                value_of_game = result / points
                results[index] = value_of_game if int(results[index]) == position.mover else -value_of_game
            if result == ONGOING:
                length = begun
        return length

    return games_of
