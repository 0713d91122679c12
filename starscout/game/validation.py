"""Validation of a `Game` when it is constructed: types, ranges and signatures of its fields."""

import inspect
import math
import re
from numbers import Integral, Real
from typing import Any, get_type_hints

from starscout.errors import GameError
from starscout.game.chance import MOST_EVENTS, has_fair_die, unchanged
from starscout.kernels.bits import Word
from starscout.kernels.kernel import is_kernel

Game = Any
"""The type of contract.py, which imports this module."""

LEAST = {
    "rows": 1,
    "columns": 1,
    "faces": 1,
    "max_moves": 1,
    "max_plies": 1,
    "max_events": 1,
    "points": 1,
    "repetition": 0,
    "starts": 0,
    "typical_plies": 1,
    "actions": 0,
    "opening_plies": 0,
}
"""Integer fields of a game and their minimum."""

DERIVED = ("max_events", "opening_plies")
"""Integer fields that may be left out."""

MOST = {"faces": MOST_EVENTS, "max_events": MOST_EVENTS, "max_moves": 1 << 14, "points": 1 << 10}
"""Maximum of some of them."""

MOST_ROWS = 1 << 20
"""Maximum of max_events · max_moves: a search keeps a row of moves per event and depth."""

ARGUMENTS = {
    "start": ("seed",), "moves": ("position", "roll", "out"), "play": ("position", "move"), "outcome": ("position",),
    "events": ("position",), "event": ("position", "index"), "resolve": ("position", "event"),
    "repetition_key": ("position",), "deal": ("start", "seed"), "format_event": ("position", "event"),
    "groups": ("position",), "group": ("position", "index"), "count": ("position", "roll", "row"),
    "pick": ("position", "roll", "random", "row"), "key": ("position",),
    "random_moves": ("position", "seed", "counter", "most"),
    "format": ("position", "roll"), "parse": ("text",), "format_move": ("position", "move"), "cells": ("position",),
    "reason": ("position",), "move_spellings": ("text",), "find_move": ("position", "legal", "text"),
    "move_squares": ("position", "move"),
    "other_side_first": ("position",), "action": ("position", "move"), "view": ("position", "out"),
    "die": ("position", "roll"), "dice_to_come": ("position",), "plies_left": ("position", "ply"),
}  # fmt: skip
"""Functions of a game and their arguments."""

KERNELS = (
    "start", "moves", "play", "outcome", "events", "event", "resolve", "groups", "group", "count", "pick", "key",
    "random_moves", "repetition_key", "action", "view",
)  # fmt: skip


def check_contract(game: Game) -> None:
    """Raise GameError for invalid fields; `check_laws` finds errors that only play can reveal."""
    # A game file may lack type annotations, so the types are checked at run time.
    given: dict[str, Any] = vars(game)
    if not isinstance(given["name"], str) or not game.name or re.search(r"[\s/\\]|\.py$", game.name):
        raise GameError(f"name: expected a text without spaces and slashes, got {game.name!r}")
    sides = game.sides
    names: tuple[Any, ...] = sides if isinstance(given["sides"], tuple) else ()
    if not (len(names) == 2 and all(isinstance(side, str) and side for side in names)):
        raise GameError(f'{game.name}: sides: expected two names, like ("red", "blue"), got {sides!r}')
    if sides[0] == sides[1]:
        raise GameError(f"{game.name}: sides: expected two different names, got {sides[0]!r} twice")
    for name, least in LEAST.items():
        number = given[name]
        if name in DERIVED and number is None:
            continue
        if isinstance(number, bool) or not isinstance(number, Integral) or int(number) < least:
            raise GameError(f"{game.name}: {name}: expected a whole number, {least} or more, got {number!r}")
        if int(number) > MOST.get(name, int(number)):
            raise GameError(f"{game.name}: {name}: expected at most {MOST[name]}, got {number}")
    _check_chance(game, given)
    deviation: Any = given["plies_deviation"]
    if deviation is not None and not (isinstance(deviation, Real) and 0.0 <= float(deviation) < math.inf):
        raise GameError(f"{game.name}: plies_deviation: expected a number, 0 or more, got {deviation!r}")
    kind: Any = given["position"]
    if not (isinstance(kind, type) and issubclass(kind, tuple) and "mover" in getattr(game.position, "_fields", ())):
        raise GameError(f"{game.name}: position: expected a NamedTuple class with a field `mover`, got {kind!r}")
    if any(declared not in (int, Word) for declared in get_type_hints(game.position).values()):
        fields = ", ".join(field_texts(game.position))
        raise GameError(f"{game.name}: position: expected fields of type `int` or `Word`, got {fields}")
    for name, arguments in ARGUMENTS.items():
        function = getattr(game, name)
        if function is not None:
            _check_function(game, name, function, arguments)


def _check_chance(game: Game, given: dict[str, Any]) -> None:
    """Check the fields of chance and turns that depend on each other."""
    if not isinstance(given["alternating"], bool):
        raise GameError(f"{game.name}: alternating: expected True or False, got {given['alternating']!r}")
    if (given["events"] is None) != (given["event"] is None):
        missing = "event" if given["event"] is None else "events"
        raise GameError(f"{game.name}: {missing}: expected a kernel; `events` and `event` belong together")
    if has_fair_die(game) and given["resolve"] not in (None, unchanged) and game.faces == 1:
        raise GameError(f"{game.name}: resolve: the game has no events; define `events` and `event`, or `faces`")
    if not has_fair_die(game):
        if given["max_events"] is None:
            raise GameError(f"{game.name}: max_events: expected the maximum number of events of a position")
        if game.faces != 1:
            raise GameError(f"{game.name}: faces: expected none beside `events`, got {game.faces}")
    if given["random_moves"] is not None and not (game.alternating and has_fair_die(game) and game.faces == 1):
        raise GameError(f"{game.name}: random_moves: expected none in a game with events or without alternating turns")
    events = given["max_events"] or game.faces
    if events * game.max_moves > MOST_ROWS:
        raise GameError(
            f"{game.name}: max_events · max_moves: expected at most {MOST_ROWS}, got {events} · {game.max_moves}"
        )


def _check_function(game: Game, name: str, function: Any, arguments: tuple[str, ...]) -> None:
    if not callable(function):
        raise GameError(f"{game.name}: {name}: expected a function of ({', '.join(arguments)}), got {function!r}")
    if name in KERNELS and not is_kernel(function):
        raise GameError(f"{game.name}: {name}: expected a kernel; decorate the function with @kernel(inline=True)")
    try:
        inspect.signature(getattr(function, "py_func", function)).bind(*arguments)
    except TypeError as error:
        raise GameError(f"{game.name}: {name} is called with ({', '.join(arguments)}): {error}") from error


def field_texts(position: type) -> list[str]:
    """The fields of a position class with their types, for messages."""
    return [f"{name}: {getattr(kind, '__name__', kind)}" for name, kind in get_type_hints(position).items()]
