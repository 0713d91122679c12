"""StarScout's own format: JSON lines, one game per line."""

import json
from collections.abc import Iterator
from typing import Any

from starscout.game import GameError, Outcome
from starscout.records.record import ADJOURNED, GameRecord, RecordError
from starscout.records.replay import Replay

FORMAT = "starscout game 1"
LARGEST = 10**18
"""Exclusive upper bound of the integers in a record, except the seed."""
_SEEDS = 2**64
_REPORTED = {
    "seconds": lambda value: _seconds(value),
    "value": lambda value: _number(value, -1e9, 1e9),
    "depth": lambda value: _whole(value),
    "nodes": lambda value: _whole(value),
    "simulations": lambda value: _whole(value),
}
"""Optional fields of a ply and their parsers."""


def read_json_lines(text: str) -> Iterator[GameRecord | RecordError]:
    """Read the games of a file; yields an error for each malformed or illegal game."""
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            yield record_from_json(json.loads(line), number)
        except RecordError as error:
            yield error
        except (ValueError, RecursionError) as error:
            yield RecordError(number, f"not a JSON object: {error}")


def write_json_line(record: GameRecord) -> str:
    """Format a record as one line."""
    return json.dumps(record_to_json(record)) + "\n"


def record_to_json(record: GameRecord) -> dict[str, Any]:
    """Convert a record to a JSON object, without the fields that the mover did not report."""
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
    """Convert a JSON object to a record and replay it; raises RecordError."""
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise RecordError(line, f'not a game record: expected "format": "{FORMAT}"')
    try:
        winner = value["winner"]
        if winner is not None and (type(winner) is not int or winner not in (0, 1)):
            raise GameError(f"winner: expected 0, 1 or null, got {winner!r}")
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
        raise RecordError(line, f"missing field {error}") from error
    except RecordError:
        raise
    except GameError as error:
        raise RecordError(line, str(error)) from error
    except (TypeError, ValueError, AttributeError) as error:
        raise RecordError(line, f"malformed game record: {error}") from error


def _whole(value: Any, bound: int = LARGEST) -> int:
    """Check for an integer from 0 to `bound` − 1; raises GameError."""
    if type(value) is int and 0 <= value < bound:
        return value
    raise GameError(f"expected a whole number from 0 to {bound - 1}, got {str(value)[:40]}")


def _number(value: Any, low: float, high: float) -> float:
    """Check for a number in a range; raises GameError."""
    if type(value) in (int, float) and low <= value <= high:
        return float(value)
    raise GameError(f"expected a number from {low:g} to {high:g}, got {str(value)[:40]}")


def _seconds(value: Any) -> float:
    """Check for a number of seconds; raises GameError."""
    return _number(value, 0.0, 1e9)


def _text(value: Any) -> str:
    """Check for text without lone surrogates; raises GameError."""
    if not isinstance(value, str):
        raise GameError(f"expected text, got {str(value)[:40]}")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise GameError(f"expected valid Unicode, got {value[:40]!r}") from error
    return value
