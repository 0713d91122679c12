"""Bear-off tables of backgammon: all checkers of both sides are in their home boards, and there is no contact.

    turns      [position of a side, n]: the probability that the side bears off in n turns, if every play minimises the
               expected number of turns that remain (one-sided: 54,264 positions of up to 15 checkers)
    values     [mover's side, other side]: the mover's expected result before the roll with best play of both sides
               (two-sided: up to `most` checkers of each side), computed backwards in 64-bit floating point

The two-sided values are exact within rounding of floating point. The one-sided distributions are exact for their policy
only: a side that is behind can do better by taking risks, so a race evaluated with two of them is an estimate. It is
used for positions that the two-sided table does not contain, and is never reported as exact.

Positions of a side are numbered by the checkers on the points 6 to 1 in the combinatorial number system: a play leads
to a smaller number, and positions with fewer checkers come first.
"""

import functools
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import comb
from pathlib import Path
from typing import Any, NamedTuple

import numpy

from starscout.evaluation.evaluation import Evaluation
from starscout.evaluation.weights import Weights
from starscout.game import NOT_ROLLED, Game, GameError, WorkError
from starscout.game import Position as AnyPosition
from starscout.game.values import ONE
from starscout.games.backgammon.board import (
    BAR_BIT,
    CHECKERS,
    DIE_SHIFT,
    HALF_MOVE_BITS,
    HOME,
    MAX_MOVES,
    ROLLS,
    SOURCE_MASK,
    Position,
    count_at,
    high_die,
    list_plays,
    low_die,
    occupied,
    step,
)
from starscout.kernels.bits import WORD_ONE, WORD_ZERO, Word, integer
from starscout.kernels.cache import cache_folder
from starscout.kernels.kernel import PLAIN, kernel
from starscout.search.endgame import (
    UNKNOWN,
    EndgameTable,
    KnownPositions,
    StoredTable,
    TableClass,
    TableFiles,
    open_record,
    write_record,
)

HOME_POINTS = 6
SIDES = comb(CHECKERS + HOME_POINTS, HOME_POINTS)
"""Number of positions of a side, 54,264."""
TURNS = 32
"""Turns of a distribution; the last entry includes longer games, whose probability is below 1e-9."""
MOST_CHECKERS = 8
DEFAULT_CHECKERS = 6
SAMPLES = 200

_CHOOSE = numpy.array([[comb(n, k) for k in range(HOME_POINTS + 1)] for n in range(CHECKERS + HOME_POINTS)])
_OUTSIDE = ~HOME


def sides_up_to(most: int) -> int:
    """The number of positions of a side with up to this many checkers, which are numbered first."""
    return comb(most + HOME_POINTS, HOME_POINTS)


@kernel(inline=True)
def side_number(low: Word, high: Word) -> int:
    """The number of a side whose checkers are all in its home board."""
    number, total = 0, 0
    for place in range(HOME_POINTS):
        total += count_at(low, high, HOME_POINTS - 1 - place)
        number += _CHOOSE[total + place, place + 1]
    return number


@kernel(inline=True)
def is_bearoff(position: Position) -> bool:
    """Whether all checkers of both sides are in their home boards."""
    both = occupied(position.own_low, position.own_high) | occupied(position.enemy_low, position.enemy_high)
    return both & _OUTSIDE == WORD_ZERO


@kernel
def fill_successors(
    lows: numpy.ndarray, highs: numpy.ndarray, first: int, row: numpy.ndarray, starts: numpy.ndarray,
    found: numpy.ndarray, count: int,
) -> int:  # fmt: skip
    """Append the sides that each roll can lead to, from side `first` to the last one of `lows`; returns the length.

    `starts[side · 21 + roll − 1]` is where those of a roll begin. `found` may be too short: then the result is larger.
    """
    bar = BAR_BIT
    for side in range(first, len(lows)):
        position = Position(lows[side], highs[side], bar, WORD_ZERO, 0, 0)
        for roll in range(1, ROLLS + 1):
            starts[side * ROLLS + roll - 1] = count
            for index in range(list_plays(position, roll, row)):
                low, high, left = lows[side], highs[side], row[index]
                while left != 0:
                    source = WORD_ONE << Word(left & SOURCE_MASK)
                    low, high = step(low, high, source, (left >> DIE_SHIFT) & 7)
                    left >>= HALF_MOVE_BITS
                if count < len(found):
                    found[count] = side_number(low, high)
                count += 1
    starts[len(lows) * ROLLS] = count
    return count


@kernel
def fill_turns(
    starts: numpy.ndarray, found: numpy.ndarray, expected: numpy.ndarray, first: int, last: int, turns: numpy.ndarray
) -> None:  # fmt: skip
    """The distribution of the number of turns of the sides `first` to `last − 1`; `expected` is its mean."""
    for side in range(first, last):
        if side == 0:
            turns[0, 0] = 1.0
            continue
        for roll in range(1, ROLLS + 1):
            chance = (1.0 if high_die(roll) == low_die(roll) else 2.0) / 36.0
            best = found[starts[side * ROLLS + roll - 1]]
            for place in range(starts[side * ROLLS + roll - 1] + 1, starts[side * ROLLS + roll]):
                if expected[found[place]] < expected[best]:
                    best = found[place]
            for turn in range(TURNS - 1):
                turns[side, turn + 1] += chance * turns[best, turn]
            turns[side, TURNS - 1] += chance * turns[best, TURNS - 1]
            expected[side] += chance * (1.0 + expected[best])


@kernel
def fill_values(starts: numpy.ndarray, found: numpy.ndarray, total: int, values: numpy.ndarray) -> None:
    """The two-sided values of the positions whose numbers of both sides have this sum."""
    sides = len(values)
    for own in range(max(1, total - sides + 1), min(sides, total)):
        enemy = total - own
        value = 0.0
        for roll in range(1, ROLLS + 1):
            best = -1.0
            for place in range(starts[own * ROLLS + roll - 1], starts[own * ROLLS + roll]):
                following = found[place]
                best = max(best, -values[enemy, following] if following > 0 else 1.0)
            value += best * (1.0 if high_die(roll) == low_die(roll) else 2.0)
        values[own, enemy] = value / 36.0


@kernel(inline=True)
def race_value(own: int, enemy: int, turns: numpy.ndarray) -> float:
    """The mover's expected result if both sides minimise their expected turns: it wins unless the other is faster."""
    win, left = 0.0, 1.0
    for turn in range(1, TURNS):
        left -= turns[enemy, turn - 1]
        win += turns[own, turn] * left
    # The turns are rounded to 32 bits, so their sum is not exactly 1.
    return min(max(2.0 * win - 1.0, -1.0), 1.0)


@functools.cache
def _side_words() -> tuple[numpy.ndarray, numpy.ndarray]:
    """[side] → the planes of its checkers."""
    lows, highs = numpy.zeros(SIDES, dtype=numpy.uint64), numpy.zeros(SIDES, dtype=numpy.uint64)

    def place(point: int, left: int, low: int, high: int) -> None:
        if point < 0:
            number = int(side_number(Word(low), Word(high)))
            lows[number], highs[number] = low, high
            return
        for count in range(left + 1):
            more_low = (count & 1) << point | (count >> 1 & 1) << (point + 32)
            more_high = (count >> 2 & 1) << point | (count >> 3 & 1) << (point + 32)
            place(point - 1, left - count, low | more_low, high | more_high)

    place(HOME_POINTS - 1, CHECKERS, 0, 0)
    return lows, highs


def table_path(most: int) -> Path:
    """The file of the table; both variants of the game share it."""
    return cache_folder().parent / "tables" / f"backgammon-bearoff-{most}.table"


@functools.cache
def _record_type(most: int) -> numpy.dtype:
    """Cached so that equal fields give the same object, which Numba recognises faster."""
    sides = sides_up_to(most)
    fields = [("turns", numpy.float32, (SIDES, TURNS)), ("values", numpy.float64, (sides, sides))]
    return numpy.dtype((numpy.record, numpy.dtype(fields)))


def fill(most: int, record: numpy.ndarray) -> Iterator[float]:
    """Fill the record of a table; yields the finished part, 0 to 1."""
    lows, highs = _side_words()
    starts = numpy.zeros(SIDES * ROLLS + 1, dtype=numpy.int64)
    row = numpy.zeros(MAX_MOVES, dtype=numpy.int64)
    found = numpy.zeros(0, dtype=numpy.int32)
    found = numpy.zeros(int(fill_successors(lows, highs, 0, row, starts, found, 0)), dtype=numpy.int32)
    fill_successors(lows, highs, 0, row, starts, found, 0)
    yield 0.2
    turns, expected = numpy.zeros((SIDES, TURNS)), numpy.zeros(SIDES)
    for first in range(0, SIDES, SIDES // 10):
        fill_turns(starts, found, expected, first, min(first + SIDES // 10, SIDES), turns)
        yield 0.2 + 0.3 * first / SIDES
    record["turns"][0] = turns
    sides = sides_up_to(most)
    values = numpy.zeros((sides, sides))
    for total in range(2, 2 * sides - 1):
        fill_values(starts, found, total, values)
        if total % 256 == 0:
            yield 0.5 + 0.25 * total / sides
    record["values"][0] = values


@dataclass(frozen=True, eq=False)
class BearoffTable(StoredTable):
    """Both tables. `covers` and `value` refer to the two-sided table, which is exact."""

    game: Game
    most: int
    """Largest number of checkers of each side in the two-sided table."""
    record: numpy.record

    @property
    def description(self) -> str:
        return f"bear-off with {self.most} checkers"

    def covers(self, position: AnyPosition) -> bool:
        return bool(_lookup(self.most)[0](position))

    def value(self, position: AnyPosition) -> float:
        own, enemy = (int(side_number(*side)) for side in _sides(position))
        return float(self.record["values"][own, enemy]) / self.game.points

    def race_value(self, position: AnyPosition) -> float:
        """The estimate of a bear-off by the one-sided distributions, without gammons."""
        own, enemy = (int(side_number(*side)) for side in _sides(position))
        return float(race_value(own, enemy, self.record["turns"])) / self.game.points

    def turns(self, position: AnyPosition) -> numpy.ndarray:
        """[n] → the probability that the mover bears off in n turns if it minimises their expected number."""
        own, _ = _sides(position)
        return numpy.array(self.record["turns"][int(side_number(*own))], dtype=numpy.float64)

    def classes(self) -> list[TableClass]:
        ends = [sides_up_to(count) for count in range(self.most + 1)]
        sums = self.record["values"]
        return [
            TableClass(
                own,
                enemy,
                (ends[own] - ends[own - 1]) * (ends[enemy] - ends[enemy - 1]),
                float((0.5 + 0.5 * sums[ends[own - 1] : ends[own], ends[enemy - 1] : ends[enemy]]).sum()),
            )
            for own in range(1, self.most + 1)
            for enemy in range(1, self.most + 1)
        ]

    def first_wrong_value(self) -> str | None:
        generator = random.Random(0)
        lows, highs = _side_words()
        for _ in range(SAMPLES):
            own, enemy = (generator.randrange(1, sides_up_to(self.most)) for _ in range(2))
            position = Position(lows[own], highs[own], lows[enemy], highs[enemy], 0, 0)
            if abs(self.value(position) - self._recomputed(position)) > 1e-12:
                return self.game.format(position, NOT_ROLLED)
        return None

    def _recomputed(self, position: AnyPosition) -> float:
        game, total = self.game, 0.0
        for index in range(int(game.groups(position))):
            event, weight = (int(number) for number in game.group(position, index))
            total += weight * max(self.move_values(position, event).values())
        return total / int(game.total(position))

    def warm(self) -> None:
        position = Position(WORD_ONE, WORD_ZERO, WORD_ONE, WORD_ZERO, 0, 0)
        self.covers(position)
        self.best_move(position, 1)

    def known(self) -> KnownPositions:
        return KnownPositions(_lookup(self.most)[1 if self.game.points == 1 else 2], self.record)

    def evaluation(self, evaluation: Evaluation) -> Evaluation:
        known = self.known()
        evaluate = _build_evaluation(evaluation.kernels.evaluate, known.value)
        weights: Any = TableWeights(evaluation.weights, self.record)
        return replace(evaluation, name=f"{evaluation.name}+bearoff", evaluate=evaluate, weights=weights)


def _sides(position: AnyPosition) -> tuple[tuple[Word, Word], tuple[Word, Word]]:
    return (position.own_low, position.own_high), (position.enemy_low, position.enemy_high)


class TableWeights(NamedTuple):
    """The weights of the evaluation for all other positions, and the table."""

    weights: Weights
    table: numpy.record


@functools.cache
def _build_evaluation(evaluate_other: Any, known: Any) -> Any:
    @kernel
    def evaluate(position: Position, weights: TableWeights) -> int:
        value = known(position, weights.table)
        return value if value != UNKNOWN else evaluate_other(position, weights.weights)

    return evaluate


@functools.cache
def _lookup(most: int) -> tuple[Any, Any, Any]:
    """The kernels: whether the two-sided table covers a position, and its value by either table (wins only, points)."""
    sides = sides_up_to(most)
    # A gammon is impossible once both sides have borne off a checker.
    without_gammons = sides_up_to(CHECKERS - 1)
    unit, point = float(ONE - 1), float(ONE // 3 - 1)

    @kernel
    def covers(position: Position) -> bool:
        if not is_bearoff(position) or position.enemy_low | position.enemy_high == WORD_ZERO:
            return False
        own = side_number(position.own_low, position.own_high)
        return own < sides and side_number(position.enemy_low, position.enemy_high) < sides

    @kernel(inline=True)
    def expected(own: int, enemy: int, record: numpy.record) -> float:
        if own < sides and enemy < sides:
            return record.values[own, enemy]
        return race_value(own, enemy, record.turns)

    @kernel
    def value(position: Position, record: numpy.record) -> int:
        if not is_bearoff(position):
            return UNKNOWN
        own = side_number(position.own_low, position.own_high)
        enemy = side_number(position.enemy_low, position.enemy_high)
        return integer(expected(own, enemy, record) * unit)

    @kernel
    def value_in_points(position: Position, record: numpy.record) -> int:
        if not is_bearoff(position):
            return UNKNOWN
        own = side_number(position.own_low, position.own_high)
        enemy = side_number(position.enemy_low, position.enemy_high)
        if own >= without_gammons or enemy >= without_gammons:
            return UNKNOWN
        return integer(expected(own, enemy, record) * point)

    return covers, value, value_in_points


class BearoffTableFiles(TableFiles):
    """The tables of both variants; the size of a table is the largest number of checkers of each side."""

    size_option = "cubes"

    def default_size(self, game: Game) -> int:
        return DEFAULT_CHECKERS

    def check_size(self, game: Game, size: int) -> None:
        if not 2 <= size <= MOST_CHECKERS:
            raise GameError(f"cubes: expected 2 to {MOST_CHECKERS} checkers of each side for {game.name}, got {size}")

    def path(self, game: Game, size: int) -> Path:
        return table_path(size)

    def build(self, game: Game, size: int, threads: int) -> Iterator[float]:
        self.check_size(game, size)
        yield from write_record(table_path(size), _record_type(size), lambda record: fill(size, record))

    def open(self, game: Game, size: int) -> BearoffTable | None:
        return open_table(game, size, thorough=True)


def open_table(game: Game, most: int, *, thorough: bool = False) -> BearoffTable | None:
    """The table for up to this many checkers of each side; None if its file is missing or damaged."""
    record = open_record(table_path(most), _record_type(most), thorough=thorough)
    return None if record is None else BearoffTable(game, most, record)


@functools.lru_cache(maxsize=8)
def find_table(game: Game) -> EndgameTable | None:
    """The largest existing table, else the default one, built now; None if it cannot be written."""
    for most in range(MOST_CHECKERS, 1, -1):
        table = open_table(game, most)
        if table is not None:
            return table
    if PLAIN:
        # Building takes minutes without compiled kernels.
        return None
    try:
        for _ in BearoffTableFiles().build(game, DEFAULT_CHECKERS, 1):
            pass
    except WorkError:
        # If the cache is not writable, players do not use the table.
        return None
    return open_table(game, DEFAULT_CHECKERS)
