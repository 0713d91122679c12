"""Free placement in ewn: each side says where its six cubes start, as agents of the course answer to `ini`."""

import contextlib

from starscout.game import Game, GameError
from starscout.games.cubes import BLUE, RED
from starscout.notation import format_board, square_number
from starscout.players.player import PlayerError
from starscout.protocols.tcg_ewn import COLOURS, SIZE, WISHES, TcgEwnPlayer
from starscout.referee.play import Players
from starscout.state import State, parse

PLACEMENTS = ("random", "free")
SQUARES = {side: frozenset(WISHES[colour].split()) for side, colour in enumerate(COLOURS)}
"""The start squares of each side."""


def check_placement(placement: str, game: Game) -> None:
    """Raise GameError when there is no such placement in this game."""
    if placement not in PLACEMENTS:
        raise GameError(f"the placement is {' or '.join(PLACEMENTS)}, not {placement!r}")
    if placement == "free" and game.name != "ewn":
        raise GameError(f"free placement is for ewn, not for {game.name}")


def placed(start: State, players: Players) -> State:
    """The start with the cubes where the players want them.

    Players that cannot be asked have our own wish. An agent whose wish is not the six start squares of its side gets
    that too; if it cannot even be asked, it will lose the game that follows.
    """
    characters = ["."] * SIZE * SIZE
    for side in (RED, BLUE):
        squares = WISHES[COLOURS[side]].split()
        player = players[side]
        if isinstance(player, TcgEwnPlayer):
            with contextlib.suppress(PlayerError):
                wish = player.wish(side).split()
                squares = wish if set(wish) == SQUARES[side] and len(wish) == len(squares) else squares
        for cube, square in enumerate(squares):
            characters[square_number(square, SIZE, SIZE)] = ("123456", "abcdef")[side][cube]
    board = format_board("".join(characters), SIZE)
    return parse(start.game, f"{board} {'rb'[start.mover]} -")
