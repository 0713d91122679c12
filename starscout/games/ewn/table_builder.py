"""Retrograde analysis of EinStein würfelt nicht!: fills a table with the values of all positions with few cubes.

A value is the mover's win probability before the roll, in units of 1/65535 (CERTAIN) or finer. A capture leaves fewer
cubes, and every move reduces the total distance of the cubes: positions are filled by the number of their cubes and
then by that distance, so the successors of a position are filled before it. Each mean over the rolls is rounded once,
to the nearest unit.

A position is a pair of sides, each from the perspective of its own corner, the mover first. A side is a class, the set
of its cubes' numbers, and a placement, their squares. Positions with equal values by symmetry share an index:

    numbers reversed   cube k becomes cubes + 1 − k: of two such sets one is the class; a set that is its own reverse
                       shares placements; a single cube moves with every roll, so all single cubes are one class
    transposed         on square boards, both sides at once: the mover's side decides

    index of a position = base[class, class] + index of the mover's side · placements of the other + other's index

Indices of a side increase with the total distance of its cubes, so that a table can be filled in the order of the
distance of both sides.
"""

import functools
import itertools
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy

from starscout.game import Game
from starscout.games.ewn.board import movable
from starscout.kernels.kernel import borrowed, kernel
from starscout.kernels.stop_flags import raised, stoppable

NONE = -1


@dataclass(frozen=True, eq=False)
class SideClass:
    """A set of cubes of one side, and the numbers of its placements.

    A placement is written as a number to the base of the squares: the first cube's square, then the next one's, in the
    side's own view.
    """

    cubes: tuple[int, ...]
    """The cubes of the set, from 0."""
    mover: numpy.ndarray
    """[placement] → 2 · number of the mover's side + 1 if the board has to be transposed; NONE if impossible."""
    other: numpy.ndarray
    """[transposed, placement] → the number of the other side; NONE if impossible."""
    mover_squares: numpy.ndarray
    """[number of a mover's side, cube] → square."""
    other_squares: numpy.ndarray
    """[number of another side, cube] → square."""
    mover_starts: numpy.ndarray
    """[distance] → the first number of a mover's side with this total distance or more."""
    other_starts: numpy.ndarray
    """[distance] → the first number of another side with this total distance or more."""


@dataclass(frozen=True, eq=False)
class CubeNumbers:
    """The numbers of all positions of a game with up to `most` cubes on the board."""

    rows: int
    columns: int
    faces: int
    most: int
    classes: tuple[SideClass, ...]
    """Sorted by the number of cubes."""
    class_of: numpy.ndarray
    """[set of cubes, one bit per cube] → its class; NONE if the set has too many cubes, or none."""
    reverse: numpy.ndarray
    """[set of cubes] → whether the class is of the reversed numbers."""
    base: numpy.ndarray
    """[class of the mover, class of the other] → the number of the first position; NONE above `most` cubes."""
    positions: int
    """Number of indices."""

    @property
    def squares(self) -> int:
        """The squares of the board."""
        return self.rows * self.columns

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The classes of the two sides that positions are made of."""
        return [(int(mover), int(other)) for mover, other in numpy.argwhere(self.base != NONE)]


def positions_up_to(game: Game, most: int) -> int:
    """An upper bound of the number of indices of a table for up to `most` cubes, without computing them."""
    squares, cubes = game.rows * game.columns - 1, game.faces
    placements = [0] * (cubes + 1)
    for count in range(1, min(cubes, most - 1) + 1):
        sets = {_class_set(chosen, cubes) for chosen in itertools.combinations(range(cubes), count)}
        ordered = int(numpy.prod([float(squares - number) for number in range(count)]))
        own_reverse = sum(_reversed_set(chosen, cubes) == chosen for chosen in sets) if count > 1 else 0
        placements[count] = len(sets) * ordered - own_reverse * ordered // 2
    symmetries = 2 if game.rows == game.columns else 1
    return sum(
        placements[own] * placements[enemy] // symmetries
        for own in range(1, cubes + 1)
        for enemy in range(1, cubes + 1)
        if own + enemy <= most
    )


@functools.lru_cache(maxsize=4)
def number_positions(game: Game, most: int) -> CubeNumbers:
    """The numbers of all positions with up to `most` cubes."""
    cubes, rows, columns = game.faces, game.rows, game.columns
    sets = [
        chosen
        for count in range(1, min(cubes, most - 1) + 1)
        for chosen in itertools.combinations(range(cubes), count)
        if _class_set(chosen, cubes) == chosen
    ]
    classes = tuple(_side_class(chosen, cubes, rows, columns) for chosen in sets)
    class_of = numpy.full(1 << cubes, NONE, dtype=numpy.int64)
    reverse = numpy.zeros(1 << cubes, dtype=numpy.int64)
    for word in range(1, 1 << cubes):
        chosen = tuple(cube for cube in range(cubes) if word >> cube & 1)
        canonical = _class_set(chosen, cubes)
        if canonical in sets:
            class_of[word] = sets.index(canonical)
            reverse[word] = len(chosen) > 1 and canonical != chosen
    base = numpy.full((len(sets), len(sets)), NONE, dtype=numpy.int64)
    positions = 0
    by_total = sorted(itertools.product(range(len(sets)), repeat=2), key=lambda p: len(sets[p[0]]) + len(sets[p[1]]))
    for mover, other in by_total:
        if len(sets[mover]) + len(sets[other]) <= most:
            base[mover, other] = positions
            positions += len(classes[mover].mover_squares) * len(classes[other].other_squares)
    return CubeNumbers(rows, columns, cubes, most, classes, class_of, reverse, base, positions)


def _reversed_set(chosen: tuple[int, ...], cubes: int) -> tuple[int, ...]:
    return tuple(sorted(cubes - 1 - cube for cube in chosen))


def _class_set(chosen: tuple[int, ...], cubes: int) -> tuple[int, ...]:
    """The representative of a set: the smaller of the set and its reverse; a single cube is cube 0."""
    return (0,) if len(chosen) == 1 else min(chosen, _reversed_set(chosen, cubes))


def roll_groups(side: SideClass, faces: int) -> list[tuple[int, int, int]]:
    """(first cube that may move, second one or the first again, number of rolls); cubes are indices in the set."""
    word = sum(1 << cube for cube in side.cubes)
    found: dict[tuple[int, ...], int] = {}
    for roll in range(1, faces + 1):
        movers = movable(word, roll, faces)
        found[movers] = found.get(movers, 0) + 1
    return [(side.cubes.index(movers[0]), side.cubes.index(movers[-1]), rolls) for movers, rolls in found.items()]


def _side_class(chosen: tuple[int, ...], cubes: int, rows: int, columns: int) -> SideClass:
    count, squares = len(chosen), rows * columns
    keys = numpy.arange(squares**count)
    places = [keys // squares ** (count - 1 - cube) % squares for cube in range(count)]
    flipped = [place % columns * columns + place // columns for place in places]
    distances = sum((rows - 1 - place // columns) + (columns - 1 - place % columns) for place in places)
    valid = numpy.ones(len(keys), dtype=bool)
    for cube in range(count):
        valid &= places[cube] != squares - 1
        for earlier in range(cube):
            valid &= places[cube] != places[earlier]

    def key(of_places: list[Any]) -> Any:
        total = numpy.zeros_like(keys)
        for place in of_places:
            total = total * squares + place
        return total

    own_reverse = count > 1 and _reversed_set(chosen, cubes) == chosen
    standing = numpy.minimum(keys, key(places[::-1])) if own_reverse else keys
    transposed = numpy.minimum(key(flipped), key(flipped[::-1])) if own_reverse else key(flipped)
    if rows != columns:
        transposed = standing
    other, other_squares, other_starts = _numbered(standing, valid, distances, places)
    least = numpy.minimum(standing, transposed)
    mover, mover_squares, mover_starts = _numbered(least, valid, distances, places)
    mover = numpy.where(valid, 2 * mover + (transposed < standing), NONE).astype(numpy.int32)
    both = numpy.stack([other, numpy.where(valid, other[transposed], NONE)]).astype(numpy.int32)
    return SideClass(chosen, mover, both, mover_squares, other_squares, mover_starts, other_starts)


def _numbered(
    standing: Any, valid: Any, distances: Any, places: list[Any]
) -> tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray]:
    """The number of each placement, the squares of each number, and the first number of each distance.

    `standing` is the placement that a placement shares its number with.
    """
    keys = numpy.arange(len(standing))
    chosen = keys[valid & (standing == keys)]
    chosen = chosen[numpy.argsort(distances[chosen], kind="stable")]
    numbers = numpy.full(len(keys), NONE, dtype=numpy.int64)
    numbers[chosen] = numpy.arange(len(chosen))
    numbers = numpy.where(valid, numbers[standing], NONE)
    squares = numpy.stack([place[chosen] for place in places], axis=1).astype(numpy.int64)
    starts = numpy.searchsorted(distances[chosen], numpy.arange(int(distances.max()) + 2))
    return numbers, squares, starts


CERTAIN = 65535
VALUE = numpy.uint16
STEPS = ((0, 1), (1, 0), (1, 1))


def side_offsets(numbers: CubeNumbers) -> tuple[numpy.ndarray, numpy.ndarray, int]:
    """[class] → offsets of the mover's and of the other side's indices in `side_numbers`; and its length."""
    mover, other = [], []
    length = 0
    for side in numbers.classes:
        mover.append(length)
        other.append(length + len(side.mover))
        length += 3 * len(side.mover)
    return numpy.array(mover, dtype=numpy.int64), numpy.array(other, dtype=numpy.int64), length


def side_numbers(numbers: CubeNumbers) -> numpy.ndarray:
    """The indices of all placements of all classes in one array."""
    parts = [part for side in numbers.classes for part in (side.mover, side.other.reshape(-1))]
    return numpy.concatenate(parts).astype(numpy.int32)


def fill(numbers: CubeNumbers, values: numpy.ndarray, threads: int, certain: int = CERTAIN) -> Iterator[float]:
    """Write the value of every position into `values`, in units of 1/`certain`; yields the finished part, 0 to 1."""
    targets = _targets(numbers.rows, numbers.columns)
    mover_offset, other_offset, _ = side_offsets(numbers)
    flat = side_numbers(numbers)
    sets = numpy.array([sum(1 << cube for cube in side.cubes) for side in numbers.classes], dtype=numpy.int64)
    counts = numpy.array([len(side.other_squares) for side in numbers.classes], dtype=numpy.int64)
    shared = (numbers.class_of, numbers.reverse, numbers.base, sets, counts, mover_offset, other_offset, flat, values)
    done = 0
    with stoppable() as flag, ThreadPoolExecutor(threads) as pool:
        for blocks in _layers(numbers):
            jobs = []
            for mover, other, first, last, from_other, to_other in blocks:
                side, enemy = numbers.classes[mover], numbers.classes[other]
                groups = numpy.array(roll_groups(side, numbers.faces), dtype=numpy.int64)
                squares = side.mover_squares[first:last], enemy.other_squares[from_other:to_other]
                rules = groups, targets, numbers.faces, certain
                jobs.append(pool.submit(_fill_block, mover, other, first, from_other, *squares, *rules, *shared, flag))
                done += (last - first) * (to_other - from_other)
            for job in jobs:
                job.result()
            yield done / numbers.positions


def _layers(numbers: CubeNumbers) -> Iterator[list[tuple[int, int, int, int, int, int]]]:
    """Blocks (mover's class, other's class, indices of both sides) that can be filled together."""
    sizes = [len(side.cubes) for side in numbers.classes]
    for total in range(2, numbers.most + 1):
        pairs = [pair for pair in numbers.pairs if sizes[pair[0]] + sizes[pair[1]] == total]
        farthest = total * (numbers.rows + numbers.columns - 2)
        for distance in range(farthest + 1):
            blocks = []
            for mover, other in pairs:
                starts, other_starts = numbers.classes[mover].mover_starts, numbers.classes[other].other_starts
                for part in range(min(distance + 1, len(starts) - 1)):
                    rest = distance - part
                    if rest + 1 < len(other_starts):
                        block = (*starts[part : part + 2], *other_starts[rest : rest + 2])
                        if block[0] < block[1] and block[2] < block[3]:
                            blocks.append((mover, other, *(int(end) for end in block)))
            if blocks:
                yield blocks


def _targets(rows: int, columns: int) -> numpy.ndarray:
    """[square, step] → the square after the step, in the mover's view; NONE off the board."""
    targets = numpy.full((rows * columns, len(STEPS)), NONE, dtype=numpy.int64)
    for square in range(rows * columns):
        row, column = divmod(square, columns)
        for step, (down, right) in enumerate(STEPS):
            if row + down < rows and column + right < columns:
                targets[square, step] = (row + down) * columns + column + right
    return targets


@kernel
def _placement(places: numpy.ndarray, count: int, without: int, reverse: int, squares: int) -> int:
    """The placement of the cubes as a number to the base of the squares, one of them left out."""
    key = 0
    for number in range(count):
        cube = count - 1 - number if reverse else number
        if cube != without:
            key = key * squares + places[cube]
    return key


@kernel
def _set_without(word: int, without: int) -> int:
    """Remove cube number `without` from a set of cubes, counting from the lowest."""
    left, number = word, 0
    while number < without:
        left &= left - 1
        number += 1
    return word & ~(left & -left) if without != NONE else word


@kernel
def _fill_block(
    mover: int,
    other: int,
    first: int,
    from_other: int,
    mover_squares: numpy.ndarray,
    other_squares: numpy.ndarray,
    groups: numpy.ndarray,
    targets: numpy.ndarray,
    faces: int,
    certain: int,
    class_of: numpy.ndarray,
    reverse: numpy.ndarray,
    base: numpy.ndarray,
    sets: numpy.ndarray,
    counts: numpy.ndarray,
    mover_offset: numpy.ndarray,
    other_offset: numpy.ndarray,
    numbers: numpy.ndarray,
    values: numpy.ndarray,
    flag: numpy.ndarray,
) -> None:
    values, numbers = borrowed(values), borrowed(numbers)
    squares = targets.shape[0]
    goal, steps = squares - 1, targets.shape[1]
    own_count, enemy_count = mover_squares.shape[1], other_squares.shape[1]
    most_moves = own_count * steps
    move_target = numpy.empty(most_moves, dtype=numpy.int64)
    move_class = numpy.empty(most_moves, dtype=numpy.int64)
    move_number = numpy.empty((2, most_moves), dtype=numpy.int64)
    best = numpy.empty(own_count, dtype=numpy.int64)
    moved = numpy.empty(own_count, dtype=numpy.int64)
    for own in range(mover_squares.shape[0]):
        if raised(flag) != 0:
            return
        # Step 1: the mover's side after each of its moves, as the other side of the next position.
        places = mover_squares[own]
        for cube in range(own_count):
            for step in range(steps):
                move = cube * steps + step
                target = targets[places[cube], step]
                move_target[move] = target
                if target in (NONE, goal):
                    continue
                captured = NONE
                for number in range(own_count):
                    moved[number] = places[number]
                    if places[number] == target:
                        captured = number
                moved[cube] = target
                word = _set_without(sets[mover], captured)
                left = own_count if captured == NONE else own_count - 1
                side = class_of[word]
                key = _placement(moved, own_count, captured, reverse[word], squares)
                move_class[move] = side
                move_number[0, move] = numbers[other_offset[side] + key]
                move_number[1, move] = numbers[other_offset[side] + squares**left + key]
        # Step 2: every placement of the other side.
        for enemy in range(other_squares.shape[0]):
            stones = other_squares[enemy]
            overlapping = False
            for cube in range(enemy_count):
                for number in range(own_count):
                    if places[number] == goal - stones[cube]:
                        overlapping = True
            if overlapping:
                continue
            mine = numbers[mover_offset[other] + _placement(stones, enemy_count, NONE, 0, squares)]
            for cube in range(own_count):
                best[cube] = 0
                for step in range(steps):
                    move = cube * steps + step
                    target = move_target[move]
                    if target == NONE:
                        continue
                    chance = certain
                    if target != goal:
                        captured = NONE
                        for number in range(enemy_count):
                            if stones[number] == goal - target:
                                captured = number
                        side, found = other, mine
                        if captured != NONE and enemy_count > 1:
                            word = _set_without(sets[other], captured)
                            side = class_of[word]
                            key = _placement(stones, enemy_count, captured, reverse[word], squares)
                            found = numbers[mover_offset[side] + key]
                        if captured == NONE or enemy_count > 1:
                            number = move_number[found & 1, move]
                            at = base[side, move_class[move]] + (found >> 1) * counts[move_class[move]] + number
                            chance = certain - values[at]
                    best[cube] = max(best[cube], chance)
            # Step 3: the mean over the rolls.
            total = faces // 2
            for group in range(groups.shape[0]):
                total += groups[group, 2] * max(best[groups[group, 0]], best[groups[group, 1]])
            values[base[mover, other] + (first + own) * counts[other] + from_other + enemy] = total // faces


@kernel
def count_positions(mover_squares: numpy.ndarray, other_squares: numpy.ndarray, goal: int) -> int:
    """Number of pairs of placements that share no square."""
    total = 0
    for own in range(mover_squares.shape[0]):
        occupied = 0
        for cube in range(mover_squares.shape[1]):
            occupied |= 1 << mover_squares[own, cube]
        for enemy in range(other_squares.shape[0]):
            overlapping = 0
            for cube in range(other_squares.shape[1]):
                overlapping |= occupied >> (goal - other_squares[enemy, cube]) & 1
            total += 1 - overlapping
    return total
