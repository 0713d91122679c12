"""Tournament formats: which players meet in which round. Players are numbers here.

A format is a class with the methods of `Format`, registered in FORMATS under its name.
"""

import math
from collections.abc import Iterator
from typing import Protocol

from starscout.arena.standings import Standings
from starscout.arena.swiss import Meeting, Stage, Swiss


class Format(Protocol):
    """A tournament format."""

    fixed_sides: bool
    """Whether players keep their sides within a meeting, in games where either side can move first."""

    by_rounds: bool
    """Whether rounds are paired one after the other; formats without this attribute have a fixed field."""

    def check(self, players: int, rounds: int) -> None:
        """Raise GameError if this many players cannot play this many rounds."""
        ...

    def stages(self, standings: Standings, rounds: int) -> Iterator[Stage]:
        """Yield the stages of the tournament; the caller plays each before requesting the next."""
        ...

    def meetings(self, players: int, rounds: int) -> int:
        """Return the total number of meetings."""
        ...


class RoundRobin:
    """Every player meets every other player."""

    fixed_sides = False
    by_rounds = False

    def check(self, players: int, rounds: int) -> None:
        pass

    def stages(self, standings: Standings, rounds: int) -> Iterator[Stage]:
        late = range(standings.original, len(standings.players))
        joining = [[[meeting_of(other, player)] for other in range(player)] for player in late]
        yield _numbered(round_robin(standings.original), joining, rounds)

    def meetings(self, players: int, rounds: int) -> int:
        return math.comb(players, 2) * rounds


class Gauntlet:
    """The first player meets each of the others."""

    fixed_sides = False
    by_rounds = False

    def check(self, players: int, rounds: int) -> None:
        pass

    def stages(self, standings: Standings, rounds: int) -> Iterator[Stage]:
        late = range(standings.original, len(standings.players))
        yield _numbered(gauntlet(standings.original), [[[(0, player)]] for player in late], rounds)

    def meetings(self, players: int, rounds: int) -> int:
        return (players - 1) * rounds


ROUND_ROBIN, SWISS, GAUNTLET = "round robin", "Swiss", "gauntlet"

FORMATS: dict[str, Format] = {ROUND_ROBIN: RoundRobin(), SWISS: Swiss(), GAUNTLET: Gauntlet()}


Rounds = list[list[Meeting]]


def _numbered(schedule: Rounds, joining: list[Rounds], rounds: int) -> Stage:
    """Repeat the schedule, and then that of each late player, `rounds` times; number the rounds from 1."""
    repeated = [meetings for part in (schedule, *joining) for _ in range(rounds) for meetings in part]
    return [(number, meeting) for number, meetings in enumerate(repeated, 1) for meeting in meetings]


def meeting_of(one: int, other: int) -> Meeting:
    """Return the meeting of two players; who is first does not depend on the number of players."""
    low, high = sorted((one, other))
    return (low, high) if (low + high) % 2 else (high, low)


def round_robin(players: int) -> Rounds:
    """Return the rounds of a round robin (circle method); an odd player out has a bye."""
    circle: list[int | None] = list(range(players))
    if players % 2:
        circle.append(None)
    size = len(circle)
    rounds = []
    for _ in range(size - 1):
        meetings = []
        for place in range(size // 2):
            first, second = circle[place], circle[size - 1 - place]
            if first is not None and second is not None:
                meetings.append(meeting_of(first, second))
        rounds.append(meetings)
        circle = [circle[0], circle[-1], *circle[1:-1]]
    return rounds


def gauntlet(players: int) -> Rounds:
    """Return the rounds of a gauntlet: player 0 against each of the others."""
    return [[(0, other)] for other in range(1, players)]
