"""`starscout.load`, `start` and `parse`: a game, and a moment of it."""

from collections.abc import Sequence

from starscout import games
from starscout.game import Game, state
from starscout.game.state import State
from starscout.settings.arguments import checked


@checked()
def load(name: str) -> Game:
    """The game of this name, or of a file like ./my_game.py; raises GameError.

    >>> load("othello").title
    'Othello'
    """
    return games.load(name)


@checked()
def start(game: str | Game, seed: int = 0) -> State:
    """A start of a game; games with several starts number them by `seed`. Raises GameError.

    >>> start("othello").moves
    ['d3', 'c4', 'f5', 'e6']
    """
    return state.start(given_game(game), seed)


@checked()
def parse(game: str | Game, text: str) -> State:
    """The state that a position text of a game describes; raises GameError.

    >>> parse("ewn", "123../45.../6...f/...ed/..cba r 6").moves
    ['A3B3', 'A3A4', 'A3B4']
    """
    return state.parse(given_game(game), text)


def given_game(game: str | Game) -> Game:
    """The game that was given or named; raises GameError."""
    return games.load(game) if isinstance(game, str) else game


def given_state(given: State | Game | str, seed: int = 0) -> State:
    """The state that was given, or a start of the game that was given or named; raises GameError."""
    return given if isinstance(given, State) else start(given, seed)


def load_files(files: str | Sequence[str]) -> None:
    """Load the game files that a person names, so that records can name their games; raises GameError."""
    for file in (files,) if isinstance(files, str) else files:
        games.load(file)
