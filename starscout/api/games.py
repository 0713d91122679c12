"""`starscout.list_games`, `load`, `start` and `parse`: games and their positions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from starscout import games
from starscout.api.result import Result, rich_table
from starscout.game import Game, state
from starscout.game.state import State
from starscout.settings.arguments import checked
from starscout.settings.schema import Seed

if TYPE_CHECKING:
    from rich.console import RenderableType

FIELDS = ("name", "title", "board", "dice", "description")


@dataclass(frozen=True, repr=False)
class GameList(Result):
    """The built-in games.

    >>> [game["name"] for game in list_games().games]
    ['ewn', 'ewn-cyclic', 'kari', 'othello']
    """

    games: tuple[dict[str, str], ...]
    """Name, title, board, dice and description of each game."""

    def json(self) -> dict[str, Any]:
        """Return the fields of `starscout games --json`."""
        return {"games": self.rows()}

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per game."""
        return [dict(game) for game in self.games]

    def __rich__(self) -> "RenderableType":
        from rich.console import Group

        shown = [{**game, "board": game["board"].replace("x", "×")} for game in self.games]
        rows = [[game[name] for name in FIELDS] for game in shown]
        other = "\nOther sizes: ewn-4x4-3, othello-6x6. Your own games: a file that defines GAME, ./my_game.py"
        return Group(rich_table(FIELDS, rows, left=FIELDS), other)

    def __repr__(self) -> str:
        return f"<{len(self.games)} games>"


def list_games() -> GameList:
    """List the built-in games.

    >>> list_games().games[3]["board"]
    '8x8'
    """
    known = [games.load(name) for name in games.NAMES]
    values = [(game.name, game.title, f"{game.rows}x{game.columns}", game.dice, game.description) for game in known]
    return GameList(tuple(dict(zip(FIELDS, row, strict=True)) for row in values))


@checked
def load(name: str) -> Game:
    """Load a game by name, or from a file such as ./my_game.py; raises GameError.

    >>> load("othello").title
    'Othello'
    """
    return games.load(name)


@checked
def start(game: str | Game, seed: Seed = 0) -> State:
    """Return a start position; `seed` selects one if the game has several. Raises GameError.

    >>> start("othello").moves
    ['d3', 'c4', 'f5', 'e6']
    """
    return state.start(given_game(game), seed)


@checked
def parse(game: str | Game, text: str) -> State:
    """Parse a position of a game; raises GameError.

    >>> parse("ewn", "123../45.../6...f/...ed/..cba r 6").moves
    ['A3B3', 'A3A4', 'A3B4']
    """
    return state.parse(given_game(game), text)


def given_game(game: str | Game) -> Game:
    """Return the game that is given or named; raises GameError."""
    return games.load(game) if isinstance(game, str) else game


def given_state(given: State | Game | str, seed: int = 0) -> State:
    """Return the state that is given, or a start position of the given game; raises GameError."""
    return given if isinstance(given, State) else start(given, seed)


def load_files(files: str | Sequence[str]) -> None:
    """Load game files, so that records can refer to their games; raises GameError."""
    for file in (files,) if isinstance(files, str) else files:
        games.load(file)
