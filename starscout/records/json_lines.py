"""JSON Lines: one JSON object per game, one game per line.

A ply has a `roll`, the number of a die, or an `event` in the game's notation if its events are not a plain die.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any

from starscout import games
from starscout.game import Game, GameError, Outcome
from starscout.records.record import ADJOURNED, GameRecord, Ply, RecordError, Replay
from starscout.settings.decode import decode
from starscout.settings.schema import MANY, Seconds, Seed, Setting

FORMAT = "starscout game 1"
REPORTED = ("seconds", "value", "depth", "nodes", "simulations")
"""Optional numbers of a ply."""
NOTES = ("comment", "variations")
"""Fields of a ply that only `game_tree.py` reads."""


@dataclass(frozen=True)
class WrittenPly:
    """A ply in a file."""

    move: str
    roll: int = 0
    event: str = ""
    seconds: Seconds | None = None
    value: Annotated[float, Setting("Expected result.", -1e9, 1e9)] | None = None
    depth: int | None = None
    nodes: int | None = None
    simulations: int | None = None


@dataclass(frozen=True)
class _Record:
    game: str
    start: str
    players: tuple[str, str]
    plies: tuple[WrittenPly, ...]
    winner: Annotated[int, Setting("Side that won.", choices=(0, 1))] | None
    reason: str
    source: str = ""
    seed: Seed = 0
    pair: int = 0
    half: Annotated[int, Setting("Game of the pair.", 0, 1)] = 0
    detail: str = ""
    left: tuple[Seconds | None, Seconds | None] = (None, None)
    points: Annotated[int, Setting("Points of the winner.", 1, MANY)] = 1
    final_event: str = ""


def read_json_lines(text: str) -> Iterator[GameRecord | RecordError]:
    """Read the games of a file; a malformed or illegal game yields an error."""
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            yield RecordError(number, f"not a JSON object: {error}")
            continue
        if isinstance(value, dict) and "format" not in value and isinstance(value.get("games"), list):
            # The format of `starscout results --export`.
            yield from (_read(game, number, f"game {index}: ") for index, game in enumerate(value["games"], 1))
        else:
            yield _read(value, number)


def _read(value: Any, line: int, place: str = "") -> GameRecord | RecordError:
    try:
        return record_from_json(value, line)
    except RecordError as error:
        return RecordError(line, place + error.why)


def write_json_line(record: GameRecord) -> str:
    """Return the record as one line."""
    return json.dumps(record_to_json(record)) + "\n"


def record_to_json(record: GameRecord) -> dict[str, Any]:
    """Return the record as a JSON object, without the numbers that the mover did not report."""
    *events, final = record.event_texts()
    rules = games.find(record.game)
    plies = [ply_to_json(ply, text, rules) for ply, text in zip(record.plies, events, strict=True)]
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
        **({} if record.points == 1 else {"points": record.points}),
        **({"final_event": final} if final else {}),
    }


def ply_to_json(ply: Ply, event: str, game: Game) -> dict[str, Any]:
    """Return a ply with its event in the game's notation as a JSON object."""
    chance = {"roll": ply.roll} if game.has_plain_die else {"event": event} if event else {}
    entry = chance | {"move": ply.text, "seconds": round(ply.seconds, 6), "value": ply.value}
    counts = {"depth": ply.depth, "nodes": ply.nodes, "simulations": ply.simulations}
    return entry | {name: count for name, count in counts.items() if count is not None}


def ply_from_json(value: Any, where: str) -> WrittenPly:
    """Invert `ply_to_json` without its check by the rules; raises RecordError."""
    try:
        return decode(WrittenPly, _without_notes(value), where)
    except GameError as error:
        raise RecordError(1, str(error)) from error


def _without_notes(ply: Any) -> Any:
    """A ply without its comment and variations (`game_tree.py`)."""
    if not isinstance(ply, dict):
        return ply
    return {name: field for name, field in ply.items() if name not in NOTES}


def record_from_json(value: Any, line: int = 1) -> GameRecord:
    """Invert `record_to_json` and replay the game; raises RecordError."""
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise RecordError(line, f'not a game record: expected "format": "{FORMAT}"')
    plies = value.get("plies")
    if isinstance(plies, list):
        value = {**value, "plies": [_without_notes(ply) for ply in plies]}
    try:
        record = decode(_Record, value, "game record", ignore_unknown=True)
        replay = Replay(record.game, record.start, line, record.source)
        for ply in record.plies:
            reported = {name: number for name in REPORTED if (number := getattr(ply, name)) is not None}
            replay.add(ply.event or ply.roll, ply.move, line, **reported)
        if record.final_event:
            replay.add_final_event(record.final_event, line)
        claimed = None if record.reason == ADJOURNED else Outcome(record.winner, record.reason, record.points)
        return replay.finished(
            claimed, record.players, detail=record.detail,
            seed=record.seed, pair=record.pair, half=record.half, left=record.left,
        )  # fmt: skip
    except RecordError:
        raise
    except GameError as error:
        raise RecordError(line, str(error)) from error
