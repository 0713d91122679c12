"""The classes of the moves of a position, by their text."""

from starscout import games
from starscout.evaluation import move_classes


def kinds_of_moves(name: str, text: str, classes: str | None = None) -> dict[str, int]:
    """Move → its class."""
    game = games.load(name)
    position, roll = game.parse(text)
    classify = move_classes(game, classes)
    assert classify is not None
    return {game.format_move(position, move): int(classify(position, move)) for move in game.legal(position, roll)}
