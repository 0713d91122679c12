"""Random games: both sides choose among their legal moves with equal chances."""

import functools
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter
from typing import Any, NamedTuple

import numpy

from starscout.bits import WORD_ONE, Word, below, random_word
from starscout.game import ONGOING, Game, Position, new_row
from starscout.kernel import kernel

BATCH_SECONDS = 0.05
"""About how long a thread plays before it looks at the clock."""


class Tally(NamedTuple):
    """Sums over random games; results are those of the side that moved first."""

    games: int
    plies: int
    wins: int
    draws: int

    def joined(self, other: "Tally") -> "Tally":
        """The sums over the games of both."""
        return Tally(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))


NO_GAMES = Tally(0, 0, 0, 0)


def play_random(game: Game, seed: int, first: int, count: int) -> Tally:
    """Games number first … first + count − 1 of this seed, each from a start of its own."""
    return Tally(*map(int, _build(game)(Word(seed), Word(first), count, new_row(game))))


def play_random_for(
    game: Game, seed: int, seconds: float, threads: int = 1, show: Callable[[float], None] = lambda finished: None
) -> tuple[Tally, float]:
    """Games number 0, 1, … of this seed on so many threads until the time is over; and the seconds it took.

    `show` is told now and then which part of the time has passed, 0 to 1.
    """
    play_random(game, seed, 0, 0)  # compiles or loads before the clock starts
    lock = threading.Lock()
    stop = threading.Event()
    first = 0
    began = perf_counter()

    def work() -> Tally:
        nonlocal first
        total, batch = NO_GAMES, 1
        while not stop.is_set():
            with lock:
                mine, first = first, first + batch
            started = perf_counter()
            total = total.joined(play_random(game, seed, mine, batch))
            ended = perf_counter()
            if ended - began >= seconds:
                break
            if ended - started < BATCH_SECONDS / 2:
                batch *= 2
            show((ended - began) / seconds)
        return total

    with ThreadPoolExecutor(threads) as pool:
        try:
            tallies = [job.result() for job in [pool.submit(work) for _ in range(threads)]]
        finally:
            stop.set()
    return functools.reduce(Tally.joined, tallies, NO_GAMES), perf_counter() - began


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
