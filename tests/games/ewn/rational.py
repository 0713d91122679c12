"""EinStein würfelt nicht! in rational arithmetic, an independent reference without merged positions."""

import functools
from fractions import Fraction

Side = tuple[tuple[int, int, int], ...]
"""(number from 1, rows to go, columns to go) of each cube, sorted: both sides march towards (0, 0)."""


class RationalGame:
    """A board of rows × columns and a die with `faces` faces."""

    def __init__(self, rows: int, columns: int, faces: int) -> None:
        self.rows, self.columns, self.faces = rows, columns, faces
        self.chance = functools.cache(self._chance)
        self.starts: list[tuple[Side, Side]] = []

    def _chance(self, mover: Side, other: Side) -> Fraction:
        """The mover's chance to win before the roll."""
        total = Fraction(0)
        for roll in range(1, self.faces + 1):
            total += max(self.move_chance(mover, other, *move) for move in self.moves(mover, roll))
        return total / self.faces

    def moves(self, mover: Side, roll: int) -> list[tuple[int, int, int]]:
        """(number, rows, columns to go after the move) of each legal move."""
        numbers = [cube[0] for cube in mover]
        lower = [number for number in numbers if number < roll]
        higher = [number for number in numbers if number > roll]
        may = [roll] if roll in numbers else [*lower[-1:], *higher[:1]]
        steps = ((0, 1), (1, 0), (1, 1))
        return [
            (number, down - a, right - b)
            for number, down, right in mover
            if number in may
            for a, b in steps
            if down >= a and right >= b
        ]

    def move_chance(self, mover: Side, other: Side, number: int, down: int, right: int) -> Fraction:
        """The mover's chance after a move."""
        following = self.after(mover, other, number, down, right)
        return Fraction(1) if following is None else 1 - self.chance(*following)

    def after(self, mover: Side, other: Side, number: int, down: int, right: int) -> tuple[Side, Side] | None:
        """The sides after a move, the next mover first; None if it wins."""
        kept = (c for c in mover if c[0] != number and c[1:] != (down, right))
        mine = (*kept, (number, down, right))
        # The same square seen from the other corner.
        there = (self.rows - 1 - down, self.columns - 1 - right)
        theirs = tuple(c for c in other if c[1:] != there)
        return None if (down, right) == (0, 0) or not theirs else (theirs, tuple(sorted(mine)))
