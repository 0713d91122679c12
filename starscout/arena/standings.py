"""Tournament standings: points, tie-break, ratings and cross table, computed from the games."""

import hashlib
from dataclasses import dataclass, field
from typing import Any

from starscout.arena.ratings import MeetingScore, bradley_terry
from starscout.arena.tally import Tally, finite


@dataclass(frozen=True)
class MeetingResult:
    """A meeting and its result so far; `first` has side 0 if sides are fixed."""

    round: int
    first: int
    second: int
    match: int
    tally: Tally

    def points(self, player: int) -> float:
        """Return the player's points in this meeting: 1 per win, ½ per draw."""
        results = self.tally.results
        won = results[1.0] if player == self.first else results[0.0]
        return won + results[0.5] / 2

    def forfeits(self, names: tuple[str, ...]) -> str:
        """Return the forfeits by player and reason as text; empty if there were none."""
        by_player = ((self.first, self.tally.forfeits["A"]), (self.second, self.tally.forfeits["B"]))
        entries = [f"{names[player]}: {reason} {count}×" for player, why in by_player for reason, count in why.items()]
        return ", ".join(entries)

    def rated(self) -> MeetingScore:
        """Return the meeting as input for `bradley_terry`."""
        sample = self.tally.sample
        return MeetingScore(self.first, self.second, sample.n, sample.mean, sample.variance)


@dataclass
class Standings:
    """The meetings so far. Players are numbered from 0, in the order of `players`."""

    players: tuple[str, ...]
    games_per_meeting: int
    seed: int
    meetings: list[MeetingResult] = field(default_factory=list)
    byes: list[tuple[int, int]] = field(default_factory=list)
    """Round and player of every bye in a Swiss tournament with an odd number of players."""
    late: tuple[int, ...] = ()
    """First round of each of the last players, who joined late."""
    withdrawn: tuple[tuple[int, int], ...] = ()
    """Players that withdrew, each with the first round that it does not play."""

    @property
    def original(self) -> int:
        """Number of players at the start."""
        return len(self.players) - len(self.late)

    def present(self, round_: int) -> list[int]:
        """Return the players that take part in a round, best first."""
        withdrawn = dict(self.withdrawn)
        joined = dict(enumerate(self.late, self.original))
        return [
            player
            for player in self.order()
            if joined.get(player, 1) <= round_ and (player not in withdrawn or withdrawn[player] > round_)
        ]

    def order(self) -> list[int]:
        """Return the players, best first."""
        return sorted(range(len(self.players)), key=self._key)

    def _key(self, player: int) -> tuple[float, float, str]:
        # Ties in points and tie-break, as before the first round, are ordered by a hash of the seed.
        return (-self.points(player), -self.opponents_points(player), seeded_hash(self.seed, player))

    def points(self, player: int) -> float:
        """Return the player's points: 1 per win, ½ per draw, and a full meeting for every bye."""
        played = sum(p.points(player) for p in self.meetings if player in (p.first, p.second))
        return played + self.games_per_meeting * sum(player == absent for _, absent in self.byes)

    def opponents_points(self, player: int) -> float:
        """Return the sum of the opponents' points (Buchholz), the tie-break of a Swiss tournament."""
        opponents = [p.second if p.first == player else p.first for p in self.meetings if player in (p.first, p.second)]
        return sum(self.points(opponent) for opponent in opponents)

    def table(self) -> list[dict[str, Any]]:
        """Return the table, best first: the fields of `starscout tournament --json`."""
        ratings = bradley_terry(len(self.players), [meeting.rated() for meeting in self.meetings])
        rows = []
        for rank, player in enumerate(self.order(), 1):
            mine = [p for p in self.meetings if player in (p.first, p.second)]
            rows.append(
                {
                    "rank": rank,
                    "player": self.players[player],
                    "number": player + 1,
                    "games": sum(sum(p.tally.results.values()) for p in mine),
                    "score": self.points(player),
                    "elo": ratings[player].elo,
                    "elo_error": finite(ratings[player].error),
                    "opponents_score": self.opponents_points(player),
                }
            )
        return rows

    def cross_table(self) -> list[list[float | None]]:
        """Return [player][opponent] → mean score per game; None if they did not meet."""
        count = len(self.players)
        points = [[0.0] * count for _ in range(count)]
        played = [[0] * count for _ in range(count)]
        for p in self.meetings:
            for player, opponent in ((p.first, p.second), (p.second, p.first)):
                points[player][opponent] += p.points(player)
                played[player][opponent] += sum(p.tally.results.values())
        return [[points[a][b] / played[a][b] if played[a][b] else None for b in range(count)] for a in range(count)]

    def rounds(self) -> list[dict[str, Any]]:
        """Return every meeting for `--json`: round, players, points, and the match in the store."""
        rows: list[dict[str, Any]] = [
            {
                "round": p.round,
                "first": self.players[p.first],
                "second": self.players[p.second],
                "first_number": p.first + 1,
                "second_number": p.second + 1,
                "points": [p.points(p.first), p.points(p.second)],
                "match": p.match,
                "forfeits": p.forfeits(self.players),
                "adjudications": dict(p.tally.adjudications),
            }
            for p in self.meetings
        ]
        rows += [{"round": number, "rests": self.players[player]} for number, player in self.byes]
        return sorted(rows, key=lambda row: row["round"])


def seeded_hash(*parts: int | str) -> str:
    """Return a hash of numbers and texts as hexadecimal text: a reproducible source of randomness."""
    return hashlib.blake2b(",".join(map(repr, parts)).encode(), digest_size=12).hexdigest()
