"""Random games: both sides choose among their legal moves with equal chances."""

import functools
from typing import Any, NamedTuple

import numpy

from starscout.bits import WORD_ONE, Word, below, random_word
from starscout.game import ONGOING, Game, Position, new_row
from starscout.kernel import kernel


class Tally(NamedTuple):
    """Sums over random games; results are those of the side that moved first."""

    games: int
    plies: int
    wins: int
    draws: int


def play_random(game: Game, seed: int, first: int, count: int) -> Tally:
    """Games number first … first + count − 1 of this seed, each from a start of its own."""
    return Tally(*map(int, _build(game)(Word(seed), Word(first), count, new_row(game))))


@functools.cache
def _build(game: Game) -> Any:
    start, outcome, pick, play = game.start, game.outcome, game.pick, game.play
    faces, starts = game.faces, Word(game.starts)
    random_starts = game.starts != 1

    @kernel
    def playout(position: Position, seed: Word, row: numpy.ndarray) -> tuple[int, int]:
        """The result for the first mover and the number of plies of one random game."""
        plies = 0
        counter = Word(0)
        result = outcome(position)
        while result == ONGOING:
            roll = 1
            if faces > 1:
                roll = 1 + below(random_word(seed, counter), faces)
                counter += WORD_ONE
            random = random_word(seed, counter)
            counter += WORD_ONE
            position = play(position, pick(position, roll, random, row))
            plies += 1
            result = outcome(position)
        return result if plies % 2 == 0 else -result, plies

    @kernel
    def many(seed: Word, first: Word, count: int, row: numpy.ndarray) -> tuple[int, int, int, int]:
        plies, wins, draws = 0, 0, 0
        position = start(Word(0))
        for number in range(count):
            game_seed = random_word(seed, first + Word(number))
            if random_starts:
                choice = random_word(game_seed, ~Word(0))
                position = start(choice % starts if starts != Word(0) else choice)
            result, length = playout(position, game_seed, row)
            plies += length
            wins += result == 1
            draws += result == 0
        return count, plies, wins, draws

    return many
