"""Formats of tournaments: who meets whom, round by round. Players are numbers here.

A format is a class with the methods of `Format`, entered in FORMATS under its name.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Protocol

from starscout.arena.standings import Standings
from starscout.game import GameError

Meeting = tuple[int, int]
Turn = list[tuple[int, Meeting]]
"""Meetings that can be played at the same time, each with the number of its round from 1."""


class Format(Protocol):
    """How players meet."""

    keeps_sides: bool
    """Whether players keep their sides inside a meeting where the game lets either side move first."""

    def check(self, players: int, rounds: int) -> None:
        """Raise GameError when this many players cannot play this many rounds."""
        ...

    def turns(self, standings: Standings, rounds: int) -> Iterator[Turn]:
        """The meetings, one turn at a time; the caller plays a turn before it asks for the next."""
        ...

    def meetings(self, players: int, rounds: int) -> int:
        """How many meetings there are in total."""
        ...


class RoundRobin:
    """Everybody meets everybody."""

    keeps_sides = False

    def check(self, players: int, rounds: int) -> None:
        pass

    def turns(self, standings: Standings, rounds: int) -> Iterator[Turn]:
        yield _numbered(round_robin(len(standings.players)), rounds)

    def meetings(self, players: int, rounds: int) -> int:
        return math.comb(players, 2) * rounds


class Gauntlet:
    """The first player meets each of the others."""

    keeps_sides = False

    def check(self, players: int, rounds: int) -> None:
        pass

    def turns(self, standings: Standings, rounds: int) -> Iterator[Turn]:
        yield _numbered(gauntlet(len(standings.players)), rounds)

    def meetings(self, players: int, rounds: int) -> int:
        return (players - 1) * rounds


class Swiss:
    """Players with like points meet, nobody twice; with an odd number of players one rests in each round."""

    keeps_sides = True

    def check(self, players: int, rounds: int) -> None:
        most = players - 1 + players % 2
        if rounds > most:
            raise GameError(f"{players} players cannot play {rounds} Swiss rounds without a rematch, only {most}")

    def turns(self, standings: Standings, rounds: int) -> Iterator[Turn]:
        for number in range(1, rounds + 1):
            met = {frozenset((played.first, played.second)) for played in standings.played}
            resting = {player for _, player in standings.rests}
            meetings, rest = swiss_round(standings.order(), met, resting)
            # Side 0 goes to the player who had it less often.
            had = Counter(played.first for played in standings.played)
            yield [(number, (a, b) if had[a] <= had[b] else (b, a)) for a, b in meetings]
            if rest is not None:
                standings.rests.append((number, rest))

    def meetings(self, players: int, rounds: int) -> int:
        return players // 2 * rounds


ROUND_ROBIN, SWISS, GAUNTLET = "round robin", "Swiss", "gauntlet"

FORMATS: dict[str, Format] = {ROUND_ROBIN: RoundRobin(), SWISS: Swiss(), GAUNTLET: Gauntlet()}


def _numbered(schedule: list[list[Meeting]], rounds: int) -> Turn:
    """The schedule repeated `rounds` times, with its rounds numbered from 1."""
    repeated = [meetings for _ in range(rounds) for meetings in schedule]
    return [(number, meeting) for number, meetings in enumerate(repeated, 1) for meeting in meetings]


def round_robin(players: int) -> list[list[Meeting]]:
    """Rounds in which every player meets every other once (the circle method); with an odd number one rests."""
    circle: list[int | None] = list(range(players))
    if players % 2:
        circle.append(None)
    size = len(circle)
    rounds = []
    for turn in range(size - 1):
        meetings = []
        for place in range(size // 2):
            first, second = circle[place], circle[size - 1 - place]
            if first is not None and second is not None:
                meetings.append((first, second) if (turn + place) % 2 == 0 else (second, first))
        rounds.append(meetings)
        circle = [circle[0], circle[-1], *circle[1:-1]]
    return rounds


def gauntlet(players: int) -> list[list[Meeting]]:
    """Player 0 meets each of the others."""
    return [[(0, other)] for other in range(1, players)]


def swiss_round(
    standing: Sequence[int], met: set[frozenset[int]], rested: set[int]
) -> tuple[list[Meeting], int | None]:
    """The meetings of the next round, and who rests when the number of players is odd.

    `standing` lists the players from first to last. Each meets the nearest player below that it has not met; the last
    player that has not rested yet rests. Raises GameError when no round without a rematch is left.
    """
    resting: list[int | None] = [None]
    if len(standing) % 2:
        resting = [player for player in reversed(standing) if player not in rested]
    for rest in resting:
        meetings = _match_up([player for player in standing if player != rest], met)
        if meetings is not None:
            return meetings, rest
    raise GameError(f"{len(standing)} players have no further Swiss round without a rematch: play fewer rounds")


def _match_up(standing: Sequence[int], met: set[frozenset[int]]) -> list[Meeting] | None:
    """Meetings of players that have not met, the first with the nearest possible; None when there are none."""
    if not standing:
        return []
    first = standing[0]
    for place in range(1, len(standing)):
        opponent = standing[place]
        if frozenset((first, opponent)) in met:
            continue
        others = _match_up([*standing[1:place], *standing[place + 1 :]], met)
        if others is not None:
            return [(first, opponent), *others]
    return None
