"""Adjudication by agreed value and by length: rules, records, counts in the result."""

import pytest

import starscout
from starscout.game import Outcome
from starscout.records.files import read_records_of
from starscout.records.json_lines import write_json_line
from starscout.records.record import GameRecord, Ply
from starscout.referee.adjudication import Adjudication

pytestmark = pytest.mark.plain

QUICK = {"store": ":memory:", "workers": 0, "progress": False}


def plies(*values: float | None) -> list[Ply]:
    return [Ply(0, "a", 0, value=value) for value in values]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ((0.96, -0.97, 0.99, -0.95), Outcome(0, "agreed value")),
        ((-0.96, 0.97, -0.99, 0.95), Outcome(1, "agreed value")),
        ((0.1, 0.96, -0.97, 0.99, -0.95), Outcome(1, "agreed value")),
        ((0.96, -0.97, 0.99), None),
        ((0.96, -0.97, 0.94, -0.95), None),
        ((0.96, 0.97, 0.99, 0.95), None),
        ((0.96, None, 0.99, -0.95), None),
    ],
)
def test_both_players_must_agree_for_all_plies(values: tuple[float | None, ...], expected: Outcome | None) -> None:
    movers = [number % 2 for number in range(len(values))]
    assert Adjudication(value=0.95, plies=4).outcome(plies(*values), movers) == expected
    assert Adjudication().outcome(plies(*values), movers) is None


def test_one_side_alone_never_agrees() -> None:
    assert Adjudication(value=0.95, plies=2).outcome(plies(0.99, 0.99), [0, 0]) is None


class Sure(starscout.Player):
    """Claims to win as the side that moves first, which its opponent confirms."""

    def choose(self, state: starscout.State, limit: starscout.Limit) -> starscout.Decision:
        return starscout.Decision(state.legal[0], value=1.0 if state.mover == 0 else -1.0)


def test_a_match_counts_and_records_adjudications() -> None:
    result = starscout.match("ewn", Sure, Sure, pairs=2, adjudicate=0.9, adjudicate_plies=4, luck="off", **QUICK)
    assert result.adjudications == {"agreed value": 4}
    assert result.json()["adjudications"] == {"agreed value": 4}
    assert (result.wins, result.losses) == (2, 2)
    assert {(len(record.plies), record.winner, record.reason) for record in result.records} == {(4, 0, "agreed value")}
    assert "agreed value 4×" in str(result)
    (read,) = read_records_of(write_json_line(result.records[0]), "games")
    assert isinstance(read, GameRecord)
    assert read.reason == "agreed value"


def test_long_games_are_drawn() -> None:
    result = starscout.match("ewn", "random", "random", pairs=2, max_plies=3, **QUICK)
    assert result.adjudications == {"ply limit": 4}
    assert (result.draws, result.mean_plies) == (4, 3)
    assert result.luck_adjusted is not None
    unlimited = starscout.match("ewn", "random", "random", pairs=1, luck="off", **QUICK)
    assert unlimited.adjudications == {}


def test_a_tournament_reports_adjudications() -> None:
    result = starscout.tournament("ewn", ["random", "random"], pairs=1, max_plies=2, luck="off", **QUICK)
    assert result.json()["rounds"][0]["adjudications"] == {"ply limit": 2}
    assert str(result).endswith("adjudicated: ply limit 2×")
