"""What a page may say: one JSON object per message, with a number to answer to, an action and its fields.

    {"id": 7, "do": "move", "table": "k3…", "ply": 4, "move": "A2B3"}      →  {"id": 7, …} or {"id": 7, "error": "…"}

Whatever a message is, it is read here or refused with a sentence (GameError).
"""

import json
from dataclasses import dataclass
from typing import Any

from starscout.game import GameError

LONGEST_TEXT = 400
"""Characters of a field, unless its reader says otherwise."""

MOST_NUMBER = 2**53
"""Every whole number is smaller: pages count in floating point."""


@dataclass(frozen=True)
class Message:
    """A message of a page."""

    id: int
    action: str
    fields: dict[str, Any]

    def text(self, name: str, most: int = LONGEST_TEXT) -> str:
        """A field that is a text."""
        value = self.fields.get(name)
        if not isinstance(value, str) or not value:
            raise GameError(f"the message lacks the text {name!r}")
        if len(value) > most:
            raise GameError(f"{name!r} is too long: at most {most} characters are read")
        return value

    def optional_text(self, name: str, most: int = LONGEST_TEXT) -> str | None:
        """A field that is a text, or null."""
        return None if self.fields.get(name) is None else self.text(name, most)

    def whole(self, name: str, low: int = 0, high: int = MOST_NUMBER - 1) -> int:
        """A field that is a whole number from `low` to `high`."""
        value = self.fields.get(name)
        if type(value) is not int or not low <= value <= high:
            raise GameError(f"{name!r} has to be a whole number from {low} to {high}")
        return value

    def number(self, name: str, low: float, high: float) -> float:
        """A field that is a number from `low` to `high`."""
        value = self.fields.get(name)
        if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
            raise GameError(f"{name!r} has to be a number from {low:g} to {high:g}")
        return float(value)

    def optional_number(self, name: str, low: float, high: float) -> float | None:
        """A field that is a number from `low` to `high`, or null."""
        return None if self.fields.get(name) is None else self.number(name, low, high)

    def flag(self, name: str) -> bool:
        """A field that is true or false; false where it is missing."""
        value = self.fields.get(name, False)
        if not isinstance(value, bool):
            raise GameError(f"{name!r} has to be true or false")
        return value

    def texts(self, name: str, most: int) -> list[str]:
        """A field that is a list of at most `most` texts."""
        value = self.fields.get(name)
        if not isinstance(value, list) or len(value) > most:
            raise GameError(f"{name!r} has to be a list of at most {most} texts")
        return [Message(self.id, self.action, {name: item}).text(name) for item in value]


def read_message(text: str) -> Message:
    """The message that a text is; raises GameError."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise GameError(f"the message is not JSON: {str(error)[:80]}") from error
    if not isinstance(value, dict):
        raise GameError("a message is a JSON object")
    number, action = value.get("id"), value.get("do")
    if type(number) is not int or not 0 <= number < MOST_NUMBER:
        raise GameError("a message has an `id`, a whole number")
    if not isinstance(action, str):
        raise GameError("a message has a `do`, the name of an action")
    return Message(number, action[:LONGEST_TEXT], value)
