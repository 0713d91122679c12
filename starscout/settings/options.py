"""Player options as text, `name=value`, and the frozen dataclass that they describe.

Parse numbers from text: options, files and network messages.
"""

import contextlib
import dataclasses
import difflib
import math
import re
from collections.abc import Iterable
from typing import Any, TypeVar, cast

from starscout.errors import GameError
from starscout.settings.arguments import NAMES, argument
from starscout.settings.schema import SettingError, field_hints, invalid, resolve

_WHOLE = re.compile(r"-?[0-9]{1,20}")
_DECIMAL = re.compile(r"[+-]?([0-9]{1,18}(\.[0-9]{0,30})?|\.[0-9]{1,30})([eE][+-]?[0-9]{1,3})?")


def read_whole(text: str, low: int = 0, high: int = 10**18 - 1) -> int | None:
    """Parse a whole number in ASCII digits; None if it is invalid or out of range."""
    if not _WHOLE.fullmatch(text):
        return None
    number = int(text)
    return number if low <= number <= high else None


def read_decimal(text: str) -> float | None:
    """Parse a finite decimal number in ASCII; None if it is invalid."""
    if not _DECIMAL.fullmatch(text):
        return None
    number = float(text)
    return number if math.isfinite(number) else None


Kind = TypeVar("Kind")

DESCRIPTIONS = {**NAMES, bool: "on or off"}


def split_options(words: Iterable[str]) -> dict[str, str]:
    """Return name → text; raises GameError."""
    options = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name or not value:
            raise GameError(f"option: expected name=value, got {word!r}")
        options[name] = value
    return options


def parse_options(kind: type[Kind], options: dict[str, str], owner: str) -> Kind:
    """Build the frozen dataclass `kind`; raises GameError for unknown names and invalid values."""
    fields = {f.name.replace("_", "-"): f.name for f in dataclasses.fields(cast(Any, kind))}
    values = {}
    try:
        for name, text in options.items():
            if name not in fields:
                known = ", ".join(fields) or "none"
                raise GameError(f"no option {name!r}{nearest(name, fields)} (options: {known})")
            values[fields[name]] = parse_text(fields[name], text, field_hints(kind)[fields[name]])
        return kind(**values)
    except SettingError as error:
        raise GameError(f"{owner} {error.text(*(name.replace('_', '-') for name in error.names))}") from error
    except ValueError as error:
        raise GameError(f"{owner}: {error}") from error


def parse_text(name: str, text: str, hint: Any) -> Any:
    """Return the value of this type that a text spells; raises SettingError."""
    kinds, setting = resolve(hint)
    value: Any = text
    if setting.choices:
        value = next((choice for choice in setting.choices if str(choice) == text), None)
    elif bool in kinds:
        value = {"on": True, "off": False}.get(text)
    elif int in kinds:
        value = read_whole(text, -(2**64), 2**64)
    elif float in kinds:
        value = read_decimal(text)
    if value is not None:
        with contextlib.suppress(SettingError):
            return argument(name, value, hint)
    raise invalid(name, hint, text, DESCRIPTIONS)


def nearest(name: str, known: Iterable[str]) -> str:
    """Return `; did you mean …?` with the most similar known name, or nothing."""
    near = difflib.get_close_matches(name[:40], list(known), 1)
    return f"; did you mean {near[0]!r}?" if near else ""
