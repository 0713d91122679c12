"""One compiled call per step of a `State`: the next state with its outcome, its events and its legal moves.

Calling `outcome`, `moves` and `play` one by one from Python converts the position each time. A record, a `bytes` object
of 64-bit integers, keeps it between the steps:

    kind | outcome | number of moves | fields of the position | moves

The step is a builtin function (kernels/python_objects.py) that creates the next state itself. The number of its
arguments selects what it does; it returns None for anything illegal:

    step(state)                     the legal moves, a list
    step(state, move)               the state after a move
    step(state, event, None)        the state after an event
    step(state, *3 times None)      the events and their weights in turn, a list
    step(record, roll, *3 times None)   the record of the fields in a record without moves
"""

import struct
from collections.abc import Callable
from typing import Any, get_type_hints

import numpy

from starscout.game.chance import NOT_ROLLED, ONLY_EVENT
from starscout.game.contract import ONGOING, Game, Position
from starscout.kernels.bits import Word, integer
from starscout.kernels.kernel import PLAIN, kernel, unroll

Record = bytes
"""See above."""
KIND, OUTCOME, COUNT, FIELDS = 0, 1, 2, 3
DECISION, CHANCE, END = 0, 1, 2
"""Kinds of records."""
MOVES_OF, PLAY, DRAW, EVENTS_OF, ENTER = 1, 2, 3, 4, 5
"""Numbers of arguments of a step."""
WORD_BITS = (1 << 64) - 1
STEPS_BEFORE_COMPILING = 500
"""Steps of a process that are taken by separate kernels, because compiling does not pay for a few games."""

SLOTS = ("game", "roll", "ply", "event", "previous", "over", "needs_roll", "_record", "_step", "_move")
"""The slots of a state that a step fills."""
STATE_CLASS, NONE, TRUE, FALSE, NO_EVENT, PLACES = range(6)
"""The row of a step: addresses of objects, then the places of SLOTS, then the record in progress."""
GAME, ROLL, PLY, EVENT, PREVIOUS, OVER, NEEDS_ROLL, RECORD, STEP, MOVE = range(PLACES, PLACES + len(SLOTS))
PROGRESS = PLACES + len(SLOTS)
WORD_BYTES = 8


class Stepper:
    """Steps states of one game. Used by `State` when `ready`."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.ready = False
        self.no_event = NOT_ROLLED if game.has_chance else ONLY_EVENT
        """The roll of a position whose event is not drawn."""
        self.step: Callable[..., Any]
        """The builtin function, once `ready`."""
        self.start: Any = None
        """The last start, a state that has no record yet."""
        self.kinds = tuple(get_type_hints(game.position).values())
        """The types of the fields of a position."""
        codes = "".join("Q" if kind is Word else "q" for kind in self.kinds)
        self.read_fields = struct.Struct(f"{WORD_BYTES * FIELDS}x{codes}").unpack_from
        """Record → the fields of its position."""
        self.write = struct.Struct(f"3q{len(self.kinds)}Q").pack
        """Kind, outcome, number of moves and fields as unsigned numbers → a record without moves."""
        self._steps = 0
        self._first_move = FIELDS + len(self.kinds)

    def count_step(self, make_example: Callable[[], Any]) -> None:
        """Count a step taken without the compiled function; compile it once there are many."""
        self._steps += 1
        if self._steps >= STEPS_BEFORE_COMPILING and not self.ready:
            self.compile(make_example)

    def compile(self, make_example: Callable[[], Any]) -> None:
        """Compile the step, or load it from the cache. Does nothing for plain Python and for repetition rules.

        `make_example` returns a state with a different object in each of SLOTS.
        """
        if self.ready or PLAIN or self.game.repetition:
            return
        from starscout.kernels.python_objects import builtin, slot_places

        example = make_example()
        row = numpy.zeros(PROGRESS + self._first_move + self.game.max_moves, numpy.int64)
        row[:PLACES] = [id(thing) for thing in (type(example), None, True, False, self.no_event)]
        row[PLACES:PROGRESS] = slot_places(example, SLOTS)
        self.step = builtin(_build(self.game), row)
        self.ready = True

    def __reduce__(self) -> tuple[Any, ...]:
        """A pickled game has no stepper; it is built on demand."""
        return _nothing, ()


def _nothing() -> None:
    return None


read_outcome = struct.Struct(f"{WORD_BYTES * OUTCOME}xq").unpack_from
"""Record → its outcome, the mover's points or ONGOING, as a tuple of one number."""


def stepper_of(game: Game) -> Stepper:
    """The stepper of a game, built once."""
    found = vars(game).get("_stepper")
    if found is None:
        found = Stepper(game)
        vars(game)["_stepper"] = found
    return found


def _build(game: Game) -> Any:
    """The builtin function of the steps of a game, to be compiled."""
    from starscout.kernels.python_objects import (
        BYTES,
        clear_exception,
        new_bytes,
        new_list,
        new_number,
        new_object,
        number_of,
        retain,
        row_at,
        set_item,
        set_word,
        word_at,
    )

    moves, play, outcome, resolve = game.moves, game.play, game.outcome, game.resolve
    events, event_at, resolves, no_event = game.events, game.event, game.resolves, NOT_ROLLED
    no_roll = NOT_ROLLED if game.has_chance else ONLY_EVENT
    read = build_reader(game.position, FIELDS)
    first_move = FIELDS + len(get_type_hints(game.position))
    length = first_move + game.max_moves

    @kernel(inline=True)
    def write(position: Position, roll: int, out: numpy.ndarray) -> None:
        """Write the record of a position."""
        place = FIELDS
        for number in unroll(position):
            out[place] = integer(number)
            place += 1
        out[KIND] = END
        out[OUTCOME] = outcome(position)
        out[COUNT] = 0
        if out[OUTCOME] == ONGOING:
            if roll == no_event and events(position) > 0:
                out[KIND] = CHANCE
            else:
                out[KIND] = DECISION
                out[COUNT] = moves(position, roll, out[first_move:])

    @kernel(inline=True)
    def attach(state: int, place: int, thing: int) -> None:
        retain(thing)
        set_word(state, place, thing)

    @kernel(inline=True)
    def none(row: int) -> int:
        thing = word_at(row, NONE)
        retain(thing)
        return thing

    @kernel(inline=True)
    def list_moves(record: int) -> int:
        count = word_at(record, COUNT)
        numbers = new_list(count)
        for index in range(count):
            set_item(numbers, index, new_number(word_at(record, first_move + index)))
        return numbers

    @kernel(inline=True)
    def list_events(position: Position) -> int:
        count = events(position)
        numbers = new_list(2 * count)
        for index in range(count):
            event, weight = event_at(position, index)
            set_item(numbers, 2 * index, new_number(event))
            set_item(numbers, 2 * index + 1, new_number(weight))
        return numbers

    @kernel(inline=True)
    def is_legal(record: int, position: Position, number: int, asked: int) -> bool:
        """Whether a number, which is −1 if it could not be read, is a legal move or an event."""
        if number == -1:
            clear_exception()
            return False
        if asked == PLAY:
            for index in range(word_at(record, COUNT)):
                if word_at(record, first_move + index) == number:
                    return True
        elif asked == DRAW and word_at(record, KIND) == CHANCE:
            for index in range(events(position)):
                if event_at(position, index)[0] == number:
                    return True
        return asked == ENTER

    @kernel(inline=True)
    def create(row: int, before: int, asked: int, number: int, record: int) -> int:
        """The state after a move or an event, which takes ownership of its record."""
        state = new_object(word_at(row, STATE_CLASS), 0)
        if state == 0 or record == 0:
            return 0
        progress = row + WORD_BYTES * PROGRESS
        kind = word_at(progress, KIND)
        attach(state, word_at(row, GAME), word_at(before, word_at(row, GAME)))
        attach(state, word_at(row, STEP), word_at(before, word_at(row, STEP)))
        attach(state, word_at(row, PREVIOUS), before)
        attach(state, word_at(row, OVER), word_at(row, TRUE if kind == END else FALSE))
        attach(state, word_at(row, NEEDS_ROLL), word_at(row, TRUE if kind == CHANCE else FALSE))
        set_word(state, word_at(row, RECORD), record)
        ply = word_at(before, word_at(row, PLY))
        if asked == PLAY:
            set_word(state, word_at(row, PLY), new_number(number_of(ply) + 1))
            set_word(state, word_at(row, MOVE), new_number(number))
        else:
            attach(state, word_at(row, PLY), ply)
            set_word(state, word_at(row, EVENT), new_number(number))
        if asked == DRAW and not resolves:
            set_word(state, word_at(row, ROLL), new_number(number))
        else:
            attach(state, word_at(row, ROLL), word_at(row, NO_EVENT))
        return state

    @kernel(inline=True)
    def step(this: int, arguments: int, asked: int) -> int:
        row = word_at(this, BYTES)
        before = word_at(arguments, 0)
        number = number_of(word_at(arguments, 1)) if asked in (PLAY, DRAW, ENTER) else 0
        found = before if asked == ENTER else word_at(before, word_at(row, RECORD))
        record = found + WORD_BYTES * BYTES
        if asked == MOVES_OF:
            return none(row) if word_at(record, KIND) == CHANCE else list_moves(record)
        position = read(row_at(record, length))
        if asked == EVENTS_OF:
            return list_events(position)
        if not is_legal(record, position, number, asked):
            return none(row)
        progress = row + WORD_BYTES * PROGRESS
        out = row_at(progress, length)
        if asked == PLAY:
            write(play(position, number), no_roll, out)
        else:
            write(resolve(position, number) if resolves and number != no_event else position, number, out)
        following = new_bytes(progress, WORD_BYTES * (first_move + out[COUNT]))
        return following if asked == ENTER else create(row, before, asked, number, following)

    return getattr(step, "py_func", step)


def build_reader(position: type, first: int = 0) -> Callable[..., Position]:
    """The kernel (array) → position, from the numbers at `first` and after it."""
    kinds = get_type_hints(position).values()
    fields = [f"{'Word' if kind is Word else 'integer'}(row[{place}])" for place, kind in enumerate(kinds, first)]
    # Numba needs explicit fields, so the function is generated as source, as `namedtuple` does.
    names: dict[str, Any] = {"__name__": __name__, "position": position, "Word": Word, "integer": integer}
    exec(f"def read(row):\n    return position({', '.join(fields)})\n", names)
    return kernel(inline=True)(names["read"])
