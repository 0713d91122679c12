"""`starscout.show`: draw a position and list its moves."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from starscout.api.games import given_state
from starscout.api.result import Board, Picture, PlottedResult
from starscout.drawing.svg import BOARD_PIXELS, board_html, board_svg
from starscout.drawing.text import event_name, state_summary
from starscout.game import Game
from starscout.game.state import State
from starscout.settings.arguments import checked
from starscout.settings.schema import Seed

if TYPE_CHECKING:
    from rich.console import RenderableType


@dataclass(frozen=True, repr=False)
class ShowResult(PlottedResult):
    """A position: side to move, die, and legal moves.

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
        """Name of the side to move."""
        return self.state.game.sides[self.state.mover]

    @property
    def die(self) -> int | str | None:
        """The die or another event; None if it is not drawn or there is none."""
        die = self.state.shown_event
        return int(die) if die is not None and die.isdecimal() else die

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.state.over

    @property
    def moves(self) -> tuple[str, ...]:
        """The legal moves; empty before the event."""
        return () if self.state.needs_roll else tuple(self.state.moves)

    def json(self) -> dict[str, Any]:
        """Return the fields of `starscout show --json`."""
        return {**{name: getattr(self, name) for name in ("position", "mover", "die", "over")}, "moves": [*self.moves]}

    def rows(self) -> list[dict[str, Any]]:
        """Return one row."""
        return [self.json()]

    def plot(self) -> Picture:
        """Plot the board."""
        return Picture(board_svg(self.state, width=BOARD_PIXELS))

    def move_lines(self) -> list[str]:
        """Return the legal moves as text; before an event, one line per event."""
        state = self.state
        if self.moves:
            return [f"moves: {' '.join(self.moves)}"]
        if not state.needs_roll:
            return []
        name, chance = event_name(state.game), state.chance
        equal = len(set(chance.values())) == 1
        lines: list[str] = []
        for event, weight in chance.items():
            after = state.rolled(event)
            share = "" if equal else f" ({weight} of {sum(chance.values())})"
            then = state_summary(after) if after.over else " ".join(after.moves)
            lines.append(f"{name} {after.shown_event or event}{share}: {then}")
        return lines

    def __rich__(self) -> "RenderableType":
        from rich.console import Group
        from rich.text import Text

        title = Text(f"{self.state.game.title}   {self.position}\n", style="bold")
        return Group(title, Board(self.state), *map(Text, self.move_lines()))

    def _repr_html_(self) -> str:
        return board_html(self.state)

    def __repr__(self) -> str:
        return f"<position {self.position!r}: {self.mover} to move>"


@checked
def show(state: State | Game | str, *, seed: Seed = 0) -> ShowResult:
    """Draw a state, or the start position of a game that `seed` selects; raises GameError.

    >>> print(show("othello-4x4"))
    Othello   -----OX--XO----- X
    ...
    moves: b1 a2 d3 c4
    """
    return ShowResult(given_state(state, seed))
