"""Evaluations of backgammon: the input of learned ones, their types of positions, and the lead in pips.

Everything is from the mover's perspective. Slots:
    content of each point: empty, 1 … 15 own or enemy checkers
    checkers on the bar and borne off, own and enemy
    masks of points held by two or more checkers, in windows of six points, own and enemy; those of the home boards with
    the number of checkers on the other side's bar, up to two
    masks of the points held by the other side 1 … 6 and 7 … 12 points in front of the last checker, own and enemy
    distances 1 … 6 and 7 … 12 at which a single enemy checker is in front of an own checker, and the reverse
    difference of the pip counts, and both pip counts
"""

from dataclasses import replace
from typing import Any, NamedTuple

from starscout.evaluation.evaluation import Calibration, Evaluation, value_table
from starscout.evaluation.features import Features, slotted
from starscout.evaluation.knowledge import FIRST_CLASS, ORDINARY
from starscout.games.backgammon.board import (
    BAR,
    BAR_BIT,
    BOARD,
    CHECKERS,
    DIE_SHIFT,
    HALF_MOVE_BITS,
    HOME,
    POINTS,
    SOURCE_MASK,
    Position,
    crowded,
    occupied,
)
from starscout.kernels.bits import WORD_ONE, WORD_ZERO, Word, deposit, integer, lowest, popcount, reverse
from starscout.kernels.kernel import kernel

CONTENTS = 2 * CHECKERS + 1
WINDOWS, WINDOW_STEP, PATTERNS = 7, 3, 64
SHOTS = 4
BARRED = 3 * PATTERNS
"""Masks of a home board, for 0, 1 and 2 or more checkers on the other side's bar."""
BLOCKS = 4
DIFFERENCES, DIFFERENCE_STEP = 65, 2
PIPS, PIP_STEP = 32, 6
_OWN_WINDOWS = (BARRED,) + (PATTERNS,) * (WINDOWS - 1)
SIZES = (
    (CONTENTS,) * POINTS + (CHECKERS + 1,) * 4 + _OWN_WINDOWS + _OWN_WINDOWS[::-1] + (PATTERNS,) * (SHOTS + BLOCKS)
    + (DIFFERENCES, PIPS, PIPS)
)  # fmt: skip
_FIRST = [sum(SIZES[:slot]) for slot in range(len(SIZES))]
_BAR_SLOT, _WINDOW_SLOT = POINTS, POINTS + 4
_SHOT_SLOT = _WINDOW_SLOT + 2 * WINDOWS
_BLOCK_SLOT = _SHOT_SLOT + SHOTS
_PIP_SLOT = _BLOCK_SLOT + BLOCKS
_FIRST_BAR, _FIRST_WINDOW, _FIRST_SHOT = _FIRST[_BAR_SLOT], _FIRST[_WINDOW_SLOT], _FIRST[_SHOT_SLOT]
_FIRST_DIFFERENCE, _FIRST_PIPS = _FIRST[_PIP_SLOT], _FIRST[_PIP_SLOT + 1]
_LANES = Word(0x1111_1111_1111_1111)
_NIBBLE = Word(15)
_HALF, _UPPER, _LOWER = Word(32), Word(40), Word(8)
_SIXTEEN, _TWELVE = Word(16), Word(0xFFF)

RACE, BOTH_BACK, OWN_BACK, ENEMY_BACK, MIDDLE = range(5)
CLASSES = 5
_FAR = Word(0x7F << 18)


class View(NamedTuple):
    """The position from the mover's perspective: four bits per place, and masks."""

    own_near: Word
    """Own checkers on the points 1 to 16."""
    own_far: Word
    """Own checkers on the points 17 to 24 and on the bar."""
    enemy_near: Word
    enemy_far: Word
    own_made: Word
    """Points with two or more own checkers."""
    enemy_made: Word
    shots: Word
    """Distances 1 … 12 of single enemy checkers, then (bits 12 … 23) of own ones from enemy checkers; then (bits 24 …
    35 and 36 … 47) the points held by the other side in front of the last own and enemy checker."""
    own_off: int
    enemy_off: int
    own_pips: int
    enemy_pips: int


@kernel(inline=True)
def _nibbles(first: Word, second: Word, third: Word, fourth: Word) -> Word:
    """Four planes of 16 places as numbers of four bits."""
    return (
        deposit(first, _LANES)
        | deposit(second, _LANES) << WORD_ONE
        | deposit(third, _LANES) << Word(2)
        | deposit(fourth, _LANES) << Word(3)
    )


@kernel(inline=True)
def _pips(near: Word, far: Word) -> int:
    pips = 0
    for index in range(16):
        pips += (index + 1) * integer((near >> Word(4 * index)) & _NIBBLE)
    for index in range(9):
        pips += (index + 17) * integer((far >> Word(4 * index)) & _NIBBLE)
    return pips


@kernel(inline=True)
def _checkers(near: Word, far: Word) -> int:
    count = 0
    for plane in range(4):
        count += (popcount((near >> Word(plane)) & _LANES) + popcount((far >> Word(plane)) & _LANES)) << plane
    return count


@kernel(inline=True)
def _distances(shooters: Word, targets: Word) -> Word:
    """The distances 1 … 12 from a shooter down to a target."""
    found = WORD_ZERO
    for distance in range(1, 13):
        if shooters & (targets << Word(distance)) != WORD_ZERO:
            found |= WORD_ONE << Word(distance - 1)
    return found


@kernel(inline=True)
def _blocks(places: Word, made: Word) -> Word:
    """The points of the other side 12 … 1 points in front of the last checker, the nearest one in the highest bit."""
    last = 63 - lowest(reverse(places))
    return (made << Word(12)) >> Word(last) & _TWELVE


@kernel(inline=True)
def view_of(position: Position) -> View:
    own_low, own_high = position.own_low, position.own_high
    own_near = _nibbles(own_low, own_low >> _HALF, own_high, own_high >> _HALF)
    low, high = own_low >> _SIXTEEN, own_high >> _SIXTEEN
    own_far = _nibbles(low & Word(0x1FF), low >> _HALF, high & Word(0x1FF), high >> _HALF)
    enemy_bar = _nibbles(
        (position.enemy_low >> Word(BAR)) & WORD_ONE, (position.enemy_low >> Word(BAR + 32)) & WORD_ONE,
        (position.enemy_high >> Word(BAR)) & WORD_ONE, (position.enemy_high >> Word(BAR + 32)) & WORD_ONE,
    )  # fmt: skip
    low, high = reverse(position.enemy_low), reverse(position.enemy_high)
    planes_0, planes_1 = low >> _UPPER, (low >> _LOWER) & BOARD
    planes_2, planes_3 = high >> _UPPER, (high >> _LOWER) & BOARD
    enemy_near = _nibbles(planes_0, planes_1, planes_2, planes_3)
    enemy_far = _nibbles(planes_0 >> _SIXTEEN, planes_1 >> _SIXTEEN, planes_2 >> _SIXTEEN, planes_3 >> _SIXTEEN)
    own_made = crowded(own_low, own_high)
    own_all = occupied(own_low, own_high)
    own_single = own_all & ~own_made & BOARD
    enemy_made = planes_1 | planes_2 | planes_3
    enemy_single = planes_0 & ~enemy_made
    enemy_all = occupied(position.enemy_low, position.enemy_high)
    turned_single = reverse(own_single) >> _UPPER
    shots = _distances(own_all, enemy_single) | _distances(enemy_all, turned_single) << Word(12)
    turned_made = reverse(own_made & BOARD) >> _UPPER
    shots |= _blocks(own_all, enemy_made) << Word(24) | _blocks(enemy_all, turned_made) << Word(36)
    own_count = _checkers(own_near, own_far)
    enemy_count = _checkers(enemy_near, enemy_far) + integer(enemy_bar)
    own_pips = _pips(own_near, own_far)
    # The enemy counts its points from the other end.
    enemy_pips = 25 * (enemy_count - integer(enemy_bar)) - _pips(enemy_near, enemy_far) + 25 * integer(enemy_bar)
    return View(
        own_near, own_far, enemy_near, enemy_far | enemy_bar << _HALF, own_made & BOARD, enemy_made, shots,
        CHECKERS - own_count, CHECKERS - enemy_count, own_pips, enemy_pips,
    )  # fmt: skip


@kernel(inline=True)
def feature(view: View, slot: int, weights: Any) -> int:
    if slot < POINTS:
        shift = Word(4 * (slot & 15))
        own = integer(((view.own_near if slot < 16 else view.own_far) >> shift) & _NIBBLE)
        enemy = integer(((view.enemy_near if slot < 16 else view.enemy_far) >> shift) & _NIBBLE)
        return slot * CONTENTS + own + (enemy + CHECKERS if enemy > 0 else 0)
    if slot < _WINDOW_SLOT:
        if slot == _BAR_SLOT:
            return _FIRST_BAR + integer((view.own_far >> _HALF) & _NIBBLE)
        if slot == _BAR_SLOT + 1:
            return _FIRST_BAR + 16 + integer((view.enemy_far >> _HALF) & _NIBBLE)
        return _FIRST_BAR + 16 * (slot - _BAR_SLOT) + (view.own_off if slot == _BAR_SLOT + 2 else view.enemy_off)
    if slot < _SHOT_SLOT:
        window = slot - _WINDOW_SLOT
        made = view.own_made if window < WINDOWS else view.enemy_made
        shift = WINDOW_STEP * (window if window < WINDOWS else window - WINDOWS)
        found = integer((made >> Word(shift)) & HOME)
        if window == 0:
            barred = integer((view.enemy_far >> _HALF) & _NIBBLE)
        elif window == 2 * WINDOWS - 1:
            barred = integer((view.own_far >> _HALF) & _NIBBLE)
        else:
            barred = 0
        first = _FIRST_WINDOW + PATTERNS * window + (2 * PATTERNS if window > 0 else 0)
        return first + found + PATTERNS * min(barred, 2)
    if slot < _PIP_SLOT:
        part = slot - _SHOT_SLOT
        return _FIRST_SHOT + PATTERNS * part + integer((view.shots >> Word(6 * part)) & HOME)
    if slot == _PIP_SLOT:
        difference = (view.own_pips - view.enemy_pips + DIFFERENCE_STEP * DIFFERENCES // 2) // DIFFERENCE_STEP
        return _FIRST_DIFFERENCE + min(max(difference, 0), DIFFERENCES - 1)
    pips = view.own_pips if slot == _PIP_SLOT + 1 else view.enemy_pips
    return _FIRST_PIPS + PIPS * (slot - _PIP_SLOT - 1) + min(pips // PIP_STEP, PIPS - 1)


@kernel(inline=True)
def position_class(position: Position) -> int:
    """RACE without contact; else by the sides that have checkers on the bar or in the other side's home board."""
    own, enemy = occupied(position.own_low, position.own_high), occupied(position.enemy_low, position.enemy_high)
    # Without contact, all own checkers have passed all enemy ones: the masks do not meet from the two ends.
    turned = reverse(enemy & BOARD) >> _UPPER
    if enemy & BAR_BIT != WORD_ZERO:
        turned |= WORD_ONE
    below_own = own | own >> WORD_ONE
    below_own |= below_own >> Word(2)
    below_own |= below_own >> Word(4)
    below_own |= below_own >> Word(8)
    below_own |= below_own >> Word(16)
    if below_own & turned == WORD_ZERO and enemy & BAR_BIT == WORD_ZERO:
        return RACE
    if own & _FAR != WORD_ZERO:
        return BOTH_BACK if enemy & _FAR != WORD_ZERO else OWN_BACK
    return ENEMY_BACK if enemy & _FAR != WORD_ZERO else MIDDLE


FEATURES: Features = replace(
    slotted("points and blocks", SIZES, feature, view=view_of), classes=CLASSES, classify=position_class
)

MOST_LEAD = 25 * CHECKERS
_LEADS = value_table(Calibration(0.0, 0.06), -MOST_LEAD, MOST_LEAD, 1)


@kernel
def _evaluate_pips(position: Position) -> int:
    """The mover's lead in pips, and four pips for the roll."""
    view = view_of(position)
    lead = view.enemy_pips - view.own_pips + 4
    return integer(_LEADS[MOST_LEAD + min(max(lead, -MOST_LEAD), MOST_LEAD)])


PIPS_LEAD = Evaluation("pips", _evaluate_pips)


@kernel(inline=True)
def move_class(position: Position, move: int) -> int:
    """Plays that hit are of the first class."""
    left = move
    while left != 0:
        index, die = left & SOURCE_MASK, (left >> DIE_SHIFT) & 7
        left >>= HALF_MOVE_BITS
        # A target is never held by two enemy checkers.
        if index >= die and (position.enemy_low >> Word(POINTS - 1 - index + die)) & WORD_ONE != WORD_ZERO:
            return FIRST_CLASS
    return ORDINARY
