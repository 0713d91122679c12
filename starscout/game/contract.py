"""The game contract: kernels for the rules, functions for text, and the laws they must satisfy.

Vocabulary
    side      0 or 1, in the order of `sides` ("red", "blue"); the mover is the side to move
    position  a NamedTuple of numbers, immutable, with a field `mover`; it contains no die and no random generator
    roll      1 … faces, all equally likely; 0 = not rolled yet. A game without dice has faces = 1 and roll 1
    group     rolls that allow the same moves, searched as one branch: a representative roll and their number
    move      a number, valid in one position only; `format_move` converts it to text
    ply       a roll and the move that answers it; a forced pass is a move
    outcome   WIN, DRAW or LOSS for the mover, or ONGOING

Decorate the kernels of the rules with `@kernel(inline=True)`: work that `outcome` and `moves` share is then done once.

A new game is a file or package that defines `GAME` (see examples/); evaluations, presets and other hooks go into
`knowledge`. `starscout laws FILE` checks the laws:
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
    """The content of a square: a short text and the side it belongs to (None: neither)."""

    text: str
    side: int | None


@dataclass(frozen=True)
class Outcome:
    """The result of a game: the winning side (None: a draw) and the reason."""

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
    """A game: kernels for its rules, plain functions for its text. Fields left None are derived.

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
    """Maximum number of moves for any position and roll: the length of a row that `moves` fills."""
    max_plies: int
    """Maximum length of a game in plies."""
    position: type
    """The class of the positions. Its fields are annotated `Word` or `int`."""

    # Kernels: the rules.
    start: Callable[[Word], Position]
    """(seed) → a start position; seeds 0 … starts − 1 give each start once."""
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
    """(text) → position, roll; raises GameError with a message that says what is wrong and where."""
    format_move: Callable[[Position, int], str]
    """(position, move) → text."""
    cells: Callable[[Position], Sequence[Cell]]
    """(position) → the content of each square, rows from the top."""
    reason: Callable[[Position], str]
    """(finished position) → the reason in a word or two ("corner", "captured all")."""

    starts: int = 1
    """Number of different starts; 0: more than fit in 32 bits."""
    move_spellings: Callable[[str], str] = lambda text: text
    """(text) → the move in the spelling of `format_move`, to accept other notations."""
    move_squares: Callable[[Position, int], tuple[int, ...]] = lambda position, move: ()
    """(position, move) → the squares that a diagram marks for the move."""
    dice_to_come: Callable[[Position], Sequence[str]] = lambda position: ()
    """(position) → the known dice of the next plies as text, in order."""
    symmetries: tuple[Symmetry, ...] = ()
    other_side_first: Callable[[Position], Position] | None = None
    """(start) → the same start with the other side to move, for games in which either side may begin."""
    typical_plies: int = 40
    """Mean number of plies of a game between strong players; clocks are divided by it."""

    # Actions and observations of environments/.
    actions: int = 0
    """Number of actions; 0: an action is the index of a move in the list of legal moves."""
    action: Callable[..., int] | None = None
    """*kernel* (position, move) → its action, 0 … actions − 1, distinct for the legal moves of a position."""
    view: Callable[..., None] | None = None
    """*kernel* (position, out) → writes the type of each piece, 1 or more, into out[square].

    It is negative for the side not to move. Squares are in the order of `cells`; out is zeroed by the caller.
    """

    # Knowledge beyond the rules.
    family: str = ""
    """The built-in game whose knowledge applies, for all its variants; empty for a user's game."""
    knowledge: Any = None
    """The game's own evaluations, presets and hooks, a `starscout.evaluation.Knowledge`; None: its family's."""
    file: str = ""
    """The file or folder that the game was loaded from, set by `games.load`; empty for a built-in game."""

    # Optional fields with derived defaults.
    die: Callable[[Position, int], str | None] = field(default=None)  # pyright: ignore[reportAssignmentType]
    """(position, roll) → the die as text, None if none is rolled. Derived: the roll."""
    opening_plies: int = field(default=None)  # pyright: ignore[reportAssignmentType]
    """Random plies at the start of a game of a match. Derived: 0 with dice, else 8 from one start, 4 from several."""
    plies_deviation: float = field(default=None)  # pyright: ignore[reportAssignmentType]
    """Standard deviation of that number of plies. Derived: a fifth of `typical_plies`."""
    plies_left: Callable[[Position, int], float] = field(default=None)  # pyright: ignore[reportAssignmentType]
    """(position, ply) → expected number of plies to the end of the game, at least 1; clocks are divided by it.

    Derived: the mean residual of normally distributed game lengths; with dice two standard deviations more, because a
    search has to see the end of the long lines, too.
    """

    # Optional kernels with derived defaults.
    groups: Callable[[Position], int] = field(default=None)  # pyright: ignore[reportAssignmentType]
    """(position) → number of groups of rolls. Derived: each roll is its own group."""
    group: Callable[..., tuple[int, int]] = field(default=None)  # pyright: ignore[reportAssignmentType]
    """(position, index) → a representative roll of the group, and the number of rolls in it."""
    count: Callable[..., int] = field(default=None)  # pyright: ignore[reportAssignmentType]
    """(position, roll, scratch row) → the number of legal moves."""
    pick: Callable[..., int] = field(default=None)  # pyright: ignore[reportAssignmentType]
    """(position, roll, random word, scratch row) → a legal move, all equally likely."""
    key: Callable[[Position], tuple[Word, Word]] = field(default=None)  # pyright: ignore[reportAssignmentType]
    """(position) → two words; positions with equal keys have equal values. Derived: a 128-bit hash of the fields."""

    def __post_init__(self) -> None:
        _check_contract(self)
        # Numba's dispatcher distinguishes named tuples by the name of their class only.
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
        """Whether a die is rolled before each ply; dice known in advance do not count."""
        return self.faces > 1

    def as_position(self, fields: Sequence[int]) -> Position:
        """The position with these fields, converted to their declared types."""
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
        """`play` for Python callers."""
        return self.as_position(self.play(position, move))

    def legal(self, position: Position, roll: int) -> list[int]:
        """The legal moves, for Python callers; empty when the game is over."""
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
"""Integer fields of a game and their minimum."""

ARGUMENTS = {
    "start": ("seed",), "moves": ("position", "roll", "out"), "play": ("position", "move"), "outcome": ("position",),
    "groups": ("position",), "group": ("position", "index"), "count": ("position", "roll", "row"),
    "pick": ("position", "roll", "random", "row"), "key": ("position",),
    "format": ("position", "roll"), "parse": ("text",), "format_move": ("position", "move"), "cells": ("position",),
    "reason": ("position",), "move_spellings": ("text",), "move_squares": ("position", "move"),
    "other_side_first": ("position",), "action": ("position", "move"), "view": ("position", "out"),
    "die": ("position", "roll"), "dice_to_come": ("position",), "plies_left": ("position", "ply"),
}  # fmt: skip
"""Functions of a game and their arguments."""

KERNELS = ("start", "moves", "play", "outcome", "groups", "group", "count", "pick", "key", "action", "view")


def _check_contract(game: Game) -> None:
    """Raise GameError for invalid fields; `check_laws` finds what only play can show."""
    # A game file may lack type annotations, so the types are checked at run time.
    given: dict[str, Any] = vars(game)
    if not isinstance(given["name"], str) or not game.name or re.search(r"[\s/\\]|\.py$", game.name):
        raise GameError(f"name: expected a text without spaces and slashes, got {game.name!r}")
    sides = game.sides
    names: tuple[Any, ...] = sides if isinstance(given["sides"], tuple) else ()
    if not (len(names) == 2 and all(isinstance(side, str) and side for side in names)):
        raise GameError(f'{game.name}: sides: expected two names, like ("red", "blue"), got {sides!r}')
    if sides[0] == sides[1]:
        raise GameError(f"{game.name}: sides: expected two different names, got {sides[0]!r} twice")
    for name, least in {**LEAST, "opening_plies": 0}.items():
        number = given[name]
        if name == "opening_plies" and number is None:
            continue
        if isinstance(number, bool) or not isinstance(number, Integral) or int(number) < least:
            raise GameError(f"{game.name}: {name}: expected a whole number, {least} or more, got {number!r}")
    deviation: Any = given["plies_deviation"]
    if deviation is not None and not (isinstance(deviation, Real) and 0.0 <= float(deviation) < math.inf):
        raise GameError(f"{game.name}: plies_deviation: expected a number, 0 or more, got {deviation!r}")
    kind: Any = given["position"]
    if not (isinstance(kind, type) and issubclass(kind, tuple) and "mover" in getattr(game.position, "_fields", ())):
        raise GameError(f"{game.name}: position: expected a NamedTuple class with a field `mover`, got {kind!r}")
    if any(declared not in (int, Word) for declared in get_type_hints(game.position).values()):
        fields = ", ".join(_field_texts(game.position))
        raise GameError(f"{game.name}: position: expected fields of type `int` or `Word`, got {fields}")
    for name, arguments in ARGUMENTS.items():
        function = getattr(game, name)
        if function is not None:
            _check_function(game, name, function, arguments)


def _check_function(game: Game, name: str, function: Any, arguments: tuple[str, ...]) -> None:
    if not callable(function):
        raise GameError(f"{game.name}: {name}: expected a function of ({', '.join(arguments)}), got {function!r}")
    if name in KERNELS and not is_kernel(function):
        raise GameError(f"{game.name}: {name}: expected a kernel; decorate the function with @kernel(inline=True)")
    try:
        inspect.signature(getattr(function, "py_func", function)).bind(*arguments)
    except TypeError as error:
        raise GameError(f"{game.name}: {name} is called with ({', '.join(arguments)}): {error}") from error


def new_row(game: Game) -> numpy.ndarray:
    """An empty row for `moves`."""
    return numpy.zeros(game.max_moves, dtype=numpy.int64)


def new_rows(game: Game, plies: int) -> numpy.ndarray:
    """One row per ply, allocated once for a whole search."""
    return numpy.zeros((plies, game.max_moves), dtype=numpy.int64)


def _die(game: Game) -> Callable[[Position, int], str | None]:
    return lambda position, roll: str(roll) if game.has_dice and roll != NOT_ROLLED else None


def _opening_plies(game: Game) -> int:
    if game.has_dice:
        return 0
    # A short game is not over before it has begun.
    return min(8 if game.starts == 1 else 4, game.max_plies // 6)


def _plies_left(game: Game) -> Callable[[Position, int], float]:
    long_lines = 2.0 * game.plies_deviation if game.has_dice else 0.0
    return lambda position, ply: long_lines + expected_plies_left(ply, game.typical_plies, game.plies_deviation)


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
