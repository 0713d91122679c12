"""The dice of a game: the roll of ply n depends only on the seed, the pair and n."""

from starscout.kernels.bits import Word, below, random_word
from starscout.kernels.kernel import kernel

_PLAYER_COUNTER = Word(1 << 32)
_SIDE_SHIFT = Word(1)


@kernel
def _die(seed: Word, pair: Word, ply: Word, faces: int) -> int:
    return 1 + below(random_word(random_word(seed, pair), ply), faces)


@kernel
def _player_seed(seed: Word, pair: Word, half: Word, side: Word) -> Word:
    return random_word(random_word(seed, pair), _PLAYER_COUNTER + (half << _SIDE_SHIFT) + side)


def die(seed: int, pair: int, ply: int, faces: int) -> int:
    """The roll of a ply, from 1 to `faces`; plies count from 0."""
    return int(_die(Word(seed), Word(pair), Word(ply), faces))


def player_seed(seed: int, pair: int, half: int, side: int) -> int:
    """The random seed of the player of a side in one game."""
    return int(_player_seed(Word(seed), Word(pair), Word(half), Word(side)))
