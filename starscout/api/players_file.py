"""The players of a tournament from a file: one line per player, as a spreadsheet writes it.

name,command,folder
Anna,lab:./agent,students/anna
Bert,tcg-ewn:./ewn --fast,students/bert
our baseline,random,
"""

import csv
from pathlib import Path

from starscout.game import Game, GameError
from starscout.spec import describe, in_folder


def read_players(file: Path, game: Game) -> tuple[list[str], list[str]]:
    """The names and the SPECs of the players of a game; folders are seen from the file. Raises GameError."""
    names: list[str] = []
    specs: list[str] = []
    with file.open(encoding="utf-8-sig", newline="") as lines:
        rows = csv.DictReader(lines)
        if not {"name", "command"} <= set(rows.fieldnames or ()):
            raise GameError(f"{file}: the first line must be name,command,folder")
        for row in rows:
            name, command, folder = (str(row.get(key) or "").strip() for key in ("name", "command", "folder"))
            if not name or not command:
                raise GameError(f"{file}:{rows.line_num}: a player needs a name and a command")
            if name in names:
                raise GameError(f"{file}:{rows.line_num}: there are two players called {name!r}")
            try:
                spec = in_folder(command, str((file.parent / folder).resolve())) if folder else command
                describe(spec, game)
            except GameError as error:
                raise GameError(f"{file}:{rows.line_num}: {name}: {error}") from error
            names.append(name)
            specs.append(spec)
    return names, specs
