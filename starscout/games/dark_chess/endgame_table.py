"""Endgame tables of dark chess: all positions with few pieces and none hidden, exact with the rule of quiet plies.

An entry is one byte for the side to move: n > 0 if it wins while fewer than n quiet plies have been made, −n if it
loses then, 0 if it draws at any count. The winner makes at most 30 − n quiet plies before the next capture or the end.
`table_builder.py` numbers and fills the entries.
"""

import functools
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy

from starscout.evaluation.evaluation import Evaluation
from starscout.evaluation.weights import Weights
from starscout.game import NOT_ROLLED, ONGOING, Game, GameError, WorkError
from starscout.game.values import ONE
from starscout.games.dark_chess.board import (
    HALF,
    KINDS,
    LOW,
    NOT_PENDING,
    NUMBERS,
    RED,
    SQUARES,
    Position,
    hidden_pieces,
    kind_at,
    mover_colour,
    pieces_of,
    put_piece,
)
from starscout.games.dark_chess.rules import QUIET_LIMIT
from starscout.games.dark_chess.table_builder import MOST_PIECES, QUARTER, classes_up_to, fill, reflection
from starscout.kernels.bits import WORD_ONE, WORD_ZERO, Word, integer, lowest, popcount
from starscout.kernels.cache import cache_folder
from starscout.kernels.kernel import kernel
from starscout.search.endgame import StoredTable, TableClass, TableFiles, open_record, write_record

UNASKED_PIECES = 3
"""The size of the table that players build themselves, within a second; larger ones are built on request."""
SAMPLES = 300
"""Number of random positions that a check recomputes."""
STEP = ONE >> 12
"""Reduction of a won position's value per quiet ply, so that a search prefers the shorter win."""


@functools.cache
def _record_type(most: int) -> numpy.dtype:
    """Cached so that equal fields give the same object, which Numba recognises faster."""
    fields = [("values", numpy.int8, classes_up_to(most).entries)]
    return numpy.dtype((numpy.record, numpy.dtype(fields)))


def table_path(pieces: int) -> Path:
    """The file of the table for up to this many pieces; all variants of the game share it."""
    return cache_folder().parent / "tables" / f"dark-chess-up-to-{pieces}.table"


class DarkChessTableFiles(TableFiles):
    """The tables of the family; the size of a table is its largest number of pieces on the board."""

    size_option = "cubes"

    def default_size(self, game: Game) -> int:
        return MOST_PIECES

    def check_size(self, game: Game, size: int) -> None:
        if not 2 <= size <= MOST_PIECES:
            raise GameError(f"cubes: expected 2 to {MOST_PIECES} pieces for {game.name}, got {size}")

    def path(self, game: Game, size: int) -> Path:
        return table_path(size)

    def build(self, game: Game, size: int, threads: int) -> Iterator[float]:
        self.check_size(game, size)
        yield from write_record(table_path(size), _record_type(size), lambda record: fill(size, record["values"][0]))

    def open(self, game: Game, size: int) -> "DarkChessTable | None":
        return open_table(game, size, thorough=True)


def open_table(game: Game, most: int, *, thorough: bool = False) -> "DarkChessTable | None":
    """The table for up to this many pieces; None if its file is missing or damaged."""
    record = open_record(table_path(most), _record_type(most), thorough=thorough)
    return None if record is None else DarkChessTable(game, most, record)


@functools.lru_cache(maxsize=8)
def find_table(game: Game) -> "DarkChessTable | None":
    """The largest existing table, else the one of UNASKED_PIECES, built now; None if it cannot be written."""
    for most in range(MOST_PIECES, UNASKED_PIECES - 1, -1):
        table = open_table(game, most)
        if table is not None:
            return table
    try:
        for _ in DarkChessTableFiles().build(game, UNASKED_PIECES, 1):
            pass
    except WorkError:
        # If the cache is not writable, players do not use the table.
        return None
    return open_table(game, UNASKED_PIECES)


@functools.cache
def covers_and_entry(most: int) -> tuple[Any, Any]:
    """The kernels `covers` and `entry` of the table for up to this many pieces."""
    classes = classes_up_to(most)
    side_of, of_sides, order_of = classes.side, classes.of_sides, classes.order
    pieces_in, first = classes.pieces, classes.first
    no_piece = KINDS * SQUARES

    @kernel(inline=True)
    def sorted_side(position: Position, pieces: Word) -> tuple[int, int, int]:
        """The pieces of a side as kind · SQUARES + square, in order; `no_piece` where there is none."""
        low, middle, high = no_piece, no_piece, no_piece
        while pieces != WORD_ZERO:
            square = lowest(pieces)
            pieces &= pieces - WORD_ONE
            code = kind_at(position, square) * SQUARES + square
            if code < low:
                low, middle, high = code, low, middle
            elif code < middle:
                middle, high = code, middle
            else:
                high = code
        return low, middle, high

    @kernel
    def covers(position: Position) -> bool:
        if position.pending != NOT_PENDING or hidden_pieces(position) != WORD_ZERO:
            return False
        red, black = position.revealed & LOW, position.revealed >> HALF
        return red != WORD_ZERO and black != WORD_ZERO and popcount(position.revealed) <= most

    @kernel
    def entry(position: Position, record: numpy.record) -> int:
        """The entry of a position that the table covers."""
        colour = mover_colour(position)
        codes = (
            *sorted_side(position, pieces_of(position, colour)),
            *sorted_side(position, pieces_of(position, 1 - colour)),
        )
        own = side_of[(codes[0] >> 5) << 6 | (codes[1] >> 5) << 3 | codes[2] >> 5]
        enemy = side_of[(codes[3] >> 5) << 6 | (codes[4] >> 5) << 3 | codes[5] >> 5]
        number = of_sides[own, enemy]
        order = order_of[own, enemy]
        change = reflection(codes[order[0]] & 31)
        square = (codes[order[0]] & 31) ^ change
        index = (square & 3) | ((square >> 1) & 4)
        for piece in range(1, pieces_in[number]):
            index = index * SQUARES + ((codes[order[piece]] & 31) ^ change)
        return integer(record.values[first[number] + index])

    return covers, entry


class TableWeights(NamedTuple):
    """The weights of the evaluation for all other positions, and the table."""

    weights: Weights
    table: numpy.record


@functools.cache
def _build_evaluation(evaluate_other: Any, most: int) -> Any:
    covers, entry_of = covers_and_entry(most)

    @kernel
    def evaluate(position: Position, weights: TableWeights) -> int:
        if covers(position):
            entry = entry_of(position, weights.table)
            if abs(entry) <= position.quiet:
                return 0
            slack = STEP * (QUIET_LIMIT + 1 - abs(entry))
            return ONE - slack if entry > 0 else slack - ONE
        return evaluate_other(position, weights.weights)

    return evaluate


@dataclass(frozen=True, eq=False)
class DarkChessTable(StoredTable):
    """The values of all positions with up to `most` pieces and none hidden."""

    game: Game
    most: int
    record: numpy.record

    @property
    def description(self) -> str:
        return f"{self.most} pieces"

    def covers(self, position: Position) -> bool:
        return bool(covers_and_entry(self.most)[0](position))

    def entry(self, position: Position) -> int:
        """The quiet plies below which the mover wins; negative if it loses; 0: a draw."""
        return int(covers_and_entry(self.most)[1](position, self.record))

    def value(self, position: Position) -> float:
        entry = self.entry(position)
        if abs(entry) <= position.quiet:
            return 0.0
        return 1.0 if entry > 0 else -1.0

    def warm(self) -> None:
        position = random_position(self.most, random.Random(0))
        if self.covers(position):
            self.best_move(position, NOT_ROLLED)

    def best_move(self, position: Position, roll: int) -> int:
        """A best move: in a win the quickest way to the next capture, in a loss the longest resistance.

        In a draw, the move after which the largest share of replies loses.
        """
        values = self.move_values(position, roll)
        best = max(values.values())
        return max(
            (move for move, value in values.items() if value == best),
            key=lambda move: self._merit(position, move, best),
        )

    def _merit(self, position: Position, move: int, value: float) -> float:
        following = self.game.play_position(position, move)
        over = self.game.outcome(following) != ONGOING
        if over:
            return 2.0 * QUIET_LIMIT if value > 0 else -1.0
        if value != 0:
            # A capture resets the count. The loser prefers moves that leave the winner few quiet plies.
            left = abs(self.entry(following)) - following.quiet
            return float(left if following.quiet > 0 else QUIET_LIMIT + left) * (1 if value > 0 else -1)
        replies = self.move_values(following, NOT_ROLLED)
        return sum(reply < 0 for reply in replies.values()) / len(replies)

    def classes(self) -> list[TableClass]:
        """Number of positions and sum of the mover's chances without quiet plies, by the numbers of pieces."""
        classes = classes_up_to(self.most)
        found: dict[tuple[int, int], list[float]] = {}
        for number in range(len(classes.own)):
            own, pieces = int(classes.own[number]), int(classes.pieces[number])
            first = int(classes.first[number])
            values = self.record["values"][first : first + QUARTER * SQUARES ** (pieces - 1)]
            positions = QUARTER * numpy.prod([SQUARES - piece for piece in range(1, pieces)])
            wins, losses = int((values > 0).sum()), int((values < 0).sum())
            entry = found.setdefault((own, pieces - own), [0, 0.0])
            entry[0] += int(positions)
            entry[1] += (positions + wins - losses) / 2.0
        return [TableClass(own, enemy, int(count), total) for (own, enemy), (count, total) in sorted(found.items())]

    def first_wrong_value(self, samples: int = SAMPLES) -> str | None:
        generator = random.Random(0)
        for _ in range(samples):
            position = random_position(self.most, generator)
            if self.game.outcome(position) == ONGOING:
                known = max(self.move_values(position, NOT_ROLLED).values())
                if self.value(position) != known:
                    return self.game.format(position, NOT_ROLLED)
        return None

    def evaluation(self, evaluation: Evaluation) -> Evaluation:
        evaluate = _build_evaluation(evaluation.kernels.evaluate, self.most)
        weights: Any = TableWeights(evaluation.weights, self.record)
        return replace(evaluation, name=f"{evaluation.name}+table", evaluate=evaluate, weights=weights)


def random_position(most: int, generator: random.Random) -> Position:
    """A position with up to `most` pieces of both colours and none hidden, with random quiet plies."""
    number = generator.randint(2, most)
    squares = generator.sample(range(SQUARES), number)
    reds = generator.randint(1, number - 1)
    while True:
        kinds = [generator.randrange(KINDS) for _ in squares]
        sides = kinds[:reds], kinds[reds:]
        if all(side.count(kind) <= NUMBERS[kind] for side in sides for kind in side):
            break
    position = Position(
        WORD_ZERO, WORD_ZERO, WORD_ZERO, WORD_ZERO, generator.randrange(QUIET_LIMIT), NOT_PENDING, 1,
        generator.randrange(2),
    )  # fmt: skip
    for piece, square in enumerate(squares):
        revealed, kinds_word, rest, pool, *others = put_piece(
            position, square, RED if piece < reds else 1 - RED, kinds[piece]
        )
        position = Position(Word(revealed), Word(kinds_word), Word(rest), Word(pool), *map(int, others))
    return position
