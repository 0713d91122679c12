"""Starts for tests: any start of a game, pinned by a seed, so that golden files stay as they are."""

from starscout.game import Game
from starscout.game.state import State, start
from starscout.kernels.bits import Word, random_word

_LAST_COUNTER = Word(0xFFFF_FFFF_FFFF_FFFF)


def any_start(game: Game, seed: int, number: int = 0) -> State:
    """Start `number` of a seed."""
    return start(game, int(random_word(Word(random_word(Word(seed), Word(number))), _LAST_COUNTER)))
