"""StarScout: a laboratory for board-game engines, with and without dice, in Python at the speed of C."""

# This file imports nothing before it is asked to: `python -m starscout` reads it while the working directory is still
# first on the path. Type checkers know the name.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from starscout.state import State

__version__ = "0.1.0"


def start(game: str, seed: int = 0) -> "State":
    """A start of a game by name; games with several starts number them by `seed`."""
    from starscout import games, state

    return state.start(games.load(game), seed)


def parse(game: str, text: str) -> "State":
    """The state that a position text of a game describes; raises `starscout.game.GameError`."""
    from starscout import games, state

    return state.parse(games.load(game), text)
