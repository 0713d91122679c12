"""Games that a human steps through: moves by text or number, take-backs, resignation, adjournment and clocks."""

import dataclasses

import pytest

from starscout import games
from starscout.game import GameError, Outcome
from starscout.game.state import State
from starscout.players.player import Decision, Player, PlayerError
from starscout.players.spec import make_player
from starscout.records.json_lines import record_from_json, record_to_json
from starscout.referee.game_in_progress import GameInProgress
from starscout.referee.openings import series_start
from starscout.search.limits import Limit

pytestmark = pytest.mark.plain


def random_player(game: str) -> Player:
    return make_player("random", games.load(game))


def new_game(name: str = "ewn", human: int = 0, player: Player | None = None) -> GameInProgress:
    opponent = player or random_player(name)
    seats = (None, opponent) if human == 0 else (opponent, None)
    game = GameInProgress(series_start(games.load(name), 6, 0), seats, seed=6)
    game.begin()
    return game


def two_humans(limit: Limit = Limit()) -> GameInProgress:  # noqa: B008
    return GameInProgress(series_start(games.load("ewn"), 6, 0), (None, None), (limit, limit), seed=6)


def test_a_whole_game_is_played_by_move_numbers() -> None:
    game = new_game("ewn", human=1)
    while not game.over:
        if game.human_to_move:
            game.submit_text("1")
        else:
            game.play_turn()
    record = game.finish()
    assert record.players == ("random", "you")
    assert not record.forfeit
    record.check()


def test_moves_have_several_spellings_and_illegal_text_raises() -> None:
    game = new_game()
    move = game.state.moves[-1]
    with pytest.raises(GameError, match="not a legal move"):
        game.submit_text("A1E5")
    with pytest.raises(GameError, match="not a legal move"):
        game.submit_text("99")
    game.submit_text(f" {move[:2].lower()}-{move[2:]} ")
    assert game.plies[-1].text == move


@pytest.mark.parametrize("text", ["1" * 5_000, "²", "٣", "0", "-1", ""])
def test_a_number_that_is_not_in_the_list_raises(text: str) -> None:
    with pytest.raises(GameError, match="not a legal move"):
        new_game().submit_text(text)


@pytest.mark.parametrize("name", ["ewn", "othello"])
def test_a_take_back_returns_to_the_humans_turn_with_the_same_roll(name: str) -> None:
    game = new_game(name)
    before = game.state
    with pytest.raises(GameError, match="nothing to take back"):
        game.take_back()
    game.submit_text("1")
    first = game.state
    game.play_turn()
    second = game.state
    game.submit_text("1")
    game.take_back()
    assert (game.state, len(game.plies)) == (second, 2)
    game.take_back()
    assert (game.state, game.plies) == (before, ())
    game.submit_text("1")
    assert game.state == first


def test_a_player_that_only_follows_games_refuses_take_backs() -> None:
    player = random_player("ewn")
    player.supports_take_back = False
    game = new_game(player=player)
    game.submit_text("1")
    with pytest.raises(GameError, match="random cannot take moves back"):
        game.take_back()
    assert len(game.plies) == 1


def test_a_game_that_ended_can_be_taken_back() -> None:
    game = two_humans()
    states = []
    while not game.over:
        assert game.human_to_move
        states.append(game.state)
        game.submit_text("1")
    record = game.finish()
    record.check()
    assert record.players == ("red", "blue")
    with pytest.raises(GameError, match="the game is over"):
        game.submit(Decision(states[-1].legal[0]))
    game.take_back()
    assert game.state == states[-1]
    game.resign()
    assert game.record().winner == 1 - states[-1].mover


@pytest.mark.parametrize("human", [0, 1])
def test_a_human_who_resigns_loses(human: int) -> None:
    game = new_game(human=human)
    game.resign()
    record = game.record()
    assert (game.over, record.winner, record.reason) == (True, 1 - human, "resigned")


@pytest.mark.parametrize("name", ["ewn", "othello"])
def test_an_adjourned_game_resumes_where_it_stopped(name: str) -> None:
    game = new_game(name)
    for _ in range(3):
        game.submit_text("1")
        game.play_turn()
    game.adjourn()
    assert game.over
    record = record_from_json(record_to_json(game.finish()))
    assert record.reason == "adjourned"
    record.check()
    again = GameInProgress.resume(record, random_player(name))
    assert not again.over
    assert (again.state, again.players[0]) == (game.state, None)
    assert [ply.text for ply in again.plies] == [ply.text for ply in game.plies]
    assert [ply.seconds for ply in again.plies] == [ply.seconds for ply in record.plies]


def test_a_record_that_was_edited_does_not_resume() -> None:
    game = new_game()
    game.submit_text("1")
    record = game.record()
    other_roll = record.plies[0]._replace(roll=7 - record.plies[0].roll)
    with pytest.raises(GameError, match="was changed"):
        GameInProgress.resume(dataclasses.replace(record, plies=(other_roll,)), random_player("ewn"))
    other_move = record.plies[0]._replace(move=987_654)
    with pytest.raises(GameError, match="not a legal move"):
        GameInProgress.resume(dataclasses.replace(record, plies=(other_move,)), random_player("ewn"))
    with pytest.raises(GameError, match="not an adjourned game"):
        GameInProgress.resume(dataclasses.replace(record, reason="corner"), random_player("ewn"))


def test_a_late_move_loses_on_time_and_is_not_played() -> None:
    game = two_humans(Limit(clock=10.0, increment=1.0))
    game.submit_text("1", 4.0)
    assert [clock.left for clock in game.clocks] == [7.0, 10.0]
    before = game.state
    game.submit_text("1", 10.5)
    assert game.state == before
    assert game.outcome == Outcome(0, "timeout")
    assert game.record().left == (7.0, 1.0)


def test_a_flag_fall_loses_without_a_move() -> None:
    game = two_humans(Limit(clock=10.0))
    game.forfeit(game.mover, "timeout")
    game.forfeit(1 - game.mover, "timeout")
    assert game.outcome == Outcome(1, "timeout")


def test_a_player_divides_the_clock_of_the_game(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = games.load("ewn")
    limit = Limit(clock=0.5)
    player = make_player("negascout", rules)
    choose, given = player.choose, []

    def recording(state: State, limit: Limit) -> Decision:
        given.append(limit)
        return choose(state, limit)

    monkeypatch.setattr(player, "choose", recording)
    seats = player, None
    game = GameInProgress(series_start(rules, 6, 0), seats, (limit, limit), seed=6)
    game.begin()
    decision, seconds, withheld = game.think(Limit(depth=20))
    assert decision.move in game.state.legal
    assert game.plies == ()
    game.submit(decision, seconds, withheld)
    left = game.clocks[0].left
    assert left == max(0.5 - seconds, 0.0)
    assert given == [Limit(clock=0.5, depth=20)]


class Failing(Player):
    """A player that fails in one of its methods."""

    name = "failing"

    def __init__(self, method: str) -> None:
        self._method = method

    def _fail(self, method: str) -> None:
        if method == self._method:
            raise RuntimeError("no idea")

    def begin(self, start: State, side: int) -> None:
        self._fail("begin")

    def choose(self, state: State, limit: Limit) -> Decision:
        self._fail("choose")
        return Decision(-1)

    def observe(self, state: State, move: int) -> None:
        self._fail("observe")

    def end(self, winner: int | None, reason: str, detail: str) -> None:
        self._fail("end")


@pytest.mark.parametrize(
    ("method", "reason", "plies"),
    [("begin", "crash", 0), ("observe", "crash", 1), ("choose", "crash", 1), ("end", "illegal move", 1)],
)
def test_an_opponent_that_fails_forfeits_as_in_a_match(method: str, reason: str, plies: int) -> None:
    game = new_game(player=Failing(method))
    if not game.over:
        game.submit_text("1")
    if not game.over:
        game.play_turn()
    assert game.outcome == Outcome(0, reason)
    record = game.finish()
    assert (record.reason, len(record.plies)) == (reason, plies)
    assert "no idea" in record.detail or reason == "illegal move"


def test_thinking_raises_player_errors_and_leaves_the_game_unchanged() -> None:
    game = new_game(player=Failing("choose"))
    game.submit_text("1")
    with pytest.raises(PlayerError, match="crash: RuntimeError: no idea"):
        game.think()
    assert (game.over, len(game.plies)) == (False, 1)


def test_rules_that_exceed_max_plies_leave_a_humans_game_unchanged() -> None:
    rules = dataclasses.replace(games.load("ewn-3x3-3"), name="endless", max_plies=1)
    game = GameInProgress(series_start(rules, 1, 0), (None, None), seed=1)
    before = game.state
    with pytest.raises(GameError, match="continues after max_plies = 1"):
        game.submit_text("1")
    assert (game.state, game.plies) == (before, ())


def test_the_result_is_reported_to_a_player_once() -> None:
    class Counting(Failing):
        ends = 0

        def end(self, winner: int | None, reason: str, detail: str) -> None:
            self.ends += 1

    player = Counting("")
    game = new_game(player=player)
    game.resign()
    game.finish()
    game.finish()
    assert player.ends == 1
