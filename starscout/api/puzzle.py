"""`starscout.puzzle`: find the shortest solution of the single-player puzzle."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starscout.api.interrupt import interruptible_kernels
from starscout.api.result import Result
from starscout.game import GameError
from starscout.games.puzzle.solver import parse_puzzle, solve_puzzle
from starscout.settings.arguments import checked
from starscout.settings.schema import File

if TYPE_CHECKING:
    from rich.console import RenderableType


@dataclass(frozen=True)
class PuzzleResult(Result):
    """A shortest solution, if there is one.

    >>> PuzzleResult(moves=((2, 7), (2, 7)), proven=True, states=5).length
    2
    """

    moves: tuple[tuple[int, int], ...] | None
    """Piece and direction of each move; None: no solution was found."""
    proven: bool
    """Whether the solution is proven shortest, or, if `moves` is None, that none exists."""
    states: int
    """Number of states visited by the search."""

    @property
    def length(self) -> int | None:
        """Number of moves of the solution."""
        return None if self.moves is None else len(self.moves)

    def json(self) -> dict[str, Any]:
        """Return the fields of `starscout puzzle --json`."""
        listed = None if self.moves is None else [list(move) for move in self.moves]
        return {"moves": listed, "length": self.length, "proven": self.proven}

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per move."""
        return [{"piece": piece, "direction": direction} for piece, direction in self.moves or ()]

    def __rich__(self) -> "RenderableType":
        if self.moves is not None:
            return "\n".join([str(self.length), *(f"{piece} {direction}" for piece, direction in self.moves)])
        if self.proven:
            return "no solution: the target piece cannot reach the goal"
        return f"stopped after {self.states:,} states: no solution found, none ruled out"


@checked
def puzzle(file: File) -> PuzzleResult:
    """Solve a puzzle file: `n m`, the board, the number of dice, the dice, the target piece. Raises GameError.

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp(), "puzzle.txt")
    >>> _ = file.write_text("3 3  2 0 0  0 4 0  0 0 0  1  3  2")
    >>> puzzle(file).moves
    ((2, 7), (2, 7))
    """
    try:
        parsed = parse_puzzle(Path(file).read_text(encoding="utf-8-sig"))
    except (GameError, UnicodeDecodeError) as error:
        raise GameError(f"{os.fspath(file)}: {error}") from error
    with interruptible_kernels():
        solution = solve_puzzle(parsed)
    return PuzzleResult(solution.moves, solution.proven, solution.states)
