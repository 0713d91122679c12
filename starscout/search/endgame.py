"""Exact endgames: the interfaces through which a game brings exact values of late positions.

    EndgameTable    looks up the expected result of a position, exact or rounded
    ScoreSolver     proves the final score of a position, in the game's own unit
    ExactEndgame    decides moves of a player exactly where its limit allows it
    StoredTable     an EndgameTable in a file, which `starscout tables` builds and checks

A table file has a header of 64 bytes (file type, length and checksum) and one record of arrays. Files are mapped into
memory, so processes share them. A finished file is renamed atomically; a damaged file counts as missing.

A game names its implementations in its `Knowledge`.

Exact values by search: deepen until every leaf is a finished game.

For small boards and late endgames. If the time runs out, the result is the depth reached.
"""

import hashlib
import os
import struct
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy

from starscout.evaluation.evaluation import Evaluation
from starscout.game import NOT_ROLLED, ONGOING, Game, Position, WorkError
from starscout.game.state import State
from starscout.game.values import ONE
from starscout.search.deepening import Searcher
from starscout.search.limits import Limit
from starscout.search.negascout import MAX_DEPTH, Switches
from starscout.search.time_control import Budget, stop_after

if TYPE_CHECKING:
    from starscout.evaluation.evaluation import Evaluation


TABLE_BITS = 20


@dataclass(frozen=True)
class Solution:
    """The exact value for the mover in [−1, 1] and, after the roll, a best move; or the depth reached."""

    value: float | None
    best: int | None
    depth: int
    nodes: int

    @property
    def exact(self) -> bool:
        """Whether the exact value was found."""
        return self.value is not None


def solve(game: Game, zero: Evaluation, position: Position, roll: int, seconds: float) -> Solution:
    """The exact value of a position that is not over, before its event (0) or after it; stops after `seconds`.

    `zero` is the evaluation that is 0 everywhere, so that a value of ±1 is a proof.
    """
    # A value that depends on the path must not be stored.
    store = "nothing" if game.repetition else "chance"
    switches = Switches(scout=not game.has_chance, store=store, store_depth=1)
    before_event = game.has_chance and roll == NOT_ROLLED and game.events(position) > 0
    searcher = Searcher(game, zero, switches, TABLE_BITS)

    def search(depth: int) -> tuple[float | None, int | None]:
        if before_event:
            return searcher.value(position, depth), None
        iteration = next(iter(searcher.deepen(position, roll, range(depth, depth + 1))), None)
        if iteration is None or not iteration.complete:
            return None, None
        return iteration.best.value, iteration.best.move

    search(1)  # compiles or loads before the clock starts
    deadline = time.monotonic() + seconds
    nodes, depth = 0, 0
    searcher.begin()
    with stop_after(seconds, *searcher.flags):
        while depth < min(MAX_DEPTH, game.max_depth) and time.monotonic() < deadline:
            depth = min(depth + 2, MAX_DEPTH, game.max_depth)
            searcher.clear()
            value, best = search(depth)
            nodes += searcher.counts["nodes"]
            if value is None:
                depth -= 2
                break
            if searcher.unfinished == 0 or abs(value) == 1.0:
                return Solution(value, best, depth, nodes)
    return Solution(None, None, depth, nodes)


UNKNOWN = -2 * ONE
"""Sentinel for positions whose value is unknown."""


class KnownPositions(NamedTuple):
    """Values of late positions for kernels."""

    value: Any
    """*kernel* (unfinished position, record) → the mover's value, or UNKNOWN."""
    record: numpy.record


class EndgameTable(ABC):
    """Values of the late positions of one game, exact or rounded."""

    game: Game

    @property
    @abstractmethod
    def description(self) -> str:
        """A text that differs between tables with different content; part of a match's identity."""

    @abstractmethod
    def covers(self, position: Position) -> bool:
        """Whether the table contains an unfinished position."""

    @abstractmethod
    def value(self, position: Position) -> float:
        """The mover's expected result in [−1, 1] before the roll, for a position that the table covers."""

    def error(self, position: Position) -> float:
        """An upper bound of the rounding error of `value`; 0: the value is exact."""
        return 0.0

    def refined(self, position: Position, seconds: float) -> "EndgameTable | None":
        """A table with exact values of a position and of those that can follow it; None if it takes too long."""
        return self

    def warm(self) -> None:
        """Compile or load the kernels, before a clock starts."""
        self.covers(self.game.start_position(0))

    def evaluation(self, evaluation: "Evaluation") -> "Evaluation":
        """The evaluation with the table's values in covered positions, where the table has kernels for it."""
        return evaluation

    def known(self) -> KnownPositions | None:
        """The values of the table for kernels of self-play; None if it has no kernel for them."""
        return None

    def move_values(self, position: Position, roll: int) -> dict[int, float]:
        """Legal move → the mover's expected result, for a position whose successors the table covers."""
        values = {}
        for move in self.game.legal(position, roll):
            following = self.game.play_position(position, move)
            result = int(self.game.outcome(following))
            value = result / self.game.points if result != ONGOING else self.value(following)
            values[move] = self.game.sign(position, following) * value
        return values

    def best_move(self, position: Position, roll: int) -> int:
        """A move with the highest value; an immediate win is preferred to a later certain win."""
        game, values = self.game, self.move_values(position, roll)
        return max(values, key=lambda move: (values[move], game.outcome(game.play_position(position, move)) != ONGOING))


@dataclass(frozen=True)
class TableClass:
    """The positions of a table with these numbers of pieces of the mover and of the other side."""

    own: int
    enemy: int
    positions: int
    sum: float
    """The sum of the mover's winning chances over all positions."""


class StoredTable(EndgameTable):
    """A table in a file."""

    @abstractmethod
    def classes(self) -> list[TableClass]:
        """The number of positions and the sum of their values, by the number of pieces."""

    @abstractmethod
    def first_wrong_value(self) -> str | None:
        """The first of a sample of positions whose value contradicts the rules, as text; None if there is none."""


class TableFiles(ABC):
    """The table files of a game. A table covers the positions with up to `size` pieces."""

    size_option: str = "size"
    """The option of `starscout tables` that sets the size."""

    @abstractmethod
    def default_size(self, game: Game) -> int:
        """The size of the table that is built when none is given."""

    @abstractmethod
    def check_size(self, game: Game, size: int) -> None:
        """Raise GameError if there is no table of this size."""

    @abstractmethod
    def path(self, game: Game, size: int) -> Path:
        """The file of a table."""

    @abstractmethod
    def build(self, game: Game, size: int, threads: int) -> Iterator[float]:
        """Build the file of a table; yields the finished part, 0 to 1. Raises WorkError."""

    @abstractmethod
    def open(self, game: Game, size: int) -> StoredTable | None:
        """The table after a check of its whole file; None if the file is missing or damaged."""


TABLE_HEADER = struct.Struct("<16sQ40s")
TABLE_MAGIC = b"starscout table1"
CHECKSUM_BYTES = 32
CHECKED_BYTES = 1 << 26
"""Files up to this size are checked whenever they are opened, larger ones only by `tables check`."""


def write_record(path: Path, kind: numpy.dtype, fill: Callable[[numpy.ndarray], Iterator[float]]) -> Iterator[float]:
    """Write a table file with the record that `fill` fills; yields its progress. Raises WorkError."""
    temporary = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name)
        os.ftruncate(handle, TABLE_HEADER.size + kind.itemsize)
        os.close(handle)
        record = numpy.memmap(temporary, dtype=kind, mode="r+", offset=TABLE_HEADER.size, shape=(1,))
        yield from fill(record)
        record.flush()
        checksum = table_checksum(Path(temporary))
        with open(temporary, "r+b") as file:
            file.write(TABLE_HEADER.pack(TABLE_MAGIC, kind.itemsize, checksum))
        os.replace(temporary, path)
    except OSError as error:
        raise WorkError(f"the table {path} cannot be written: {error.strerror}") from error
    finally:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)


def open_record(path: Path, kind: numpy.dtype, *, thorough: bool = False) -> Any:
    """The record of a table file, mapped into memory; None if the file is missing or damaged."""
    try:
        with open(path, "rb") as file:
            header = file.read(TABLE_HEADER.size)
            size = os.fstat(file.fileno()).st_size
    except OSError:
        return None
    if len(header) < TABLE_HEADER.size:
        return None
    magic, length, checksum = TABLE_HEADER.unpack(header)
    if magic != TABLE_MAGIC or length != kind.itemsize or size != TABLE_HEADER.size + length:
        return None
    if (thorough or length <= CHECKED_BYTES) and checksum[:CHECKSUM_BYTES] != table_checksum(path):
        return None
    return numpy.memmap(path, dtype=kind, mode="r", offset=TABLE_HEADER.size, shape=(1,)).view(numpy.ndarray)[0]


def table_checksum(path: Path) -> bytes:
    """The checksum of a table file without its header."""
    digest = hashlib.blake2b(digest_size=CHECKSUM_BYTES)
    with open(path, "rb") as file:
        file.seek(TABLE_HEADER.size)
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return digest.digest()


@dataclass(frozen=True)
class SolvedMove:
    """A move and the bounds of the mover's final score after it."""

    move: int
    lower: int
    upper: int


@dataclass(frozen=True)
class ScoreSolution:
    """Proven bounds of the mover's final score; equal when the position is solved."""

    lower: int
    upper: int
    moves: tuple[SolvedMove, ...]
    """The finished moves, in search order."""
    nodes: int
    finished: float
    """The finished part of the moves, 0 to 1."""

    @property
    def exact(self) -> bool:
        """Whether the score is known."""
        return self.lower == self.upper

    @property
    def best(self) -> int | None:
        """The first finished move with the highest lower bound; None if no move is finished."""
        return max(self.moves, key=lambda solved: solved.lower).move if self.moves else None

    @property
    def outcome(self) -> int | None:
        """1, 0 or −1 if the winner is proven, else None."""
        if self.lower > 0 or self.upper < 0:
            return 1 if self.lower > 0 else -1
        return 0 if self.exact else None


class ScoreSolver(ABC):
    """Proves final scores of positions of one game. The caller raises the flags to stop it."""

    @property
    @abstractmethod
    def flags(self) -> tuple[numpy.ndarray, ...]:
        """The stop flags of all threads."""

    @property
    @abstractmethod
    def nodes(self) -> int:
        """The number of nodes searched so far."""

    @abstractmethod
    def compile(self) -> None:
        """Compile or load the kernels, before a clock starts."""

    @abstractmethod
    def begin(self, nodes: int | None = None) -> None:
        """Prepare for a position: lower the flags and allow `nodes` more nodes per thread."""

    @abstractmethod
    def solve(self, position: Position, *, wld: bool = False, every_move: bool = False) -> Iterator[ScoreSolution]:
        """Yield the proven bounds after each move; the last ones are final unless the solver was stopped.

        `wld` proves only win, loss or draw; `every_move` finds the score of each move, not only of the best.
        """

    @abstractmethod
    def line(self, position: Position, score: int) -> Iterator[int]:
        """Best moves of both sides from a position whose score is known; ends early when stopped."""


@dataclass(frozen=True)
class ExactMove:
    """A decision from exact or rounded values: the mover's expected result in [−1, 1]."""

    move: int
    value: float
    moves: Mapping[int, float]
    """Move → value, for the moves whose value is known."""
    line: tuple[int, ...]
    """The principal variation, `move` first."""
    depth: int
    nodes: int
    proven: bool = True
    """Whether the values are exact; those of a table may be rounded."""


class ExactEndgame(ABC):
    """Exact decisions of one player in the late positions of one game."""

    covers: Callable[[Position], bool] | None = None
    """(position) → whether `decide` can find a decision there; None: call `decide`."""

    def evaluation(self, evaluation: "Evaluation") -> "Evaluation":
        """The evaluation for the search, with exact values at its leaves where they are known."""
        return evaluation

    @abstractmethod
    def warm(self) -> None:
        """Compile or load what is needed and measure this machine. No clock runs."""

    @abstractmethod
    def decide(
        self, state: State, limit: Limit, seconds: Budget, *, every_move: bool
    ) -> tuple[ExactMove | None, Budget]:
        """The exact decision, or None; and the time that is left for a search."""

    def finish(self, state: State, limit: Limit, seconds: Budget) -> ExactMove | None:
        """A certain win, searched for in the time left by a search to the end of the game; None if none is found."""
        return None


class TableEndgame(ExactEndgame):
    """Decisions from a table, exact within the rounding error of its values."""

    def __init__(self, table: EndgameTable) -> None:
        self._table = table
        self.covers = table.covers

    def evaluation(self, evaluation: "Evaluation") -> "Evaluation":
        return self._table.evaluation(evaluation)

    def warm(self) -> None:
        self._table.warm()

    def decide(
        self, state: State, limit: Limit, seconds: Budget, *, every_move: bool
    ) -> tuple[ExactMove | None, Budget]:
        if not self._table.covers(state.position):
            return None, seconds
        values = self._table.move_values(state.position, state.roll)
        best = self._table.best_move(state.position, state.roll)
        proven = self._table.error(state.position) == 0
        return ExactMove(best, values[best], values, (best,), 1, len(values), proven), seconds
