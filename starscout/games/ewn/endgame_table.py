"""Endgame tables of EinStein würfelt nicht!: the win probability of every position with few cubes, in a file.

    64 bytes   header (search/endgame.py)
    numbers    4 bytes each: the indices of the placements of a side (table_builder.py)
    values     2 bytes each: the mover's win probability before the roll (table_builder.py)

A damaged file counts as missing and is built again. Values are rounded to 1/65535; `refined` computes the exact values
of one endgame.
"""

import functools
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy

from starscout.evaluation.evaluation import Evaluation
from starscout.evaluation.weights import Weights
from starscout.game import NOT_ROLLED, ONGOING, Game, GameError, Position, WorkError
from starscout.game.values import ONE
from starscout.games.ewn.board import build_cubes, make_side, places
from starscout.games.ewn.table_builder import (
    CERTAIN,
    NONE,
    VALUE,
    CubeNumbers,
    count_positions,
    fill,
    number_positions,
    positions_up_to,
    side_numbers,
    side_offsets,
)
from starscout.kernels.bits import Word, integer
from starscout.kernels.cache import cache_folder
from starscout.kernels.kernel import PLAIN, kernel
from starscout.search.endgame import EndgameTable, StoredTable, TableClass, TableFiles, open_record, write_record

DEFAULT_CUBES = 4
LARGEST_BYTES = 4 << 30
SECONDS_PER_POSITION = 2.5e-7
UNASKED_SECONDS = 5.0
"""Tables that take longer are built only on request."""
REFINED_UNIT = 1 << 56
"""Units of a certain win in refined values: rounding errors stay below those of a 64-bit float."""
REFINED_POSITIONS = 1 << 24
"""Largest number of positions with refined values, 8 bytes each."""
SAMPLES = 300
"""Number of random positions that a check recomputes."""


@dataclass(frozen=True, eq=False)
class EwnTable(StoredTable):
    """The values of all positions with up to `numbers.most` cubes."""

    game: Game
    numbers: CubeNumbers
    record: numpy.record
    """The fields `numbers` and `values`, mapped into memory."""
    path: Path

    @property
    def cubes(self) -> int:
        """Maximum number of cubes on the board."""
        return self.numbers.most

    @property
    def description(self) -> str:
        return f"{self.cubes} cubes"

    def covers(self, position: Position) -> bool:
        """Whether the table contains an unfinished position."""
        return bool(_build_lookup(self.game, self.cubes)[0](position.own, position.enemy))

    def value(self, position: Position) -> float:
        """The mover's expected result in [−1, 1] before the roll, of a position that the table covers."""
        chance = int(_build_lookup(self.game, self.cubes)[1](position.own, position.enemy, self.record))
        return 2.0 * chance / CERTAIN - 1.0

    def error(self, position: Position) -> float:
        """Half a unit for each position of the longest game: every move reduces the distance of the mover's cubes."""
        own, enemy = (_distance(self.game, side) for side in (position.own, position.enemy))
        return 2 * min(own, enemy) / CERTAIN

    def refined(self, position: Position, seconds: float) -> "RefinedTable | None":
        part = _reachable(self.numbers, self.game, position)
        if PLAIN or part.positions > min(REFINED_POSITIONS, seconds / SECONDS_PER_POSITION):
            return None
        values = numpy.zeros(part.positions, dtype=numpy.int64)
        for _ in fill(part, values, 1, REFINED_UNIT):
            pass
        return RefinedTable(self.game, part, values)

    def warm(self) -> None:
        position = random_position(self, random.Random(0))
        self.covers(position)
        self.value(position)
        self.best_move(position, 1)

    def classes(self) -> list[TableClass]:
        """Number of positions and sum of their values, by the numbers of cubes."""
        sizes = [len(side.cubes) for side in self.numbers.classes]
        found: dict[tuple[int, int], list[float]] = {}
        for mover, other in self.numbers.pairs:
            first = int(self.numbers.base[mover, other])
            side, enemy = self.numbers.classes[mover].mover_squares, self.numbers.classes[other].other_squares
            values = self.record["values"][first : first + len(side) * len(enemy)]
            entry = found.setdefault((sizes[mover], sizes[other]), [0, 0.0])
            entry[0] += int(count_positions(side, enemy, self.numbers.squares - 1))
            entry[1] += int(values.sum(dtype=numpy.uint64)) / CERTAIN
        return [TableClass(own, enemy, int(count), total) for (own, enemy), (count, total) in sorted(found.items())]

    def first_wrong_value(self, samples: int = SAMPLES) -> str | None:
        generator = random.Random(0)
        for _ in range(samples):
            position = random_position(self, generator)
            if abs(self.value(position) - recomputed_value(self, position)) > 1.01 / CERTAIN:
                return self.game.format(position, NOT_ROLLED)
        return None

    def evaluation(self, evaluation: Evaluation) -> Evaluation:
        evaluate = _build_evaluation(evaluation.kernels.evaluate, *lookup_kernels(self))
        weights: Any = TableWeights(evaluation.weights, self.record)
        return replace(evaluation, name=f"{evaluation.name}+table", evaluate=evaluate, weights=weights)


@dataclass(frozen=True, eq=False)
class RefinedTable(EndgameTable):
    """The exact values of all positions that can follow one position."""

    game: Game
    numbers: CubeNumbers
    values: numpy.ndarray
    """In 1/REFINED_UNIT."""

    @property
    def description(self) -> str:
        return f"{self.numbers.positions} exact values"

    def covers(self, position: Position) -> bool:
        mover, other = _class_of(self.numbers, self.game, position)
        return NONE not in (mover, other) and int(self.numbers.base[mover, other]) != NONE

    def value(self, position: Position) -> float:
        numbers, sides = self.numbers, []
        mover, other = _class_of(numbers, self.game, position)
        for side in (position.own, position.enemy):
            cubes = [place for place in _places(self.game, side) if place is not None]
            if numbers.reverse[_set_of(self.game, side)]:
                cubes.reverse()
            sides.append(functools.reduce(lambda key, place: key * numbers.squares + place, cubes, 0))
        enemy = numbers.classes[other]
        found = int(numbers.classes[mover].mover[sides[0]])
        number = int(enemy.other[found & 1, sides[1]])
        index = int(numbers.base[mover, other]) + (found >> 1) * len(enemy.other_squares) + number
        return (2 * int(self.values[index]) - REFINED_UNIT) / REFINED_UNIT


def _places(game: Game, side: Word) -> list[int | None]:
    return places(build_cubes(game.rows, game.columns, game.faces), side)


def _set_of(game: Game, side: Word) -> int:
    """The cubes of a side, one bit per cube."""
    return sum(1 << cube for cube, place in enumerate(_places(game, side)) if place is not None)


def _class_of(numbers: CubeNumbers, game: Game, position: Position) -> tuple[int, int]:
    """The classes of the mover and of the other side; NONE for too many cubes."""
    mover, other = (int(numbers.class_of[_set_of(game, side)]) for side in (position.own, position.enemy))
    return mover, other


def _distance(game: Game, side: Word) -> int:
    """The largest number of moves that a side can make."""
    corner = game.rows + game.columns - 2
    steps = [sum(divmod(place, game.columns)) for place in _places(game, side) if place is not None]
    return sum(corner - step for step in steps)


def _reachable(numbers: CubeNumbers, game: Game, position: Position) -> CubeNumbers:
    """The numbers of all positions whose cubes are a subset of those of a position."""
    own, enemy = _set_of(game, position.own), _set_of(game, position.enemy)
    base = numpy.full_like(numbers.base, NONE)
    positions = 0
    for first in range(1, own + 1):
        for second in range(1, enemy + 1):
            if first & ~own or second & ~enemy:
                continue
            classes = int(numbers.class_of[first]), int(numbers.class_of[second])
            for mover, other in (classes, classes[::-1]):
                if base[mover, other] == NONE:
                    base[mover, other] = positions
                    positions += len(numbers.classes[mover].mover_squares) * len(numbers.classes[other].other_squares)
    return replace(numbers, base=base, positions=positions)


class EwnTableFiles(TableFiles):
    """The tables of all board sizes; the size of a table is its largest number of cubes on the board."""

    size_option = "cubes"

    def default_size(self, game: Game) -> int:
        return min(DEFAULT_CUBES, 2 * game.faces)

    def check_size(self, game: Game, size: int) -> None:
        check_cubes(game, size)

    def path(self, game: Game, size: int) -> Path:
        return table_path(game, size)

    def build(self, game: Game, size: int, threads: int) -> Iterator[float]:
        return build_table(game, size, threads)

    def open(self, game: Game, size: int) -> EwnTable | None:
        return open_table(game, size, thorough=True)


def lookup_kernels(table: EwnTable) -> tuple[Callable[..., bool], Callable[..., int]]:
    """The kernels (own, enemy) → whether the table covers the position, (own, enemy, record) → value in 1/CERTAIN."""
    return _build_lookup(table.game, table.cubes)


def table_path(game: Game, cubes: int) -> Path:
    """The file of the table for up to this many cubes."""
    return cache_folder().parent / "tables" / f"{game.name}-up-to-{cubes}.table"


def check_cubes(game: Game, cubes: int) -> None:
    """Raise GameError if there is no such table."""
    if not 2 <= cubes <= 2 * game.faces:
        raise GameError(f"cubes: expected 2 to {2 * game.faces} for {game.name}, got {cubes}")
    size = positions_up_to(game, cubes) * numpy.dtype(VALUE).itemsize
    if size > LARGEST_BYTES:
        raise GameError(
            f"the table of {game.name} with up to {cubes} cubes would take {size / 1e9:,.1f} GB: choose fewer cubes"
        )


def build_table(game: Game, cubes: int, threads: int = 1) -> Iterator[float]:
    """Build the file of a table; yields the finished part, 0 to 1. Raises WorkError if it cannot be written."""
    check_cubes(game, cubes)
    numbers = number_positions(game, cubes)

    def fill_record(record: numpy.ndarray) -> Iterator[float]:
        record["numbers"][0] = side_numbers(numbers)
        yield from fill(numbers, record["values"][0], threads)

    yield from write_record(table_path(game, cubes), _record_type(numbers), fill_record)


def open_table(game: Game, cubes: int, *, thorough: bool = False) -> EwnTable | None:
    """The table for up to this many cubes; None if its file is missing or damaged."""
    path = table_path(game, cubes)
    if not path.exists():
        # Numbering the positions of a large table takes minutes and gigabytes.
        return None
    numbers = number_positions(game, cubes)
    record = open_record(path, _record_type(numbers), thorough=thorough)
    # Kernels use these numbers as indices without a check.
    if record is None or not numpy.array_equal(record["numbers"], side_numbers(numbers)):
        return None
    return EwnTable(game, numbers, record, path)


@functools.lru_cache(maxsize=8)
def find_table(game: Game) -> EwnTable | None:
    """The largest existing table of a game, else the default one if it can be built within seconds, else None."""
    for cubes in range(2 * game.faces, 1, -1):
        table = open_table(game, cubes)
        if table is not None:
            return table
    cubes = min(DEFAULT_CUBES, 2 * game.faces)
    if positions_up_to(game, cubes) * SECONDS_PER_POSITION > UNASKED_SECONDS:
        return None
    try:
        for _ in build_table(game, cubes):
            pass
    except WorkError:
        # If the cache is not writable, players do not use the table.
        return None
    return open_table(game, cubes)


@functools.cache
def _record_type(numbers: CubeNumbers) -> numpy.dtype:
    """Cached so that equal fields give the same object, which Numba recognises faster."""
    _, _, length = side_offsets(numbers)
    fields = [("numbers", numpy.int32, length), ("values", VALUE, numbers.positions)]
    return numpy.dtype((numpy.record, numpy.dtype(fields)))


@functools.cache
def _build_lookup(game: Game, most: int) -> tuple[Any, Any]:
    board = build_cubes(game.rows, game.columns, game.faces)
    numbers = number_positions(game, most)
    mover_offset, other_offset, _ = side_offsets(numbers)
    class_of, reverse, base = numbers.class_of, numbers.reverse, numbers.base
    counts = numpy.array([len(side.other_squares) for side in numbers.classes], dtype=numpy.int64)
    powers = numpy.array([numbers.squares ** len(side.cubes) for side in numbers.classes], dtype=numpy.int64)
    alive, cubes, bits, gone = board.alive, board.cubes, Word(board.bits), Word(board.gone)
    squares = numbers.squares

    @kernel
    def covers(own: Word, enemy: Word) -> bool:
        mover, other = class_of[integer(alive(own))], class_of[integer(alive(enemy))]
        return mover != NONE and other != NONE and base[mover, other] != NONE

    @kernel
    def placement(side: Word, reversed_numbers: int) -> int:
        """The squares of the cubes as a number to the base of the squares, lowest or highest cube first."""
        key, weight = 0, 1
        for _ in range(cubes):
            place = side & gone
            side >>= bits
            if place != gone:
                if reversed_numbers:
                    key += weight * integer(place)
                    weight *= squares
                else:
                    key = key * squares + integer(place)
        return key

    @kernel
    def chance(own: Word, enemy: Word, record: numpy.record) -> int:
        own_set, enemy_set = integer(alive(own)), integer(alive(enemy))
        mover, other = class_of[own_set], class_of[enemy_set]
        found = record.numbers[mover_offset[mover] + placement(own, reverse[own_set])]
        transposed = (found & 1) * powers[other]
        number = record.numbers[other_offset[other] + transposed + placement(enemy, reverse[enemy_set])]
        return integer(record.values[base[mover, other] + (found >> 1) * counts[other] + number])

    return covers, chance


def random_position(table: EwnTable, generator: random.Random) -> Position:
    """A random position that a table covers, red to move."""
    game = table.game
    board = build_cubes(game.rows, game.columns, game.faces)
    while True:
        own_count = generator.randint(1, min(game.faces, table.cubes - 1))
        enemy_count = generator.randint(1, min(game.faces, table.cubes - own_count))
        squares = generator.sample(range(board.squares), own_count + enemy_count)
        own_squares, enemy_squares = squares[:own_count], [board.squares - 1 - s for s in squares[own_count:]]
        if board.squares - 1 in own_squares + enemy_squares:
            continue
        sides = []
        for occupied in (own_squares, enemy_squares):
            side: list[int | None] = [None] * game.faces
            for cube, place in zip(generator.sample(range(game.faces), len(occupied)), occupied, strict=True):
                side[cube] = place
            sides.append(make_side(board, side))
        return game.position(*sides, 0)


def recomputed_value(table: EwnTable, position: Position) -> float:
    """The mover's expected result, computed from the rules and the table's values one ply later.

    It uses the kernels of the game, which the table builder does not.
    """
    game, total = table.game, 0.0
    for roll in range(1, game.faces + 1):
        best = -1.0
        for move in game.legal(position, roll):
            following = game.play_position(position, move)
            result = int(game.outcome(following))
            best = max(best, -(float(result) if result != ONGOING else table.value(following)))
        total += best
    return total / game.faces


UNIT = ONE // (CERTAIN + 1)
"""The value of one step of the table; a certain win stays below ONE."""


class TableWeights(NamedTuple):
    """The weights of the evaluation for all other positions, and the table."""

    weights: Weights
    table: numpy.record


@functools.cache
def _build_evaluation(evaluate_other: Any, covers: Any, chance: Any) -> Any:
    @kernel
    def evaluate(position: Position, weights: TableWeights) -> int:
        own, enemy = position.own, position.enemy
        if covers(own, enemy):
            return (2 * chance(own, enemy, weights.table) - CERTAIN) * UNIT
        return evaluate_other(position, weights.weights)

    return evaluate
