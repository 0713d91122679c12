"""Our own format: one JSON object per game, one game per line."""

import json
from collections.abc import Iterator
from typing import Any

from starscout.game import GameError, Outcome
from starscout.records.record import ADJOURNED, GameRecord, RecordError
from starscout.records.replay import Replay

FORMAT = "starscout game 1"
LARGEST = 10**18
"""Every whole number of a record is smaller, its seed excepted."""
_SEEDS = 2**64
_REPORTED = {
    "seconds": lambda value: _seconds(value),
    "value": lambda value: _number(value, -1e9, 1e9),
    "depth": lambda value: _whole(value),
    "nodes": lambda value: _whole(value),
    "simulations": lambda value: _whole(value),
}
"""What a ply may report, and what reads it."""


def read_json_lines(text: str) -> Iterator[GameRecord | RecordError]:
    """The games of a file; one that is malformed or illegal is an error."""
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            yield record_from_json(json.loads(line), number)
        except RecordError as error:
            yield error
        except (ValueError, RecursionError) as error:
            yield RecordError(number, f"this is not a JSON object: {error}")


def write_json_line(record: GameRecord) -> str:
    """The record as one line."""
    return json.dumps(record_to_json(record)) + "\n"


def record_to_json(record: GameRecord) -> dict[str, Any]:
    """The record as a JSON object; what the mover did not report is left out."""
    plies = []
    for ply in record.plies:
        entry = {"roll": ply.roll, "move": ply.text, "seconds": round(ply.seconds, 6), "value": ply.value}
        counts = {"depth": ply.depth, "nodes": ply.nodes, "simulations": ply.simulations}
        plies.append(entry | {name: count for name, count in counts.items() if count is not None})
    source = {"source": record.source} if record.source else {}
    left = (
        {}
        if record.left == (None, None)
        else {"left": [None if clock is None else round(clock, 6) for clock in record.left]}
    )
    return {
        "format": FORMAT,
        "game": record.game,
        **source,
        "start": record.start,
        "players": list(record.players),
        "seed": record.seed,
        "pair": record.pair,
        "half": record.half,
        "plies": plies,
        "winner": record.winner,
        "reason": record.reason,
        "detail": record.detail,
        **left,
    }


def record_from_json(value: Any, line: int = 1) -> GameRecord:
    """The record that `record_to_json` wrote, replayed; raises RecordError that names what is missing or wrong."""
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise RecordError(line, f'this is not a game record: it has no "format": "{FORMAT}"')
    try:
        winner = value["winner"]
        if winner is not None and (type(winner) is not int or winner not in (0, 1)):
            raise GameError(f"the winner of a game record is 0, 1 or null, not {winner!r}")
        first, second = map(_text, value["players"])
        reason = _text(value["reason"])
        most = {"seed": _SEEDS, "pair": LARGEST, "half": 2}
        fields: dict[str, Any] = {name: _whole(value.get(name, 0), bound) for name, bound in most.items()}
        replay = Replay(_text(value["game"]), _text(value["start"]), line, _text(value.get("source", "")))
        for ply in value["plies"]:
            reported = {name: read(ply[name]) for name, read in _REPORTED.items() if ply.get(name) is not None}
            replay.add(_whole(ply["roll"]), _text(ply["move"]), line, **reported)
        first_left, second_left = (None if left is None else _seconds(left) for left in value.get("left", (None, None)))
        fields["left"] = first_left, second_left
        claimed = None if reason == ADJOURNED else Outcome(winner, reason)
        return replay.finished(claimed, (first, second), detail=_text(value.get("detail", "")), **fields)
    except KeyError as error:
        raise RecordError(line, f"the game record lacks {error}") from error
    except RecordError:
        raise
    except GameError as error:
        raise RecordError(line, str(error)) from error
    except (TypeError, ValueError, AttributeError) as error:
        raise RecordError(line, f"the game record is malformed: {error}") from error


def _whole(value: Any, bound: int = LARGEST) -> int:
    """The whole number from 0 to below the bound that a value is; raises GameError."""
    if type(value) is int and 0 <= value < bound:
        return value
    raise GameError(f"{str(value)[:40]} is not a whole number from 0 to {bound - 1}")


def _number(value: Any, low: float, high: float) -> float:
    """The number in a range that a value is; raises GameError."""
    if type(value) in (int, float) and low <= value <= high:
        return float(value)
    raise GameError(f"{str(value)[:40]} is not a number from {low:g} to {high:g}")


def _seconds(value: Any) -> float:
    """The seconds that a value is; raises GameError."""
    return _number(value, 0.0, 1e9)


def _text(value: Any) -> str:
    """The text that a value is, if it can be written to a file; raises GameError."""
    if not isinstance(value, str):
        raise GameError(f"{str(value)[:40]} is not a text")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise GameError(f"{value[:40]!r} is not Unicode text") from error
    return value
