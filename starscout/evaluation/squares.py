"""Default features of any game: the content of each square from the mover's point of view.

`Game.cells` is slow. Therefore positions of random games are compared with their cells once, to find the bits of the
position that determine the content of each square; a kernel then gathers these bits and looks the feature up. For the
second side, the board is rotated if fewer bits are needed that way. Bits that no square needs (a counter, future dice)
become separate features, four bits at a time.

In a position that is a list of pieces instead of a board, too many bits determine a square. Its features are the values
of the lanes of its words, with the lane width that is most informative about the squares.
"""

import functools
import random
from collections.abc import Mapping, Sequence
from typing import Any

import numpy

from starscout.evaluation.features import Features, slotted
from starscout.evaluation.weights import Weights
from starscout.game import ONGOING, Cell, Game, Position
from starscout.game.laws import random_game
from starscout.kernels.bits import Word, gather, integer
from starscout.kernels.kernel import kernel, unroll

SAMPLE_GAMES = 60
MOST_SAMPLES = 4000
MOST_BITS = 6
"""Maximum number of bits that may determine the content of a square."""
SPARE_BITS = 4
LANE_WIDTHS = (3, 4, 5, 6, 7)
LEAST_SEEN = 8
"""Minimum number of occurrences for the value of a lane to be informative."""
WORD_BITS = 64
TABLES = ("masks", "shifts", "numbers", "sizes")
"""The arrays that describe the features."""


def sample_positions(game: Game, seed: int = 0) -> list[Position]:
    """Unfinished positions of random games with this seed."""
    found: list[Position] = []
    for number in range(SAMPLE_GAMES):
        played = random_game(game, random.Random(f"{seed} {number}"))
        found += [position for position in played if game.outcome(position) == ONGOING]
    return found[:MOST_SAMPLES]


def square_features(game: Game, positions: Sequence[Position]) -> Features:
    """The default features of a game."""
    bits = _bits(positions)
    boards = [_contents(game, positions, turned=turned) for turned in (False, True)]
    found = [_slots_of_squares(bits, board) for board in boards]
    slots = min((slots for slots in found if slots is not None), key=_cost, default=None)
    if slots is None:
        slots = _lanes(bits, boards[0])
    used = {bit for slot in slots for bit in slot[0]}
    varying = [bit for bit in numpy.flatnonzero(bits.min(axis=0) != bits.max(axis=0)).tolist() if bit not in used]
    slots += [(spare, {}) for spare in _cut(varying, SPARE_BITS)]
    return _features(game, len(positions[0]), slots)


Slot = tuple[list[int], dict[int, int]]
"""The determining bits and the feature of each combination; an empty dictionary: one feature per combination."""


def _bits(positions: Sequence[Position]) -> numpy.ndarray:
    """[position, bit]: the bits of all fields, one field after the other."""
    words = numpy.array([[int(field) & (2**WORD_BITS - 1) for field in position] for position in positions], Word)
    shifts = numpy.arange(WORD_BITS, dtype=Word)
    return ((words[:, :, None] >> shifts) & Word(1)).astype(numpy.uint8).reshape(len(positions), -1)


def _contents(game: Game, positions: Sequence[Position], *, turned: bool) -> numpy.ndarray:
    """[position, square] → the content as a number for the mover; `turned`: the board is rotated for side 1."""
    boards = [game.cells(position) for position in positions]
    ranks = _ranks(boards)
    names: dict[tuple[str | int, int | None], int] = {}
    rows = []
    for position, cells in zip(positions, boards, strict=True):
        seen = cells[::-1] if turned and position.mover == 1 else cells
        contents = [(ranks[cell.text, cell.side], _relative(cell.side, position)) for cell in seen]
        rows.append([names.setdefault(content, len(names)) for content in contents])
    return numpy.array(rows)


def _ranks(boards: Sequence[Sequence[Cell]]) -> dict[tuple[str, int | None], str | int]:
    """The name of a piece: its text, or its rank within its side if the sides use different letters."""
    texts = {
        side: sorted({cell.text for cells in boards for cell in cells if cell.side == side}) for side in (0, 1, None)
    }
    own_letters = set(texts[0]).isdisjoint(texts[1])
    return {
        (text, side): rank if own_letters and side is not None else text
        for side, known in texts.items()
        for rank, text in enumerate(known)
    }


def _relative(side: int | None, position: Position) -> int | None:
    return None if side is None else int(side != position.mover)


def _slots_of_squares(bits: numpy.ndarray, board: numpy.ndarray) -> list[Slot] | None:
    """The determining bits of each square that varies; None if a square needs too many."""
    slots: list[Slot] = []
    for square in range(board.shape[1]):
        contents = board[:, square]
        if (contents == contents[0]).all():
            continue
        chosen = _deciding_bits(bits, contents)
        if chosen is None:
            return None
        keys = bits[:, chosen] @ (1 << numpy.arange(len(chosen)))
        slots.append((chosen, dict(zip(keys.tolist(), contents.tolist(), strict=True))))
    return slots


def _deciding_bits(bits: numpy.ndarray, contents: numpy.ndarray) -> list[int] | None:
    """Bits, chosen greedily, that determine the content of a square in every position."""
    chosen: list[int] = []
    keys = numpy.zeros(len(contents), dtype=numpy.int64)
    kinds = int(contents.max()) + 1
    while len(chosen) <= MOST_BITS:
        wrong = _undecided(keys, contents, kinds)
        if wrong == 0:
            return chosen
        # Each bit splits the groups of equal keys; the best one leaves the fewest positions in the minority.
        left = [_undecided(2 * keys + bits[:, bit], contents, kinds) for bit in range(bits.shape[1])]
        best = int(numpy.argmin(left))
        if left[best] >= wrong:
            return None
        chosen.append(best)
        keys = 2 * keys + bits[:, best]
    return None


def _undecided(keys: numpy.ndarray, contents: numpy.ndarray, kinds: int) -> int:
    """Number of positions that do not have the most frequent content of their key."""
    counts = numpy.bincount(keys * kinds + contents, minlength=(int(keys.max()) + 1) * kinds).reshape(-1, kinds)
    return int(counts.sum() - counts.max(axis=1).sum())


def _cost(slots: list[Slot]) -> int:
    return sum(1 << len(bits) for bits, _ in slots)


def _lanes(bits: numpy.ndarray, board: numpy.ndarray) -> list[Slot]:
    """The lanes of every field with the most informative width: values that imply the content of a square count."""
    best: tuple[float, list[Slot]] = (-1.0, [])
    usual = numpy.array([numpy.bincount(column).argmax() for column in board.T])
    for width in LANE_WIDTHS:
        slots = [slot for field in range(bits.shape[1] // WORD_BITS) for slot in _lanes_of_field(bits, field, width)]
        informative = 0
        for chosen, _ in slots:
            keys = bits[:, chosen] @ (1 << numpy.arange(len(chosen)))
            for value in numpy.unique(keys):
                there = board[keys == value]
                if len(there) >= LEAST_SEEN and ((there == there[0]).all(axis=0) & (there[0] != usual)).any():
                    informative += len(there)
        best = max(best, (informative / max(len(slots), 1), slots), key=lambda candidate: candidate[0])
    return best[1]


def _lanes_of_field(bits: numpy.ndarray, field: int, width: int) -> list[Slot]:
    """The lanes of a field up to its highest bit that varies."""
    low = field * WORD_BITS
    inside = bits[:, low : low + WORD_BITS]
    highest = int(numpy.flatnonzero(inside.min(axis=0) != inside.max(axis=0)).max(initial=-1))
    starts = range(0, highest + 1, width)
    return [([low + bit for bit in range(start, min(start + width, highest + 1))], {}) for start in starts]


def _cut(bits: list[int], size: int) -> list[list[int]]:
    """The bits in runs of up to `size` that lie in one field."""
    fields = sorted({bit // WORD_BITS for bit in bits})
    inside = [[bit for bit in bits if bit // WORD_BITS == field] for field in fields]
    return [run[start : start + size] for run in inside for start in range(0, len(run), size)]


def _features(game: Game, fields: int, slots: list[Slot]) -> Features:
    """The features as tables: the bits each slot gathers from each field, and the feature of each combination."""
    masks = numpy.zeros((len(slots), fields), dtype=Word)
    shifts = numpy.zeros((len(slots), fields), dtype=numpy.int64)
    numbers = numpy.zeros((len(slots), 1 << max(len(bits) for bits, _ in slots)), dtype=numpy.int64)
    sizes, first = [], 0
    for slot, (bits, meaning) in enumerate(slots):
        ordered = sorted(bits)
        for place, bit in reversed(list(enumerate(ordered))):
            masks[slot, bit // WORD_BITS] |= Word(1 << bit % WORD_BITS)
            shifts[slot, bit // WORD_BITS] = place
        # Dictionary keys contain the bits in the order in which they were chosen; the kernel gathers them in ascending
        # order.
        places = [ordered.index(bit) for bit in bits]
        names = sorted(set(meaning.values()))
        for gathered in range(1 << len(bits)):
            key = sum((gathered >> place & 1) << number for number, place in enumerate(places))
            numbers[slot, gathered] = first + (
                names.index(meaning[key]) if key in meaning else 0 if names else gathered
            )
        sizes.append(len(names) or 1 << len(bits))
        first += sizes[-1]
    tables = {"masks": masks, "shifts": shifts, "numbers": numbers, "sizes": numpy.array(sizes)}
    return squares_from_tables(game, tables)


def squares_from_tables(game: Game, tables: Mapping[str, numpy.ndarray]) -> Features:
    """The features with given tables."""
    used = {name: tables[name] for name in TABLES}
    return slotted(f"squares of {game.name}", tuple(int(size) for size in tables["sizes"]), _square_feature(), used)


@functools.cache
def _square_feature() -> Any:
    @kernel(inline=True)
    def feature(position: Position, slot: int, weights: Weights) -> int:
        index, number = 0, 0
        for field in unroll(position):
            index |= integer(gather(Word(field), weights.masks[slot, number])) << weights.shifts[slot, number]
            number += 1  # noqa: SIM113 (kernels do not enumerate unrolled fields)
        return weights.numbers[slot, index]

    return feature
