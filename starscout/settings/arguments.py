"""Runtime validation of Python arguments against their annotations."""

import functools
import inspect
import os
from collections.abc import Callable, Sequence
from numbers import Integral, Real
from types import NoneType
from typing import Any, ParamSpec, TypeVar, get_args, get_origin, get_type_hints

from starscout.errors import CallError, public
from starscout.settings.schema import bounds, field_hints, invalid, resolve

Parameters = ParamSpec("Parameters")
Returned = TypeVar("Returned")

NAMES: dict[Any, str] = {
    str: "a string",
    bool: "True or False",
    os.PathLike: "a path",
    Sequence: "a sequence",
}
"""Type → description in error messages."""


def checked(function: Callable[Parameters, Returned]) -> Callable[Parameters, Returned]:
    """Make a function public, validate its arguments and convert NumPy numbers to plain ones; raises GameError."""
    signature = inspect.signature(function)

    @functools.cache
    def hints() -> dict[str, Any]:
        return _hints(function, signature)

    def check(name: str, value: Any) -> Any:
        if name not in hints():
            raise CallError(f"{function.__name__}() has no argument {name!r}: it has {', '.join(hints())}")
        return argument(name, value, hints()[name])

    @functools.wraps(function)
    def call(*arguments: Parameters.args, **keywords: Parameters.kwargs) -> Returned:
        try:
            bound = signature.bind(*arguments, **keywords)
        except TypeError:
            try:
                # Python's own message names the function.
                return function(*arguments, **keywords)
            except TypeError as error:
                raise CallError(str(error)) from None
        for name, value in list(bound.arguments.items()):
            kind = signature.parameters[name].kind
            if kind is inspect.Parameter.VAR_KEYWORD:
                bound.arguments[name] = {key: check(key, item) for key, item in value.items()}
            elif kind is inspect.Parameter.VAR_POSITIONAL:
                bound.arguments[name] = tuple(check(name, item) for item in value)
            else:
                bound.arguments[name] = check(name, value)
        return function(*bound.args, **bound.kwargs)

    return public(call)


def check_fields(instance: Any) -> None:
    """Validate the fields of a dataclass instance; raises GameError."""
    for name, hint in field_hints(type(instance)).items():
        argument(name, getattr(instance, name), hint)


def argument(name: str, value: Any, hint: Any) -> Any:
    """Return the value of an argument with this annotation as a plain one; raises GameError."""
    kinds, setting = resolve(hint)
    if value is None and NoneType in kinds:
        return None
    if setting.choices:
        if any(type(value) is type(choice) and value == choice for choice in setting.choices):
            return value
    elif int in kinds or float in kinds:
        low, high = bounds(kinds, setting)
        found = plain_number(value, whole=int in kinds)
        if found is not None and low <= found <= high:
            return found if int in kinds else float(found)
    else:
        classes = {get_origin(kind) or kind: get_args(kind) for kind in kinds if kind is not NoneType}
        if not all(_is_checked(kind) for kind in classes):
            return value
        found = next((kind for kind in classes if isinstance(value, kind)), None)
        if found is Sequence and not isinstance(value, str):
            items: Any = value
            return [argument(f"{name}[{place}]", item, *classes[found]) for place, item in enumerate(items)]
        if found is not None and (os.PathLike not in classes or _is_path(value)):
            return value
    raise invalid(name, hint, value, NAMES)


def _is_path(value: Any) -> bool:
    """Whether the system accepts a path, which need not exist."""
    try:
        return b"\0" not in os.fsencode(value)
    except (TypeError, UnicodeEncodeError):
        # Not a path, but another accepted type.
        return not isinstance(value, str | os.PathLike)


def plain_number(value: Any, *, whole: bool) -> int | float | None:
    """Convert a number of Python or NumPy; None for anything else, and for fractions if `whole`."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return None
    if isinstance(value, Integral):
        return int(value)
    number = float(value)
    if whole:
        return int(number) if number.is_integer() else None
    return number


def _is_checked(kind: Any) -> bool:
    """Whether arguments of a type are checked here: those of NAMES, and instances of our own classes."""
    return kind in NAMES or (isinstance(kind, type) and kind.__module__.startswith("starscout."))


def _hints(function: Callable[..., Any], signature: inspect.Signature) -> dict[str, Any]:
    """Name → annotation of every argument; the keys of a TypedDict are arguments of their own."""
    annotations = get_type_hints(function, include_extras=True)
    found: dict[str, Any] = {}
    for name, parameter in signature.parameters.items():
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            (keywords,) = get_args(annotations[name])
            found.update(field_hints(keywords))
        else:
            found[name] = annotations[name]
    return found
