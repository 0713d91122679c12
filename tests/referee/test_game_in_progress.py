"""One game between two players: legality, clocks, forfeits, events."""

import dataclasses
import signal
import time
from collections.abc import Callable

import pytest

from starscout import games
from starscout.errors import Terminated
from starscout.game import Game, GameError
from starscout.game.state import State, parse
from starscout.players.player import Decision, Player, PlayerError
from starscout.players.spec import make_player
from starscout.records.record import GameRecord
from starscout.referee.dice import die
from starscout.referee.game_in_progress import play_game
from starscout.search.limits import Limit
from tests.starts import any_start

pytestmark = pytest.mark.plain

NO_LIMITS = Limit(), Limit()
Choose = Callable[[State, Limit], Decision]


def first_move(state: State, limit: Limit) -> Decision:
    return Decision(state.legal[0], value=0.25)


class Scripted(Player):
    """A player made of one function; records what it was asked."""

    def __init__(self, name: str, choose: Choose = first_move) -> None:
        self.name = name
        self._choose = choose
        self.asked: list[tuple[State, Limit]] = []
        self.seeds: list[int] = []

    def new_game(self, game: Game, seed: int) -> None:
        self.seeds.append(seed)

    def choose(self, state: State, limit: Limit) -> Decision:
        self.asked.append((state, limit))
        return self._choose(state, limit)


def play(game: str, first: Choose, second: Choose, **options: int) -> GameRecord:
    start = any_start(games.load(game), options.get("seed", 0), options.get("pair", 0))
    return play_game(start, (Scripted("one", first), Scripted("two", second)), NO_LIMITS, **options)


@pytest.mark.parametrize("name", ["ewn", "ewn-cyclic", "kari", "othello"])
def test_whole_games_of_random_players_replay_to_the_same_result(name: str) -> None:
    game = games.load(name)
    players = make_player("random", game), make_player("random", game)
    for pair in range(5):
        record = play_game(any_start(game, 3, pair), players, NO_LIMITS, seed=3, pair=pair)
        record.check()
        last = list(record.states())[-1]
        assert last.outcome is not None
        assert (last.outcome.winner, last.outcome.reason) == (record.winner, record.reason)
        assert not record.forfeit


def test_the_die_of_a_ply_depends_on_seed_pair_and_ply_alone() -> None:
    one = play("ewn", first_move, first_move, seed=5, pair=2)
    other = play("ewn", first_move, lambda state, limit: Decision(state.legal[-1]), seed=5, pair=2, half=1)
    for record in (one, other):
        assert [ply.roll for ply in record.plies] == [die(5, 2, n, 6) for n in range(len(record.plies))]
    assert one.start == other.start


def test_games_without_dice_record_no_rolls() -> None:
    assert {ply.roll for ply in play("othello", first_move, first_move).plies} == {0}


def test_the_side_that_the_start_names_moves_first() -> None:
    start = parse(games.load("ewn"), "123../45.../6...f/...ed/..cba b -")
    one, two = Scripted("one"), Scripted("two")
    play_game(start, (one, two), NO_LIMITS)
    assert two.asked[0][0].ply == 0
    assert one.asked[0][0].ply == 1


def test_what_a_mover_reports_is_kept() -> None:
    def thoughtful(state: State, limit: Limit) -> Decision:
        return Decision(state.legal[0], 0.25, 3, 100, 7)

    record = play("ewn", thoughtful, thoughtful)
    for ply in record.plies:
        assert (ply.value, ply.depth, ply.nodes, ply.simulations) == (0.25, 3, 100, 7)
        assert 0 <= ply.seconds < 60
    for ply, state in zip(record.plies, record.states(), strict=False):
        assert state.game.format_move(state.position, ply.move) == ply.text


def test_a_players_own_limit_replaces_that_of_the_match() -> None:
    one, two = Scripted("one"), Scripted("two")
    one.limit = Limit(depth=2)
    start = any_start(games.load("ewn"), 0, 0)
    play_game(start, (one, two), (Limit(depth=9, nodes=50), Limit(depth=9, nodes=50)))
    assert {limit for _, limit in one.asked} == {Limit(depth=2, nodes=50)}
    assert {limit for _, limit in two.asked} == {Limit(depth=9, nodes=50)}


@pytest.mark.parametrize("error", [SystemExit(3), GeneratorExit(), ValueError("no")], ids=lambda error: repr(error))
def test_whatever_a_player_raises_is_its_forfeit(error: BaseException) -> None:
    def fails(state: State, limit: Limit) -> Decision:
        raise error

    record = play("ewn", first_move, fails)
    assert (record.winner, record.reason) == (0, "crash")
    assert record.detail.startswith(type(error).__name__)


@pytest.mark.parametrize("order", [KeyboardInterrupt(), Terminated(143)], ids=lambda order: repr(order))
def test_ctrl_c_and_termination_are_nobodys_forfeit(order: BaseException) -> None:
    def interrupted(state: State, limit: Limit) -> Decision:
        raise order

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(type(order)):
            play("ewn", first_move, interrupted)
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_keyboard_interrupt_where_ctrl_c_is_ignored_is_a_forfeit() -> None:
    def fails(state: State, limit: Limit) -> Decision:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        assert play("ewn", first_move, fails).reason == "crash"
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_player_that_fails_at_the_end_does_not_stop_the_referee() -> None:
    class Sulking(Scripted):
        def end(self, winner: int | None, reason: str, detail: str) -> None:
            raise RuntimeError("I do not accept this")

    record = play_game(any_start(games.load("ewn"), 0), (Sulking("one"), Scripted("two")), NO_LIMITS)
    assert not record.forfeit


def test_an_illegal_move_loses() -> None:
    record = play("ewn", first_move, lambda state, limit: Decision(987_654))
    assert (record.winner, record.reason, len(record.plies)) == (0, "illegal move", 1)
    assert "987654" in record.detail
    record.check()


def test_an_answer_that_is_not_a_decision_loses() -> None:
    record = play("ewn", lambda state, limit: None, first_move)  # pyright: ignore[reportArgumentType]
    assert (record.winner, record.reason) == (1, "crash")


def test_a_player_that_raises_loses_and_its_message_is_kept() -> None:
    def broken(state: State, limit: Limit) -> Decision:
        raise RuntimeError("no idea")

    record = play("othello", broken, first_move)
    assert (record.winner, record.reason, record.plies) == (1, "crash", ())
    assert "RuntimeError: no idea" in record.detail


def test_a_player_error_gives_the_reason() -> None:
    def lost(state: State, limit: Limit) -> Decision:
        raise PlayerError("disconnected", "the line went dead")

    record = play("othello", first_move, lost)
    assert (record.winner, record.reason, record.detail) == (0, "disconnected", "the line went dead")


def test_a_late_answer_loses_even_when_it_is_legal() -> None:
    def slow(state: State, limit: Limit) -> Decision:
        time.sleep(0.2)
        return first_move(state, limit)

    start = any_start(games.load("ewn"), 0, 0)
    record = play_game(start, (Scripted("one", slow), Scripted("two")), (Limit(time=0.01), Limit()))
    assert (record.winner, record.reason) == (1, "timeout")


def test_a_player_that_fails_before_the_first_move_loses() -> None:
    class Unready(Scripted):
        def new_game(self, game: Game, seed: int) -> None:
            raise PlayerError("stalled", "not ready")

    start = any_start(games.load("ewn"), 0, 0)
    record = play_game(start, (Scripted("one"), Unready("two")), NO_LIMITS)
    assert (record.winner, record.reason, record.plies) == (0, "stalled", ())


def test_ctrl_c_is_not_a_forfeit() -> None:
    def interrupted(state: State, limit: Limit) -> Decision:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play("ewn", interrupted, first_move)


def test_the_clock_of_each_side_is_its_own() -> None:
    one, two = Scripted("one"), Scripted("two")
    start = any_start(games.load("ewn"), 0, 0)
    play_game(start, (one, two), (Limit(clock=50.0, increment=1.0), Limit(nodes=7)))
    assert one.asked[0][1] == Limit(clock=50.0, increment=1.0)
    second_clock = one.asked[1][1].clock
    assert second_clock is not None
    assert 50.0 < second_clock <= 51.0
    assert {limit for _, limit in two.asked} == {Limit(nodes=7)}


def test_the_record_says_what_was_left() -> None:
    game = games.load("ewn")
    start, players = any_start(game, 1, 0), (make_player("random", game), make_player("random", game))
    record = play_game(start, players, (Limit(clock=50.0), Limit()), seed=1)
    used = sum(ply.seconds for ply in record.plies[(start.mover != 0) :: 2])
    first, second = record.left
    assert first == pytest.approx(50.0 - used, abs=1e-6)
    assert second is None


def test_every_game_of_a_pair_gives_the_players_other_seeds() -> None:
    one, two = Scripted("one"), Scripted("two")
    start = any_start(games.load("ewn"), 0, 0)
    for half in (0, 1):
        play_game(start, (one, two), NO_LIMITS, seed=1, pair=1, half=half)
    assert len({*one.seeds, *two.seeds}) == 4


class Listener(Scripted):
    """A player that records what the referee tells it."""

    def __init__(self, name: str, choose: Choose = first_move) -> None:
        super().__init__(name, choose)
        self.heard: list[object] = []

    def begin(self, start: State, side: int) -> None:
        self.heard.append(("begin", start.text, side))

    def observe(self, state: State, move: int) -> None:
        self.heard.append((state.roll, state.game.format_move(state.position, move)))

    def end(self, winner: int | None, reason: str, detail: str) -> None:
        self.heard.append(("end", winner, reason))
        raise PlayerError("crash", "too late to matter")


def test_players_are_told_the_whole_game() -> None:
    listener = Listener("two")
    start = any_start(games.load("ewn"), 0, 0)
    record = play_game(start, (Scripted("one"), listener), NO_LIMITS)
    moves = [(ply.roll, ply.text) for ply in record.plies]
    assert listener.heard == [("begin", start.text, 1), *moves, ("end", record.winner, record.reason)]


def test_players_are_told_of_forfeits() -> None:
    listener = Listener("two")
    start = any_start(games.load("ewn"), 0, 0)
    play_game(start, (Scripted("one", lambda state, limit: Decision(-1)), listener), NO_LIMITS)
    assert listener.heard[-1] == ("end", 1, "illegal move")


def test_a_finished_game_and_a_rolled_die_are_refused() -> None:
    players = Scripted("one"), Scripted("two")
    game = games.load("ewn")
    with pytest.raises(GameError, match="over before it begins"):
        play_game(parse(game, "123../45.../.a..f/...ed/..cb6 b -"), players, NO_LIMITS)
    with pytest.raises(GameError, match="rolls the dice"):
        play_game(parse(game, "123../45.../6...f/...ed/..cba r 3"), players, NO_LIMITS)


def test_a_game_that_goes_on_after_max_plies_is_an_error_of_its_rules() -> None:
    game = dataclasses.replace(games.load("ewn-3x3-3"), name="endless", max_plies=3)
    players = make_player("random", game), make_player("random", game)
    with pytest.raises(GameError, match="endless: a game goes on after max_plies = 3; `starscout laws endless`"):
        play_game(any_start(game, 1), players, NO_LIMITS, seed=1)
