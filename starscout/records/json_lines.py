"""Our own records: one JSON object a game, each on a line of its own, as `GameRecord.to_json` makes it."""

import json
from collections.abc import Iterator

from starscout.game import GameError, Outcome
from starscout.records.recorded import RecordedGame, RecordedPly, RecordError
from starscout.referee.record import ADJOURNED, GameRecord, from_json


def read_json_lines(text: str) -> Iterator[RecordedGame]:
    """The games of a file; raises RecordError."""
    for number, record in read_records(text):
        yield recorded_game(record, number)


def read_records(text: str) -> Iterator[tuple[int, GameRecord]]:
    """The records of a file and their lines; raises RecordError."""
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            yield number, from_json(json.loads(line))
        except json.JSONDecodeError as error:
            raise RecordError(number, f"this is no JSON object: {error}") from error
        except GameError as error:
            raise RecordError(number, str(error)) from error


def write_json_line(record: GameRecord) -> str:
    """The record as one line."""
    return json.dumps(record.to_json(), ensure_ascii=False) + "\n"


def recorded_game(record: GameRecord, line: int = 1) -> RecordedGame:
    """A referee's record as the other formats know games."""
    plies = tuple(RecordedPly(ply.roll or None, ply.move, line) for ply in record.plies)
    claimed = None if record.reason == ADJOURNED else Outcome(record.winner, record.reason)
    return RecordedGame(record.game, record.start, plies, claimed, line)
