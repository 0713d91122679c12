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
from starscout.referee.game_in_progress import die, play_game
from starscout.search.limits import Limit
from tests.starts import any_start

pytestmark = pytest.mark.plain

NO_LIMITS = Limit(), Limit()
Choose = Callable[[State, Limit], Decision]


def first_move(state: State, limit: Limit) -> Decision:
    return Decision(state.legal[0], value=0.25)


class Scripted(Player):
    """A player defined by one function; records its calls."""

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


def test_the_roll_depends_only_on_seed_pair_and_ply() -> None:
    one = play("ewn", first_move, first_move, seed=5, pair=2)
    other = play("ewn", first_move, lambda state, limit: Decision(state.legal[-1]), seed=5, pair=2, half=1)
    for record in (one, other):
        assert [ply.roll for ply in record.plies] == [die(5, 2, n, 6) for n in range(len(record.plies))]
    assert one.start == other.start


def test_games_without_dice_record_no_rolls() -> None:
    assert {ply.roll for ply in play("othello", first_move, first_move).plies} == {0}


def test_the_mover_of_the_start_moves_first() -> None:
    start = parse(games.load("ewn"), "123../45.../6...f/...ed/..cba b -")
    one, two = Scripted("one"), Scripted("two")
    play_game(start, (one, two), NO_LIMITS)
    assert two.asked[0][0].ply == 0
    assert one.asked[0][0].ply == 1


def test_the_movers_report_is_recorded() -> None:
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
    assert {limit for _, limit in one.asked} == {Limit(depth=2)}
    assert {limit for _, limit in two.asked} == {Limit(depth=9, nodes=50)}


@pytest.mark.parametrize("error", [SystemExit(3), GeneratorExit(), ValueError("no")], ids=lambda error: repr(error))
def test_any_exception_of_a_player_is_a_forfeit(error: BaseException) -> None:
    def fails(state: State, limit: Limit) -> Decision:
        raise error

    record = play("ewn", first_move, fails)
    assert (record.winner, record.reason) == (0, "crash")
    assert record.detail.startswith(type(error).__name__)


@pytest.mark.parametrize("order", [KeyboardInterrupt(), Terminated(143)], ids=lambda order: repr(order))
def test_interrupts_are_not_forfeits(order: BaseException) -> None:
    def interrupted(state: State, limit: Limit) -> Decision:
        raise order

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(type(order)):
            play("ewn", first_move, interrupted)
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_keyboard_interrupt_is_a_forfeit_if_sigint_is_ignored() -> None:
    def fails(state: State, limit: Limit) -> Decision:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        assert play("ewn", first_move, fails).reason == "crash"
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_player_that_fails_at_the_end_does_not_stop_the_referee() -> None:
    class FailsAtEnd(Scripted):
        def end(self, winner: int | None, reason: str, detail: str) -> None:
            raise RuntimeError("failed at the end")

    record = play_game(any_start(games.load("ewn"), 0), (FailsAtEnd("one"), Scripted("two")), NO_LIMITS)
    assert not record.forfeit


def test_an_illegal_move_loses() -> None:
    record = play("ewn", first_move, lambda state, limit: Decision(987_654))
    assert (record.winner, record.reason, len(record.plies)) == (0, "illegal move", 1)
    assert "987654" in record.detail
    record.check()


def test_an_answer_that_is_not_a_decision_loses() -> None:
    record = play("ewn", lambda state, limit: None, first_move)  # pyright: ignore[reportArgumentType]
    assert (record.winner, record.reason) == (1, "crash")


def test_the_message_of_a_crash_is_recorded() -> None:
    def broken(state: State, limit: Limit) -> Decision:
        raise RuntimeError("no idea")

    record = play("othello", broken, first_move)
    assert (record.winner, record.reason, record.plies) == (1, "crash", ())
    assert "RuntimeError: no idea" in record.detail


def test_a_player_error_gives_the_reason() -> None:
    def lost(state: State, limit: Limit) -> Decision:
        raise PlayerError("disconnected", "connection lost")

    record = play("othello", first_move, lost)
    assert (record.winner, record.reason, record.detail) == (0, "disconnected", "connection lost")


def test_a_late_answer_loses_even_when_it_is_legal() -> None:
    def slow(state: State, limit: Limit) -> Decision:
        time.sleep(0.2)
        return first_move(state, limit)

    start = any_start(games.load("ewn"), 0, 0)
    record = play_game(start, (Scripted("one", slow), Scripted("two")), (Limit(time=0.01), Limit()))
    assert (record.winner, record.reason) == (1, "timeout")


def test_time_for_observing_moves_counts() -> None:
    """Regression: a class could think there for 60 s per move without a running clock."""

    class Ponders(Scripted):
        def observe(self, state: State, move: int) -> None:
            time.sleep(0.2)

    start = any_start(games.load("ewn"), 0, 0)
    record = play_game(start, (Ponders("one"), Scripted("two")), (Limit(time=0.01), Limit()))
    assert (record.winner, record.reason, len(record.plies)) == (1, "timeout", 2)
    unlimited = play_game(start, (Ponders("one"), Scripted("two")), (Limit(depth=1), Limit()))
    assert not unlimited.forfeit


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


def test_each_side_has_its_own_clock() -> None:
    one, two = Scripted("one"), Scripted("two")
    start = any_start(games.load("ewn"), 0, 0)
    play_game(start, (one, two), (Limit(clock=50.0, increment=1.0), Limit(nodes=7)))
    assert one.asked[0][1] == Limit(clock=50.0, increment=1.0)
    second_clock = one.asked[1][1].clock
    assert second_clock is not None
    assert 50.0 < second_clock <= 51.0
    assert {limit for _, limit in two.asked} == {Limit(nodes=7)}


def test_the_record_contains_the_time_left() -> None:
    game = games.load("ewn")
    start, players = any_start(game, 1, 0), (make_player("random", game), make_player("random", game))
    record = play_game(start, players, (Limit(clock=50.0), Limit()), seed=1)
    used = sum(ply.seconds for ply in record.plies[(start.mover != 0) :: 2])
    first, second = record.left
    assert first == pytest.approx(50.0 - used, abs=1e-6)
    assert second is None


def test_players_get_different_seeds_in_each_game() -> None:
    one, two = Scripted("one"), Scripted("two")
    start = any_start(games.load("ewn"), 0, 0)
    for half in (0, 1):
        play_game(start, (one, two), NO_LIMITS, seed=1, pair=1, half=half)
    assert len({*one.seeds, *two.seeds}) == 4


class Observer(Scripted):
    """A player that records the calls of the referee."""

    def __init__(self, name: str, choose: Choose = first_move) -> None:
        super().__init__(name, choose)
        self.calls: list[object] = []

    def begin(self, start: State, side: int) -> None:
        self.calls.append(("begin", start.text, side))

    def observe(self, state: State, move: int) -> None:
        self.calls.append((state.roll, state.game.format_move(state.position, move)))

    def end(self, winner: int | None, reason: str, detail: str) -> None:
        self.calls.append(("end", winner, reason))
        raise PlayerError("crash", "after the end")


def test_players_observe_the_whole_game() -> None:
    observer = Observer("two")
    start = any_start(games.load("ewn"), 0, 0)
    record = play_game(start, (Scripted("one"), observer), NO_LIMITS)
    moves = [(ply.roll, ply.text) for ply in record.plies]
    assert observer.calls == [("begin", start.text, 1), *moves, ("end", record.winner, record.reason)]


def test_players_receive_forfeits() -> None:
    observer = Observer("two")
    start = any_start(games.load("ewn"), 0, 0)
    play_game(start, (Scripted("one", lambda state, limit: Decision(-1)), observer), NO_LIMITS)
    assert observer.calls[-1] == ("end", 1, "illegal move")


def test_a_finished_or_rolled_start_raises() -> None:
    players = Scripted("one"), Scripted("two")
    game = games.load("ewn")
    with pytest.raises(GameError, match="over before it begins"):
        play_game(parse(game, "123../45.../.a..f/...ed/..cb6 b -"), players, NO_LIMITS)
    with pytest.raises(GameError, match="rolls the dice"):
        play_game(parse(game, "123../45.../6...f/...ed/..cba r 3"), players, NO_LIMITS)


def test_exceeding_max_plies_is_an_error_of_the_rules() -> None:
    game = dataclasses.replace(games.load("ewn-3x3-3"), name="endless", max_plies=3)
    players = make_player("random", game), make_player("random", game)
    with pytest.raises(GameError, match="endless: a game continues after max_plies = 3; `starscout laws endless`"):
        play_game(any_start(game, 1), players, NO_LIMITS, seed=1)
