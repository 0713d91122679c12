"""Our own format: one JSON object per game, one game per line."""

import json
import math
from collections.abc import Iterator
from typing import Any

from starscout.game import GameError, Outcome
from starscout.records.record import ADJOURNED, GameRecord, RecordError
from starscout.records.replay import Replay

FORMAT = "starscout game 1"
_REPORTED = {"seconds": float, "value": float, "depth": int, "nodes": int, "simulations": int}
"""The fields that a ply may report, and their types."""


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
    }


def record_from_json(value: Any, line: int = 1) -> GameRecord:
    """The record that `record_to_json` wrote, replayed; raises RecordError that names what is missing or wrong."""
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise RecordError(line, f'this is not a game record: it has no "format": "{FORMAT}"')
    try:
        winner = value["winner"]
        if winner not in (None, 0, 1) or isinstance(winner, bool):
            raise GameError(f"the winner of a game record is 0, 1 or null, not {winner!r}")
        first, second = map(str, value["players"])
        reason = str(value["reason"])
        fields = {name: int(value.get(name, 0)) for name in ("seed", "pair", "half")}
        replay = Replay(str(value["game"]), str(value["start"]), line, str(value.get("source", "")))
        for ply in value["plies"]:
            reported = {name: kind(ply[name]) for name, kind in _REPORTED.items() if ply.get(name) is not None}
            if not all(map(math.isfinite, reported.values())):
                raise GameError(f"a ply has a number that is not finite: {ply}")
            replay.add(int(ply["roll"]), str(ply["move"]), line, **reported)
        claimed = None if reason == ADJOURNED else Outcome(winner, reason)
        return replay.finished(claimed, (first, second), detail=str(value.get("detail", "")), **fields)
    except KeyError as error:
        raise RecordError(line, f"the game record lacks {error}") from error
    except RecordError:
        raise
    except GameError as error:
        raise RecordError(line, str(error)) from error
    except (TypeError, ValueError, AttributeError, OverflowError) as error:
        raise RecordError(line, f"the game record is malformed: {error}") from error
