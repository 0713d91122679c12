"""Rules of Chinese dark chess (banqi): 4×8 squares, 32 pieces face down, drawn from a pool when they are flipped.

A turn is a flip, a step of one's own piece to a neighbouring empty square, or a capture. A piece captures a neighbour
of equal or lower rank (K A E R N C P); the general cannot capture soldiers, but a soldier can capture the general. A
cannon captures by jumping over exactly one piece, at any distance. The colour of the first flipped piece is that of the
first player. A game is drawn after 30 plies without a capture; flips are not counted. A side without any action has
lost, even if the other side is to move.

A flip leaves the piece pending: its kind is the chance event before the next decision, weighted by the pool.
"""

import functools
import os
import random
import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy

from starscout.game import DRAW, LOSS, NOT_ROLLED, ONGOING, WIN, Cell, Game, GameError, Symmetry
from starscout.game.chance import ONLY_EVENT
from starscout.games.dark_chess.board import (
    BLACK,
    FILES,
    FULL_POOL,
    HALF,
    KINDS,
    LETTERS,
    NOT_PENDING,
    NUMBERS,
    POOL_BITS,
    RANKS,
    RED,
    SQUARES,
    Position,
    can_move,
    count_moves,
    hidden_pieces,
    kind_at,
    list_moves,
    move_piece,
    mover_colour,
    pick_move,
    put_piece,
)
from starscout.games.dark_chess.picture import BLACK_CHARACTERS, RED_CHARACTERS, draw_board
from starscout.kernels.bits import WORD_ONE, WORD_ZERO, Word, below, integer, popcount, random_word, select
from starscout.kernels.kernel import kernel
from starscout.settings.options import read_whole

QUIET_LIMIT = 30
MAX_MOVES = 96
EXAMPLE = "????????/????????/????????/???????? r"
PIECES_VARIABLE = "STARSCOUT_PIECES"
"""Environment variable: `western` draws letters instead of Chinese characters."""
COUNT_MASK = Word((1 << POOL_BITS) - 1)
POOL_ONES = Word(sum(1 << POOL_BITS * number for number in range(2 * KINDS)))


def build_variant(text: str) -> Game | None:
    """The dark game, or its variant `reset` (a flip resets the quiet counter) or `open` (all pieces face up)."""
    return build(text) if text in ("", "reset", "open") else None


@kernel(inline=True)
def outcome(position: Position) -> int:
    """The tests of the course's referee, in its order: quiet plies, Black blocked, Red blocked."""
    if position.quiet >= QUIET_LIMIT:
        return DRAW
    if hidden_pieces(position) != WORD_ZERO or position.pending != NOT_PENDING:
        return ONGOING
    if not can_move(position, BLACK):
        return WIN if mover_colour(position) == RED else LOSS
    if not can_move(position, RED):
        return WIN if mover_colour(position) == BLACK else LOSS
    return ONGOING


@kernel(inline=True)
def moves(position: Position, event: int, out: numpy.ndarray) -> int:
    return list_moves(position, out)


@kernel(inline=True)
def in_pool(position: Position, number: int) -> int:
    """Unrevealed pieces of a colour and kind: number = KINDS · colour + kind."""
    return integer((position.pool >> Word(POOL_BITS * number)) & COUNT_MASK)


@kernel(inline=True)
def kinds_in_pool(position: Position) -> Word:
    """The lowest bit of the count of each colour and kind that is in the pool."""
    return (position.pool | (position.pool >> WORD_ONE) | (position.pool >> Word(2))) & POOL_ONES


@kernel(inline=True)
def events(position: Position) -> int:
    return popcount(kinds_in_pool(position)) if position.pending != NOT_PENDING else 0


@kernel(inline=True)
def event(position: Position, index: int) -> tuple[int, int]:
    """The kinds in the pool, in order; the weight is their number."""
    shift = select(kinds_in_pool(position), index)
    return shift // POOL_BITS + 1, integer((position.pool >> Word(shift)) & COUNT_MASK)


@kernel(inline=True)
def count(position: Position, event: int, row: numpy.ndarray) -> int:
    return count_moves(position)


@kernel(inline=True)
def pick(position: Position, event: int, random: Word, row: numpy.ndarray) -> int:
    return pick_move(position, random)


@kernel(inline=True)
def resolve(position: Position, event: int) -> Position:
    """Reveal the pending piece; the first one gives its colour to the side that flipped it."""
    if position.pending == NOT_PENDING:
        return position
    number = event - 1
    colour, kind = number // KINDS, number % KINDS
    colours = position.colours
    if colours == 0:
        flipper = 1 - position.mover
        colours = 1 if flipper == colour else 2
    shown = put_piece(position, position.pending, colour, kind)
    pool = position.pool - (WORD_ONE << Word(POOL_BITS * number))
    return Position(shown.revealed, shown.kinds, shown.rest, pool, position.quiet, NOT_PENDING, colours, position.mover)


def build_play(resets: bool) -> Any:
    """`play`; with `resets`, a flip resets the quiet counter."""

    @kernel(inline=True)
    def play(position: Position, move: int) -> Position:
        start, target = move // SQUARES, move % SQUARES
        if start != target:
            return move_piece(position, start, target)
        rest = position.rest & ~(WORD_ONE << Word(start + 32))
        quiet = 0 if resets else position.quiet
        return Position(
            position.revealed, position.kinds, rest, position.pool, quiet, start, position.colours, 1 - position.mover
        )

    return play


@kernel
def start(seed: Word) -> Position:
    return Position(WORD_ZERO, WORD_ZERO, Word(0xFFFF_FFFF) << HALF, Word(FULL_POOL), 0, NOT_PENDING, 0, 0)


@kernel
def open_start(seed: Word) -> Position:
    """All pieces on random squares, face up; the first player is red."""
    position = Position(WORD_ZERO, WORD_ZERO, WORD_ZERO, Word(FULL_POOL), 0, NOT_PENDING, 1, 0)
    for square in range(SQUARES):
        left = below(random_word(seed, Word(square)), SQUARES - square)
        number = 0
        while left >= in_pool(position, number):
            left -= in_pool(position, number)
            number += 1
        shown = put_piece(position, square, number // KINDS, number % KINDS)
        pool = position.pool - (WORD_ONE << Word(POOL_BITS * number))
        position = Position(shown.revealed, shown.kinds, shown.rest, pool, 0, NOT_PENDING, 1, 0)
    return position


def square_text(square: int) -> str:
    """`A1` to `H4`; rank 1 is the first row."""
    return f"{'ABCDEFGH'[square % FILES]}{square // FILES + 1}"


def piece_text(number: int) -> str:
    """The letter of a colour and kind: red is lower case."""
    letter = LETTERS[number % KINDS]
    return letter.lower() if number // KINDS == RED else letter


def format_board(position: Position) -> str:
    """The board in the course's FEN: rank 1 first, runs of empty squares as digits; `!` is a piece being revealed."""
    ranks = []
    for rank in range(RANKS):
        squares = "".join(_square_letter(position, rank * FILES + file) for file in range(FILES))
        ranks.append(re.sub(r"\.+", lambda run: str(len(run[0])), squares))
    return "/".join(ranks)


def _square_letter(position: Position, square: int) -> str:
    if square == position.pending:
        return "!"
    if int(hidden_pieces(position)) >> square & 1:
        return "?"
    revealed = int(position.revealed)
    for colour in (RED, BLACK):
        if revealed >> square + 32 * colour & 1:
            return piece_text(KINDS * colour + int(kind_at(position, square)))
    return "."


def format_position(position: Position, event: int) -> str:
    """FEN, quiet plies, pool (`-` if empty, `*` if nothing was captured), colour of the first player (`-` if open)."""
    colour = "rb"[int(mover_colour(position))]
    unrevealed = "".join(piece_text(number) * int(in_pool(position, number)) for number in range(2 * KINDS))
    pool = "*" if _nothing_captured(position) else unrevealed or "-"
    return f"{format_board(position)} {colour} {position.quiet} {pool} {'-rb'[position.colours]}"


def _nothing_captured(position: Position) -> bool:
    waiting = int(hidden_pieces(position)).bit_count() + (position.pending != NOT_PENDING)
    return waiting + int(position.revealed).bit_count() == SQUARES


def parse(text: str) -> tuple[Position, int]:
    """The position of a text; the course's FEN alone means no quiet plies and that no piece was captured unrevealed."""
    fields = text.split()
    if len(fields) not in (2, 5):
        raise GameError(
            f"position: expected 2 fields (board, side to move), like {EXAMPLE!r}, or 5 (quiet plies, pool and colour "
            f"of the first player too); got {text!r}"
        )
    if fields[1] not in ("r", "b"):
        raise GameError(f"side to move: expected r or b, got {fields[1]!r}")
    squares = parse_board(fields[0])
    quiet, pool_text, first = fields[2:] if len(fields) == 5 else ("0", "*", "r" if set(squares) - {"?"} else "-")
    plies = read_whole(quiet, 0, QUIET_LIMIT)
    if plies is None:
        raise GameError(f"quiet plies: expected 0 to {QUIET_LIMIT}, got {quiet!r}")
    if first not in ("-", "r", "b"):
        raise GameError(f"colour of the first player: expected r, b or -, got {first!r}")
    colours = "-rb".index(first)
    pool = _parse_pool(squares, pool_text, short=len(fields) == 2)
    mover = "rb".index(fields[1]) if colours < 2 else 1 - "rb".index(fields[1])
    pending = squares.find("!")
    hidden = sum(1 << square for square, letter in enumerate(squares) if letter == "?")
    position = Position(WORD_ZERO, WORD_ZERO, Word(hidden) << HALF, Word(pool), plies, pending, colours, mover)
    for square, letter in enumerate(squares):
        if letter.isalpha():
            colour, kind = BLACK if letter.isupper() else RED, LETTERS.index(letter.upper())
            position = _typed(put_piece(position, square, colour, kind))
    if colours == 0 and position.revealed:
        raise GameError("colour of the first player: expected r or b, because pieces are revealed; got '-'")
    if colours == 0 and mover != (0 if pending == NOT_PENDING else 1):
        raise GameError(f"side to move: the first player flips first, got {fields[1]!r}")
    return position, NOT_ROLLED


def _typed(position: Position) -> Position:
    """Convert the fields that a kernel has returned as integers to their declared types."""
    revealed, kinds, rest, pool, *others = position
    return Position(Word(revealed), Word(kinds), Word(rest), Word(pool), *map(int, others))


def piece_set() -> Counter[str]:
    """The letters of all 32 pieces."""
    return Counter({piece_text(number): NUMBERS[number % KINDS] for number in range(2 * KINDS)})


def parse_board(text: str) -> str:
    """32 characters: letters, `?`, `!` and `.`; raises GameError that names the rank."""
    ranks = text.split("/")
    if len(ranks) != RANKS:
        raise GameError(f"board: expected {RANKS} ranks separated by '/', got {len(ranks)}: {text!r}")
    squares = ""
    for number, rank in enumerate(ranks, 1):
        wrong = re.search(r"[^KAERNCPkaerncp?!1-8]", rank)
        if wrong:
            raise GameError(f"board, rank {number}: expected pieces KAERNCP, ?, ! or 1 to 8, got {wrong[0]!r}")
        expanded = re.sub(r"\d", lambda digit: "." * int(digit[0]), rank)
        if len(expanded) != FILES:
            raise GameError(f"board, rank {number}: expected {FILES} squares, got {len(expanded)}: {rank!r}")
        squares += expanded
    if squares.count("!") > 1:
        raise GameError("board: expected at most one piece that is being revealed (!)")
    return squares


def _parse_pool(squares: str, text: str, *, short: bool) -> int:
    """The pool as a number; `*` is the full set without the revealed pieces."""
    waiting = squares.count("?") + squares.count("!")
    counts = {}
    for number in range(2 * KINDS):
        letter = piece_text(number)
        counts[number] = NUMBERS[number % KINDS] - squares.count(letter)
        if counts[number] < 0:
            raise GameError(
                f"board: expected at most {NUMBERS[number % KINDS]} of {letter}, got {squares.count(letter)}"
            )
    if short and waiting == 0:
        text = "-"
    if text == "*":
        if sum(counts.values()) != waiting:
            raise GameError(
                f"pool: {sum(counts.values())} pieces are not revealed and {waiting} are hidden; name the hidden ones, "
                "like Kpp"
            )
    else:
        given = "" if text == "-" else text
        for number in range(2 * KINDS):
            letter = piece_text(number)
            if given.count(letter) > counts[number]:
                raise GameError(f"pool: expected at most {counts[number]} of {letter}, got {given.count(letter)}")
            counts[number] = given.count(letter)
        if sum(counts.values()) != len(given) or len(given) != waiting:
            raise GameError(f"pool: expected {waiting} pieces of KAERNCPkaerncp, got {text!r}")
    return sum(count << POOL_BITS * number for number, count in counts.items())


def format_move(position: Position, move: int) -> str:
    """`A1B1` for a step or capture, `A1` for a flip."""
    start, target = divmod(move, SQUARES)
    return square_text(start) if start == target else square_text(start) + square_text(target)


def spell_move(text: str) -> str:
    """Accept the course's `FLIP A1` and `MOVE A1 B1`, and `A1-B1`."""
    return re.sub(r"(?i)flip|move|[\s\-x]", "", text).upper()


def cells(position: Position) -> list[Cell]:
    """Rank 1 is the top row."""
    return [_cell(position, square) for square in range(SQUARES)]


def _cell(position: Position, square: int) -> Cell:
    letter = _square_letter(position, square)
    if not letter.isalpha():
        return Cell("" if letter == "." else letter, None)
    colour = BLACK if letter.isupper() else RED
    side = colour if position.colours != 2 else 1 - colour
    return Cell(drawn(letter), side)


def drawn(letter: str) -> str:
    """How a piece is drawn: a Chinese character, or its letter."""
    if os.environ.get(PIECES_VARIABLE) == "western":
        return letter
    characters = BLACK_CHARACTERS if letter.isupper() else RED_CHARACTERS
    return characters[LETTERS.index(letter.upper())]


def notes(position: Position) -> tuple[str, ...]:
    """The colours of the sides, captured pieces, and hidden pieces with the chance that a flip reveals each."""
    board = "".join(_square_letter(position, square) for square in range(SQUARES))
    hidden = [int(in_pool(position, number)) for number in range(2 * KINDS)]
    captured = "".join(
        drawn(letter) * (count - board.count(letter) - hidden[number])
        for number, letter in enumerate(map(piece_text, range(2 * KINDS)))
        if (count := NUMBERS[number % KINDS])
    )
    pool = " ".join(
        f"{drawn(piece_text(number))} {count}/{sum(hidden)}" for number, count in enumerate(hidden) if count
    )
    colours = ("", "first is red, second is black", "first is black, second is red")[int(position.colours)]
    return tuple(filter(None, (colours, captured and f"captured: {captured}", pool and f"hidden: {pool}")))


def reason(position: Position) -> str:
    """The reason for the end, in the wording of the course's referee."""
    if position.quiet >= QUIET_LIMIT:
        return "30 quiet plies"
    loser = BLACK if not can_move(position, BLACK) else RED
    pieces = int(position.revealed) >> 32 * loser & 0xFFFF_FFFF
    return "stalemate" if pieces else "captured all"


def deal(first: Position, seed: int) -> Callable[[Position], int]:
    """The hidden pieces of one board: the pool, shuffled over the hidden squares."""
    squares = [
        square for square in range(SQUARES) if int(hidden_pieces(first)) >> square & 1 or square == first.pending
    ]
    pieces = [number for number in range(2 * KINDS) for _ in range(int(in_pool(first, number)))]
    random.Random(seed).shuffle(pieces)
    under = dict(zip(squares, pieces, strict=True))
    return lambda position: under[int(position.pending)] + 1


def _symmetries() -> tuple[Symmetry, ...]:
    def mirrored(name: str, image: Callable[[int], int]) -> Symmetry:
        def half(mask: int) -> int:
            return sum(1 << image(square) for square in range(SQUARES) if mask >> square & 1)

        def word(value: Word) -> Word:
            return Word(half(int(value) & 0xFFFF_FFFF) | half(int(value) >> 32) << 32)

        def of_position(position: Position) -> Position:
            pending = position.pending if position.pending == NOT_PENDING else image(position.pending)
            return position._replace(
                revealed=word(position.revealed), kinds=word(position.kinds), rest=word(position.rest), pending=pending
            )

        def of_move(position: Position, move: int) -> int:
            return image(move // SQUARES) * SQUARES + image(move % SQUARES)

        return Symmetry(name, of_position, of_move)

    return (
        mirrored("files reversed", lambda square: square // FILES * FILES + FILES - 1 - square % FILES),
        mirrored("ranks reversed", lambda square: (RANKS - 1 - square // FILES) * FILES + square % FILES),
    )


@functools.cache
def build(variant: str = "") -> Game:
    """Build the game or a variant."""
    is_open = variant == "open"
    chance: dict[str, Any] = {} if is_open else {
        "events": events, "event": event, "max_events": 2 * KINDS, "resolve": resolve, "deal": deal,
    }  # fmt: skip
    texts = {
        "": "4×8, all pieces face down, a flip draws from the pool: capture or block the other side",
        "reset": "dark chess in which a flip resets the count of quiet plies",
        "open": "dark chess with all pieces face up",
    }
    return Game(
        name=f"dark-chess{'-' if variant else ''}{variant}",
        title="Chinese dark chess",
        description=texts[variant],
        dice="none" if is_open else "the piece that a flip reveals",
        sides=("first", "second"),
        rows=RANKS,
        columns=FILES,
        max_moves=MAX_MOVES,
        max_plies=1023 if variant != "reset" else 2000,
        position=Position,
        start=open_start if is_open else start,
        starts=0 if is_open else 1,
        moves=moves,
        count=count,
        pick=pick,
        play=build_play(variant == "reset"),
        outcome=outcome,
        symmetries=_symmetries(),
        format=format_position,
        parse=(lambda text: (parse(text)[0], ONLY_EVENT)) if is_open else parse,
        format_event=lambda position, event: piece_text(event - 1),
        format_move=format_move,
        cells=cells,
        notes=notes,
        reason=reason,
        move_spellings=spell_move,
        picture=draw_board,
        move_squares=lambda position, move: tuple(dict.fromkeys(divmod(move, SQUARES))),
        opening_plies=None if is_open else 0,  # pyright: ignore[reportArgumentType]
        typical_plies=80,
        plies_deviation=30.0,
        actions=SQUARES * SQUARES,
        action=_action,
        view=_view,
        family="dark-chess",
        **chance,
    )


@kernel
def _action(position: Position, move: int) -> int:
    return move


@kernel
def _view(position: Position, out: numpy.ndarray) -> None:
    """1 … 7: K … P; 8: hidden."""
    colour = mover_colour(position)
    for square in range(SQUARES):
        if (hidden_pieces(position) >> Word(square)) & WORD_ONE != WORD_ZERO or square == position.pending:
            out[square] = KINDS + 1
        elif (position.revealed >> Word(square)) & WORD_ONE != WORD_ZERO:
            out[square] = (kind_at(position, square) + 1) * (1 if colour == RED else -1)
        elif (position.revealed >> Word(square + 32)) & WORD_ONE != WORD_ZERO:
            out[square] = (kind_at(position, square) + 1) * (1 if colour == BLACK else -1)
