"""A finished pair, small enough to send and to store by the thousand.

    scores    what A got in game 0 (A has side 0) and in game 1
    content   both games without the times: compressed JSON, the same bytes whenever the same games are played
    times     the thinking times of both games, in microseconds, compressed JSON

A game in `content`: {"start", "side", "rolls", "moves", "values", "luck", "loss", "winner", "reason", "detail"}.
`side` is A's. `luck` and `loss` stand there when luck is measured: the luck of each roll and the loss of each move,
both for the mover and in winning chances.
"""

import json
import zlib
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


@dataclass(frozen=True)
class PlayedGame:
    """A game of a pair: its record, the side that A had, and what a judge says about it (None: no judge)."""

    record: GameRecord
    side: int
    analysis: Analysis | None
    net_luck: float | None


def pack(pair: int, played: tuple[PlayedGame, PlayedGame]) -> PairRecord:
    """The record of a pair from its two games, game 0 first."""
    zero, one = played
    content = [_content(game) for game in played]
    times = [[round(ply.seconds * 1e6) for ply in game.record.plies] for game in played]
    luck = None
    if zero.net_luck is not None and one.net_luck is not None:
        luck = round(zero.net_luck, 6), round(one.net_luck, 6)
    return PairRecord(
        pair,
        (_score(zero), _score(one)),
        (len(zero.record.plies), len(one.record.plies)),
        (zero.record.reason, one.record.reason),
        luck,
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
        names = players if entry["side"] == 0 else (players[1], players[0])
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


def _score(played: PlayedGame) -> float:
    winner = played.record.winner
    return 0.5 if winner is None else float(winner == played.side)


def _content(played: PlayedGame) -> dict[str, Any]:
    game = played.record
    rolls = [ply.roll for ply in game.plies]
    values = [ply.value for ply in game.plies]
    known = any(value is not None for value in values)
    entry: dict[str, Any] = {
        "start": game.start,
        "side": played.side,
        "rolls": "".join(map(str, rolls)) if any(rolls) else "",
        "moves": " ".join(ply.move for ply in game.plies),
        "values": [None if value is None else round(value, DIGITS) for value in values] if known else [],
        "winner": game.winner,
        "reason": game.reason,
        "detail": game.detail,
    }
    if played.analysis is not None:
        entry["luck"] = [round(value, DIGITS) for value in played.analysis.luck]
        entry["loss"] = [round(value, DIGITS) for value in played.analysis.loss]
    return entry


def _compressed(value: Any) -> bytes:
    return zlib.compress(json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode(), _LEVEL)
