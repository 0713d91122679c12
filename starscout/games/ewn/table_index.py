"""Indices of the positions of EinStein würfelt nicht! with few cubes, for exact tables.

A position is a pair of sides, each seen from its own corner, the mover first. A side is a class, the set of its cubes'
numbers, and a placement, their squares. Positions with equal values by symmetry share an index:

    numbers reversed   cube k becomes cubes + 1 − k: of two such sets one is the class; a set that is its own reverse
                       shares placements; a single cube moves with every roll, so all single cubes are one class
    transposed         on square boards, both sides at once: the mover's side decides

    index of a position = base[class, class] + index of the mover's side · placements of the other + other's index

Indices of a side increase with the total distance of its cubes, so that a table can be filled in the order of the
distance of both sides.
"""

import functools
import itertools
from dataclasses import dataclass
from typing import Any

import numpy

from starscout.game import Game
from starscout.games.ewn.die import movable

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
    """[placement] → 2 · number of the mover's side + 1 if the board has to be transposed; NONE if it cannot be."""
    other: numpy.ndarray
    """[transposed, placement] → the number of the other side; NONE if it cannot be."""
    mover_squares: numpy.ndarray
    """[number of a mover's side, cube] → square."""
    other_squares: numpy.ndarray
    """[number of another side, cube] → square."""
    mover_starts: numpy.ndarray
    """[distance] → the first number of a mover's side that has this far to go, or farther."""
    other_starts: numpy.ndarray
    """[distance] → the first number of another side that has this far to go, or farther."""


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
    """(first cube that may move, second one or the first again, number of rolls), cubes as places in the set."""
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
