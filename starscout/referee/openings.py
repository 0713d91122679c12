"""Openings: the start of game k of a series depends only on the seed of the series and on k.

Any worker on any machine can therefore play or repeat game k. Starts are drawn without replacement: all starts of the
game in random order, then all again in another order. Games with few starts can be opened with random plies.
"""

from collections.abc import Callable
from dataclasses import replace

from starscout.game import Game, GameError
from starscout.game.state import State, from_position
from starscout.kernels.bits import Word, random_word

_START, _ORDER, _OPENING = 1, 2, 3
_ROUNDS = 4
MAX_TRIES = 64
BALANCED = 0.2
"""Maximum absolute value of a balanced opening, as the mover's expected result."""


def series_start(
    game: Game, seed: int, number: int, opening_plies: int = 0, value: Callable[[State], float] | None = None
) -> State:
    """Start `number` of a series, before its roll.

    `value` returns the mover's expected result in a position without dice; openings are drawn until one is balanced.
    """
    if opening_plies and game.has_chance:
        raise GameError(f"{game.name} has dice: random openings are for games without dice")
    start = start_number(seed, number, game.starts)
    nearest: tuple[float, State] | None = None
    for attempt in range(MAX_TRIES):
        state = _opened(game, start, opening_plies, _word(seed, _OPENING, number, attempt))
        if state is None:
            continue
        if value is None or not opening_plies:
            return state
        lead = abs(value(state))
        if lead <= BALANCED:
            return state
        if nearest is None or lead < nearest[0]:
            nearest = lead, state
    if nearest is None:
        raise GameError(f"{opening_plies} random plies end a game of {game.name}: choose fewer")
    return nearest[1]


def start_number(seed: int, number: int, starts: int) -> int:
    """The index of start `number`; if `starts` is 0, any 64-bit number."""
    if starts == 0:
        return _word(seed, _START, number)
    cycle, index = divmod(number, starts)
    return _shuffled(index, starts, _word(seed, _START, cycle))


def first_half(seed: int, pair: int) -> int:
    """The half of a pair that is played first: 0 (A has side 0) or 1."""
    return _word(seed, _ORDER, pair) >> 63


def _opened(game: Game, number: int, plies: int, key: int) -> State | None:
    """The start after random plies; None if they end the game."""
    state, moves = from_position(game, game.start_position(number)), []
    for ply in range(plies):
        if state.over:
            return None
        state.check_moves()
        legal = state.legal
        moves.append(legal[(_word(key, ply) >> 32) * len(legal) >> 32])
        state = state.play(moves[-1])
    return None if state.over else replace(from_position(game, state.position), opening=tuple(moves))


def _shuffled(index: int, size: int, key: int) -> int:
    """Permute 0 … size − 1 with a Feistel network and cycle walking."""
    half_bits = max(1, ((size - 1).bit_length() + 1) // 2)
    mask = (1 << half_bits) - 1
    while True:
        left, right = index >> half_bits, index & mask
        for turn in range(_ROUNDS):
            left, right = right, left ^ (_word(key, turn, right) & mask)
        index = left << half_bits | right
        if index < size:
            return index


def _word(seed: int, *numbers: int) -> int:
    """A random word that depends on these numbers."""
    word = Word(seed & 0xFFFF_FFFF_FFFF_FFFF)
    for number in numbers:
        word = Word(random_word(word, Word(number)))
    return int(word)
