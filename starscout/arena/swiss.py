"""Swiss pairing: players with similar scores meet, and no two players meet twice if that is possible."""

from collections import Counter
from collections.abc import Iterator, Sequence

from starscout.arena.standings import Standings
from starscout.game import GameError

Meeting = tuple[int, int]
Stage = list[tuple[int, Meeting]]
"""Meetings that can be played concurrently, each with its round number, starting at 1."""


class Swiss:
    """The Swiss system; with an odd number of players, one has a bye in each round."""

    fixed_sides = True
    by_rounds = True

    def check(self, players: int, rounds: int) -> None:
        most = players - 1 + players % 2
        if rounds > most:
            raise GameError(f"rounds: {players} players can play at most {most} Swiss rounds, got {rounds}")

    def stages(self, standings: Standings, rounds: int) -> Iterator[Stage]:
        for number in range(1, rounds + 1):
            present = standings.present(number)
            if len(present) < 2:
                return
            met = {frozenset((meeting.first, meeting.second)) for meeting in standings.meetings}
            had_bye = {player for _, player in standings.byes}
            meetings, bye = swiss_round(present, met, had_bye)
            # Side 0 goes to the player who had it less often.
            had = Counter(meeting.first for meeting in standings.meetings)
            yield [(number, (a, b) if had[a] <= had[b] else (b, a)) for a, b in meetings]
            if bye is not None:
                standings.byes.append((number, bye))

    def meetings(self, players: int, rounds: int) -> int:
        return players // 2 * rounds


def swiss_round(
    ranking: Sequence[int], met: set[frozenset[int]], had_bye: set[int]
) -> tuple[list[Meeting], int | None]:
    """Return the meetings of the next round, and the player with the bye, if any.

    `ranking` lists the players from first to last. Each meets the nearest lower-ranked player it has not met; the bye
    goes to the lowest-ranked player without one. Withdrawals can make a complete pairing without rematches impossible;
    then it has as few rematches as possible.
    """
    byes: list[int | None] = [None]
    if len(ranking) % 2:
        byes = [player for player in reversed(ranking) if player not in had_bye] or list(reversed(ranking))
    for rematches in range(len(ranking) // 2 + 1):
        for bye in byes:
            meetings = _pair_up([player for player in ranking if player != bye], met, rematches)
            if meetings is not None:
                return meetings, bye
    raise AssertionError("a pairing exists if every meeting may be a rematch")


def _pair_up(ranking: Sequence[int], met: set[frozenset[int]], rematches: int) -> list[Meeting] | None:
    """Pair players, nearest ranks first, with at most this many rematches; None if impossible."""
    if not ranking:
        return []
    first = ranking[0]
    for place in range(1, len(ranking)):
        opponent = ranking[place]
        left = rematches - (frozenset((first, opponent)) in met)
        if left < 0:
            continue
        others = _pair_up([*ranking[1:place], *ranking[place + 1 :]], met, left)
        if others is not None:
            return [(first, opponent), *others]
    return None
