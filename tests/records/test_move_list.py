"""Othello move lists: forced passes are inserted when reading and omitted when writing."""

import pytest

from starscout import games
from starscout.game import GameError, state
from starscout.players.spec import make_player
from starscout.records.move_list import read_move_lists, write_move_list
from starscout.records.record import ADJOURNED, GameRecord, RecordError
from starscout.referee.game_in_progress import play_game
from starscout.search.limits import Limit


def test_games_round_trip_with_their_passes() -> None:
    rules = games.load("othello")
    players = make_player("random", rules), make_player("random", rules)
    passes = 0
    for seed in range(8):
        record = play_game(state.start(rules), players, (Limit(), Limit()), seed=seed)
        (again,) = read_move_lists(write_move_list(record))
        assert isinstance(again, GameRecord)
        assert [ply.move for ply in again.plies] == [ply.move for ply in record.plies]
        assert (again.winner, again.reason) == (record.winner, record.reason)
        passes += sum(ply.text == "pass" for ply in record.plies)
    assert passes > 0


def test_alternative_spellings() -> None:
    (game,) = read_move_lists("# a comment\nF5 D6, C3-d3")
    assert isinstance(game, GameRecord)
    assert [ply.text for ply in game.plies] == ["f5", "d6", "c3", "d3"]
    assert game.reason == ADJOURNED


def test_an_illegal_move_yields_an_error() -> None:
    (problem,) = read_move_lists("f5f5d6")
    assert isinstance(problem, RecordError)
    assert problem.why.startswith("ply 2")


def test_other_lines_yield_errors() -> None:
    _, problem = read_move_lists("f5\nf5 castle")
    assert str(problem).startswith("line 2: expected a list of moves")
    with pytest.raises(GameError, match="standard start"):
        write_move_list(GameRecord("kari", "", ("a", "b"), (), None, ADJOURNED))


def test_many_dashes_do_not_backtrack() -> None:
    """Dashes are passes or separators; a pattern that tries both for each of them backtracks exponentially."""
    (problem,) = read_move_lists("f5" + "-" * 200 + "x")
    assert "expected a list of moves" in str(problem)
    (game,) = read_move_lists("f5-d6")
    assert isinstance(game, GameRecord)
    assert len(game.plies) == 2
