"""The dice of a game: the die of ply n depends on seed, pair and n alone, whoever asks and in whatever order.

Both games of a pair share their start and their dice, so that luck cancels when the players change sides.
"""

from starscout.bits import Word, below, random_word
from starscout.game import Game
from starscout.kernel import kernel
from starscout.state import State, start

_START_COUNTER = Word(0xFFFF_FFFF_FFFF_FFFF)
_PLAYER_COUNTER = Word(1 << 32)
_SIDE_SHIFT = Word(1)


@kernel
def _die(seed: Word, pair: Word, ply: Word, faces: int) -> int:
    return 1 + below(random_word(random_word(seed, pair), ply), faces)


@kernel
def _start_number(seed: Word, pair: Word) -> Word:
    return random_word(random_word(seed, pair), _START_COUNTER)


@kernel
def _player_seed(seed: Word, pair: Word, half: Word, side: Word) -> Word:
    return random_word(random_word(seed, pair), _PLAYER_COUNTER + (half << _SIDE_SHIFT) + side)


def die(seed: int, pair: int, ply: int, faces: int) -> int:
    """The roll 1 … faces of a ply, counted from 0 at the start of the game."""
    return int(_die(Word(seed), Word(pair), Word(ply), faces))


def pair_start(game: Game, seed: int, pair: int) -> State:
    """The start of both games of a pair: one of the game's starts, all equally likely."""
    return start(game, int(_start_number(Word(seed), Word(pair))))


def player_seed(seed: int, pair: int, half: int, side: int) -> int:
    """The seed that the player of a side is given for one game."""
    return int(_player_seed(Word(seed), Word(pair), Word(half), Word(side)))
