"""Retrograde analysis of EinStein würfelt nicht!: fills a table with the values of all positions with few cubes.

A value is the mover's win probability before the roll, in units of 1/65535 (CERTAIN). A capture leaves fewer cubes, and
every move reduces the total distance of the cubes: positions are filled by the number of their cubes and then by that
distance, so the successors of a position are filled before it. Each mean over the rolls is rounded once.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy

from starscout.games.ewn.table_index import NONE, CubeNumbers, roll_groups
from starscout.kernels.kernel import borrowed, kernel
from starscout.kernels.stop_flags import raised, stoppable

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


def fill(numbers: CubeNumbers, values: numpy.ndarray, threads: int) -> Iterator[float]:
    """Write the value of every position into `values`; yields the finished part, 0 to 1."""
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
                rules = groups, targets, numbers.faces
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
    """A set of cubes without its cube number `without`, counted from the lowest."""
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
                    chance = CERTAIN
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
                            chance = CERTAIN - values[at]
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
