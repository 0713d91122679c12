"""`starscout.show`: a position drawn, with its moves."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from starscout.api.positions import given_state
from starscout.api.result import Board, Picture, PlottedResult
from starscout.drawing.svg import BOARD_PIXELS, board_html, board_svg
from starscout.game import Game
from starscout.game.state import State
from starscout.settings.arguments import checked

if TYPE_CHECKING:
    from rich.console import RenderableType


@dataclass(frozen=True, repr=False)
class ShowResult(PlottedResult):
    """A position: who is to move, the die, and the moves.

    >>> shown = show(parse("ewn", "123../45.../6...f/...ed/..cba b 6"))
    >>> shown.mover, shown.die, shown.moves
    ('blue', 6, ('E3D3', 'E3E2', 'E3D2'))
    """

    state: State

    @property
    def position(self) -> str:
        """The position as text."""
        return self.state.text

    @property
    def mover(self) -> str:
        """The name of the side to move."""
        return self.state.game.sides[self.state.mover]

    @property
    def die(self) -> int | str | None:
        """What the die shows; None: not rolled, or there is no die."""
        die = self.state.game.die(self.state.position, self.state.roll)
        return int(die) if die is not None and die.isdecimal() else die

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.state.over

    @property
    def moves(self) -> tuple[str, ...]:
        """The legal moves; none before the roll."""
        return () if self.state.needs_roll else tuple(self.state.moves)

    def json(self) -> dict[str, Any]:
        """The fields of `starscout show --json`."""
        return {**{name: getattr(self, name) for name in ("position", "mover", "die", "over")}, "moves": [*self.moves]}

    def rows(self) -> list[dict[str, Any]]:
        """One row."""
        return [self.json()]

    def plot(self) -> Picture:
        """The board."""
        return Picture(board_svg(self.state, width=BOARD_PIXELS))

    def answers(self) -> list[str]:
        """The moves as lines for people: before a roll, those of every roll."""
        state = self.state
        if self.moves:
            return [f"moves: {' '.join(self.moves)}"]
        if not state.needs_roll:
            return []
        rolls = range(1, state.game.faces + 1)
        names = {roll: state.game.die(state.position, roll) or roll for roll in rolls}
        return [f"die {names[roll]}: {' '.join(state.rolled(roll).moves)}" for roll in rolls]

    def __rich__(self) -> "RenderableType":
        from rich.console import Group
        from rich.text import Text

        title = Text(f"{self.state.game.title}   {self.position}\n", style="bold")
        return Group(title, Board(self.state), *map(Text, self.answers()))

    def _repr_html_(self) -> str:
        return board_html(self.state)

    def __repr__(self) -> str:
        return f"<position {self.position!r}: {self.mover} to move>"


@checked()
def show(state: State | Game | str, *, seed: int = 0) -> ShowResult:
    """Draw a state, or a start of a game (`seed`: which one, where there are several); raises GameError.

    >>> print(show("othello-4x4"))
    Othello   -----OX--XO----- X
    ...
    moves: b1 a2 d3 c4
    """
    return ShowResult(given_state(state, seed))
