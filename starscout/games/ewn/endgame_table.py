"""Exact tables of EinStein würfelt nicht!: the winning chance of every position with few cubes, in a file.

    64 bytes   what the file is, and the checksum of the rest
    numbers    4 bytes each: the numbers of the placements of a side (cube_numbers.py)
    values     2 bytes each: the mover's chance to win before the roll (cube_tables.py)

Files are mapped into memory, so processes share them. A file appears by an atomic rename when it is finished; one that
is damaged counts as missing and is built again.
"""

import functools
import hashlib
import os
import struct
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy

from starscout.game import ONGOING, Game, GameError, Position, WorkError
from starscout.games.ewn.board import build_cubes
from starscout.games.ewn.table_builder import CERTAIN, VALUE, count_positions, fill, side_numbers, side_offsets
from starscout.games.ewn.table_index import NONE, CubeNumbers, number_positions, positions_up_to
from starscout.kernels.bits import Word, integer
from starscout.kernels.cache import cache_folder
from starscout.kernels.kernel import kernel

DEFAULT_CUBES = 4
LARGEST_BYTES = 4 << 30
SECONDS_PER_POSITION = 2.5e-7
UNASKED_SECONDS = 5.0
"""A table that takes longer than this is only built when somebody asks for it."""
CHECKED_BYTES = 1 << 26
"""Files up to this size are checked whenever they are opened, larger ones by `tables check`."""

_HEADER = struct.Struct("<16sQ40s")
_MAGIC = b"starscout table1"
_CHECKSUM_BYTES = 32


@dataclass(frozen=True)
class TableClass:
    """The positions with these numbers of cubes of the mover and of the other side."""

    own: int
    enemy: int
    positions: int
    sum: float
    """The sum of the mover's winning chances over all positions."""


@dataclass(frozen=True, eq=False)
class EwnTable:
    """The values of all positions with up to `numbers.most` cubes."""

    game: Game
    numbers: CubeNumbers
    record: numpy.record
    """The fields `numbers` and `values`, mapped into memory."""
    path: Path

    @property
    def cubes(self) -> int:
        """The most cubes on the board of a position that the table has."""
        return self.numbers.most

    def covers(self, position: Position) -> bool:
        """Whether the table has a position that is not over."""
        return bool(_build_lookup(self.game, self.cubes)[0](position.own, position.enemy))

    def value(self, position: Position) -> float:
        """The mover's expected result in [−1, 1] before the roll, of a position that the table covers."""
        chance = int(_build_lookup(self.game, self.cubes)[1](position.own, position.enemy, self.record))
        return 2.0 * chance / CERTAIN - 1.0

    def classes(self) -> list[TableClass]:
        """How many positions there are for each number of cubes, and the sum of their values."""
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


def lookup_kernels(table: EwnTable) -> tuple[Callable[..., bool], Callable[..., int]]:
    """The kernels (own, enemy) → whether the table has the position, (own, enemy, record) → its chance in CERTAIN."""
    return _build_lookup(table.game, table.cubes)


def table_moves(table: EwnTable, position: Position, roll: int) -> dict[int, float]:
    """The value of each legal move after a roll in a position that the table covers: the mover's expected result."""
    values = {}
    for move in table.game.legal(position, roll):
        following = table.game.play_position(position, move)
        result = int(table.game.outcome(following))
        values[move] = -(float(result) if result != ONGOING else table.value(following))
    return values


def best_table_move(table: EwnTable, position: Position, roll: int) -> int:
    """A move with the highest value; one that wins at once before one that wins for sure."""
    game, values = table.game, table_moves(table, position, roll)
    return max(values, key=lambda move: (values[move], game.outcome(game.play_position(position, move)) != ONGOING))


def table_path(game: Game, cubes: int) -> Path:
    """The file of the table for up to this many cubes."""
    return cache_folder().parent / "tables" / f"{game.name}-up-to-{cubes}.table"


def check_cubes(game: Game, cubes: int) -> None:
    """Raise GameError when there is no such table."""
    if game.family != "ewn":
        raise GameError(f"there are no tables for {game.name}: only for ewn and ewn-ROWSxCOLUMNS-CUBES")
    if not 2 <= cubes <= 2 * game.faces:
        raise GameError(f"a table of {game.name} has 2 to {2 * game.faces} cubes on the board, not {cubes}")
    size = positions_up_to(game, cubes) * numpy.dtype(VALUE).itemsize
    if size > LARGEST_BYTES:
        raise GameError(
            f"the table of {game.name} with up to {cubes} cubes would take {size / 1e9:,.1f} GB: take fewer"
        )


def build_table(game: Game, cubes: int, threads: int = 1) -> Iterator[float]:
    """Build the file of a table; yields the finished part, 0 to 1. Raises WorkError when it cannot be written."""
    check_cubes(game, cubes)
    numbers = number_positions(game, cubes)
    path, kind = table_path(game, cubes), _record_type(numbers)
    temporary = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name)
        os.ftruncate(handle, _HEADER.size + kind.itemsize)
        os.close(handle)
        record = numpy.memmap(temporary, dtype=kind, mode="r+", offset=_HEADER.size, shape=(1,))
        record["numbers"][0] = side_numbers(numbers)
        yield from fill(numbers, record["values"][0], threads)
        record.flush()
        checksum = _checksum(Path(temporary))
        with open(temporary, "r+b") as file:
            file.write(_HEADER.pack(_MAGIC, kind.itemsize, checksum))
        os.replace(temporary, path)
    except OSError as error:
        raise WorkError(f"the table {path} cannot be written: {error.strerror}") from error
    finally:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)


def open_table(game: Game, cubes: int, *, thorough: bool = False) -> EwnTable | None:
    """The table for up to this many cubes; None if its file is missing or damaged."""
    path = table_path(game, cubes)
    try:
        with open(path, "rb") as file:
            header = file.read(_HEADER.size)
            size = os.fstat(file.fileno()).st_size
    except OSError:
        return None
    if len(header) < _HEADER.size:
        return None
    magic, length, checksum = _HEADER.unpack(header)
    numbers = number_positions(game, cubes)
    kind = _record_type(numbers)
    if magic != _MAGIC or length != kind.itemsize or size != _HEADER.size + length:
        return None
    if (thorough or length <= CHECKED_BYTES) and checksum[:_CHECKSUM_BYTES] != _checksum(path):
        return None
    record = numpy.memmap(path, dtype=kind, mode="r", offset=_HEADER.size, shape=(1,)).view(numpy.ndarray)[0]
    return EwnTable(game, numbers, record, path)


@functools.lru_cache(maxsize=8)
def find_table(game: Game) -> EwnTable | None:
    """The largest table of a game that is there, else the usual one if that is built within seconds; else None."""
    if game.family != "ewn":
        return None
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
        # A cache that cannot be written costs strength, never the work.
        return None
    return open_table(game, cubes)


@functools.cache
def _record_type(numbers: CubeNumbers) -> numpy.dtype:
    """One object for equal fields: the compiler recognises it fast."""
    _, _, length = side_offsets(numbers)
    fields = [("numbers", numpy.int32, length), ("values", VALUE, numbers.positions)]
    return numpy.dtype((numpy.record, numpy.dtype(fields)))


def _checksum(path: Path) -> bytes:
    """Of everything behind the header."""
    digest = hashlib.blake2b(digest_size=_CHECKSUM_BYTES)
    with open(path, "rb") as file:
        file.seek(_HEADER.size)
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return digest.digest()


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
        """The squares of the cubes as a number to the base of the squares, the lowest cube first, or the highest."""
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
