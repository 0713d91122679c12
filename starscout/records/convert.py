"""A record in one of the formats, or as text for people."""

from starscout.game import GameError
from starscout.records.ewn_server import write_server
from starscout.records.ggf import write_ggf
from starscout.records.json_lines import write_json_line
from starscout.records.move_list import write_move_list
from starscout.records.record import GameRecord
from starscout.value import win_probability

FORMATS = ("json", "text", "ggf", "moves", "server")


def write_record(record: GameRecord, form: str) -> str:
    """The record in one of FORMATS, with a line end; raises GameError if the format is for other games."""
    match form:
        case "json":
            return write_json_line(record)
        case "text":
            return record_text(record)
        case "ggf":
            return write_ggf(record) + "\n"
        case "moves":
            return write_move_list(record) + "\n"
        case "server":
            return write_server(record)
    raise GameError(f"there is no format {form!r}: choose one of {', '.join(FORMATS)}")


def record_text(record: GameRecord) -> str:
    """A game for people: its players, every ply with its roll, time and value, and the result."""
    *states, last = record.states()
    sides = last.game.sides
    lines = [f"{record.game}: {record.players[0]} ({sides[0]}) – {record.players[1]} ({sides[1]})", record.start]
    for number, (state, ply) in enumerate(zip(states, record.plies, strict=True), 1):
        die = f"  die {ply.roll}" if ply.roll else ""
        value = "" if ply.value is None else f"  {win_probability(ply.value):4.0%}"
        time = f"  {ply.seconds:.2f} s" if ply.seconds else ""
        lines.append(f"{number:3}. {sides[state.mover]:5}{die}  {ply.text}{value}{time}".rstrip())
    winner = "nobody wins" if record.winner is None else f"{sides[record.winner]} wins"
    detail = f" ({record.detail})" if record.detail else ""
    return "\n".join([*lines, f"{winner}: {record.reason}{detail}", ""]) + "\n"
