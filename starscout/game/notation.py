"""Text notation shared by the games: boards with rows from the top and `/` between them, squares like `A1`."""

import functools
import re

from starscout.game import GameError


@functools.cache
def square_name(square: int, columns: int) -> str:
    """`A1` is the top left square, letters count columns, numbers count rows."""
    return f"{chr(ord('A') + square % columns)}{square // columns + 1}"


def square_number(name: str, rows: int, columns: int) -> int:
    """The inverse of `square_name`; raises GameError."""
    match = re.fullmatch(r"([A-Za-z])([0-9]{1,2})", name)
    if match:
        column, row = ord(match[1].upper()) - ord("A"), int(match[2]) - 1
        if column < columns and 0 <= row < rows:
            return row * columns + column
    raise GameError(f"square: expected A1 to {square_name(rows * columns - 1, columns)}, got {name!r}")


def format_board(characters: str, columns: int) -> str:
    """The characters of all squares with `/` between the rows."""
    return "/".join(characters[start : start + columns] for start in range(0, len(characters), columns))


def parse_board(text: str, rows: int, columns: int, allowed: str) -> str:
    """The characters of all squares; raises GameError that names the row."""
    lines = text.split("/")
    if len(lines) != rows:
        raise GameError(f"board: expected {rows} rows separated by '/', got {len(lines)}: {text!r}")
    for number, line in enumerate(lines, 1):
        if len(line) != columns:
            raise GameError(f"board, row {number}: expected {columns} squares, got {len(line)}: {line!r}")
        for column, character in enumerate(line):
            if character not in allowed:
                square = square_name((number - 1) * columns + column, columns)
                raise GameError(f"board, {square}: expected one of {' '.join(allowed)}, got {character!r}")
    return "".join(lines)


def split_fields(text: str, names: tuple[str, ...], example: str) -> list[str]:
    """The fields of a position text, one for each name; raises GameError with an example."""
    fields = text.split()
    if len(fields) != len(names):
        raise GameError(f"position: expected {len(names)} fields ({', '.join(names)}), like {example!r}; got {text!r}")
    return fields


def parse_side(text: str, letters: str) -> int:
    """The side with a letter; raises GameError."""
    if len(text) == 1 and text.lower() in letters:
        return letters.index(text.lower())
    raise GameError(f"side to move: expected {' or '.join(letters)}, got {text!r}")


def move_between_squares(text: str) -> str:
    """`A2B3` from any of `a2b3`, `A2-B3`, `A2 B3`, `A2xB3`; any other text is returned unchanged."""
    match = re.fullmatch(r"\s*([A-Za-z][0-9]{1,2})[\s\-x]*([A-Za-z][0-9]{1,2})\s*", text)
    return (match[1] + match[2]).upper() if match else text.strip()
