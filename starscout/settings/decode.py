"""Decode JSON and TOML values into dataclasses, each field of its declared type and range."""

import dataclasses
from collections.abc import Mapping
from types import NoneType
from typing import Any, TypeVar, cast, get_args, get_origin

from starscout.settings.arguments import NAMES
from starscout.settings.options import nearest
from starscout.settings.schema import SettingError, bounds, field_hints, invalid, resolve

Kind = TypeVar("Kind")

DESCRIPTIONS: dict[Any, str] = {**NAMES, bool: "true or false", tuple: "a list", Mapping: "an object"}


def decode(kind: type[Kind], value: Any, where: str = "", *, ignore_unknown: bool = False) -> Kind:
    """Build a dataclass from an object; raises SettingError for fields that are wrong, unknown or missing."""
    if not isinstance(value, Mapping):
        raise invalid(where or kind.__name__, Mapping, value, DESCRIPTIONS)
    hints = field_hints(kind)
    fields = dataclasses.fields(cast(Any, kind))
    found: dict[str, Any] = {}
    for name, item in cast("Mapping[str, Any]", value).items():
        if name in hints:
            found[name] = decode_value(f"{where}.{name}" if where else name, item, hints[name])
        elif not ignore_unknown:
            raise SettingError("{}", (where or kind.__name__,), f": no field {name!r}{nearest(name, hints)}")
    for field in fields:
        if field.name not in found and field.default is field.default_factory is dataclasses.MISSING:
            raise SettingError("{}", (where or kind.__name__,), f": field {field.name!r} is missing")
    return kind(**found)


def decode_value(where: str, value: Any, hint: Any) -> Any:
    """Return a value of this type; raises SettingError."""
    kinds, setting = resolve(hint)
    if value is None and NoneType in kinds:
        return None
    kind = next(kind for kind in kinds if kind is not NoneType)
    origin, inner = get_origin(kind), get_args(kind)
    if setting.choices:
        if any(type(value) is type(choice) and value == choice for choice in setting.choices):
            return value
    elif kind in (int, float):
        low, high = bounds(kinds, setting)
        if isinstance(value, int if kind is int else int | float) and type(value) is not bool and low <= value <= high:
            return value
    elif dataclasses.is_dataclass(kind):
        return decode(cast(type, kind), value, where)
    elif origin is tuple and isinstance(value, list | tuple):
        items = cast("list[Any]", value)
        if inner[-1] is ... or len(items) == len(inner):
            parts = [inner[0]] * len(items) if inner[-1] is ... else inner
            places = (f"{where}[{number}]" for number in range(len(items)))
            return tuple(map(decode_value, places, items, parts))
    elif origin is Mapping and isinstance(value, Mapping):
        entries = cast("Mapping[str, Any]", value)
        return {key: decode_value(f"{where}.{key}", item, inner[1]) for key, item in entries.items()}
    elif isinstance(kind, type) and type(value) is kind and (not isinstance(value, str) or _is_unicode(value)):
        return value
    raise invalid(where, hint, value, DESCRIPTIONS)


def _is_unicode(text: str) -> bool:
    """Whether a file can hold the text: JSON allows half of a surrogate pair."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
