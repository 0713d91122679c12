"""Standings by hand: points, tie-break, byes, initial order, cross table."""

import json

from starscout.arena.standings import MeetingResult, Standings, seeded_hash
from tests.arena.pairs import tally_of

NAMES = ("a", "b", "c", "d")


def standings(*meetings: tuple[int, int, tuple[float, float]], players: int = 4, seed: int = 1) -> Standings:
    """Build standings with one meeting (first, second, scores of the first) per round."""
    played = [
        MeetingResult(number, first, second, 100 + number, tally_of(scores))
        for number, (first, second, scores) in enumerate(meetings, 1)
    ]
    return Standings(NAMES[:players], 2, seed, played)


def test_points_of_both_sides_of_a_meeting() -> None:
    meeting = MeetingResult(1, 2, 0, 7, tally_of((1.0, 0.5), (0.0, 1.0)))
    assert (meeting.points(2), meeting.points(0)) == (2.5, 1.5)
    rated = meeting.rated()
    assert (rated.first, rated.second, rated.pairs, rated.score) == (2, 0, 2, 0.625)


def test_order_by_points_then_opponents_points() -> None:
    # a beats c (2:0), b beats d (2:0), c beats d (2:0): a and b have 2 points, but a's opponent has 2 and b's none.
    table = standings((0, 2, (1.0, 1.0)), (1, 3, (1.0, 1.0)), (2, 3, (1.0, 1.0)))
    assert [table.points(player) for player in range(4)] == [2.0, 2.0, 2.0, 0.0]
    assert [table.opponents_points(player) for player in range(4)] == [2.0, 0.0, 2.0, 4.0]
    assert table.order()[2:] == [1, 3]
    rows = table.table()
    assert [row["rank"] for row in rows] == [1, 2, 3, 4]
    assert {row["player"]: row["games"] for row in rows} == {"a": 2, "b": 2, "c": 4, "d": 4}
    assert {row["number"]: row["player"] for row in rows} == dict(enumerate(NAMES, 1))
    json.dumps(rows, allow_nan=False)


def test_bye_scores_a_full_meeting() -> None:
    table = standings((0, 1, (1.0, 0.0)), players=3)
    table.byes.append((1, 2))
    assert table.order()[0] == 2
    assert table.points(2) == 2.0
    assert table.rounds()[-1] == {"round": 1, "rests": "c"}


def test_initial_order_depends_on_the_seed() -> None:
    orders = {tuple(standings(seed=seed).order()) for seed in range(30)}
    assert len(orders) > 10
    assert standings(seed=3).order() == standings(seed=3).order()
    assert seeded_hash(1, 23) != seeded_hash(12, 3)


def test_the_cross_table_has_means_and_gaps() -> None:
    table = standings((0, 1, (1.0, 0.5)), (1, 0, (1.0, 0.0)), players=3)
    assert table.cross_table() == [[None, 0.625, None], [0.375, None, None], [None, None, None]]


def test_player_without_games_has_rating_without_error() -> None:
    row = next(row for row in standings((0, 1, (1.0, 0.0)), players=3).table() if row["player"] == "c")
    assert (row["games"], row["score"], row["elo_error"]) == (0, 0.0, None)


def test_rounds_json() -> None:
    assert standings((2, 0, (1.0, 0.5)), players=3).rounds() == [
        {
            "round": 1,
            "first": "c",
            "second": "a",
            "first_number": 3,
            "second_number": 1,
            "points": [1.5, 0.5],
            "match": 101,
            "forfeits": "",
            "adjudications": {},
        }
    ]
