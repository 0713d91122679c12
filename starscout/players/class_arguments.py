"""Parameters of Python classes: `python:agent.py:Agent own=7` calls `Agent(own=7)`.

A value is converted by the parameter's annotation; without one by the type of its default; else `7` is an integer,
`0.5` a float, and anything else a string.
"""

import enum
import functools
import inspect
import shlex
import types
from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from starscout.game import GameError
from starscout.settings.options import nearest, read_decimal, read_whole

LIMITS = ("time", "depth", "nodes", "simulations")
"""Names of a player's own limits, which are written in brackets: `python[time=0.1]:FILE:CLASS`."""

_SWITCHES = {"on": True, "true": True, "1": True, "off": False, "false": False, "0": False}
_NAMES: dict[Any, str] = {int: "a whole number", float: "a number", bool: "on or off", type(None): "none"}


class _MismatchError(Exception):
    """Text that is not a value of the expected type."""


def read_arguments(written: type[Any], arguments: Mapping[str, str], owner: str) -> dict[str, Any]:
    """Convert the arguments of a class from text; raises GameError.

    >>> class Agent:
    ...     def __init__(self, own: int = 5, style: str = "calm") -> None: ...
    >>> read_arguments(Agent, {"own": "7"}, "Agent")
    {'own': 7}
    """
    try:
        parameters = inspect.signature(written).parameters
    except (TypeError, ValueError):
        parameters = {}
    named = {
        name: parameter
        for name, parameter in parameters.items()
        if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
    }
    anything = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())
    hints = _hints(written)
    found: dict[str, Any] = {}
    for name, text in arguments.items():
        if name not in named and not anything:
            known = f"parameters of __init__: {', '.join(named) or 'none'}"
            limit = f"; the player's own limit is python[{name}={text[:20]}]:…" if name in LIMITS else ""
            raise GameError(f"{owner}: no parameter {name!r}{nearest(name, named)} ({known}){limit}")
        hint = hints.get(name, _hint_of_default(named.get(name)))
        try:
            found[name] = _converted(text, hint)
        except _MismatchError:
            raise GameError(f"{owner}: {name}: expected {_described(hint)}, got {text[:60]!r}") from None
    missing = [name for name, parameter in named.items() if parameter.default is parameter.empty and name not in found]
    if missing:
        raise GameError(f"{owner}: __init__ needs a value for {missing[0]!r}: write {owner} {missing[0]}=VALUE")
    return found


def partial_arguments(given: "functools.partial[Any]") -> dict[str, str] | None:
    """The arguments of a `functools.partial` as texts; None if text cannot express them."""
    written: Any = given.func
    try:
        signature = inspect.signature(written)
        bound = signature.bind_partial(*given.args, **given.keywords)
    except (TypeError, ValueError) as error:
        raise GameError(f"{written.__name__}: {error}") from error
    values = dict(bound.arguments)
    for name, parameter in signature.parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            values |= values.pop(name, {})
        elif parameter.kind is parameter.VAR_POSITIONAL and name in values:
            return None
    texts = {name: _text(value) for name, value in values.items()}
    plain = {name: text for name, text in texts.items() if text is not None}
    if len(plain) < len(values):
        return None
    try:
        same = read_arguments(written, plain, written.__name__)
    except GameError:
        return None
    if any(type(same[name]) is not type(value) or same[name] != value for name, value in values.items()):
        return None
    return plain


def arguments_text(arguments: Mapping[str, str]) -> str:
    """Format arguments as in a SPEC: ` own=7 style='very calm'`."""
    return "".join(f" {shlex.quote(f'{name}={text}')}" for name, text in arguments.items())


def _hints(written: type[Any]) -> dict[str, Any]:
    try:
        return get_type_hints(written.__init__)
    except Exception:
        # Annotations may refer to names that only a type checker imports.
        return {}


def _hint_of_default(parameter: inspect.Parameter | None) -> Any:
    if parameter is None or parameter.default in (None, parameter.empty):
        return Any
    return type(parameter.default)


def _text(value: Any) -> str | None:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, enum.Enum):
        return value.name
    if isinstance(value, int | float | Path):
        return str(value)
    return value if isinstance(value, str) and value and value.isprintable() else "none" if value is None else None


def _converted(text: str, hint: Any) -> Any:
    origin = get_origin(hint)
    value: Any = None
    if origin in (Union, types.UnionType):
        # Types that accept more texts are tried later; strings and paths accept all.
        order = (type(None), bool, int, float)
        for member in sorted(get_args(hint), key=lambda kind: order.index(kind) if kind in order else len(order)):
            try:
                return _converted(text, member)
            except _MismatchError:
                continue
    elif origin is Literal:
        value = next((choice for choice in get_args(hint) if str(choice) == text), None)
    elif hint is type(None) or hint is None:
        if text == "none":
            return None
    elif hint is bool:
        value = _SWITCHES.get(text.lower())
    elif hint is int:
        value = read_whole(text, -(10**18))
    elif hint is float:
        value = read_decimal(text)
    elif hint is str:
        return text
    elif isinstance(hint, type) and issubclass(hint, enum.Enum):
        value = hint.__members__.get(text) or next((choice for choice in hint if str(choice.value) == text), None)
    elif isinstance(hint, type) and issubclass(hint, PurePath):
        return Path(text)
    elif hint in (Any, object, inspect.Parameter.empty):
        whole = read_whole(text, -(10**18))
        number = read_decimal(text) if whole is None else whole
        return text if number is None else number
    if value is None:
        raise _MismatchError
    return value


def _described(hint: Any) -> str:
    if get_origin(hint) in (Union, types.UnionType):
        return " or ".join(_described(member) for member in get_args(hint))
    if get_origin(hint) is Literal:
        return f"one of {', '.join(map(str, get_args(hint)))}"
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return f"one of {', '.join(hint.__members__)}"
    return _NAMES.get(hint) or f"a {getattr(hint, '__name__', hint)}, which text cannot express"
