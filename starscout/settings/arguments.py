"""The arguments of Python's words, checked at the door: a wrong one is a GameError that names it.

The annotation of a parameter says what it takes, and its name the range: one word means the same in all functions.
"""

import functools
import inspect
import operator
import os
from collections.abc import Callable, Sequence
from numbers import Real
from types import NoneType, UnionType
from typing import Any, ParamSpec, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy

from starscout.game import Game, GameError
from starscout.game.state import State

Parameters = ParamSpec("Parameters")
Returned = TypeVar("Returned")
Range = tuple[float, float]

MANY = 10**18 - 1
"""The largest count that texts, files and stores have room for."""
LONG = 1e9
"""The longest time, in seconds."""

RANGES: dict[str, Range] = {
    "time": (0.001, LONG),
    "game_time": (0.01, LONG),
    "increment": (0.0, LONG),
    "seconds": (0.0, LONG),
    "minutes": (0.01, 1e7),
    "wait": (0.0, LONG),
    "depth": (1, MANY),
    "nodes": (1, MANY),
    "simulations": (1, MANY),
    "seed": (0, 2**64 - 1),
    "workers": (0, 10_000),
    "threads": (1, 1024),
    "pairs": (1, 10**9),
    "steps": (1, 10**9),
    "games": (1, 10**9),
    "rounds": (1, 10**9),
    "swiss": (1, 10**6),
    "engines": (2, 10_000),
    "boards": (1, 10_000),
    "opening_plies": (0, 40),
    "tree_depth": (1, 1000),
    "cubes": (1, 100),
    "port": (0, 65535),
    "n": (1, 10**9),
}
"""Name of a parameter that is a number → the least and the greatest."""

NAMES: dict[Any, str] = {
    str: "a text",
    bool: "True or False",
    State: "a state, as starscout.start and starscout.parse make them",
    Game: "a game",
    os.PathLike: "a path",
    Sequence: "a list",
}
"""Type → what a person is told that a parameter takes. Parameters of other types are not checked here."""


def checked(**ranges: Range) -> Callable[[Callable[Parameters, Returned]], Callable[Parameters, Returned]]:
    """The function with its arguments checked, and numbers of NumPy made plain; `ranges` go before RANGES."""

    def wrap(function: Callable[Parameters, Returned]) -> Callable[Parameters, Returned]:
        signature = inspect.signature(function)

        @functools.cache
        def hints() -> dict[str, Any]:
            return _hints(function, signature)

        def check(name: str, value: Any) -> Any:
            if name not in hints():
                raise TypeError(f"{function.__name__}() has no argument {name!r}: it has {', '.join(hints())}")
            return argument(name, value, hints()[name], ranges.get(name) or RANGES.get(name))

        @functools.wraps(function)
        def call(*arguments: Parameters.args, **keywords: Parameters.kwargs) -> Returned:
            try:
                bound = signature.bind(*arguments, **keywords)
            except TypeError:
                # Python's own sentence names the function.
                return function(*arguments, **keywords)
            for name, value in list(bound.arguments.items()):
                kind = signature.parameters[name].kind
                if kind is inspect.Parameter.VAR_KEYWORD:
                    bound.arguments[name] = {word: check(word, item) for word, item in value.items()}
                elif kind is not inspect.Parameter.VAR_POSITIONAL:
                    bound.arguments[name] = check(name, value)
            return function(*bound.args, **bound.kwargs)

        return call

    return wrap


def argument(name: str, value: Any, hint: Any, allowed: Range | None = None) -> Any:
    """The value of an argument with this annotation; raises GameError."""
    kinds = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    if value is None and NoneType in kinds:
        return None
    if int in kinds:
        return whole(name, value, *(allowed or (0, MANY)))
    if float in kinds:
        return number(name, value, *(allowed or (-LONG, LONG)))
    classes = [get_origin(kind) or kind for kind in kinds if kind is not NoneType]
    if not all(kind in NAMES for kind in classes) or isinstance(value, tuple(classes)):
        return value
    raise GameError(f"{name} is {' or '.join(NAMES[kind] for kind in classes)}, not {_shown(value)}")


def whole(name: str, value: Any, low: float, high: float) -> int:
    """The whole number in this range, of Python or NumPy, 1e4 too; raises GameError."""
    found: int | None = None
    if isinstance(value, float | numpy.floating):
        found = int(value) if float(value).is_integer() else None
    elif not isinstance(value, bool | numpy.bool_) and hasattr(value, "__index__"):
        found = operator.index(value)
    if found is None or not low <= found <= high:
        raise GameError(f"{name} is a whole number from {low} to {high}, not {_shown(value)}")
    return found


def number(name: str, value: Any, low: float, high: float) -> float:
    """The finite number in this range, of Python or NumPy; raises GameError."""
    if isinstance(value, Real) and not isinstance(value, bool | numpy.bool_):
        found: Any = value
        if low <= found <= high:
            return float(found)
    raise GameError(f"{name} is a number from {low:g} to {high:g}, not {_shown(value)}")


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:59]}…"


def _hints(function: Callable[..., Any], signature: inspect.Signature) -> dict[str, Any]:
    """Name → annotation of every argument, with the keywords of a TypedDict one by one."""
    annotations = get_type_hints(function)
    found: dict[str, Any] = {}
    for name, parameter in signature.parameters.items():
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            (keywords,) = get_args(annotations[name])
            found.update(get_type_hints(keywords))
        else:
            found[name] = annotations[name]
    return found
