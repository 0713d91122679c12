"""Games with weighted events, reveals by place, repeated turns, points and draws by repetition."""

import dataclasses
import itertools
from collections import Counter
from pathlib import Path

import pytest

from starscout import games
from starscout.game import Game, GameError
from starscout.game.state import start
from starscout.players.player import Decision, Player
from starscout.players.spec import make_player
from starscout.records.files import record_text
from starscout.records.json_lines import record_from_json, record_to_json
from starscout.records.packed import pack_games, unpack_games
from starscout.records.record import GameRecord
from starscout.referee.game_in_progress import GameInProgress, chance_word, die, play_game
from starscout.referee.series import Schedule, Series
from starscout.search.limits import Limit
from tests.search.generated_games import ALTERNATING, FREE, REPEATING

REVEAL = Path(__file__).parents[1] / "reveal_game.py"
NO_LIMITS = (Limit(), Limit())
GENERATED = (ALTERNATING, FREE, REPEATING)


@pytest.fixture(autouse=True)
def known_games(monkeypatch: pytest.MonkeyPatch) -> None:
    for game in GENERATED:
        monkeypatch.setitem(games._loaded, game.name, game)


@pytest.fixture
def reveal() -> Game:
    return games.load(str(REVEAL))


def random_players(game: Game) -> tuple[Player, Player]:
    return make_player("random", game), make_player("random", game)


def played(game: Game, seed: int) -> GameRecord:
    return play_game(start(game, seed), random_players(game), NO_LIMITS, seed=seed)


def test_the_events_of_a_fair_die_are_the_rolls_of_die() -> None:
    game = games.load("ewn")
    position = game.start_position(0)
    for ply in range(50):
        assert game.draw(position, chance_word(7, 3, ply)) == die(7, 3, ply, 6)


def test_events_are_drawn_by_weight() -> None:
    position = FREE.start_position(4)
    weights = FREE.event_weights(position)
    assert len(set(weights.values())) > 1
    drawn = Counter(int(FREE.draw(position, chance_word(1, pair, 0))) for pair in range(4000))
    total = sum(weights.values())
    for event, weight in weights.items():
        assert drawn[event] == pytest.approx(4000 * weight / total, abs=4 * (4000 * weight / total) ** 0.5)


@pytest.mark.parametrize("game", GENERATED, ids=lambda game: game.name)
def test_random_games_are_legal_and_round_trip(game: Game) -> None:
    finals = points = draws = 0
    repeated_turns = 0
    for seed in range(60):
        record = played(game, seed)
        record.check()
        assert record_from_json(record_to_json(record)) == dataclasses.replace(
            record, plies=tuple(ply._replace(seconds=round(ply.seconds, 6)) for ply in record.plies)
        )
        movers = record.movers()[:-1]
        repeated_turns += any(one == other for one, other in itertools.pairwise(movers))
        finals += record.final_event > 0
        points += record.points > 1
        draws += record.reason == "repetition"
    assert finals > 0
    assert points > 0
    assert (repeated_turns > 0) == (not game.alternating)
    assert (draws > 0) == (game.repetition > 0)


@pytest.mark.parametrize("game", GENERATED, ids=lambda game: game.name)
def test_packed_games_round_trip(game: Game) -> None:
    series = Series(game, seed=3)
    for pair in range(20):
        halves = [series.play(pair, half, random_players(game), NO_LIMITS) for half in (0, 1)]
        content, times = pack_games(halves)
        again = unpack_games(content, times, game.name, ("random", "random"), 3, pair)
        assert [one.movers for one in again] == [one.movers for one in halves]
        assert pack_games(again) == (content, times)
        for one, other in zip(again, halves, strict=True):
            one.record.check()
            assert (one.record.points, one.record.final_event) == (other.record.points, other.record.final_event)
            assert one.points == other.points
            movers = one.record.movers()[:-1]
            assert [len(one.plies_of(player)) for player in "AB"] == [
                movers.count(one.side_of(player)) for player in "AB"
            ]


def test_a_changed_final_event_or_number_of_points_is_found(reveal: Game) -> None:
    record = next(record for seed in range(20) if (record := played(reveal, seed)).points > 1)
    assert record.final_event > 0
    with pytest.raises(GameError, match=r"won 1 point .* but it was .* won \d points"):
        dataclasses.replace(record, points=1).check()
    with pytest.raises(GameError, match="the game is not over"):
        dataclasses.replace(record, final_event=0).check()
    other = next(event for event in (1, 2, 3) if event != record.final_event)
    with pytest.raises(GameError, match="final event: roll: expected"):
        dataclasses.replace(record, final_event=other).check()
    value = record_to_json(record)
    assert value["final_event"] in "opq"
    assert value["points"] == record.points
    with pytest.raises(GameError, match="final event: event: expected"):
        record_from_json(value | {"final_event": "z"})
    with pytest.raises(GameError, match="final event: the game is not over in"):
        record_from_json(value | {"plies": value["plies"][:-1], "final_event": value["plies"][-1]["event"]})
    with pytest.raises(GameError, match="final event: there is no event in"):
        record_from_json(value | {"plies": []})


def test_records_show_events_in_the_notation_of_the_game(reveal: Game) -> None:
    record = played(reveal, 2)
    value = record_to_json(record)
    assert "event" not in value["plies"][0]
    assert "roll" not in value["plies"][0]
    assert all(ply["event"] in "opq" for ply in value["plies"][1:])
    text = record_text(record)
    assert f"  {value['plies'][1]['event']}  {record.plies[1].text}" in text
    assert text.splitlines()[-3].strip() == value["final_event"]
    assert "die" not in text


def test_both_games_of_a_pair_share_the_hidden_board(reveal: Game) -> None:
    series = Series(reveal, seed=5)
    boards = []
    for pair in range(6):
        for half in (0, 1):
            *_, last = series.play(pair, half, random_players(reveal), NO_LIMITS).record.states()
            boards.append(last.text.split()[0])
    assert boards[::2] == boards[1::2]
    assert len(set(boards)) > 2
    own = Series(reveal, seed=5, schedule=Schedule(shared=False))
    ends = [
        list(own.play(pair, half, random_players(reveal), NO_LIMITS).record.states())[-1]
        for pair in range(6)
        for half in (0, 1)
    ]
    assert [end.text.split()[0] for end in ends[::2]] != [end.text.split()[0] for end in ends[1::2]]


def test_the_mover_keeps_the_turn_and_its_clock(reveal: Game) -> None:
    game = GameInProgress(start(reveal), (None, None), (Limit(clock=100.0), Limit(clock=100.0)), seed=3)
    used = [0.0, 0.0]
    turns = []
    while not game.over:
        turns.append(game.mover)
        used[game.mover] += len(turns)
        game.submit(Decision(game.state.legal[0]), seconds=len(turns))
    assert len(set(turns)) == 2
    assert any(one == other for one, other in itertools.pairwise(turns))
    assert game.record().left == (100.0 - used[0], 100.0 - used[1])
    assert game.record().movers()[:-1] == turns


def test_take_back_returns_to_the_humans_last_decision(reveal: Game) -> None:
    for seed in range(10):
        for human in (0, 1):
            opponent = random_players(reveal)[0]
            game = GameInProgress(start(reveal), (None, opponent) if human == 0 else (opponent, None), seed=seed)
            game.begin()
            before = []
            while not game.over:
                if game.human_to_move:
                    before.append(game.state)
                    game.submit_text("1")
                else:
                    game.play_turn()
            while before:
                game.take_back()
                assert game.state == before.pop()
                assert (game.human_to_move, game.mover, game.outcome) == (True, human, None)
            with pytest.raises(GameError, match="nothing to take back"):
                game.take_back()


def test_an_adjourned_game_is_resumed(reveal: Game) -> None:
    game = GameInProgress(start(reveal), (None, random_players(reveal)[0]), seed=11)
    game.begin()
    for _ in range(3):
        if game.human_to_move:
            game.submit_text("1")
        else:
            game.play_turn()
    state = game.state
    game.adjourn()
    record = record_from_json(record_to_json(game.finish()))
    assert record.final_event == 0
    again = GameInProgress.resume(record, random_players(reveal)[0])
    assert again.state == state
    assert not again.over
    changed = dataclasses.replace(record, plies=(record.plies[0]._replace(roll=2), *record.plies[1:]))
    with pytest.raises(GameError, match="ply 1: the record was changed: the event was 0, not 2"):
        GameInProgress.resume(changed, random_players(reveal)[0])


def test_a_forfeit_loses_the_largest_number_of_points(reveal: Game) -> None:
    game = GameInProgress(start(reveal), (None, None), seed=3)
    game.resign()
    record = game.finish()
    assert (record.winner, record.points, record.points_of(0), record.points_of(1)) == (1, 6, -6, 6)
    record.check()
    assert record_from_json(record_to_json(record)).points == 6


def test_an_event_may_end_the_game_before_the_first_move() -> None:
    ended = 0
    for seed in range(300):
        game = GameInProgress(start(FREE, seed), random_players(FREE), seed=seed)
        if not game.over:
            continue
        ended += 1
        game.begin()
        record = game.finish()
        assert (record.plies, record.final_event > 0) == ((), True)
        record.check()
        assert record_from_json(record_to_json(record)) == record
    assert ended > 0


def test_a_repetition_counts_the_positions_of_this_game_only() -> None:
    record = next(record for seed in range(60) if (record := played(REPEATING, seed)).reason == "repetition")
    *_, last = record.states()
    assert last.repeated
    assert record.winner is None
    assert not dataclasses.replace(last, history=()).over
