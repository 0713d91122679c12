"""The standings of a tournament: points, tie-break, ratings, cross table, all recounted from the games."""

import hashlib
from dataclasses import dataclass, field
from typing import Any

from starscout.arena.ratings import MeetingScore, bradley_terry
from starscout.arena.tally import Tally, finite


@dataclass(frozen=True)
class Played:
    """A meeting with its result, as far as it is played; `first` had side 0 where sides were fixed."""

    round: int
    first: int
    second: int
    match: int
    tally: Tally

    def points(self, player: int) -> float:
        """The player's points in this meeting: games won and half of those drawn."""
        results = self.tally.results
        won = results[1.0] if player == self.first else results[0.0]
        return won + results[0.5] / 2

    def forfeits(self, names: tuple[str, ...]) -> str:
        """Who forfeited how often and why; empty when nobody did."""
        by_player = ((self.first, self.tally.forfeits["A"]), (self.second, self.tally.forfeits["B"]))
        words = [f"{names[player]}: {reason} {count}×" for player, why in by_player for reason, count in why.items()]
        return ", ".join(words)

    def rated(self) -> MeetingScore:
        """The meeting as input of the ratings."""
        sample = self.tally.sample
        return MeetingScore(self.first, self.second, sample.n, sample.mean, sample.variance)


@dataclass
class Standings:
    """Who played whom so far. Players are numbers from 0 on, in the order of their descriptions."""

    players: tuple[str, ...]
    games_a_meeting: int
    seed: int
    played: list[Played] = field(default_factory=list)
    rests: list[tuple[int, int]] = field(default_factory=list)
    """Round and player of every rest in a Swiss with an odd number of players."""

    def order(self) -> list[int]:
        """The players from the first to the last."""
        return sorted(range(len(self.players)), key=self._key)

    def _key(self, player: int) -> tuple[float, float, str]:
        # Where points and tie-break are equal, as before the first round, lots decide.
        return (-self.points(player), -self.opponents_points(player), draw_lots(self.seed, player))

    def points(self, player: int) -> float:
        """Games won, half of those drawn, and a whole meeting for every rest."""
        played = sum(p.points(player) for p in self.played if player in (p.first, p.second))
        return played + self.games_a_meeting * sum(player == rested for _, rested in self.rests)

    def opponents_points(self, player: int) -> float:
        """The points of all opponents of the player: the tie-break of a Swiss."""
        opponents = [p.second if p.first == player else p.first for p in self.played if player in (p.first, p.second)]
        return sum(self.points(opponent) for opponent in opponents)

    def table(self) -> list[dict[str, Any]]:
        """The final table, best first: the fields of `starscout tournament --json`."""
        ratings = bradley_terry(len(self.players), [played.rated() for played in self.played])
        rows = []
        for rank, player in enumerate(self.order(), 1):
            mine = [p for p in self.played if player in (p.first, p.second)]
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
        """[player][opponent] → the mean score of a game; None where they did not meet."""
        count = len(self.players)
        points = [[0.0] * count for _ in range(count)]
        played = [[0] * count for _ in range(count)]
        for p in self.played:
            for player, opponent in ((p.first, p.second), (p.second, p.first)):
                points[player][opponent] += p.points(player)
                played[player][opponent] += sum(p.tally.results.values())
        return [[points[a][b] / played[a][b] if played[a][b] else None for b in range(count)] for a in range(count)]

    def rounds(self) -> list[dict[str, Any]]:
        """Every meeting, for programs: round, who had which place, their points, the match in the store."""
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
            }
            for p in self.played
        ]
        rows += [{"round": number, "rests": self.players[player]} for number, player in self.rests]
        return sorted(rows, key=lambda row: row["round"])


def draw_lots(*numbers: int) -> str:
    """A random text to sort by, the same for the same numbers."""
    return hashlib.blake2b(",".join(map(str, numbers)).encode(), digest_size=12).hexdigest()
