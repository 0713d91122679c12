"""Who meets whom: round robin, gauntlet, Swiss. Players are numbers here."""

from collections.abc import Sequence

from starscout.game import GameError

Meeting = tuple[int, int]


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

    `standing` is the players from the first to the last. Each meets the nearest player below whom it has not met; who
    rests is the last one who has not rested. Raises GameError when no round without a rematch is left.
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
    """Pairs of players who have not met, the first with the nearest possible; None when there is no such pairing."""
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
