"""Options as text, `name=value`, and the frozen dataclass that they become."""

import dataclasses
import difflib
import functools
import types
import typing
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from starscout.game import GameError
from starscout.settings.numbers import read_decimal, read_whole

Kind = TypeVar("Kind")


def split_options(words: Iterable[str]) -> dict[str, str]:
    """Name → text; raises GameError."""
    options = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name or not value:
            raise GameError(f"{word!r} is not an option: write name=value")
        options[name] = value
    return options


def parse_options(kind: type[Kind], options: dict[str, str], owner: str) -> Kind:
    """An instance of the frozen dataclass `kind`; unknown names and bad values raise GameError."""
    fields = {f.name.replace("_", "-"): f for f in dataclasses.fields(typing.cast(Any, kind))}
    hints = _hints(kind)
    values = {}
    for name, text in options.items():
        if name not in fields:
            raise GameError(
                f"{owner} has no option {name!r}{nearest(name, fields)} (it has {', '.join(fields) or 'none'})"
            )
        values[fields[name].name] = _value(text, hints[fields[name].name], f"{owner} {name}")
    try:
        return kind(**values)
    except ValueError as error:
        raise GameError(f"{owner}: {error}") from error


def nearest(name: str, known: Iterable[str]) -> str:
    """`; did you mean …?` with the known name that is most like this one, or nothing."""
    near = difflib.get_close_matches(name[:40], list(known), 1)
    return f"; did you mean {near[0]!r}?" if near else ""


_hints = functools.cache(typing.get_type_hints)

_READERS: dict[type, Callable[[str], Any]] = {
    int: lambda text: read_whole(text, low=-(10**18)),
    float: read_decimal,
    str: lambda text: text,
}
"""Kind of value → what reads it; None for a text that is none."""


def _value(text: str, hint: Any, where: str) -> Any:
    kinds = [kind for kind in (typing.get_args(hint) or (hint,)) if kind is not types.NoneType]
    if bool in kinds:
        if text not in ("on", "off"):
            raise GameError(f"{where} is on or off, not {text!r}")
        return text == "on"
    for kind in kinds:
        value = _READERS[kind](text)
        if value is not None:
            return value
    wanted = "a whole number" if kinds == [int] else "a number"
    raise GameError(f"{where}={text[:40]} is not {wanted}")
