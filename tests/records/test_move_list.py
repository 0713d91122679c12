"""Move lists of Othello: forced passes are filled in, and left out again."""

import pytest

from starscout import games, state
from starscout.game import GameError
from starscout.players.spec import make_player
from starscout.records.json_lines import recorded_game
from starscout.records.move_list import read_move_lists, write_move_list
from starscout.records.recorded import RecordedGame, RecordError, replay
from starscout.referee.play import play_game
from starscout.search.limits import Limit


def test_our_games_come_back_with_their_passes() -> None:
    rules = games.load("othello")
    players = make_player("random", rules), make_player("random", rules)
    passes = 0
    for seed in range(8):
        recorded = recorded_game(play_game(state.start(rules), players, (Limit(), Limit()), seed=seed))
        text = write_move_list(recorded)
        (again,) = read_move_lists(text)
        assert [ply.move for ply in again.plies] == [ply.move for ply in recorded.plies]
        assert replay(again)[-1].over
        passes += sum(ply.move == "pass" for ply in recorded.plies)
    assert passes > 0


def test_other_ways_to_write_one() -> None:
    (game,) = read_move_lists("# a comment\nF5 D6, C3-d3")
    assert [ply.move for ply in game.plies] == ["f5", "d6", "c3", "d3"]


def test_an_illegal_move_is_found_by_the_replay() -> None:
    (game,) = read_move_lists("f5f5d6")
    with pytest.raises(RecordError, match="ply 2"):
        replay(game)


def test_what_is_no_list_is_refused() -> None:
    with pytest.raises(RecordError, match="line 2: 'f5 castle' is no list"):
        list(read_move_lists("f5\nf5 castle"))
    with pytest.raises(GameError, match="usual start"):
        write_move_list(RecordedGame("kari", "", (), None, 1))
