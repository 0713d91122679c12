"""Starts: start number k of a series follows from the series' seed and k alone.

So any worker on any machine can play game k, and play it again. Starts are drawn without repetition: each start of the
game once in random order, then each once more in another order. Some games are opened by random plies.
"""

from collections.abc import Callable
from dataclasses import replace

from starscout.game import ONGOING, Game, GameError
from starscout.game.state import State, from_position
from starscout.kernels.bits import Word, random_word

_START, _ORDER, _OPENING = 1, 2, 3
_ROUNDS = 4
MOST_TRIES = 64
BALANCED = 0.2
"""An opening is balanced when the mover's expected result lies within ± this."""


def series_start(
    game: Game, seed: int, number: int, opening_plies: int = 0, value: Callable[[State], float] | None = None
) -> State:
    """Start `number` of a series, before its roll.

    With `value` (the mover's expected result in a position without dice) an opening is drawn until it is balanced.
    """
    if opening_plies and game.has_dice:
        raise GameError(f"{game.name} has dice: its games need no random openings")
    start = start_number(seed, number, game.starts)
    nearest: tuple[float, State] | None = None
    for attempt in range(MOST_TRIES):
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
        raise GameError(f"{opening_plies} random plies of {game.name} end the game: take fewer")
    return nearest[1]


def start_number(seed: int, number: int, starts: int) -> int:
    """Which start of the game it is: each once in every `starts` numbers. 0 starts: any 64-bit number."""
    if starts == 0:
        return _word(seed, _START, number)
    cycle, index = divmod(number, starts)
    return _shuffled(index, starts, _word(seed, _START, cycle))


def first_half(seed: int, pair: int) -> int:
    """Which of the two games is played first: 0 (A has side 0) or 1."""
    return _word(seed, _ORDER, pair) >> 63


def _opened(game: Game, number: int, plies: int, key: int) -> State | None:
    """The start after random moves; None if they end the game."""
    state, moves = from_position(game, game.start_position(number)), []
    for ply in range(plies):
        if game.outcome(state.position) != ONGOING:
            return None
        state.check_moves()
        legal = state.legal
        moves.append(legal[(_word(key, ply) >> 32) * len(legal) >> 32])
        state = state.play(moves[-1])
    return None if state.over else replace(from_position(game, state.position), opening=tuple(moves))


def _shuffled(index: int, size: int, key: int) -> int:
    """Where a permutation of 0 … size − 1 puts `index`: a Feistel network, walked until it lands inside."""
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
    """A random word for these numbers."""
    word = Word(seed & 0xFFFF_FFFF_FFFF_FFFF)
    for number in numbers:
        word = Word(random_word(word, Word(number)))
    return int(word)
