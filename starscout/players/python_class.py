"""`python:FILE:CLASS [name=value …]`: a player written as a Python class, and its parameters.

Only `choose` is required. It returns a move as text, as a number from `state.legal`, or as a `Decision`:

    class First:
        def choose(self, state, limit):
            return state.moves[0]

The optional methods `new_game`, `begin`, `observe`, `end` and `close` are those of `Player`. Workers load the class
from its file. A class without a file, for example in a notebook, is available as `python::CLASS` only in this process.
"""

import contextlib
import functools
import inspect
import io
import os
import re
import shlex
import sys
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starscout.errors import exception_text, is_interrupt, user_code_error
from starscout.game import Game, GameError
from starscout.game.source_files import content_digest, is_below_guard, is_guarded, load_file
from starscout.game.state import State
from starscout.players import names
from starscout.players.class_arguments import arguments_text, partial_arguments, read_arguments
from starscout.players.player import Decision, Player, PlayerError
from starscout.search.limits import Limit
from starscout.settings.options import split_options
from starscout.settings.schema import Depth, Nodes, Simulations, Time

PREFIX = names.CLASS

PlayerLike = str | type[Any] | functools.partial[Any]
"""A player that workers can create: a SPEC, a Python class with a method `choose`, or a partial with its arguments."""

UNGUARDED = (
    '{} plays in this process: move the code that starts games below `if __name__ == "__main__":` to use workers'
)

BELOW_GUARD = '{} plays in this process: define it above `if __name__ == "__main__":` to use workers'

METHODS = ("new_game", "begin", "choose", "observe", "end", "close")
"""Methods that the referee calls, with the same arguments as those of `Player`."""

_PLACE = re.compile(r"(.*?):(\w+)(?:\s+(.*))?", re.DOTALL)

_given: dict[str, Any] = {}
"""Registered classes of this process, by FILE:CLASS; they are not loaded from files."""


@dataclass(frozen=True)
class ClassOptions:
    """Options in brackets before the file: the player's own limits."""

    time: Time | None = None
    depth: Depth | None = None
    nodes: Nodes | None = None
    simulations: Simulations | None = None

    @property
    def limit(self) -> Limit:
        """The player's own limit."""
        return Limit(time=self.time, depth=self.depth, nodes=self.nodes, simulations=self.simulations)


def class_spec(written: "type[Any] | functools.partial[Any]") -> str:
    """The SPEC of a class or `functools.partial`, with its file if workers can load it from there."""
    if isinstance(written, functools.partial):
        return _partial_spec(written)
    file = getattr(sys.modules.get(written.__module__), "__file__", None)
    findable = file is not None and os.path.isfile(file) and written.__qualname__.isidentifier()
    if findable and file and written.__module__ == "__main__" and not is_guarded(file):
        # A worker that loads the script would run all of its code.
        warnings.warn(UNGUARDED.format(written.__name__), stacklevel=5)
        findable = False
    elif findable and file and written.__module__ == "__main__" and is_below_guard(file, written.__name__):
        warnings.warn(BELOW_GUARD.format(written.__name__), stacklevel=5)
        findable = False
    place = f"{os.path.realpath(file) if findable and file else ''}:{written.__name__}"
    _given[place] = written
    return f"{PREFIX}:{place}"


def _partial_spec(given: "functools.partial[Any]") -> str:
    """The SPEC of a class with arguments; arguments that text cannot express keep it in this process."""
    if not isinstance(given.func, type):
        raise GameError(f"player: expected functools.partial of a class, got {given!r:.60}")
    arguments = partial_arguments(given)
    if arguments is not None:
        return class_spec(given.func) + arguments_text(arguments)
    same = next((place for place, known in _given.items() if known is given), None)
    place = same or f":{given.func.__name__}_{len(_given)}"
    _given[place] = given
    return f"{PREFIX}:{place}"


def split_place(text: str) -> tuple[str, dict[str, str]]:
    """Split `FILE:CLASS own=7` into FILE:CLASS and the arguments of the class; raises GameError."""
    found = _PLACE.fullmatch(text.strip())
    if found is None:
        return text.strip(), {}
    try:
        words = shlex.split(found[3] or "")
    except ValueError as error:
        raise GameError(f"cannot parse the arguments {found[3]!r}: {error}") from error
    return f"{found[1]}:{found[2]}", split_options(words)


def is_portable(place: str) -> bool:
    """Whether workers can load the class: FILE:CLASS has a file."""
    return bool(place.rpartition(":")[0])


def place_digest(place: str) -> str:
    """The digest of the file of FILE:CLASS and of its local imports; empty without a file."""
    file = place.rpartition(":")[0]
    return content_digest(os.path.realpath(file)) if file else ""


def check_place(place: str) -> None:
    """Raise GameError if the file of FILE:CLASS does not exist."""
    file, _, name = place.rpartition(":")
    if not name.isidentifier():
        raise GameError(f"expected python:FILE:CLASS, for example python:./greedy.py:Greedy, got python:{place[:200]}")
    if not file and place not in _given:
        raise GameError(f"the class {name[:60]!r} was defined in another process: workers need it in a file")
    if file and not os.path.isfile(file):
        raise GameError(f"no such file {file[:200]!r} for the class {name[:60]!r}")


def make_class_player(
    place: str, options: ClassOptions, name: str, arguments: Mapping[str, str], *, label: str = ""
) -> Player:
    """Create the player of FILE:CLASS with these arguments; raises GameError.

    Every line that it prints begins with `label`, if there is one; in games, unless the class is a `Player` itself.
    """
    output = _LabelledOutput(label) if label else None
    with _replaced(output):
        written = _written(place)
    values = {} if isinstance(written, functools.partial) else read_arguments(written, arguments, place)
    try:
        with _replaced(output):
            made = written(**values)
    except BaseException as error:
        if is_interrupt(error):
            raise
        how = f" with{arguments_text(arguments)}" if arguments else ""
        # An exception of the call itself, such as a missing argument, has no line in the file of the class.
        what = f"{type(error).__name__}: {error}" if user_code_error(error) is None else exception_text(error)
        raise GameError(f"{place} cannot be created{how}: {what}") from error
    choose = getattr(made, "choose", None)
    if not callable(choose):
        raise GameError(f"{place} has no method choose(self, state, limit)")
    if inspect.iscoroutinefunction(choose) or inspect.isgeneratorfunction(choose):
        raise GameError(f"{place}: choose is a coroutine or generator: expected a method that returns a move")
    for method in METHODS:
        _check_method(made, method)
    player = made if isinstance(made, Player) else ObjectPlayer(made)
    player.name, player.limit = name, options.limit
    # Authors of classes expect `choose` to be called only during games.
    player.rehearses = False
    if isinstance(player, ObjectPlayer):
        player.output = output
    return player


def _check_method(made: Any, name: str) -> None:
    """Raise GameError if an object has this method but the referee cannot call it."""
    method = getattr(made, name, None)
    if method is None:
        return
    wanted = inspect.signature(getattr(Player, name)).parameters
    pattern = f"{name}({', '.join(wanted)})"
    whose = f"{name} of the class {type(made).__name__}"
    if not callable(method):
        raise GameError(f"{whose} is {method!r:.60}, but the referee calls {pattern}: rename it")
    code = getattr(inspect.unwrap(method), "__code__", None)
    try:
        signature = inspect.signature(method)
    except (TypeError, ValueError):
        # Builtin callables may have no signature.
        return
    try:
        signature.bind(*list(wanted)[1:])
    except TypeError as error:
        file = f" ({code.co_filename}, line {code.co_firstlineno})" if code is not None else ""
        raise GameError(f"{whose}{file} has the wrong arguments: expected {pattern}") from error


def _written(place: str) -> Any:
    if place in _given:
        return _given[place]
    file, _, name = place.rpartition(":")
    written = getattr(load_file(str(Path(file).resolve()), "player file"), name, None)
    if not isinstance(written, type):
        raise GameError(f"the player file {file[:200]} has no class {name!r}")
    return written


class _LabelledOutput(io.TextIOBase):
    """Standard output of a class in this process: every line begins with the name of the player."""

    def __init__(self, label: str) -> None:
        self._label, self._starts_line = f"{label}: ", True
        self._stream = sys.stdout

    @contextlib.contextmanager
    def replacing(self) -> Iterator[None]:
        """Replace standard output."""
        self._stream = sys.stdout
        with contextlib.redirect_stdout(self):
            yield

    def write(self, text: str) -> int:
        for piece in text.splitlines(keepends=True):
            self._stream.write(self._label + piece if self._starts_line else piece)
            self._starts_line = piece.endswith("\n")
        return len(text)

    def flush(self) -> None:
        self._stream.flush()

    def fileno(self) -> int:
        return self._stream.fileno()


def _replaced(output: _LabelledOutput | None) -> contextlib.AbstractContextManager[None]:
    """Replace standard output unless `output` is None."""
    return contextlib.nullcontext() if output is None else output.replacing()


class ObjectPlayer(Player):
    """Adapts an object with a method `choose` to `Player`."""

    output: _LabelledOutput | None = None
    """Replaces standard output while a method runs; None: standard output as it is."""

    def __init__(self, written: Any) -> None:
        self._written = written

    def new_game(self, game: Game, seed: int) -> None:
        self._call("new_game", game, seed)

    def begin(self, start: State, side: int) -> None:
        self._call("begin", start, side)

    def choose(self, state: State, limit: Limit) -> Decision:
        try:
            with _replaced(self.output):
                answer = self._written.choose(state, self.bound(limit))
        except BaseException as error:
            # `sys.exit()` in an agent must not end this process.
            if isinstance(error, Exception) or is_interrupt(error):
                raise
            raise PlayerError("crash", exception_text(error)) from error
        if isinstance(answer, Decision):
            return answer
        try:
            move = state.parse_move(answer) if isinstance(answer, str) else int(answer)
        except GameError as error:
            raise PlayerError("illegal move", str(error)) from error
        except (TypeError, ValueError, OverflowError) as error:
            raise PlayerError("crash", f"choose returned {answer!r}: expected a move or a Decision") from error
        if not isinstance(answer, str) and move != answer:
            raise PlayerError("illegal move", f"choose returned {answer!r}: expected an integer from state.legal")
        return Decision(move)

    def observe(self, state: State, move: int) -> None:
        self._call("observe", state, move)

    def end(self, winner: int | None, reason: str, detail: str) -> None:
        self._call("end", winner, reason, detail)

    def close(self) -> None:
        self._call("close")

    def _call(self, name: str, *arguments: Any) -> None:
        method = getattr(self._written, name, None)
        if method is not None:
            with _replaced(self.output):
                method(*arguments)
