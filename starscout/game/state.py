"""Immutable game states for Python code: a position, the roll and the last move.

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

from starscout.game import LOSS, NOT_ROLLED, ONGOING, WIN, Game, GameError, Outcome, Position


@dataclass(frozen=True, repr=False)
class State:
    """An immutable state of a game. `roll` is 0 until the die of this ply is rolled.

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

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle plain tuples; the class of positions is found through the game."""
        return _unpickled, (self.game, tuple(self.position), self.roll, self.ply, self.last_squares, self.opening)

    @property
    def mover(self) -> int:
        """The side to move, 0 or 1."""
        return int(self.position.mover)

    @property
    def outcome(self) -> Outcome | None:
        """The winner and the reason; None while the game goes on."""
        result = self.game.outcome(self.position)
        if result == ONGOING:
            return None
        winner = self.mover if result == WIN else 1 - self.mover if result == LOSS else None
        return Outcome(winner, self.game.reason(self.position))

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.game.outcome(self.position) != ONGOING

    @property
    def needs_roll(self) -> bool:
        """Whether the die has to be rolled before a move."""
        return self.game.has_dice and self.roll == NOT_ROLLED and not self.over

    def rolled(self, die: "int | random.Random") -> "State":
        """The state after a roll, given as a number or drawn from a generator. Without dice the state is unchanged."""
        if not self.game.has_dice or self.over:
            return self
        given: Any = die
        roll = given.randint(1, self.game.faces) if hasattr(die, "randint") else given
        if not hasattr(roll, "__index__") or not 1 <= roll <= self.game.faces:
            raise GameError(f"roll: expected 1 to {self.game.faces}, got {roll!r}")
        return State(self.game, self.position, roll, self.ply, self.last_squares)

    @property
    def legal(self) -> list[int]:
        """The legal moves as numbers; empty when the game is over."""
        if self.needs_roll:
            raise GameError("the die is not rolled yet: there are no moves before the roll")
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
        return State(self.game, following, roll, self.ply + 1, squares)

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
    return State(game, game.as_position(fields), *others)


def from_position(game: Game, position: Position, roll: int = NOT_ROLLED) -> State:
    """The state of a position and an optional roll."""
    return State(game, position, roll if game.has_dice else 1)


def parse(game: Game, text: str) -> State:
    """The state that a position text describes; raises GameError."""
    return from_position(game, *game.parse(text))
