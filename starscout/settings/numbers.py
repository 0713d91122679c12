"""Parse numbers from text: options, files and network messages."""

import math
import re

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
