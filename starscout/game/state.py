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
from dataclasses import FrozenInstanceError, dataclass, field
from typing import TYPE_CHECKING, Any

from starscout.errors import public, shortened
from starscout.game import NOT_ROLLED, ONGOING, Cell, Game, GameError, Outcome, Position
from starscout.game.chance import ONLY_EVENT
from starscout.game.stepping import DECISION, SLOTS, WORD_BITS, Record, read_outcome, stepper_of
from starscout.kernels.bits import Word

REPETITION = "repetition"
"""The end reason of a draw by the repetition rule."""


class _Computed:
    """The attributes of a state that are computed on first use, and those of compiled steps."""

    __slots__ = (
        "__weakref__", "_counts_steps", "_legal", "_move", "_move_texts", "_record", "_step", "needs_roll", "over",
    )  # fmt: skip

    over: bool
    """Whether the game has ended."""
    needs_roll: bool
    """Whether an event has to be drawn before a move."""

    _legal: list[int]
    _move_texts: list[str]
    _step: Callable[..., Any]
    """The compiled step of the game (game/stepping.py), which returns None for anything illegal."""
    _record: Record | None
    """The record of the compiled step; None without one."""
    _move: int | None
    """The move of the compiled step that led here."""
    _counts_steps: bool
    """Whether the steps from here are counted: those from a start of the game, not those of a game with clocks."""


@dataclass(frozen=True, repr=False, slots=True)
class State(_Computed):
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

    if not TYPE_CHECKING:
        # Hidden from type checkers, for which every attribute would exist.

        def __getattr__(self, name: str) -> Any:
            """Compute an attribute on first use; a compiled step leaves out most of them."""
            compute = COMPUTED.get(name)
            if compute is None:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            value = compute(self)
            _set(self, name, value)
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
        """The winner, the reason and the points; None during the game."""
        record = self._record
        result = int(self.game.outcome(self.position)) if record is None else read_outcome(record)[0]
        if result == ONGOING:
            return Outcome(None, REPETITION) if self.repeated else None
        winner = self.mover if result > 0 else 1 - self.mover if result < 0 else None
        return Outcome(winner, self.game.reason(self.position), abs(result) or 1)

    @property
    def repeated(self) -> bool:
        """Whether the game is a draw by repetition."""
        if not self.game.repetition or not self.history:
            return False
        key = self.game.repetition_key
        here = key(self.position)
        return 1 + sum(key(position) == here for position in self.history) >= self.game.repetition

    @property
    def chance(self) -> dict[int, int]:
        """Event → weight, while the event of this ply is not drawn; empty otherwise."""
        if not self.needs_roll:
            return {}
        if self._record is None:
            return self.game.event_weights(self.position)
        listed = iter(self._step(self, None, None, None))
        return dict(zip(listed, listed, strict=True))

    def rolled(self, die: "int | str | random.Random") -> "State":
        """The state after an event, given as a number or text, or drawn from a generator.

        A state without events is unchanged.
        """
        if not self.needs_roll:
            return self
        if isinstance(die, random.Random) or (hasattr(die, "randint") and not isinstance(die, type)):
            event = self._drawn(die)
        else:
            event = self.parse_event(die) if isinstance(die, str) else _index("roll", die)
        try:
            return self._step(self, event, None) or self._rolled(event)
        except GameError as error:
            raise shortened(error) from None

    def _drawn(self, generator: Any) -> int:
        """A random event."""
        game = self.game
        if game.is_fair_die:
            return generator.randint(1, game.faces)
        if self._record is None:
            weights = self.chance
            return generator.choices(list(weights), list(weights.values()))[0]
        listed = self._step(self, None, None, None)
        return generator.choices(listed[::2], listed[1::2])[0]

    def _rolled(self, event: int) -> "State":
        """`rolled` without a compiled step."""
        game = self.game
        if event not in (range(1, game.faces + 1) if game.is_fair_die else self.chance):
            accepted = f"1 to {game.faces}" if game.is_fair_die else " ".join(map(str, self.chance))
            raise GameError(f"roll: expected {accepted}, got {event!r}")
        position, roll = game.resolve_position(self.position, event), NOT_ROLLED if game.resolves else event
        state = State(
            game, position, roll, self.ply, self.last_squares, event=event, history=self.history, previous=self
        )
        if self._counts_steps:
            _set(state, "_counts_steps", True)
        return state

    @public
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

    @public
    def undo(self) -> "State":
        """The state before the last move or event; raises GameError if none was played."""
        if self.previous is None:
            raise GameError("undo: nothing was played before this state")
        return self.previous

    @property
    def legal(self) -> list[int]:
        """The legal moves as numbers; empty when the game is over."""
        try:
            moves = self._step(self)
            return self._listed() if moves is None else moves
        except GameError as error:
            raise shortened(error) from None

    def _listed(self) -> list[int]:
        """`legal` without a compiled step."""
        if self.needs_roll:
            raise GameError("the die is not rolled yet: there are no moves before the roll")
        if self.game.repetition and self.repeated:
            return []
        return self._legal.copy()

    def check_moves(self) -> None:
        """Raise GameError if an unfinished game has no legal moves, which is an error in its rules."""
        if self.legal or self.over:
            return
        rules = self.game.file or self.game.name
        roll = f" for the roll {self.roll}" if self.game.has_chance else ""
        raise GameError(
            f"{rules}: moves returned none{roll} in {self.text!r}, although outcome returned ONGOING; "
            f"`starscout laws {rules}` checks the rules"
        )

    @property
    def moves(self) -> list[str]:
        """The legal moves as text."""
        try:
            return self._move_texts.copy()
        except GameError as error:
            raise shortened(error) from None

    @property
    def cells(self) -> list[Cell]:
        """The content of each square, rows from the top: its text and its side, None for neither.

        >>> import starscout
        >>> state = starscout.start("othello").play("d3")
        >>> [square for square, cell in enumerate(state.cells) if cell.side == 0]
        [19, 27, 28, 35]
        """
        return list(self.game.cells(self.position))

    @public
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
        found = self.game.find_move(self.position, legal, text) if legal else None
        if found is not None:
            return found
        if not legal:
            raise GameError(f"{text!r} cannot be played: the game is over in {self.text!r}")
        moves = " ".join(self.moves)
        raise GameError(
            f"{text!r} is not a legal move in {self.text!r}; legal moves: {moves}",
            code="illegal_move", move=text, position=self.text, moves=moves,
        )  # fmt: skip

    def play(self, move: "str | int") -> "State":
        """The state after a move given as text, or as a number from `legal`."""
        try:
            return self._step(self, move) or self._played(move)
        except GameError as error:
            raise shortened(error) from None

    def _played(self, move: "str | int") -> "State":
        """`play` for a text, or without a compiled step."""
        number = self.parse_move(move) if isinstance(move, str) else _index("move", move)
        if not isinstance(move, str) and number not in self.legal:
            raise GameError(f"{move} is not one of the legal moves {self.legal}")
        following = self._step(self, number)
        if following is not None:
            return following
        game = self.game
        stepper = stepper_of(game)
        squares = tuple(game.move_squares(self.position, number))
        position = game.play_position(self.position, number)
        history = (*self.history, self.position) if game.repetition else ()
        state = State(game, position, stepper.no_event, self.ply + 1, squares, history=history, previous=self)
        if self._counts_steps:
            _set(state, "_counts_steps", True)
            stepper.count_step(_example)
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


_set: Any = object.__setattr__


def _reject_assignment(state: State, name: str, *value: Any) -> None:
    raise FrozenInstanceError(f"cannot assign to {name!r}: states are immutable")


# The methods that `dataclass` generates for a class with slots reject fields only (CPython issue 90055).
State.__setattr__ = State.__delattr__ = _reject_assignment


def _over(state: State) -> bool:
    return state.game.outcome(state.position) != ONGOING or state.repeated


def _needs_roll(state: State) -> bool:
    game = state.game
    if not game.has_chance or state.roll != NOT_ROLLED or state.over:
        return False
    return game.is_fair_die or game.events(state.position) > 0


def _last_squares(state: Any) -> tuple[int, ...]:
    before = state.previous
    if state._move is None:
        return before.last_squares if before is not None else ()
    return tuple(state.game.move_squares(before.position, state._move))


def _step_of(state: State) -> Callable[..., Any]:
    """The compiled step of the game, and the record that it needs; a function that returns None if there is none."""
    stepper = vars(state.game).get("_stepper")
    if stepper is None or not stepper.ready:
        return _no_step
    fields = [int(number) & WORD_BITS for number in state.position]
    raw = stepper.write(DECISION, ONGOING, 0, *fields)
    _set(state, "_record", stepper.step(raw, state.roll, None, None, None))
    return stepper.step


def _position_of(state: State) -> Position:
    """The position in the record of the compiled step."""
    stepper = vars(state.game)["_stepper"]
    record = state._record  # pyright: ignore[reportPrivateUsage]
    kinds = zip(stepper.kinds, stepper.read_fields(record), strict=True)
    return state.game.position(*[Word(number) if kind is Word else number for kind, number in kinds])


def _no_step(*arguments: Any) -> None:
    """The step of a game whose steps are not compiled."""


COMPUTED: dict[str, Callable[[Any], Any]] = {
    "over": _over,
    "needs_roll": _needs_roll,
    "_legal": lambda state: state.game.legal(state.position, state.roll),
    "_move_texts": lambda state: [state.game.format_move(state.position, move) for move in state.legal],
    "_step": _step_of,
    "_record": lambda state: None,
    "_move": lambda state: None,
    "_counts_steps": lambda state: False,
    # Fields that a compiled step leaves out.
    "position": _position_of,
    "last_squares": _last_squares,
    "event": lambda state: NOT_ROLLED,
    "opening": lambda state: (),
    "history": lambda state: (),
}
"""Attribute of a state → function that computes it on first use."""


def _example() -> State:
    """An object with a different value in every slot."""
    state = object.__new__(State)
    for name in SLOTS:
        _set(state, name, object())
    return state


def compile_steps(game: Game) -> None:
    """Compile the steps of a game now instead of after many steps."""
    stepper_of(game).compile(_example)


def start(game: Game, seed: int = 0) -> State:
    """A start of the game; `seed` selects among several starts."""
    stepper = stepper_of(game)
    if not stepper.ready:
        state = State(game, game.start_position(seed), stepper.no_event)
        _set(state, "_counts_steps", True)
        return state
    if stepper.start is None or game.starts != 1:
        stepper.start = State(game, game.start_position(seed), stepper.no_event)
    return stepper.start


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
