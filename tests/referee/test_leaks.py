"""Ten thousand games in one process leak neither memory nor descriptors nor processes."""

import os
import resource
import sys
from pathlib import Path

import pytest

from starscout import games
from starscout.game.state import parse
from starscout.players.spec import make_player
from starscout.referee.game_in_progress import play_game
from starscout.search.limits import Limit
from tests.starts import any_start

ROGUE = Path(__file__).parents[1] / "protocols" / "rogue.py"


def memory() -> int:
    """The resident set size in bytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def children() -> set[str]:
    """The child processes, including zombies."""
    return {child for task in Path("/proc/self/task").iterdir() for child in (task / "children").read_text().split()}


@pytest.mark.slow
def test_ten_thousand_games_leak_nothing() -> None:
    game = games.load("ewn")
    players = make_player("random", game), make_player("random", game)
    limits = Limit(clock=60.0), Limit(clock=60.0)
    for pair in range(1000):
        play_game(any_start(game, 1, pair), players, limits, seed=1, pair=pair)
    before = memory(), descriptors()
    for pair in range(1000, 10_000):
        record = play_game(any_start(game, 1, pair), players, limits, seed=1, pair=pair)
        assert not record.forfeit
    assert memory() - before[0] < 4 << 20
    assert descriptors() == before[1]


def test_restarted_engines_leak_no_descriptors() -> None:
    game, running = games.load("ewn"), children()
    players = make_player(f"lab:{sys.executable} {ROGUE} crash", game), make_player("random", game)
    start = parse(game, "1..../...../...../...../....a r -")
    play_game(start, players, (Limit(time=60.0), Limit()))
    before = descriptors()
    for _ in range(10):
        record = play_game(start, players, (Limit(time=60.0), Limit()))
        assert record.reason == "crash", record.detail
    players[0].close()
    assert descriptors() <= before
    assert children() <= running
