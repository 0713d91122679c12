"""What a game is: kernels for its rules, functions for its text, and the laws that bind them.

Vocabulary
    side      0 or 1, in the order of `sides` ("red", "blue"); the mover is the side to move
    position  a NamedTuple of numbers, immutable, with a field `mover`; no die and no random generator in it
    roll      1 … faces, all equally likely; 0 = not rolled yet. A game without dice has faces = 1 and always roll 1
    group     rolls that allow the same moves, searched as one branch: one roll that stands for them, and their number
    move      a number that means something in one position only; text comes and goes through `format_move`
    ply       a roll and the move that answers it; a forced pass is a move
    outcome   WIN, DRAW or LOSS for the mover, or ONGOING

Mark the kernels of the rules `@kernel(inline=True)`: work that `outcome` and `moves` share is then done once.

A new game is one file with a `GAME` in it (see examples/), which may hold its evaluations and players too: see
`knowledge`. `starscout laws FILE` checks that it keeps the laws:
    a position that is not over has a move for every roll            no move leaves the board
    `play` gives the turn to the other side                          a game ends within `max_plies`
    the weights of the groups sum to `faces`, and a group's rolls    parse(format(position)) is the position
    allow the same moves                                             symmetries keep moves and outcomes
    equal keys are equal positions                                   `count` and `pick` agree with `moves`
"""

import functools
import inspect
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any, NamedTuple, get_type_hints

import numpy

from starscout.errors import GameError
from starscout.kernels.bits import WORD_ZERO, Word, below, mix
from starscout.kernels.kernel import is_kernel, kernel, unroll

LOSS, DRAW, WIN, ONGOING = -1, 0, 1, 2
NOT_ROLLED = 0

Position = Any
"""A NamedTuple of numbers, of the class that the game defines."""


class Cell(NamedTuple):
    """What a board shows on one square: a short text and the side it belongs to (None: neither)."""

    text: str
    side: int | None


@dataclass(frozen=True)
class Outcome:
    """How a game ended: the side that won (None: a draw) and why."""

    winner: int | None
    reason: str


@dataclass(frozen=True)
class Symmetry:
    """A mapping of squares, moves and rolls that preserves every value."""

    name: str
    position: Callable[[Position], Position]
    move: Callable[[Position, int], int]
    roll: Callable[[int], int] = lambda roll: roll


@dataclass(frozen=True)
class Game:
    """A game: kernels for its rules, plain functions for its text. What is left None is derived from the rest.

    >>> import starscout
    >>> game = starscout.load("ewn")
    >>> game.sides, game.faces, game.has_dice
    (('red', 'blue'), 6, True)
    """

    name: str
    title: str
    description: str
    dice: str
    sides: tuple[str, str]
    rows: int
    columns: int
    faces: int
    max_moves: int
    """The most moves that any position and roll allow: the length of a row that `moves` fills."""
    max_plies: int
    """No game is longer."""
    position: type
    """The class of the positions. Its annotations say what each field is: `Word` or `int`."""

    # Kernels: the rules.
    start: Callable[[Word], Position]
    """(seed) → a start position; seeds 0 … starts − 1 give each one once."""
    moves: Callable[..., int]
    """(position, roll, out) → n: writes the legal moves into out[0 … n − 1]. Only for positions that are not over."""
    play: Callable[..., Position]
    """(position, move) → the next position; does not check that the move is legal."""
    outcome: Callable[[Position], int]
    """(position) → WIN, DRAW or LOSS for the mover, or ONGOING."""

    # Text, plain Python.
    format: Callable[[Position, int], str]
    """(position, roll) → text."""
    parse: Callable[[str], tuple[Position, int]]
    """(text) → position, roll; raises GameError with a sentence that says what is wrong and where."""
    format_move: Callable[[Position, int], str]
    """(position, move) → text."""
    cells: Callable[[Position], Sequence[Cell]]
    """(position) → what stands on each square, rows from the top."""
    reason: Callable[[Position], str]
    """(finished position) → why it is over, in a word or two ("corner", "captured all", "discs", "numbers")."""

    starts: int = 1
    """How many different starts there are; 0: more than 32 bits can count."""
    move_spellings: Callable[[str], str] = lambda text: text
    """(text) → the same move as `format_move` spells it, for people who write moves in other ways."""
    move_squares: Callable[[Position, int], tuple[int, ...]] = lambda position, move: ()
    """(position, move) → the squares that a picture marks for the move."""
    dice_to_come: Callable[[Position], Sequence[str]] = lambda position: ()
    """(position) → the dice of the next plies, in their order, as a person reads them, where they are known."""
    symmetries: tuple[Symmetry, ...] = ()
    other_side_first: Callable[[Position], Position] | None = None
    """(start) → the same start with the other side to move first, for games in which either side may begin."""
    typical_plies: int = 40
    """Mean number of plies in which a strong player has to think; later ones are forced, decided or solved."""

    # What programs that learn see; see environments/.
    actions: int = 0
    """How many actions there are; 0: an action is the place of a move in the list of legal ones."""
    action: Callable[..., int] | None = None
    """*kernel* (position, move) → its action, 0 … actions − 1, another one for every legal move of a position."""
    view: Callable[..., None] | None = None
    """*kernel* (position, out) → writes into out[square] the kind of the piece there, 1 or more, negative for the side
    that is not to move. Squares are in the order of `cells`, and out is 0 everywhere before."""

    # What is known about the game beyond its rules.
    family: str = ""
    """Whose evaluations and presets apply: "ewn" for `ewn` on a board of any size. A game of its own has no family."""
    knowledge: Any = None
    """The game's own evaluations, move classes and presets, a `starscout.evaluate.Knowledge`; None: its family's."""
    file: str = ""
    """The file that the game was loaded from, set by `games.load`; empty for a built-in game."""

    # What may be left to be derived.
    die: Callable[[Position, int], str | None] = field(default=None)  # pyright: ignore[reportAssignmentType]
    """(position, roll) → the die as a person reads it, None where none is rolled. Derived: the roll."""
    opening_plies: int = field(default=None)  # pyright: ignore[reportAssignmentType]
    """How many random plies open a game of a match. Derived: none with dice, else 8 from one start, 4 from several."""
    plies_deviation: float = field(default=None)  # pyright: ignore[reportAssignmentType]
    """Standard deviation of that number of plies. Derived: a fifth of `typical_plies`."""
    plies_left: Callable[[Position, int], float] = field(default=None)  # pyright: ignore[reportAssignmentType]
    """(position, ply) → expected number of plies that still need thought, at least 1; clocks are divided by it.

    Derived: the mean residual of normally distributed game lengths.
    """

    # Kernels that may be left to be derived.
    groups: Callable[[Position], int] = field(default=None)  # pyright: ignore[reportAssignmentType]
    """(position) → how many groups of rolls there are. Derived: each roll is its own group."""
    group: Callable[..., tuple[int, int]] = field(default=None)  # pyright: ignore[reportAssignmentType]
    """(position, index) → a roll that stands for the group, and how many rolls it stands for."""
    count: Callable[..., int] = field(default=None)  # pyright: ignore[reportAssignmentType]
    """(position, roll, scratch row) → the number of legal moves."""
    pick: Callable[..., int] = field(default=None)  # pyright: ignore[reportAssignmentType]
    """(position, roll, random word, scratch row) → a legal move, all equally likely."""
    key: Callable[[Position], tuple[Word, Word]] = field(default=None)  # pyright: ignore[reportAssignmentType]
    """(position) → two words; positions with equal keys have equal values. Derived: a 128-bit hash of the fields."""

    def __post_init__(self) -> None:
        _check_contract(self)
        # Numba's fast path to a compiled kernel tells named tuples apart by the name of their class alone.
        self.position.__name__ = f"{self.position.__qualname__}@{self.position.__module__}"
        derived: dict[str, Callable[[Game], Any]] = {
            "die": _die,
            "opening_plies": _opening_plies,
            "plies_deviation": lambda game: game.typical_plies / 5.0,
            "plies_left": _plies_left,
            "groups": _groups,
            "group": _group,
            "count": _count,
            "pick": _pick,
            "key": lambda game: _key,
        }
        for name, derive in derived.items():
            if getattr(self, name) is None:
                object.__setattr__(self, name, derive(self))

    @property
    def has_dice(self) -> bool:
        """Whether a die is rolled before each ply; dice that are known in advance do not count."""
        return self.faces > 1

    def as_position(self, fields: Sequence[int]) -> Position:
        """The position with these fields, converted to their declared types: for what a kernel returns."""
        kinds = _field_kinds(self.position)
        try:
            return self.position(*[kind(value) for kind, value in zip(kinds, fields, strict=True)])
        except (TypeError, ValueError, OverflowError) as error:
            raise GameError(
                f"{self.name}: {fields!r} is not a position: it has the fields "
                f"{', '.join(_field_texts(self.position))} ({error})"
            ) from error

    def start_position(self, seed: int = 0) -> Position:
        """Start number `seed` (modulo the number of starts)."""
        return self.as_position(self.start(Word(seed % self.starts if self.starts else seed)))

    def play_position(self, position: Position, move: int) -> Position:
        """`play`, for callers that are not kernels."""
        return self.as_position(self.play(position, move))

    def legal(self, position: Position, roll: int) -> list[int]:
        """The legal moves, for callers that are not kernels; none when the game is over."""
        if self.outcome(position) != ONGOING:
            return []
        row = new_row(self)
        count = self.moves(position, roll, row)
        return row[:count].tolist()


@functools.cache
def _field_kinds(position: type) -> tuple[type, ...]:
    """The declared types of the fields of a position class, in their order."""
    return tuple(get_type_hints(position).values())


def _field_texts(position: type) -> list[str]:
    return [f"{name}: {getattr(kind, '__name__', kind)}" for name, kind in get_type_hints(position).items()]


LEAST = {
    "rows": 1,
    "columns": 1,
    "faces": 1,
    "max_moves": 1,
    "max_plies": 1,
    "starts": 0,
    "typical_plies": 1,
    "actions": 0,
}
"""The numbers of a game, and the least that each can be."""

ARGUMENTS = {
    "start": ("seed",), "moves": ("position", "roll", "out"), "play": ("position", "move"), "outcome": ("position",),
    "groups": ("position",), "group": ("position", "index"), "count": ("position", "roll", "row"),
    "pick": ("position", "roll", "random", "row"), "key": ("position",),
    "format": ("position", "roll"), "parse": ("text",), "format_move": ("position", "move"), "cells": ("position",),
    "reason": ("position",), "move_spellings": ("text",), "move_squares": ("position", "move"),
    "other_side_first": ("position",), "action": ("position", "move"), "view": ("position", "out"),
    "die": ("position", "roll"), "dice_to_come": ("position",), "plies_left": ("position", "ply"),
}  # fmt: skip
"""The functions of a game, and what they are called with."""

KERNELS = ("start", "moves", "play", "outcome", "groups", "group", "count", "pick", "key", "action", "view")


def _check_contract(game: Game) -> None:
    """Raise GameError where a game cannot be what it says; what only play can show is for the laws."""
    # A game file may be written without types: what is declared is checked.
    given: dict[str, Any] = vars(game)
    if not isinstance(given["name"], str) or not game.name or re.search(r"[\s/\\]|\.py$", game.name):
        raise GameError(f"{game.name!r} cannot name a game: a name has no spaces and no slashes, and is not empty")
    sides = game.sides
    names: tuple[Any, ...] = sides if isinstance(given["sides"], tuple) else ()
    if not (len(names) == 2 and all(isinstance(side, str) and side for side in names)):
        raise GameError(f'{game.name}: sides is {sides!r}: it has to be two names, like ("red", "blue")')
    if sides[0] == sides[1]:
        raise GameError(f"{game.name}: both sides are called {sides[0]!r}")
    for name, least in {**LEAST, "opening_plies": 0}.items():
        number = given[name]
        if name == "opening_plies" and number is None:
            continue
        if isinstance(number, bool) or not isinstance(number, Integral) or int(number) < least:
            raise GameError(f"{game.name}: {name} is {number!r}: it has to be a whole number, {least} or more")
    deviation: Any = given["plies_deviation"]
    if deviation is not None and not (isinstance(deviation, Real) and 0.0 <= deviation < math.inf):
        raise GameError(f"{game.name}: plies_deviation: expected a number, 0 or more, got {deviation!r}")
    kind: Any = given["position"]
    if not (isinstance(kind, type) and issubclass(kind, tuple) and "mover" in getattr(game.position, "_fields", ())):
        raise GameError(f"{game.name}: position is {kind!r}: it has to be a NamedTuple class with a field `mover`")
    if any(declared not in (int, Word) for declared in get_type_hints(game.position).values()):
        fields = ", ".join(_field_texts(game.position))
        raise GameError(f"{game.name}: the fields of a position are declared `int` or `Word`, not {fields}")
    for name, arguments in ARGUMENTS.items():
        function = getattr(game, name)
        if function is not None:
            _check_function(game, name, function, arguments)


def _check_function(game: Game, name: str, function: Any, arguments: tuple[str, ...]) -> None:
    if not callable(function):
        raise GameError(f"{game.name}: {name} is {function!r}: it has to be a function of ({', '.join(arguments)})")
    if name in KERNELS and not is_kernel(function):
        raise GameError(f"{game.name}: {name} is not a kernel: write @kernel(inline=True) above the function")
    try:
        inspect.signature(getattr(function, "py_func", function)).bind(*arguments)
    except TypeError as error:
        raise GameError(f"{game.name}: {name} is called with ({', '.join(arguments)}): {error}") from error


def new_row(game: Game) -> numpy.ndarray:
    """An empty row for `moves`."""
    return numpy.zeros(game.max_moves, dtype=numpy.int64)


def new_rows(game: Game, plies: int) -> numpy.ndarray:
    """One row per ply, so that a search allocates nothing."""
    return numpy.zeros((plies, game.max_moves), dtype=numpy.int64)


def _die(game: Game) -> Callable[[Position, int], str | None]:
    return lambda position, roll: str(roll) if game.has_dice and roll != NOT_ROLLED else None


def _opening_plies(game: Game) -> int:
    if game.has_dice:
        return 0
    # A short game is not over before it has begun.
    return min(8 if game.starts == 1 else 4, game.max_plies // 6)


def _plies_left(game: Game) -> Callable[[Position, int], float]:
    return lambda position, ply: expected_plies_left(ply, game.typical_plies, game.plies_deviation)


def expected_plies_left(ply: int, mean: float, deviation: float) -> float:
    """E[N − ply | N > ply] for game lengths N with a normal distribution, at least 1."""
    z = (ply - mean) / deviation if deviation > 0.0 else math.copysign(math.inf, ply - mean)
    if z == -math.inf:
        return max(mean - ply, 1.0)
    if z > 5.0:
        # Asymptote of the inverse Mills ratio, whose two terms cancel here.
        return max(deviation / z, 1.0)
    density = math.exp(-z * z / 2.0) / math.sqrt(2.0 * math.pi)
    survival = math.erfc(z / math.sqrt(2.0)) / 2.0
    return max(mean - ply + deviation * density / survival, 1.0)


def _groups(game: Game) -> Any:
    faces = game.faces

    @kernel(inline=True)
    def groups(position: Position) -> int:
        return faces

    return groups


def _group(game: Game) -> Any:
    @kernel(inline=True)
    def group(position: Position, index: int) -> tuple[int, int]:
        return index + 1, 1

    return group


def _count(game: Game) -> Any:
    moves = game.moves

    @kernel(inline=True)
    def count(position: Position, roll: int, row: numpy.ndarray) -> int:
        return moves(position, roll, row)

    return count


def _pick(game: Game) -> Any:
    moves = game.moves

    @kernel(inline=True)
    def pick(position: Position, roll: int, random: Word, row: numpy.ndarray) -> int:
        return row[below(random, moves(position, roll, row))]

    return pick


@kernel(inline=True)
def _key(position: Position) -> tuple[Word, Word]:
    first, second = WORD_ZERO, WORD_ZERO
    for number in unroll(position):
        first = mix(first + Word(number))
        second = mix(second ^ mix(first))
    return first, second
