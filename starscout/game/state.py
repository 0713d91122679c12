"""Immutable game states for Python code: a position, its event and the last move.

state = starscout.start("ewn", seed=7)
while not state.over:
    state = state.rolled(generator)
    state = state.play(generator.choice(state.moves))
print(state, state.outcome)
"""

import operator
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, overload

from starscout.game import NOT_ROLLED, ONGOING, Cell, Game, GameError, Outcome, Position
from starscout.game.chance import ONLY_EVENT
from starscout.game.stepping import EVENTS, OUTCOME, Record, Stepper, stepper_of

REPETITION = "repetition"
"""The reason of a draw by the repetition rule."""


Value = TypeVar("Value")


class _computed_once(Generic[Value]):  # noqa: N801 (a decorator)
    """A property of an immutable object, computed on first use; `functools.cached_property` locks in Python 3.11."""

    def __init__(self, function: Callable[[Any], Value]) -> None:
        self.function, self.name, self.__doc__ = function, function.__name__, function.__doc__

    @overload
    def __get__(self, instance: None, owner: type) -> "_computed_once[Value]": ...
    @overload
    def __get__(self, instance: object, owner: type) -> Value: ...
    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return self
        value = instance.__dict__[self.name] = self.function(instance)
        return value


@dataclass(frozen=True, repr=False)
class State:
    """An immutable state of a game. `roll` is 0 until the event of this ply is drawn.

    A game that resolves its events into the position keeps `roll` at 0; `event` is the event in both cases.

    >>> import starscout
    >>> starscout.start("othello").play("d3")
    starscout.parse('othello', '-------------------X-------XX------XO--------------------------- O')
    """

    game: Game
    position: Position
    roll: int = NOT_ROLLED
    ply: int = 0
    last_squares: tuple[int, ...] = field(default_factory=tuple)
    opening: tuple[int, ...] = field(default=(), compare=False)
    """The moves that led here from a start of the game, for engines that cannot be set up at a position."""
    event: int = field(default=NOT_ROLLED, compare=False)
    """The event of this ply; 0 if none is drawn."""
    history: tuple[Position, ...] = field(default=(), compare=False)
    """The earlier positions since the start, in games with a repetition rule."""
    previous: "State | None" = field(default=None, compare=False)
    """The state before the last event or move; None at the start."""

    # States made by a compiled step (game/stepping.py): their record, and the move that led here. Position and marked
    # squares are then computed on demand.
    _record: ClassVar[Record] = None
    _stepper: ClassVar[Any] = None
    _move: ClassVar[int | None] = None
    # Whether the steps from here are counted: those from a start of the game, not those of a game with clocks.
    _counts_steps: ClassVar[bool] = False

    if not TYPE_CHECKING:
        # Hidden from type checkers, for which every attribute would exist.

        def __getattr__(self, name: str) -> Any:
            """Compute the fields that a compiled step leaves out."""
            if name == "position" and self._record is not None:
                value = self._stepper.position(self._record)
            elif name == "last_squares" and self._move is not None:
                before = self.previous
                value = tuple(self.game.move_squares(before.position, self._move))
            elif name == "last_squares" and self._record is not None:
                value = self.previous.last_squares if self.previous is not None else ()
            else:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            vars(self)[name] = value
            return value

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle plain tuples; the class of positions is found through the game."""
        fields = self.game, tuple(self.position), self.roll, self.ply, self.last_squares, self.opening, self.event
        history = tuple(tuple(position) for position in self.history)
        return _unpickled, (*fields, history)

    @property
    def mover(self) -> int:
        """The side to move, 0 or 1."""
        return int(self.position.mover)

    @property
    def outcome(self) -> Outcome | None:
        """The winner, the reason and the points; None while the game goes on."""
        result = int(self.game.outcome(self.position)) if self._record is None else self._record.item(OUTCOME)
        if result == ONGOING:
            return Outcome(None, REPETITION) if self.repeated else None
        winner = self.mover if result > 0 else 1 - self.mover if result < 0 else None
        return Outcome(winner, self.game.reason(self.position), abs(result) or 1)

    @_computed_once
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.game.outcome(self.position) != ONGOING or self.repeated

    @property
    def repeated(self) -> bool:
        """Whether the game is a draw by repetition."""
        if not self.game.repetition or not self.history:
            return False
        key = self.game.repetition_key
        here = key(self.position)
        return 1 + sum(key(position) == here for position in self.history) >= self.game.repetition

    @_computed_once
    def needs_roll(self) -> bool:
        """Whether an event has to be drawn before a move."""
        game = self.game
        if not game.has_chance or self.roll != NOT_ROLLED or self.over:
            return False
        return game.is_fair_die or game.events(self.position) > 0

    @property
    def chance(self) -> dict[int, int]:
        """Event → weight, while the event of this ply is not drawn; empty otherwise."""
        return self.game.event_weights(self.position) if self.needs_roll else {}

    def rolled(self, die: "int | str | random.Random") -> "State":
        """The state after an event, given as a number or text, or drawn from a generator.

        A state without events is unchanged.
        """
        if not self.needs_roll:
            return self
        game, given = self.game, die
        weights = dict.fromkeys(range(1, game.faces + 1), 1) if game.is_fair_die else self.chance
        if isinstance(given, str):
            event = self.parse_event(given)
        elif isinstance(given, random.Random) or (hasattr(given, "randint") and not isinstance(given, type)):
            generator: Any = given
            event = (
                generator.randint(1, game.faces)
                if game.is_fair_die
                else generator.choices(list(weights), list(weights.values()))[0]
            )
        else:
            event = _index("roll", given)
        if event not in weights:
            accepted = f"1 to {game.faces}" if game.is_fair_die else " ".join(map(str, weights))
            raise GameError(f"roll: expected {accepted}, got {event!r}")
        if self._record is not None:
            state = _from_record(self._stepper.draw(self._record, int(event)), self._stepper, self.ply, self)
            fields = vars(state)
            fields["event"] = int(event)
            if not game.resolves:
                fields["roll"] = int(event)
            return state
        position, roll = game.resolve_position(self.position, event), NOT_ROLLED if game.resolves else event
        state = State(
            game, position, roll, self.ply, self.last_squares, event=event, history=self.history, previous=self
        )
        if self._counts_steps:
            vars(state)["_counts_steps"] = True
        return state

    def parse_event(self, text: str) -> int:
        """The event of this position with this text; raises GameError."""
        texts = {self.game.format_event(self.position, event): event for event in self.chance}
        if text not in texts:
            raise GameError(f"event: expected {' '.join(texts) or 'none'}, got {text!r} in {self.text!r}")
        return texts[text]

    @property
    def before_event(self) -> "State":
        """The state before the event of this ply; the state itself if there is none, or if it is not known."""
        if self.game.resolves:
            return self.previous if self.event != NOT_ROLLED and self.previous is not None else self
        if not self.game.has_chance or self.roll == NOT_ROLLED:
            return self
        return State(self.game, self.position, NOT_ROLLED, self.ply, self.last_squares, history=self.history)

    @property
    def event_text(self) -> str | None:
        """The event of this ply in the game's notation; None if there is none, or if it is not known."""
        before = self.before_event
        return None if before is self else self.game.format_event(before.position, self.event or self.roll)

    @property
    def shown_event(self) -> str | None:
        """The event, or a die known in advance, as shown beside the board; None if there is none."""
        return self.event_text if self.game.resolves else self.game.die(self.position, self.roll)

    def undo(self) -> "State":
        """The state before the last move or event; raises GameError if none was played."""
        if self.previous is None:
            raise GameError("undo: nothing was played before this state")
        return self.previous

    @property
    def legal(self) -> list[int]:
        """The legal moves as numbers; empty when the game is over."""
        if self.needs_roll:
            raise GameError("the die is not rolled yet: there are no moves before the roll")
        if self.game.repetition and self.repeated:
            return []
        return self._legal.copy()

    @_computed_once
    def _legal(self) -> list[int]:
        """Cached because referee and player both need them."""
        if self._record is not None:
            return self._stepper.moves(self._record)
        return self.game.legal(self.position, self.roll)

    def check_moves(self) -> None:
        """Raise GameError if an unfinished game has no legal moves, which is an error in its rules."""
        if self.legal or self.over:
            return
        rules = self.game.file or self.game.name
        roll = f" for the roll {self.roll}" if self.game.has_chance else ""
        raise GameError(
            f"{rules}: moves returned none{roll} in {self.text!r}, although outcome says that the game goes on; "
            f"`starscout laws {rules}` checks the rules"
        )

    @property
    def moves(self) -> list[str]:
        """The legal moves as text."""
        return self._move_texts.copy()

    @_computed_once
    def _move_texts(self) -> list[str]:
        return [self.game.format_move(self.position, move) for move in self.legal]

    @property
    def cells(self) -> list[Cell]:
        """The content of each square, rows from the top: its text and its side, None for neither.

        >>> import starscout
        >>> state = starscout.start("othello").play("d3")
        >>> [square for square, cell in enumerate(state.cells) if cell.side == 0]
        [19, 27, 28, 35]
        """
        return list(self.game.cells(self.position))

    def parse_move(self, text: str) -> int:
        """The legal move with this text; raises GameError."""
        given: Any = text
        if not isinstance(given, str):
            raise GameError(f"move: expected a text, got {_short(given)}")
        wanted = self.game.move_spellings(text).lower()
        legal = self.legal
        for move, spelled in zip(legal, self._move_texts, strict=True):
            if spelled.lower() == wanted:
                return move
        self.check_moves()
        if not legal:
            raise GameError(f"{text!r} cannot be played: the game is over in {self.text!r}")
        moves = " ".join(self.moves)
        raise GameError(
            f"{text!r} is not a legal move in {self.text!r}: legal are {moves}",
            code="illegal_move", move=text, position=self.text, moves=moves,
        )  # fmt: skip

    def play(self, move: "str | int") -> "State":
        """The state after a move given as text, or as a number from `legal`."""
        if isinstance(move, str):
            number = self.parse_move(move)
        else:
            number = move if type(move) is int else _index("move", move)
            if number not in (self.legal if self._record is None else self._legal):
                raise GameError(f"{move} is not one of the legal moves {self.legal}")
        if self._record is not None:
            return _from_record(self._stepper.play(self._record, number), self._stepper, self.ply + 1, self, number)
        game = self.game
        stepper = stepper_of(game)
        if stepper.ready:
            record = stepper.enter(self.position, self.roll)
            return _from_record(stepper.play(record, number), stepper, self.ply + 1, self, number)
        roll = stepper.no_event
        squares = tuple(game.move_squares(self.position, number))
        position = game.play_position(self.position, number)
        history = (*self.history, self.position) if game.repetition else ()
        state = State(game, position, roll, self.ply + 1, squares, history=history, previous=self)
        if self._counts_steps:
            vars(state)["_counts_steps"] = True
            stepper.count_step()
        return state

    @property
    def text(self) -> str:
        """The position as text that `parse` reads."""
        return self.game.format(self.position, self.roll)

    def __str__(self) -> str:
        from starscout.drawing.text import draw_plain

        return draw_plain(self)

    def _repr_html_(self) -> str:
        """The board and the side to move, for notebooks."""
        from starscout.drawing.svg import board_html

        return board_html(self)

    def _repr_svg_(self) -> str:
        """The board alone."""
        from starscout.drawing.svg import BOARD_PIXELS, board_svg

        return board_svg(self, width=BOARD_PIXELS)

    def __repr__(self) -> str:
        """An expression that recreates the state."""
        return f"starscout.parse({self.game.file or self.game.name!r}, {self.text!r})"


def start(game: Game, seed: int = 0) -> State:
    """A start of the game; `seed` selects among several starts."""
    stepper = stepper_of(game)
    if stepper.ready:
        return _from_record(stepper.start(seed), stepper, 0)
    state = State(game, game.start_position(seed), stepper.no_event)
    vars(state)["_counts_steps"] = True
    return state


def _from_record(
    record: Record, stepper: Stepper, ply: int, previous: State | None = None, move: int | None = None
) -> State:
    """The state of a compiled step; `State.__getattr__` computes the other fields."""
    state = _new(State)
    fields = state.__dict__
    fields["game"] = stepper.game
    fields["roll"] = stepper.no_event
    fields["ply"] = ply
    fields["previous"] = previous
    fields["_record"] = record
    fields["_stepper"] = stepper
    fields["_move"] = move
    # Accessed in every loop over a game.
    fields["over"] = record.item(OUTCOME) != ONGOING
    fields["needs_roll"] = record.item(EVENTS) > 0
    return state


_new: Any = object.__new__


def _unpickled(game: Game, fields: tuple[int, ...], *others: Any) -> State:
    positions = tuple(game.as_position(earlier) for earlier in others[-1])
    return State(game, game.as_position(fields), *others[:-1], history=positions)


def from_position(game: Game, position: Position, roll: int = NOT_ROLLED) -> State:
    """The state of a position and an optional roll."""
    return State(game, position, roll if game.has_chance else ONLY_EVENT, event=roll if game.has_chance else NOT_ROLLED)


def parse(game: Game, text: str) -> State:
    """The state that a position text describes; raises GameError."""
    return from_position(game, *game.parse(text))


def _index(name: str, value: Any) -> int:
    """A whole number of Python or NumPy; raises GameError."""
    try:
        return operator.index(value)
    except TypeError:
        raise GameError(f"{name}: expected a text or a whole number, got {_short(value)}") from None


def _short(value: Any) -> str:
    return f"{value!r:.60}"
