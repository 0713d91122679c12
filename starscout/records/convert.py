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

FORMATS = ("json", "text", "ggf", "moves", "server")


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
    if form == "text":
        return record_text(record)
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


def record_text(record: GameRecord) -> str:
    """A game for people: who played, every ply with its die, time and value, and how it ended."""
    *states, last = record.states()
    sides = last.game.sides
    lines = [f"{record.game}: {record.players[0]} ({sides[0]}) – {record.players[1]} ({sides[1]})", record.start]
    for number, (state, ply) in enumerate(zip(states, record.plies, strict=True), 1):
        die = f"  die {ply.roll}" if ply.roll else ""
        value = "" if ply.value is None else f"  {(1 + ply.value) / 2:4.0%}"
        time = f"  {ply.seconds:.2f} s" if ply.seconds else ""
        lines.append(f"{number:3}. {sides[state.mover]:5}{die}  {ply.move}{value}{time}".rstrip())
    winner = "nobody wins" if record.winner is None else f"{sides[record.winner]} wins"
    detail = f" ({record.detail})" if record.detail else ""
    return "\n".join([*lines, f"{winner}: {record.reason}{detail}", ""]) + "\n"
