"""Descriptions of protocols: the limits and schedules of the courses, and protocols without a ready message."""

import pytest

from starscout import games
from starscout.cli.engine import WITHOUT_READY
from starscout.protocols.registry import PROTOCOLS
from starscout.referee.series import Schedule, Series
from starscout.search.limits import Limit


@pytest.mark.parametrize(
    ("protocol", "game", "limit"),
    [
        ("tcg-raw", "ewn-cyclic", Limit(time=2.0)),
        ("tcg-raw", "kari", Limit(time=10.0)),
        ("otp", "othello", Limit(time=10.0)),
        ("tcg-ewn", "ewn", Limit(clock=60.0)),
        ("lab", "ewn", Limit(time=10.0)),
        ("nboard", "othello", Limit(time=10.0)),
    ],
)
def test_the_limit_of_each_side(protocol: str, game: str, limit: Limit) -> None:
    assert PROTOCOLS[protocol].limit_of(games.load(game)) == limit


def test_courses_have_valid_games_and_schedules() -> None:
    played = []
    for protocol in PROTOCOLS.values():
        for name, course in protocol.courses.items():
            assert name in protocol.games
            Series(games.load(name), schedule=course.schedule)
            played.append(name)
    dark = ["dark-chess", "dark-chess-open", "dark-chess-reset"]
    assert sorted(played) == [*dark, "ewn", "ewn-cyclic", "kari", "othello"]
    assert PROTOCOLS["otp"].courses["othello"].schedule == Schedule(shuffled=False)
    assert not PROTOCOLS["tcg-raw"].courses["kari"].schedule.shared


def test_protocols_without_a_ready_message_use_fallback_moves() -> None:
    """`starscout engine` lists them itself: it disables the compiler before importing it."""
    assert sorted(WITHOUT_READY) == sorted(name for name, protocol in PROTOCOLS.items() if not protocol.says_ready)
