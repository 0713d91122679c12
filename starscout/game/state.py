"""Immutable game states for Python code: a position, its event and the last move.

state = starscout.start("ewn", seed=7)
while not state.over:
    state = state.rolled(generator)
    state = state.play(generator.choice(state.moves))
print(state, state.outcome)
"""

import random
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from starscout.game import NOT_ROLLED, ONGOING, Game, GameError, Outcome, Position
from starscout.game.chance import ONLY_EVENT

REPETITION = "repetition"
"""The reason of a draw by the repetition rule."""


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
    last_squares: tuple[int, ...] = ()
    opening: tuple[int, ...] = field(default=(), compare=False)
    """The moves that led here from a start of the game, for engines that cannot be set up at a position."""
    event: int = field(default=NOT_ROLLED, compare=False)
    """The event of this ply; 0 if none is drawn."""
    history: tuple[Position, ...] = field(default=(), compare=False)
    """The earlier positions since the start, in games with a repetition rule."""
    previous: "State | None" = field(default=None, compare=False)
    """The state before the last event or move; None at the start."""

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
        result = int(self.game.outcome(self.position))
        if result == ONGOING:
            return Outcome(None, REPETITION) if self.repeated else None
        winner = self.mover if result > 0 else 1 - self.mover if result < 0 else None
        return Outcome(winner, self.game.reason(self.position), abs(result) or 1)

    @property
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

    @property
    def needs_roll(self) -> bool:
        """Whether an event has to be drawn before a move."""
        game = self.game
        if not game.has_dice or self.roll != NOT_ROLLED or self.over:
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
        weights = game.event_weights(self.position)
        if isinstance(given, str):
            event = self.parse_event(given)
        elif isinstance(given, random.Random) or hasattr(given, "randint"):
            generator: Any = given
            event = (
                generator.randint(1, game.faces)
                if game.is_fair_die
                else generator.choices(list(weights), list(weights.values()))[0]
            )
        else:
            event = given
        if not hasattr(event, "__index__") or int(event) not in weights:
            accepted = f"1 to {game.faces}" if game.is_fair_die else " ".join(map(str, weights))
            raise GameError(f"roll: expected {accepted}, got {event!r}")
        position, roll = game.resolve_position(self.position, event), NOT_ROLLED if game.resolves else event
        return State(
            game, position, roll, self.ply, self.last_squares, event=event, history=self.history, previous=self
        )

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
        if not self.game.has_dice or self.roll == NOT_ROLLED:
            return self
        return State(self.game, self.position, NOT_ROLLED, self.ply, self.last_squares, history=self.history)

    @property
    def event_text(self) -> str | None:
        """The event of this ply in the game's notation; None if there is none, or if it is not known."""
        before = self.before_event
        return None if before is self else self.game.format_event(before.position, self.event or self.roll)

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
        if self.repeated:
            return []
        return list(self._legal)

    @cached_property
    def _legal(self) -> tuple[int, ...]:
        """Cached because referee and player both need them."""
        return tuple(self.game.legal(self.position, self.roll))

    def check_moves(self) -> None:
        """Raise GameError if an unfinished game has no legal moves, which is an error in its rules."""
        if self.legal or self.over:
            return
        rules = self.game.file or self.game.name
        roll = f" for the roll {self.roll}" if self.game.has_dice else ""
        raise GameError(
            f"{rules}: moves returned none{roll} in {self.text!r}, although outcome says that the game goes on; "
            f"`starscout laws {rules}` checks the rules"
        )

    @property
    def moves(self) -> list[str]:
        """The legal moves as text."""
        return [self.game.format_move(self.position, move) for move in self.legal]

    def parse_move(self, text: str) -> int:
        """The legal move with this text; raises GameError."""
        wanted = self.game.move_spellings(text).lower()
        legal = self.legal
        for move in legal:
            if self.game.format_move(self.position, move).lower() == wanted:
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
        number = self.parse_move(move) if isinstance(move, str) else move
        if not isinstance(move, str) and number not in self.legal:
            raise GameError(f"{move} is not one of the legal moves {self.legal}")
        squares = tuple(self.game.move_squares(self.position, number))
        following = self.game.play_position(self.position, number)
        roll = NOT_ROLLED if self.game.has_dice else self.roll
        history = (*self.history, self.position) if self.game.repetition else ()
        return State(self.game, following, roll, self.ply + 1, squares, history=history, previous=self)

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
    return from_position(game, game.start_position(seed))


def _unpickled(game: Game, fields: tuple[int, ...], *others: Any) -> State:
    positions = tuple(game.as_position(earlier) for earlier in others[-1])
    return State(game, game.as_position(fields), *others[:-1], history=positions)


def from_position(game: Game, position: Position, roll: int = NOT_ROLLED) -> State:
    """The state of a position and an optional roll."""
    return State(game, position, roll if game.has_dice else ONLY_EVENT, event=roll if game.has_dice else NOT_ROLLED)


def parse(game: Game, text: str) -> State:
    """The state that a position text describes; raises GameError."""
    return from_position(game, *game.parse(text))
