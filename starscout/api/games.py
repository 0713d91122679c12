"""`starscout.list_games`: the games by name."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from starscout import games
from starscout.api.result import Result
from starscout.api.tables import listing

if TYPE_CHECKING:
    from rich.console import RenderableType


@dataclass(frozen=True, repr=False)
class GameList(Result):
    """The games that have a name.

    >>> [game["name"] for game in list_games().games]
    ['ewn', 'ewn-cyclic', 'kari', 'othello']
    """

    games: tuple[dict[str, str], ...]
    """Name, title, board, dice and description of each."""

    def json(self) -> dict[str, Any]:
        """The fields of `starscout games --json`."""
        return {"games": self.rows()}

    def rows(self) -> list[dict[str, Any]]:
        """One row per game."""
        return [dict(game) for game in self.games]

    def __rich__(self) -> "RenderableType":
        from rich.console import Group

        rows = [{**game, "board": game["board"].replace("x", "×")} for game in self.games]
        other = "\nOther sizes: ewn-4x4-3, othello-6x6. Your own: a file with a GAME in it, ./my_game.py"
        return Group(listing({name: name for name in ("name", "title", "board", "dice", "description")}, rows), other)

    def __repr__(self) -> str:
        return f"<{len(self.games)} games>"


def list_games() -> GameList:
    """The games by name.

    >>> list_games().games[3]["board"]
    '8x8'
    """
    known = [games.load(name) for name in games.NAMES]
    return GameList(
        tuple(
            {
                "name": game.name,
                "title": game.title,
                "board": f"{game.rows}x{game.columns}",
                "dice": game.dice,
                "description": game.description,
            }
            for game in known
        )
    )
