"""One compiled call per step of a `State`: the next position, its outcome, its events and its legal moves.

Calling `outcome`, `moves` and `play` one by one from Python converts the position each time. A record keeps it between
the calls as an array of 64-bit integers:

    outcome | number of events to draw from | number of moves | fields of the position | moves
"""

from collections.abc import Callable
from typing import Any, get_type_hints

import numpy

from starscout.game.chance import NOT_ROLLED, ONLY_EVENT
from starscout.game.contract import ONGOING, Game, Position
from starscout.kernels.bits import Word, integer
from starscout.kernels.kernel import PLAIN, direct_call, kernel, unroll

Record = Any
"""A NumPy array; see above."""
OUTCOME, EVENTS, COUNT, FIELDS = 0, 1, 2, 3
NO_MOVE = -(1 << 62)
WORD_BITS = (1 << 64) - 1
STEPS_BEFORE_COMPILING = 500
"""Steps of a process that are made by separate kernels: a few games do not pay for the compilation."""


_empty, _INT64 = numpy.empty, numpy.dtype(numpy.int64)


class Stepper:
    """Steps records of one game. Used by `State` when `ready`."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.ready = False
        self.no_event = NOT_ROLLED if game.has_chance else ONLY_EVENT
        """The roll of a position whose event is not drawn."""
        self._kinds = tuple(get_type_hints(game.position).values())
        self._step: Any = None
        self._start: Record = None
        self._steps = 0
        self._first_move = FIELDS + len(self._kinds)
        self._length = self._first_move + game.max_moves

    def count_step(self) -> None:
        """Count a step that was made without this object; compile when there are many."""
        self._steps += 1
        if self._steps >= STEPS_BEFORE_COMPILING and not self.ready:
            self.compile()

    def compile(self) -> None:
        """Compile the kernel, or load it from the cache. Does nothing for plain Python and for repetition rules."""
        if self.ready or PLAIN or self.game.repetition:
            return
        game = self.game
        record = self._encode(game.start_position())
        self._step = direct_call(_build(game), record, self.no_event, NO_MOVE, self._new())
        self.ready = True

    def start(self, seed: int) -> Record:
        """The record of a start. Records are never changed, so that a single start is computed once."""
        if self._start is None or self.game.starts != 1:
            self._start = self.enter(self.game.start_position(seed), self.no_event)
        return self._start

    def enter(self, position: Position, roll: int) -> Record:
        """The record of a position and its roll."""
        return self.draw(self._encode(position), roll)

    def draw(self, record: Record, event: int) -> Record:
        """The record after an event."""
        following = self._new()
        self._step(record, event, NO_MOVE, following)
        return following

    def play(self, record: Record, move: int) -> Record:
        """The record after a legal move."""
        following = _empty(self._length, _INT64)
        self._step(record, self.no_event, move, following)
        return following

    def moves(self, record: Record) -> list[int]:
        """The legal moves; empty before an event and after the end."""
        first = self._first_move
        return record[first : first + record.item(COUNT)].tolist()

    def position(self, record: Record) -> Position:
        """The position of a record."""
        numbers = record[FIELDS : self._first_move].tolist()
        kinds = zip(self._kinds, numbers, strict=True)
        return self.game.position(*[Word(number & WORD_BITS) if kind is Word else number for kind, number in kinds])

    def _new(self) -> Record:
        return numpy.empty(self._length, numpy.int64)

    def _encode(self, position: Position) -> Record:
        record = numpy.zeros(self._length, numpy.int64)
        fields = record[FIELDS : self._first_move].view(numpy.uint64)
        for place, number in enumerate(position):
            fields[place] = int(number) & WORD_BITS
        return record

    def __reduce__(self) -> tuple[Any, ...]:
        """A pickled game has no stepper; it is built on demand."""
        return _nothing, ()


def _nothing() -> None:
    return None


def stepper_of(game: Game) -> Stepper:
    """The stepper of a game, built once."""
    found = vars(game).get("_stepper")
    if found is None:
        found = Stepper(game)
        vars(game)["_stepper"] = found
    return found


def _build(game: Game) -> Any:
    """The kernel (record, event, move or NO_MOVE, next record): plays the move, or applies the event."""
    moves, play, outcome, events, resolve = game.moves, game.play, game.outcome, game.events, game.resolve
    resolves = game.resolves
    read = build_reader(game.position, FIELDS)
    fields = len(get_type_hints(game.position))

    @kernel(inline=True)
    def write(position: Position, roll: int, out: Record) -> None:
        place = FIELDS
        for number in unroll(position):
            out[place] = integer(number)
            place += 1
        out[OUTCOME] = outcome(position)
        out[EVENTS] = 0
        out[COUNT] = 0
        if out[OUTCOME] != ONGOING:
            return
        if roll == NOT_ROLLED:
            out[EVENTS] = events(position)
        if out[EVENTS] == 0:
            out[COUNT] = moves(position, roll, out[FIELDS + fields :])

    @kernel
    def step(record: Record, roll: int, move: int, out: Record) -> None:
        position = read(record)
        if move != NO_MOVE:
            write(play(position, move), roll, out)
        elif resolves and roll != NOT_ROLLED:
            write(resolve(position, roll), roll, out)
        else:
            write(position, roll, out)

    return step


def build_reader(position: type, first: int = 0) -> Callable[..., Position]:
    """The kernel (array) → position, from the numbers at `first` and after it."""
    kinds = get_type_hints(position).values()
    fields = [f"{'Word' if kind is Word else 'integer'}(row[{place}])" for place, kind in enumerate(kinds, first)]
    # Numba needs explicit fields, so the function is generated as source, as `namedtuple` does.
    names: dict[str, Any] = {"__name__": __name__, "position": position, "Word": Word, "integer": integer}
    exec(f"def read(row):\n    return position({', '.join(fields)})\n", names)
    return kernel(inline=True)(names["read"])
