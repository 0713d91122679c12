"""Random games: both sides choose uniformly among their legal moves."""

import functools
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter
from typing import Any, NamedTuple

import numpy

from starscout.game import DRAW, ONGOING, Game, Position, new_row
from starscout.kernels.bits import WORD_ALL, WORD_ONE, WORD_ZERO, Word, integer, random_word
from starscout.kernels.kernel import kernel
from starscout.kernels.stop_flags import raised, stoppable

HALF_WORD = Word(32)
BATCH_SECONDS = 0.05
"""Approximate time between two clock readings of a thread."""


class GameTotals(NamedTuple):
    """Sums over random games; results are those of the side that moved first."""

    games: int
    plies: int
    wins: int
    draws: int

    def merge(self, other: "GameTotals") -> "GameTotals":
        """The sums over both sets of games."""
        return GameTotals(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))


NO_GAMES = GameTotals(0, 0, 0, 0)


def play_random(game: Game, seed: int, first: int, count: int) -> GameTotals:
    """Games number first … first + count − 1 of this seed, each from its own start position."""
    with stoppable() as flag:
        totals = _build(game)(Word(seed), Word(first), count, game.start_position(), new_row(game), flag)
    return GameTotals(*map(int, totals))


def play_random_for(
    game: Game, seed: int, seconds: float, threads: int = 1, show: Callable[[float], None] = lambda finished: None
) -> tuple[GameTotals, float]:
    """Games number 0, 1, … of this seed on this many threads until the time is up; also returns the elapsed seconds.

    `show` is called regularly with the fraction of the time that has passed.
    """
    play_random(game, seed, 0, 0)  # compiles or loads before the clock starts
    lock = threading.Lock()
    stop = threading.Event()
    first = 0
    began = perf_counter()

    def work() -> GameTotals:
        nonlocal first
        total, batch = NO_GAMES, 1
        while not stop.is_set():
            with lock:
                mine, first = first, first + batch
            started = perf_counter()
            total = total.merge(play_random(game, seed, mine, batch))
            ended = perf_counter()
            if ended - began >= seconds:
                break
            if ended - started < BATCH_SECONDS / 2:
                batch *= 2
            show((ended - began) / seconds)
        return total

    with ThreadPoolExecutor(threads) as pool:
        try:
            totals = [job.result() for job in [pool.submit(work) for _ in range(threads)]]
        finally:
            stop.set()
    return functools.reduce(GameTotals.merge, totals, NO_GAMES), perf_counter() - began


@functools.cache
def _build(game: Game) -> Any:
    start, outcome, pick, play = game.start, game.outcome, game.pick, game.play
    draw, resolve, resolves, alternating = game.draw, game.resolve, game.resolves, game.alternating
    starts = Word(game.starts)
    many_starts = game.starts != 1

    @kernel(inline=True)
    def opening(seed: Word, only_start: Position) -> Position:
        """The start position of the game with this seed."""
        if many_starts:
            choice = random_word(seed, WORD_ALL)
            return start(choice % starts if starts != WORD_ZERO else choice)
        # An argument, not a constant: otherwise the compiler specialises the first ply and generates the moves of all
        # later plies twice.
        return only_start

    @kernel(inline=True)
    def next_ply(position: Position, seed: Word, ply: Word, row: numpy.ndarray) -> Position:
        """The position after a random event and a random move, chosen by the halves of one random word.

        A game may end by the event.
        """
        random = random_word(seed, ply)
        event = draw(position, random << HALF_WORD)
        decision = resolve(position, event)
        if resolves and outcome(decision) != ONGOING:
            return decision
        return play(decision, pick(decision, event, random, row))

    @kernel(inline=True)
    def first_side_won(position: Position, result: int, first: int, ply: Word) -> bool:
        """Whether the side that moved first has won a finished game."""
        if alternating and not resolves:
            return result > 0 if ply & WORD_ONE == WORD_ZERO else result < 0
        return result > 0 if position.mover == first else result < 0

    @kernel
    def many(
        seed: Word, first: Word, count: int, only_start: Position, row: numpy.ndarray, flag: numpy.ndarray
    ) -> tuple[int, int, int, int]:
        """Play two games interleaved: the plies of one game depend on each other, those of two do not."""
        plies, wins, draws = 0, 0, 0
        if count < 1:
            return 0, plies, wins, draws
        seed_a, ply_a = random_word(seed, first), WORD_ZERO
        seed_b, ply_b = random_word(seed, first + WORD_ONE), WORD_ZERO
        a, b = opening(seed_a, only_start), opening(seed_b, only_start)
        mover = only_start.mover  # the side that moves first in every start
        begun = 2
        while count > 1 and raised(flag) == 0:
            result = outcome(a)
            if result == ONGOING:
                result = outcome(b)
                if result == ONGOING:
                    a = next_ply(a, seed_a, ply_a, row)
                    ply_a += WORD_ONE
                    b = next_ply(b, seed_b, ply_b, row)
                    ply_b += WORD_ONE
                    continue
                a, seed_a, ply_a, b, seed_b, ply_b = b, seed_b, ply_b, a, seed_a, ply_a
            plies += integer(ply_a)
            wins += first_side_won(a, result, mover, ply_a)
            draws += result == DRAW
            if begun == count:
                a, seed_a, ply_a = b, seed_b, ply_b
                break
            seed_a, ply_a = random_word(seed, first + Word(begun)), WORD_ZERO
            a = opening(seed_a, only_start)
            begun += 1
        # The last game alone.
        while outcome(a) == ONGOING and raised(flag) == 0:
            a = next_ply(a, seed_a, ply_a, row)
            ply_a += WORD_ONE
        result = outcome(a)
        plies += integer(ply_a)
        wins += first_side_won(a, result, mover, ply_a)
        draws += result == DRAW
        return count, plies, wins, draws

    return many
