"""Tables with one game per row, CSV or Parquet, as `starscout results --export` writes them (`arena/export.py`)."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from starscout.game import GameError, Outcome
from starscout.records.record import ADJOURNED, GameRecord, RecordError, Replay
from starscout.settings.options import read_whole

REQUIRED = ("game", "a", "b", "a_side", "winner", "reason", "start", "rolls", "moves")
"""The columns that are needed to replay a game."""


def is_header(line: str) -> bool:
    """Whether a line names the columns of such a table."""
    return set(REQUIRED) <= set(line.strip().split(","))


def read_csv(text: str) -> Iterator[GameRecord | RecordError]:
    """Read the games of a CSV file; a malformed or illegal game yields an error."""
    rows = csv.DictReader(io.StringIO(text, newline=""))
    try:
        yield from _read_rows((rows.line_num, row) for row in rows)
    except csv.Error as error:
        yield RecordError(rows.line_num, f"not a CSV file: {error}")


def read_parquet(path: Path) -> Iterator[GameRecord | RecordError]:
    """Read the games of a Parquet file; raises GameError."""
    try:
        import pyarrow.parquet as parquet  # pyright: ignore[reportMissingImports, reportMissingTypeStubs]
    except ImportError as error:
        raise GameError(f"{path}: Parquet files need pyarrow: pip install 'starscout[data]'") from error
    try:
        table: Any = parquet.read_table(path)  # pyright: ignore[reportUnknownMemberType]
    except ValueError as error:
        raise GameError(f"{path} is not a Parquet file") from error
    missing = [name for name in REQUIRED if name not in table.column_names]
    if missing:
        raise GameError(f"{path}: no column {missing[0]!r}: expected games of `starscout results --export`")
    yield from _read_rows(enumerate(table.to_pylist(), 1))


def _read_rows(rows: Iterable[tuple[int, Mapping[str, Any]]]) -> Iterator[GameRecord | RecordError]:
    for line, row in rows:
        try:
            yield _read_game(line, row)
        except RecordError as error:
            yield error


def _read_game(line: int, row: Mapping[str, Any]) -> GameRecord:
    texts = {name: "" if row.get(name) is None else str(row[name]) for name in (*REQUIRED, "seed", "pair", "half")}
    replay = Replay(texts["game"], texts["start"], line)
    events, moves = texts["rolls"].split(), texts["moves"]
    while moves:
        if replay.state.over:
            raise RecordError(line, f"{moves[:60]!r} comes after the end of the game")
        event = ""
        if replay.state.needs_roll:
            if not events:
                raise RecordError(line, f"rolls: none left for the move {moves[:20]!r}")
            event = events.pop(0)
        move = _first_move(replay, event, moves, line)
        replay.add(event, move, line)
        moves = moves[len(move) :].strip()
    if events and replay.state.needs_roll:
        replay.add_final_event(events.pop(0), line)
    winner, side = (read_whole(texts[name], 0, 1) for name in ("winner", "a_side"))
    points = read_whole(str(row.get("a_points") or "1").lstrip("-"), 1) or 1
    outcome = None if texts["reason"] == ADJOURNED else Outcome(winner, texts["reason"], points)
    players = (texts["a"], texts["b"]) if side == 0 else (texts["b"], texts["a"])
    numbers = {name: read_whole(texts[name]) or 0 for name in ("seed", "pair")}
    numbers["half"] = read_whole(texts["half"], 0, 1) or 0
    return replay.finished(outcome, players, **numbers)


def _first_move(replay: Replay, event: str, moves: str, line: int) -> str:
    """The longest legal move with which a text begins: moves may contain spaces."""
    state = replay.state
    if event:
        try:
            state = state.rolled(event if not state.game.has_plain_die else read_whole(event, 1) or event)
        except GameError as error:
            raise RecordError(line, str(error)) from error
    fitting = [move for move in state.moves if f"{moves} ".startswith(f"{move} ")]
    return max(fitting, key=len, default=moves.split()[0])
