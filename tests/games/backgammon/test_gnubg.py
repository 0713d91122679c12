"""GNU Backgammon as a player in a child process."""

import importlib.util
import sys

import pytest

from starscout import games
from starscout.game import GameError
from starscout.game.state import State, parse
from starscout.games.backgammon.gnubg import Gnubg
from starscout.games.backgammon.gnubg_server import position_id
from starscout.games.backgammon.rules import position_of, roll_of
from starscout.players.player import PlayerError
from starscout.players.spec import make_player
from starscout.search.limits import Limit

DMP = games.load("backgammon-dmp")
needs_gnubg = pytest.mark.skipif(
    importlib.util.find_spec("gnubg_nn") is None,
    reason="gnubg-nn is not installed: `pip install gnubg-nn`",
)


def test_keys_are_position_ids() -> None:
    assert position_id("OAHDPAABDAOAHDPAABDA") == "4HPwATDgc/ABMA"


def test_without_gnubg_the_player_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(GameError, match=r"gnubg-nn is not installed: `pip install gnubg-nn`"):
        make_player("gnubg:0ply", DMP)


def test_a_dead_process_is_a_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/true")
    with pytest.raises(PlayerError, match="gnubg-nn ended in 4HPwATDgc/ABMA"):
        Gnubg(money=False).ask(DMP.start_position(), 0)


@needs_gnubg
def test_gnubg_makes_its_five_point() -> None:
    player = make_player("gnubg:0ply", DMP)
    state = parse(DMP, "4HPwATDgc/ABMA w 31")
    player.new_game(DMP, 1)
    assert DMP.format_move(state.position, player.choose(state, Limit()).move) == "8/5,6/5"
    player.close()


@needs_gnubg
@pytest.mark.parametrize("game", ["backgammon", "backgammon-dmp"])
def test_gnubg_reports_a_value_for_every_play(game: str) -> None:
    rules = games.load(game)
    with make_player("gnubg:0ply", rules) as player:
        state = parse(rules, "4HPwATDgc/ABMA w 31")
        decision = player.analyse(state, Limit())
        values = [report.value for report in decision.moves if report.value is not None]
        assert {report.move for report in decision.moves} == set(state.legal)
        assert values == sorted(values, reverse=True)
        assert rules.format_move(state.position, decision.move) == "8/5,6/5"
        # A closed board: only one legal play, and a negative value.
        own, enemy = (*[0] * 24, 15), (*[2] * 6, *[0] * 19)
        forced = State(rules, position_of(own, enemy, 0), roll_of(6, 2))
        (only,) = player.analyse(forced, Limit()).moves
        assert only.move == forced.legal[0]
        assert only.value is not None
        assert -1 <= only.value < 0
