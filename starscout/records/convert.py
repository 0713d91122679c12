"""From one format of records to another."""

from collections.abc import Iterator
from pathlib import Path

from starscout import games
from starscout.game import GameError
from starscout.records.ewn_server import write_server
from starscout.records.files import read_games
from starscout.records.ggf import write_ggf
from starscout.records.json_lines import read_records, recorded_game, write_json_line
from starscout.records.move_list import write_move_list
from starscout.records.recorded import RecordedGame, replay
from starscout.referee.record import ADJOURNED, FORMAT, GameRecord, Ply

FORMATS = ("json", "ggf", "moves", "server")


def load_records(path: Path) -> Iterator[GameRecord]:
    """The games of a file in any known format, replayed; raises RecordError or GameError."""
    text = path.read_text(encoding="utf-8")
    if FORMAT in text:
        for number, record in read_records(text):
            replay(recorded_game(record, number))
            yield record
        return
    for recorded in read_games(path):
        yield game_record(recorded)


def game_record(recorded: RecordedGame) -> GameRecord:
    """A game of another format as our own record; its players are called by their sides."""
    sides = games.load(recorded.game).sides
    outcome = recorded.claimed or replay(recorded)[-1].outcome
    plies = tuple(Ply(ply.roll or 0, ply.move) for ply in recorded.plies)
    winner, reason = (None, ADJOURNED) if outcome is None else (outcome.winner, outcome.reason)
    return GameRecord(recorded.game, recorded.start, sides, plies, winner, reason)


def write_record(record: GameRecord, form: str) -> str:
    """The record in one of FORMATS, with a line end; raises GameError where the format is for other games."""
    if form == "json":
        return write_json_line(record)
    recorded = recorded_game(record)
    if form == "ggf":
        return write_ggf(recorded, record.players, [ply.seconds for ply in record.plies]) + "\n"
    if form == "moves":
        return write_move_list(recorded) + "\n"
    if form == "server":
        if record.game != "ewn":
            raise GameError(f"the server's format is for ewn, not for {record.game}")
        return write_server(recorded, record.players)
    raise GameError(f"there is no format {form!r}: {', '.join(FORMATS)}")
