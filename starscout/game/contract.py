"""The game contract: kernels for the rules, functions for text, and the laws they must satisfy.

Vocabulary
    side      0 or 1, in the order of `sides` ("red", "blue"); the mover is the side to move
    position  a NamedTuple of numbers, immutable, with a field `mover`; it contains no random generator
    event     a result of chance before a decision, 1 or more, with an integer weight; 0 = not drawn yet, or no event.
              The roll of a fair die is an event from 1 to `faces`. A game without chance has faces = 1 and event 1
    group     events that allow the same moves, searched as one branch: one of the events and the sum of their weights
    move      a number, valid only in one position; `format_move` converts it to text
    ply       an event and the move that follows it; a forced pass is a move
    outcome   the mover's points from −points to points (WIN, DRAW and LOSS by default), or ONGOING
    value     the mover's expected points / points, in [−1, 1]

Decorate the kernels of the rules with `@kernel(inline=True)`: work that `outcome` and `moves` share is then done once.

A new game is a file or package that defines `GAME` (see examples/); evaluations, presets and other hooks go into
`knowledge`. `starscout laws FILE` checks the laws:
    a decision that is not over has a move                           no move leaves the board
    the turn alternates, unless the game declares otherwise          a game ends within `max_plies`
    the groups contain every event once, and the events of a         parse(format(position)) is the position
    group allow the same moves                                       symmetries keep moves and outcomes
    a resolved position has no events                                `count` and `pick` agree with `moves`
    equal keys are equal positions                                   outcomes are from −points to points
"""

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, get_type_hints

import numpy

from starscout.errors import GameError
from starscout.game import chance
from starscout.game.chance import NOT_ROLLED
from starscout.game.validation import check_contract, field_texts
from starscout.kernels.bits import WORD_ZERO, Word, as_word, below, mix
from starscout.kernels.kernel import kernel, unroll

LOSS, DRAW, WIN, ONGOING = -1, 0, 1, 1 << 20

Position = Any
"""A NamedTuple of numbers, of the class that the game defines."""


class Cell(NamedTuple):
    """The content of a square: a short text and the side it belongs to (None: neither)."""

    text: str
    side: int | None


@dataclass(frozen=True)
class Outcome:
    """The result of a game: the winning side (None: a draw), the reason, and the points of the winner."""

    winner: int | None
    reason: str
    points: int = 1
    """The points that the winner gains and the other side loses; 1 unless the game has a `points` scale."""


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
    >>> game.sides, game.faces, game.has_chance
    (('red', 'blue'), 6, True)
    """

    name: str
    title: str
    description: str
    dice: str
    sides: tuple[str, str]
    rows: int
    columns: int
    max_moves: int
    """Maximum number of moves for any position and event: the length of a row that `moves` fills."""
    max_plies: int
    """Maximum number of moves of a game. An event that ends it may follow the last one."""
    position: type
    """The class of the positions. Its fields are annotated `Word` or `int`."""

    # Kernels: the rules.
    start: Callable[[Word], Position]
    """(seed) → a start position; seeds 0 … starts − 1 give each start once."""
    moves: Callable[..., int]
    """(position, event, out) → n: writes the legal moves into out[0 … n − 1]. Only for positions that are not over."""
    play: Callable[..., Position]
    """(position, move) → the next position; does not check that the move is legal."""
    outcome: Callable[[Position], int]
    """(position) → the mover's points (WIN, DRAW or LOSS by default), or ONGOING."""

    # Text, plain Python.
    format: Callable[[Position, int], str]
    """(position, event) → text. A game with `resolve` ignores the event, which is 0."""
    parse: Callable[[str], tuple[Position, int]]
    """(text) → position, event; raises GameError with a message that states what is wrong and where."""
    format_move: Callable[[Position, int], str]
    """(position, move) → text."""
    cells: Callable[[Position], Sequence[Cell]]
    """(position) → the content of each square, rows from the top."""
    reason: Callable[[Position], str]
    """(finished position) → the reason in a word or two ("corner", "captured all")."""

    notes: Callable[[Position], tuple[str, ...]] = lambda position: ()
    """(position) → lines to show below the board, such as captured pieces."""

    # Chance, turns and scores; see game/chance.py.
    faces: int = 1
    """Faces of a fair die that is rolled before every move; 1: no die. `events` replaces it."""
    events: Callable[[Position], int] = field(default=None)  # pyright: ignore[reportAssignmentType]
    """*kernel* (position) → number of chance events; 0: none. Derived: the faces of the die."""
    event: Callable[..., tuple[int, int]] = field(default=None)  # pyright: ignore[reportAssignmentType]
    """*kernel* (position, index) → an event, 1 or more, and its weight, 1 or more. Derived: the faces of the die."""
    max_events: int = field(default=None)  # pyright: ignore[reportAssignmentType]
    """Maximum number of events of any position; required with `events`. Derived: `faces`."""
    resolve: Callable[..., Position] = field(default=None)  # pyright: ignore[reportAssignmentType]
    """*kernel* (position, event) → the position to decide in, which has no events. Called only with an event.

    Derived: the position itself; the event is then an argument of `moves`.
    """
    deal: Callable[[Position, int], Callable[[Position], int]] | None = None
    """(start, seed) → (position with events) → its event, for chance that depends on a square and not on the ply.

    Both games of a pair then share it, like the hidden pieces of one board. Derived: events are drawn by ply.
    """
    alternating: bool = True
    """Whether every move passes the turn to the other side."""
    points: int = 1
    """The largest number of points that a game can be worth."""
    repetition: int = 0
    """The number of occurrences of a position that makes the game a draw; 0: no such rule."""
    repetition_key: Callable[[Position], tuple[Word, Word]] = field(default=None)  # pyright: ignore[reportAssignmentType]
    """*kernel* (position) → two words, equal for positions that count as repeated. Derived: a hash of all fields."""

    starts: int = 1
    """Number of different starts; 0: more than fit in 32 bits."""
    move_spellings: Callable[[str], str] = lambda text: text
    """(text) → the move in the spelling of `format_move`, to accept other notations."""
    find_move: Callable[[Position, Sequence[int], str], int | None] = lambda position, legal, text: None
    """(position, legal moves, text) → the move that an unknown text describes, if its spelling depends on the position.

    Called if no legal move has this text; returns None if the text describes no legal move.
    """
    move_squares: Callable[[Position, int], tuple[int, ...]] = lambda position, move: ()
    """(position, move) → the squares that a diagram marks for the move."""
    move_steps: Callable[[Position, int], tuple[tuple[int, int], ...]] | None = None
    """(position, move) → the steps of a move of several pieces, each from one square to another, to enter by clicks."""
    picture: Callable[[Any, Any], str] | None = None
    """(state, view) → the board as SVG, for a `State` and a `BoardView` (drawing/svg.py). None: drawn from `cells`."""
    text_board: Callable[[Any, bool], Any] | None = None
    """(state, coloured) → the board as lines of `Span` (drawing/text.py) for terminals. None: drawn from `cells`."""
    dice_to_come: Callable[[Position], Sequence[str]] = lambda position: ()
    """(position) → the known dice of the next plies as text, in order."""
    symmetries: tuple[Symmetry, ...] = ()
    other_side_first: Callable[[Position], Position] | None = None
    """(start) → the same start with the other side to move, for games in which either side may begin."""
    typical_plies: int = 40
    """Mean number of plies of a game between strong players; clocks are divided by it."""
    deepening: float = 0.4
    """Increase in depth of equally long searches per ply of the game; 0 if positions do not become simpler."""

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
    format_event: Callable[[Position, int], str] = field(default=None)  # pyright: ignore[reportAssignmentType]
    """(position, event) → text without spaces: a roll `4`, two dice `31`, a revealed piece `k`. Derived: the number."""
    die: Callable[[Position, int], str | None] = field(default=None)  # pyright: ignore[reportAssignmentType]
    """(position, event) → the text of the event beside a board, None if none is drawn. Derived: `format_event`."""
    opening_plies: int = field(default=None)  # pyright: ignore[reportAssignmentType]
    """Random plies at the start of a game of a match. Derived: 0 with dice, else 8 from one start, 4 from several."""
    plies_deviation: float = field(default=None)  # pyright: ignore[reportAssignmentType]
    """Standard deviation of the number of plies of a game. Derived: a fifth of `typical_plies`."""
    plies_left: Callable[[Position, int], float] = field(default=None)  # pyright: ignore[reportAssignmentType]
    """(position, ply) → expected number of plies to the end of the game, at least 1; clocks are divided by it.

    Derived: the mean residual of normally distributed game lengths; with dice two standard deviations more, because a
    search must also reach the end of long lines.
    """

    # Optional kernels with derived defaults.
    groups: Callable[[Position], int] = field(default=None)  # pyright: ignore[reportAssignmentType]
    """(position) → number of groups of events, 1 or more. Derived: each event is its own group."""
    group: Callable[..., tuple[int, int]] = field(default=None)  # pyright: ignore[reportAssignmentType]
    """(position, index) → an event of the group, and the sum of the weights. Without events: 0 (or 1) and 1."""
    count: Callable[..., int] = field(default=None)  # pyright: ignore[reportAssignmentType]
    """(position, event, scratch row) → the number of legal moves."""
    pick: Callable[..., int] = field(default=None)  # pyright: ignore[reportAssignmentType]
    """(position, event, random word, scratch row) → a legal move, all equally likely."""
    random_moves: Callable[..., tuple[Position, int]] | None = None
    """(position, seed, counter, most) → the position after random plies, and their number; None: by `pick` and `play`.

    It plays until the game is over or for `most` plies; ply n is `pick` with the random word number `counter` + n of
    the seed. Only for games without events whose turn alternates.
    """
    key: Callable[[Position], tuple[Word, Word]] = field(default=None)  # pyright: ignore[reportAssignmentType]
    """(position) → two words; positions with equal keys have equal values. Derived: a 128-bit hash of the fields."""

    # Derived kernels, not for game files.
    total: Callable[[Position], int] = field(init=False)
    """(position) → the sum of the weights of the events; 1 without events."""
    draw: Callable[..., int] = field(init=False)
    """(position, random word) → an event by its weight; 0 (1 in a game without chance) without events."""
    sign: Callable[..., int] = field(init=False)
    """(position, next position) → 1 if the same side is to move, −1 if not."""
    result_value: Callable[[int], int] = field(init=False)
    """(outcome of a finished game) → its value in the units of game/values.py."""
    is_fair_die: bool = field(init=False)
    """Whether all positions have the same events with equal weights: a die, or no chance."""
    resolves: bool = field(init=False)
    """Whether the game defines `resolve`."""

    def __post_init__(self) -> None:
        check_contract(self)
        object.__setattr__(self, "is_fair_die", chance.has_fair_die(self))
        if self.is_fair_die:
            # Derive again, because this may be a copy with another number of faces.
            object.__setattr__(self, "events", None)
            object.__setattr__(self, "max_events", None)
        object.__setattr__(self, "resolves", self.resolve not in (None, chance.unchanged))
        if self.resolves:
            object.__setattr__(self, "resolve", chance.guarded(self.resolve))
        # Numba's dispatcher distinguishes named tuples only by the name of their class.
        self.position.__name__ = f"{self.position.__qualname__}@{self.position.__module__}"
        derived: dict[str, Callable[[Game], Any]] = {
            "max_events": lambda game: game.faces,
            "events": lambda game: chance.die_events(game.faces),
            "event": lambda game: chance.die_event,
            "total": chance.build_total,
            "resolve": lambda game: chance.unchanged,
            "draw": chance.build_draw,
            "sign": chance.build_sign,
            "result_value": chance.build_result_value,
            "repetition_key": lambda game: _key,
            "format_event": lambda game: _event_number,
            "die": _die,
            "opening_plies": _opening_plies,
            "plies_deviation": lambda game: game.typical_plies / 5.0,
            "plies_left": _plies_left,
            "groups": chance.build_groups,
            "group": chance.build_group,
            "count": _count,
            "pick": _pick,
            "key": lambda game: _key,
        }
        for name, derive in derived.items():
            if getattr(self, name, None) is None:
                object.__setattr__(self, name, derive(self))

    @property
    def has_chance(self) -> bool:
        """Whether the game has chance events; dice known in advance do not count."""
        return not self.is_fair_die or self.faces > 1

    @property
    def max_depth(self) -> int:
        """Depth in plies at which every game has ended: an event that is resolved may follow the last move."""
        return self.max_plies + (1 if self.resolves else 0)

    @property
    def has_plain_die(self) -> bool:
        """Whether its events, if any, are rolls of a fair die, written as numbers."""
        return self.is_fair_die and self.format_event is _event_number

    def as_position(self, fields: Sequence[int]) -> Position:
        """The position with these fields, converted to their declared types."""
        kinds = _field_kinds(self.position)
        try:
            return self.position(*[kind(value) for kind, value in zip(kinds, fields, strict=True)])
        except (TypeError, ValueError, OverflowError) as error:
            raise GameError(
                f"{self.name}: {fields!r} is not a position: it has the fields "
                f"{', '.join(field_texts(self.position))} ({error})"
            ) from error

    def start_position(self, seed: int = 0) -> Position:
        """Start number `seed` (modulo the number of starts)."""
        return self.as_position(self.start(Word(seed % self.starts if self.starts else seed)))

    def play_position(self, position: Position, move: int) -> Position:
        """`play` for Python callers."""
        return self.as_position(self.play(position, move))

    def resolve_position(self, position: Position, event: int) -> Position:
        """`resolve` for Python callers."""
        return self.as_position(self.resolve(position, event)) if self.resolves else position

    def event_weights(self, position: Position) -> dict[int, int]:
        """Event → weight; empty without events."""
        return dict(map(int, self.event(position, index)) for index in range(self.events(position)))  # pyright: ignore

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


def new_row(game: Game) -> numpy.ndarray:
    """An empty row for `moves`."""
    return numpy.zeros(game.max_moves, dtype=numpy.int64)


def new_rows(game: Game, plies: int) -> numpy.ndarray:
    """One row per ply, allocated once for a whole search."""
    return numpy.zeros((plies, game.max_moves), dtype=numpy.int64)


def _event_number(position: Position, event: int) -> str:
    return str(event)


def _die(game: Game) -> Callable[[Position, int], str | None]:
    def die(position: Position, event: int) -> str | None:
        return game.format_event(position, event) if game.has_chance and event != NOT_ROLLED else None

    return die


def _opening_plies(game: Game) -> int:
    if game.has_chance:
        return 0
    # In a short game, at most a sixth of the plies are random.
    return min(8 if game.starts == 1 else 4, game.max_plies // 6)


def _plies_left(game: Game) -> Callable[[Position, int], float]:
    long_lines = 2.0 * game.plies_deviation if game.has_chance else 0.0
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
        first = mix(first + as_word(number))
        second = mix(second ^ mix(first))
    return first, second
