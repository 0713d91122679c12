"""GNU Backgammon's position IDs: 80 bits as 14 characters of base64.

For each side, the other side first, the checkers of each place (points from the ace point, then the bar) are that many
ones and a zero. The bits fill ten bytes from the lowest bit.
https://www.gnu.org/software/gnubg/manual/html_node/A-technical-description-of-the-Position-ID.html
"""

import base64
import binascii

from starscout.game import GameError

Board = tuple[int, ...]
PLACES, BYTES, LENGTH = 25, 10, 14


def id_of_board(own: Board, enemy: Board) -> str:
    """The ID of a position: the checkers of the mover and of the other side, each from that side's perspective."""
    bits, place = 0, 0
    for board in (enemy, own):
        for count in board:
            bits |= ((1 << count) - 1) << place
            place += count + 1
    return base64.b64encode(bits.to_bytes(BYTES, "little")).decode()[:LENGTH]


def board_of_id(text: str) -> tuple[Board, Board]:
    """The inverse of `id_of_board`; raises GameError."""
    try:
        content = base64.b64decode(text + "==", validate=True) if len(text) == LENGTH else b""
    except (binascii.Error, ValueError):
        content = b""
    if len(content) != BYTES:
        raise GameError(f"position ID: expected {LENGTH} characters of base64, like 4HPwATDgc/ABMA, got {text!r}")
    bits = int.from_bytes(content, "little")
    counts = []
    for _ in range(2 * PLACES):
        count = 0
        while bits & 1:
            count, bits = count + 1, bits >> 1
        bits >>= 1
        counts.append(count)
    if bits:
        raise GameError(f"position ID: {text!r} has more than {2 * PLACES} places")
    return tuple(counts[PLACES:]), tuple(counts[:PLACES])
