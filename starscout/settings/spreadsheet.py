"""CSV files as spreadsheet programs write them."""

import codecs
import contextlib
import csv
import io
from collections.abc import Sequence
from pathlib import Path

from starscout.errors import GameError, naming_file


def read_rows(file: Path, columns: Sequence[str], optional: Sequence[str] = ()) -> list[tuple[str, list[str]]]:
    """Read a CSV file with a header; return FILE:LINE and the values of the columns for each row that is not empty.

    Accepts UTF-8, UTF-16 and Windows encodings, and commas, semicolons or tabs. Raises GameError.
    """
    text = _decoded(file)
    header = text.partition("\n")[0]
    delimiter = max(",;\t", key=header.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    rows: list[tuple[str, list[str]]] = []
    try:
        names = [name.strip().lower() for name in next(reader, list[str]())]
        if not set(columns) <= set(names):
            raise GameError(f"{file}:1: expected the columns {','.join((*columns, *optional))}")
        places = [names.index(name) if name in names else len(names) for name in (*columns, *optional)]
        for cells in reader:
            values = [cell.strip() for cell in cells]
            if any(values):
                chosen = [values[place] if place < len(values) else "" for place in places]
                rows.append((f"{file}:{reader.line_num}", chosen))
    except csv.Error as error:
        raise GameError(f"{file}:{reader.line_num}: {error}") from error
    return rows


def _decoded(file: Path) -> str:
    """Decode text written by a spreadsheet program: UTF-16 with a byte-order mark, UTF-8, or else Windows-1252."""
    with naming_file(file):
        data = file.read_bytes()
    encodings = ("utf-16",) if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else ("utf-8-sig", "cp1252")
    for encoding in encodings:
        with contextlib.suppress(UnicodeDecodeError):
            return data.decode(encoding)
    return data.decode("latin-1")
