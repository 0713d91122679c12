"""A finished pair, small enough to send and to store by the thousand.

    scores    what A got in game 0 (A has side 0) and in game 1
    content   both games without the times: compressed JSON, the same bytes whenever the same games are played
    times     the thinking times of both games, in microseconds, compressed JSON

A game in `content`: {"start", "rolls", "moves", "values", "luck", "loss", "winner", "reason", "detail"}; `luck` and
`loss` stand there when luck is measured: the luck of each roll and the loss of each move, both for the mover and in
winning chances.
"""

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from starscout.referee.record import FORFEITS, GameRecord, Ply

DIGITS = 4
_LEVEL = 1


class PairRecord(NamedTuple):
    """One pair as it is sent and stored."""

    pair: int
    scores: tuple[float, float]
    plies: tuple[int, int]
    reasons: tuple[str, str]
    luck: tuple[float, float] | None
    """How much luckier A was than B in each game, in winning chances; None: not measured."""
    seconds: float
    content: bytes
    times: bytes

    @property
    def score(self) -> float:
        """The score of the pair for A."""
        return (self.scores[0] + self.scores[1]) / 2

    def forfeiter(self, half: int) -> str | None:
        """Who lost this game by a forfeit, `"A"` or `"B"`; None when it was played to its end."""
        if self.reasons[half] not in FORFEITS:
            return None
        return "B" if self.scores[half] == 1 else "A"


@dataclass(frozen=True)
class Analysis:
    """The luck of every roll and the loss of every move of a game: for the mover, in winning chances."""

    luck: tuple[float, ...]
    loss: tuple[float, ...]


def pack(
    pair: int, games: Sequence[GameRecord], analyses: Sequence[Analysis] | None, nets: tuple[float, float] | None
) -> PairRecord:
    """The record of a pair from its two games, game 0 first."""
    scores = tuple(_score(game.winner, side) for side, game in enumerate(games))
    content = [_content(game, analyses[half] if analyses else None) for half, game in enumerate(games)]
    times = [[round(ply.seconds * 1e6) for ply in game.plies] for game in games]
    return PairRecord(
        pair,
        (scores[0], scores[1]),
        (len(games[0].plies), len(games[1].plies)),
        (games[0].reason, games[1].reason),
        nets,
        sum(map(sum, times)) / 1e6,
        _compressed(content),
        _compressed(times),
    )


def unpack(record: PairRecord) -> tuple[list[dict[str, Any]], list[list[float]]]:
    """The two games of a pair, and their thinking times in seconds."""
    content = json.loads(zlib.decompress(record.content))
    times = json.loads(zlib.decompress(record.times))
    return content, [[microseconds / 1e6 for microseconds in game] for game in times]


def game_records(record: PairRecord, game: str, players: tuple[str, str], seed: int) -> tuple[GameRecord, GameRecord]:
    """The two games as the referee wrote them (thinking times to a microsecond, values to four digits)."""
    content, times = unpack(record)
    games = []
    for half, (entry, seconds) in enumerate(zip(content, times, strict=True)):
        moves = entry["moves"].split(" ") if entry["moves"] else []
        rolls = entry["rolls"] or [0] * len(moves)
        values = entry["values"] or [None] * len(moves)
        plies = tuple(Ply(int(r), m, s, v) for r, m, s, v in zip(rolls, moves, seconds, values, strict=True))
        names = players if half == 0 else (players[1], players[0])
        games.append(
            GameRecord(
                game,
                entry["start"],
                names,
                plies,
                entry["winner"],
                entry["reason"],
                entry["detail"],
                seed,
                record.pair,
                half,
            )
        )
    return games[0], games[1]


def _score(winner: int | None, side: int) -> float:
    return 0.5 if winner is None else float(winner == side)


def _content(game: GameRecord, analysis: Analysis | None) -> dict[str, Any]:
    rolls = [ply.roll for ply in game.plies]
    values = [ply.value for ply in game.plies]
    entry: dict[str, Any] = {
        "start": game.start,
        "rolls": "".join(map(str, rolls)) if any(rolls) else "",
        "moves": " ".join(ply.move for ply in game.plies),
        "values": [None if v is None else round(v, DIGITS) for v in values]
        if any(v is not None for v in values)
        else [],
        "winner": game.winner,
        "reason": game.reason,
        "detail": game.detail,
    }
    if analysis is not None:
        entry["luck"] = [round(value, DIGITS) for value in analysis.luck]
        entry["loss"] = [round(value, DIGITS) for value in analysis.loss]
    return entry


def _compressed(value: Any) -> bytes:
    return zlib.compress(json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode(), _LEVEL)
