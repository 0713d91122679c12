"""Messages from a page: one JSON object each, with an id for the answer, an action and its fields.

    {"id": 7, "do": "move", "table": "k3…", "ply": 4, "move": "A2B3"}      →  {"id": 7, …} or {"id": 7, "error": "…"}

Invalid messages raise GameError.
"""

import json
from dataclasses import dataclass
from typing import Annotated, Any

from starscout.game import GameError
from starscout.settings.decode import decode, decode_value
from starscout.settings.schema import Setting

MAX_TEXT = 400
"""Default maximum length of a text field, in characters."""

MAX_WHOLE = 2**53 - 1
"""Largest whole number: pages count in floating point."""


@dataclass(frozen=True)
class _Head:
    id: Annotated[int, Setting("Number of the message.", 0, MAX_WHOLE)]
    do: str


@dataclass(frozen=True)
class Message:
    """A message from a page."""

    id: int
    action: str
    fields: dict[str, Any]

    def field(self, name: str, hint: Any) -> Any:
        """Return a field of this type; raises GameError."""
        return self._decoded(name, self.fields.get(name), hint)

    def _decoded(self, name: str, value: Any, hint: Any) -> Any:
        try:
            return decode_value(name, value, hint)
        except GameError as error:
            raise _invalid(str(error)) from error

    def text(self, name: str, most: int = MAX_TEXT) -> str:
        """Return a non-empty text of at most `most` characters."""
        return _short(name, self.field(name, str), most)

    def optional_text(self, name: str, most: int = MAX_TEXT) -> str | None:
        """Return a text, or None."""
        return None if self.fields.get(name) is None else self.text(name, most)

    def whole(self, name: str, low: int = 0, high: int = MAX_WHOLE) -> int:
        """Return a whole number from `low` to `high`."""
        return self.field(name, Annotated[int, Setting(low=low, high=high)])

    def setting(self, name: str, hint: Any, high: float, low: float | None = None) -> Any:
        """Return a setting of the schema, within the narrower range of this server."""
        return self.field(name, Annotated[hint, Setting(low=low, high=high)])

    def flag(self, name: str) -> bool:
        """Return a Boolean; False if it is missing."""
        return self._decoded(name, self.fields.get(name, False), bool)

    def texts(self, name: str, most: int) -> list[str]:
        """Return a list of at most `most` texts."""
        found = self.field(name, tuple[str, ...])
        if len(found) > most:
            raise _invalid(f"{name}: expected at most {most} texts, got {len(found)}")
        return [_short(name, text, MAX_TEXT) for text in found]


def _short(name: str, text: str, most: int) -> str:
    if not 0 < len(text) <= most:
        raise _invalid(f"{name}: expected 1 to {most} characters, got {len(text)}")
    return text


def _invalid(text: str) -> GameError:
    return GameError(text, code="invalid_field", detail=text)


def read_message(text: str) -> Message:
    """Parse a message; raises GameError."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise GameError(f"message: expected JSON: {str(error)[:80]}") from error
    head = decode(_Head, value, "message", ignore_unknown=True)
    return Message(head.id, head.do[:MAX_TEXT], value)
