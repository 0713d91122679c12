"""`python:FILE:CLASS`: a player written as a Python class.

Only `choose` is needed. It returns a move as text, as a number from `state.legal`, or as a `Decision`:

    class First:
        def choose(self, state, limit):
            return state.moves[0]

`new_game`, `begin`, `observe`, `end` and `close` are called as `Player` says where the class has them. Workers load the
class from its file. A class without a file, like one of a notebook, is known by `python::CLASS` in this process alone.
"""

import inspect
import os
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starscout.errors import exception_text, is_interrupt
from starscout.game import Game, GameError
from starscout.game.source_files import content_digest, is_guarded, load_file
from starscout.game.state import State
from starscout.players.player import Decision, Player, PlayerError
from starscout.search.limits import Limit
from starscout.settings.schema import Depth, Nodes, Simulations, Time

PREFIX = "python"

UNGUARDED = (
    '{} plays in this process: let its script start games below `if __name__ == "__main__":`, and workers can load it'
)

METHODS = ("new_game", "begin", "choose", "observe", "end", "close")
"""What the referee calls, with the arguments that `Player` names."""

_given: dict[str, type[Any]] = {}
"""Classes that this process has described, by what stands behind the prefix: they are not loaded again."""


@dataclass(frozen=True)
class ClassOptions:
    """What stands in brackets before the file: the player's own limits."""

    time: Time | None = None
    depth: Depth | None = None
    nodes: Nodes | None = None
    simulations: Simulations | None = None

    @property
    def limit(self) -> Limit:
        """The player's own limit."""
        return Limit(time=self.time, depth=self.depth, nodes=self.nodes, simulations=self.simulations)


def class_spec(written: type[Any]) -> str:
    """The SPEC of a class, with its file where workers can find it there."""
    file = getattr(sys.modules.get(written.__module__), "__file__", None)
    findable = file is not None and os.path.isfile(file) and written.__qualname__.isidentifier()
    if findable and file and written.__module__ == "__main__" and not is_guarded(file):
        # A worker that loads the script would run all of it.
        warnings.warn(UNGUARDED.format(written.__name__), stacklevel=5)
        findable = False
    place = f"{os.path.realpath(file) if findable and file else ''}:{written.__name__}"
    _given[place] = written
    return f"{PREFIX}:{place}"


def is_portable(place: str) -> bool:
    """Whether workers find the class: FILE:CLASS has a file."""
    return bool(place.rpartition(":")[0])


def place_digest(place: str) -> str:
    """The digest of the file of FILE:CLASS and of what it imports from beside it; empty without a file."""
    file = place.rpartition(":")[0]
    return content_digest(os.path.realpath(file)) if file else ""


def check_place(place: str) -> None:
    """Raise GameError when FILE:CLASS names no file."""
    file, _, name = place.rpartition(":")
    if not name.isidentifier():
        raise GameError(f"python:{place[:200]} names no class: write python:FILE:CLASS, like python:./greedy.py:Greedy")
    if not file and place not in _given:
        raise GameError(f"the class {name[:60]!r} was written in another process: workers need it in a file")
    if file and not os.path.isfile(file):
        raise GameError(f"there is no file {file[:200]!r} with a class {name[:60]!r}")


def make_class_player(place: str, options: ClassOptions, name: str) -> Player:
    """The player of FILE:CLASS; raises GameError."""
    written = _written(place)
    try:
        made = written()
    except BaseException as error:
        if is_interrupt(error):
            raise
        raise GameError(f"{place} cannot be made without arguments: {type(error).__name__}: {error}") from error
    if not callable(getattr(made, "choose", None)):
        raise GameError(f"{place} has no method choose(self, state, limit)")
    for method in METHODS:
        _check_method(made, method)
    player = made if isinstance(made, Player) else WrittenPlayer(made)
    player.name, player.limit = name, options.limit
    return player


def _check_method(made: Any, name: str) -> None:
    """Raise GameError when the referee cannot call this method of an object, if the object has it."""
    method = getattr(made, name, None)
    if method is None:
        return
    wanted = inspect.signature(getattr(Player, name)).parameters
    pattern = f"{name}({', '.join(wanted)})"
    whose = f"{name} of the class {type(made).__name__}"
    if not callable(method):
        raise GameError(f"{whose} is {method!r:.60}: the referee calls {pattern}, so give it another name")
    code = getattr(inspect.unwrap(method), "__code__", None)
    try:
        signature = inspect.signature(method)
    except (TypeError, ValueError):
        # Callables that are not written in Python may not tell their arguments.
        return
    try:
        signature.bind(*list(wanted)[1:])
    except TypeError as error:
        file = f" ({code.co_filename}, line {code.co_firstlineno})" if code is not None else ""
        raise GameError(f"{whose}{file} has the wrong arguments: write {pattern}") from error


def _written(place: str) -> type[Any]:
    if place in _given:
        return _given[place]
    file, _, name = place.rpartition(":")
    written = getattr(load_file(str(Path(file).resolve()), "player file"), name, None)
    if not isinstance(written, type):
        raise GameError(f"the player file {file[:200]} has no class {name!r}")
    return written


class WrittenPlayer(Player):
    """An object with a method `choose` as a player."""

    def __init__(self, written: Any) -> None:
        self._written = written

    def new_game(self, game: Game, seed: int) -> None:
        self._call("new_game", game, seed)

    def begin(self, start: State, side: int) -> None:
        self._call("begin", start, side)

    def choose(self, state: State, limit: Limit) -> Decision:
        try:
            answer = self._written.choose(state, self.bound(limit))
        except BaseException as error:
            # `sys.exit()` in an agent must not end whoever asks it.
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
            raise PlayerError("crash", f"choose returned {answer!r}: not a move, a number or a Decision") from error
        if not isinstance(answer, str) and move != answer:
            raise PlayerError("illegal move", f"choose returned {answer!r}: moves are whole numbers, see state.legal")
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
            method(*arguments)
