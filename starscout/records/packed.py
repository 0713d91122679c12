"""Packed games for the store: compressed JSON, with thinking times separately.

Equal games have equal bytes. Each game is an object {"start", "side", "rolls", "moves", "values", "depths", "nodes",
"simulations", "luck", "loss", "winner", "reason", "detail", "points", "final"}. `side` is the side of player A. `rolls`
are the chance events; it is absent in games without events. `final` is the event that ended the game, if one did, and
`points` are those of the winner unless they are 1. Columns without any reported number are absent, and `luck` and
`loss` are present if they were measured. Up to version 0.1, `rolls` was a string of digits.
"""

import contextlib
import json
import zlib
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from starscout import games as known_games
from starscout.game import Game, GameError
from starscout.game.state import parse
from starscout.records.record import Annotation, GameRecord, Ply

DIGITS = 4
_LEVEL = 1
_COUNTS = {"depths": "depth", "nodes": "nodes", "simulations": "simulations"}


class SeatedGame(NamedTuple):
    """A game of a series: record, side of player A, first mover, annotation and the movers of the plies."""

    record: GameRecord
    side: int
    first: int = 0
    annotation: Annotation | None = None
    movers: tuple[int, ...] = ()
    """The side to move at each ply, then at the end; empty if the turn alternates."""

    @property
    def score(self) -> float:
        """The score of player A: 1, ½ or 0."""
        return self.record.score(self.side)

    @property
    def points(self) -> int:
        """The points of player A, negative if A lost."""
        return self.record.points_of(self.side)

    def plies_of(self, player: str) -> tuple[Ply, ...]:
        """The plies of player `"A"` or `"B"`."""
        side = self.side_of(player)
        if self.movers:
            return tuple(ply for ply, mover in zip(self.record.plies, self.movers, strict=False) if mover == side)
        return self.record.plies[(self.first != side) :: 2]

    def side_of(self, player: str) -> int:
        """The side of player `"A"` or `"B"`."""
        return self.side if player == "A" else 1 - self.side


def pack_games(games: Sequence[SeatedGame]) -> tuple[bytes, bytes]:
    """Pack games into their content and their times (microseconds; seconds on the clocks)."""
    times: Any = [[round(ply.seconds * 1e6) for ply in game.record.plies] for game in games]
    left = [[None if clock is None else round(clock, 6) for clock in game.record.left] for game in games]
    if any(clock is not None for clocks in left for clock in clocks):
        times = {"plies": times, "left": left}
    return _compressed([_entry(game) for game in games]), _compressed(times)


def unpack_times(times: bytes) -> list[list[float]]:
    """Unpack the thinking times of each game, in seconds."""
    with _reading():
        stored = json.loads(zlib.decompress(times))
        plies = stored["plies"] if isinstance(stored, dict) else stored
        return [[microseconds / 1e6 for microseconds in game] for game in plies]


def _unpack_left(times: bytes, games: int) -> list[tuple[float | None, float | None]]:
    """Unpack the seconds left on the clocks of each game."""
    stored = json.loads(zlib.decompress(times))
    if not isinstance(stored, dict):
        return [(None, None)] * games
    return [(first, second) for first, second in stored["left"]]


def unpack_details(content: bytes) -> list[str]:
    """Unpack the detail of each game's result, without replaying it."""
    with _reading():
        return [entry["detail"] for entry in json.loads(zlib.decompress(content))]


def unpack_annotations(content: bytes) -> list[Annotation | None]:
    """Unpack the annotation of each game, or None if not measured, without replaying it."""
    with _reading():
        return [
            Annotation(tuple(entry["luck"]), tuple(entry["loss"])) if "luck" in entry else None
            for entry in json.loads(zlib.decompress(content))
        ]


def unpack_games(
    content: bytes, times: bytes, game: str, players: tuple[str, str], seed: int, pair: int
) -> list[SeatedGame]:
    """Unpack and replay the games of a pair; `players` are A and B. Raises GameError."""
    rules = known_games.find(game)
    with _reading():
        entries = json.loads(zlib.decompress(content))
        return [
            _seated_game(rules, entry, seconds, left, players, seed, pair, half)
            for half, (entry, seconds, left) in enumerate(
                zip(entries, unpack_times(times), _unpack_left(times, len(entries)), strict=True)
            )
        ]


@contextlib.contextmanager
def _reading() -> Iterator[None]:
    """Convert the errors of damaged data to GameError."""
    try:
        yield
    except GameError:
        raise
    except (zlib.error, ArithmeticError, AttributeError, LookupError, TypeError, ValueError, RecursionError) as error:
        raise GameError(f"the store is damaged: cannot unpack its games ({type(error).__name__}: {error})") from error


def _entry(game: SeatedGame) -> dict[str, Any]:
    record, plies = game.record, game.record.plies
    entry: dict[str, Any] = {"start": record.start, "side": game.side}
    if any(ply.roll for ply in plies):
        entry["rolls"] = [ply.roll for ply in plies]
    entry["moves"] = " ".join(ply.text for ply in plies)
    values = [None if ply.value is None else round(ply.value, DIGITS) for ply in plies]
    numbers = {"values": values} | {name: [getattr(ply, field) for ply in plies] for name, field in _COUNTS.items()}
    entry |= {name: column for name, column in numbers.items() if any(number is not None for number in column)}
    if game.annotation is not None:
        entry["luck"] = [round(value, DIGITS) for value in game.annotation.luck]
        entry["loss"] = [round(value, DIGITS) for value in game.annotation.loss]
    entry |= {"winner": record.winner, "reason": record.reason, "detail": record.detail}
    entry |= {"points": record.points} if record.points != 1 else {}
    return entry | ({"final": record.final_event} if record.final_event else {})


def _seated_game(
    rules: Game,
    entry: dict[str, Any],
    seconds: list[float],
    left: tuple[float | None, float | None],
    players: tuple[str, str],
    seed: int,
    pair: int,
    half: int,
) -> SeatedGame:
    texts = entry["moves"].split(" ") if entry["moves"] else []
    columns = [entry.get("rolls") or [0] * len(texts), texts, seconds]
    columns += [entry.get(name) or [None] * len(texts) for name in ("values", *_COUNTS)]
    state, plies, movers = parse(rules, entry["start"]), [], []
    first = state.mover
    for roll, text, taken, *reported in zip(*columns, strict=True):
        state = state.rolled(int(roll))
        move = state.parse_move(text)
        plies.append(Ply(int(roll), text, move, taken, *reported))
        movers.append(state.mover)
        state = state.play(move)
    final = int(entry.get("final", 0))
    movers.append((state.rolled(final) if final else state).mover)
    names = players if entry["side"] == 0 else (players[1], players[0])
    end = entry["winner"], entry["reason"], entry["detail"]
    record = GameRecord(
        rules.name, entry["start"], names, tuple(plies), *end, seed, pair, half, left=left,
        points=int(entry.get("points", 1)), final_event=final,
    )  # fmt: skip
    annotation = Annotation(tuple(entry["luck"]), tuple(entry["loss"])) if "luck" in entry else None
    return SeatedGame(record, entry["side"], first, annotation, () if rules.alternating else tuple(movers))


def _compressed(value: Any) -> bytes:
    return zlib.compress(json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode(), _LEVEL)
