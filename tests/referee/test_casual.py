"""A person's game: moves by text or number, taking back, resigning, adjourning and resuming."""

import dataclasses

import pytest

from starscout import games
from starscout.game import GameError, Outcome
from starscout.players.player import Player
from starscout.players.spec import make_player
from starscout.records.json_lines import record_from_json, record_to_json
from starscout.referee.casual import CasualGame, new_casual_game, resumed_casual_game
from starscout.referee.openings import series_start
from starscout.search.limits import Limit

pytestmark = pytest.mark.plain


def opponent(game: str) -> Player:
    return make_player("random", games.load(game))


def new_game(game: str = "ewn", side: int = 0) -> CasualGame:
    return new_casual_game(games.load(game), opponent(game), side, seed=6)


def test_a_whole_game_by_numbers() -> None:
    casual = new_game("ewn", side=1)
    while not casual.over:
        if casual.persons_turn:
            casual.play("1")
        else:
            casual.answer(Limit())
    record = casual.record()
    assert record.players == ("random", "you")
    record.check()


def test_moves_have_several_spellings_and_illegal_ones_are_refused() -> None:
    casual = new_game()
    move = casual.state.moves[-1]
    with pytest.raises(GameError, match="not a legal move"):
        casual.play("A1E5")
    with pytest.raises(GameError, match="not a legal move"):
        casual.play("99")
    casual.play(f" {move[:2].lower()}-{move[2:]} ")
    assert casual.last is not None
    assert casual.last.text == move


def test_taking_back_returns_to_the_persons_turn_with_the_same_roll() -> None:
    casual = new_game()
    before = casual.state
    with pytest.raises(GameError, match="nothing to take back"):
        casual.take_back()
    casual.play("1")
    casual.answer(Limit())
    casual.take_back()
    assert casual.state == before
    assert casual.last is None


def test_resigning_loses() -> None:
    casual = new_game(side=1)
    casual.resign()
    record = casual.record()
    assert (casual.over, record.winner, record.reason) == (True, 0, "resigned")


@pytest.mark.parametrize("name", ["ewn", "othello"])
def test_an_adjourned_game_resumes_where_it_stopped(name: str) -> None:
    casual = new_game(name)
    for _ in range(3):
        casual.play("1")
        casual.answer(Limit())
    record = record_from_json(record_to_json(casual.record()))
    assert record.reason == "adjourned"
    record.check()
    again = resumed_casual_game(record, opponent(name))
    assert again.state == casual.state
    assert again.side == casual.side


def test_a_file_that_was_tampered_with_is_refused() -> None:
    casual = new_game()
    casual.play("1")
    record = casual.record()
    rolled = dataclasses.replace(record, plies=(record.plies[0]._replace(roll=7 - record.plies[0].roll),))
    with pytest.raises(GameError, match="was changed"):
        resumed_casual_game(rolled, opponent("ewn"))
    with pytest.raises(GameError, match="an adjourned game"):
        resumed_casual_game(dataclasses.replace(record, reason="corner"), opponent("ewn"))


@pytest.mark.parametrize("text", ["1" * 5_000, "²", "٣", "0", "-1", ""])
def test_a_number_that_is_no_move_is_refused(text: str) -> None:
    with pytest.raises(GameError, match="not a legal move"):
        new_game().play(text)


def test_two_people_share_a_board() -> None:
    casual = new_casual_game(games.load("ewn"), None, 0, seed=6)
    states = []
    while not casual.over:
        assert casual.persons_turn
        states.append(casual.state)
        casual.play("1")
    record = casual.record()
    record.check()
    assert record.players == ("red", "blue")
    casual.take_back()
    assert casual.state == states[-1]
    casual.resign()
    assert casual.record().winner == 1 - states[-1].mover


def test_a_person_who_is_late_by_the_clock_loses_and_the_move_is_not_played() -> None:
    limits = Limit(clock=10.0, increment=1.0), Limit(clock=10.0)
    casual = CasualGame(series_start(games.load("ewn"), 6, 0), None, 0, 6, limits)
    casual.play("1", 4.0)
    assert [clock.left for clock in casual.clocks] == [7.0, 10.0]
    before = casual.state
    casual.play("1", 10.5)
    assert casual.state == before
    assert casual.outcome == Outcome(0, "timeout")


def test_the_player_shares_out_the_clock_of_the_game() -> None:
    game = games.load("ewn")
    limits = Limit(clock=0.5), Limit(clock=0.5)
    casual = CasualGame(series_start(game, 6, 0), make_player("negascout", game), 1, 6, limits)
    casual.answer(Limit(depth=20))
    left = casual.clocks[0].left
    assert left is not None
    assert 0.1 < left < 0.5
