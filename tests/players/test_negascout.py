"""The negascout player: limits, determinism, lines and reports."""

import random
import time
from importlib.util import find_spec

import pytest

from starscout import games
from starscout.game import GameError, state
from starscout.players.negascout import NegascoutPlayer
from starscout.players.player import Decision
from starscout.players.spec import all_presets, make_player
from starscout.search.limits import Limit
from starscout.search.time_control import Budget, Forecast, budget

EWN = games.load("ewn")


def middle_game(seed: int, plies: int = 8) -> state.State:
    generator = random.Random(seed)
    now = state.start(EWN, seed)
    for _ in range(plies):
        now = now.rolled(generator)
        now = now.play(generator.choice(now.legal))
    return now.rolled(generator)


@pytest.fixture(scope="module")
def player():
    player = make_player("strong table=14", EWN)
    player.new_game(EWN, 0)
    return player


@pytest.mark.parametrize(
    "limit", [Limit(depth=3), Limit(nodes=5000), Limit(time=0.02), Limit(clock=0.5), Limit(clock=0.0), Limit()]
)
def test_every_limit_gives_a_legal_move(player, limit: Limit):
    for seed in range(5):
        now = middle_game(seed)
        decision = player.choose(now, limit)
        assert decision.move in now.legal
        if limit.depth is not None:
            assert decision.depth == limit.depth
        if limit.nodes is not None:
            assert decision.nodes is not None
            assert decision.nodes <= limit.nodes + 100


@pytest.mark.parametrize(
    ("options", "depth", "reached"),
    [("start=3 step=1", 4, 4), ("start=3 step=2", 4, 3), ("start=3 step=2", 5, 5), ("start=4", 2, 2)],
)
def test_start_and_step_options(options: str, depth: int, reached: int):
    deepening = make_player(f"negascout table=14 {options}", EWN)
    deepening.new_game(EWN, 0)
    now = middle_game(2)
    decision = deepening.choose(now, Limit(depth=depth))
    assert decision.depth == reached
    plain = make_player("negascout table=14", EWN)
    plain.new_game(EWN, 0)
    assert decision.value == plain.choose(now, Limit(depth=reached)).value


def test_equal_seeds_equal_moves(player):
    decisions = []
    for _ in range(2):
        player.new_game(EWN, 5)
        decisions.append([player.choose(middle_game(seed), Limit(depth=3)) for seed in range(6)])
    assert decisions[0] == decisions[1]


def test_line_is_moves_and_rolls_of_the_game(player):
    now = middle_game(3)
    decision = player.choose(now, Limit(depth=4))
    for number, text in enumerate(decision.line):
        now = now.rolled(int(text)) if number % 2 == 1 else now.play(text)
    assert len(decision.line) >= 3


def test_analyse_values_every_move(player):
    now = middle_game(4)
    decision = player.analyse(now, Limit(depth=3))
    assert sorted(report.move for report in decision.moves) == sorted(now.legal)
    assert decision.value == max(report.value for report in decision.moves)


def test_forced_move_is_played_at_once(player):
    now = state.parse(EWN, "....1/.5.../...../..a../...f. r 1")
    assert len(now.legal) == 1
    decision = player.choose(now, Limit(time=30.0))
    assert decision.move == now.legal[0]


def test_immediate_win_is_played(player):
    now = state.parse(EWN, "...../...../...../...1./abc.. r 1")
    started = time.monotonic()
    decision = player.choose(now, Limit(time=30.0))
    assert now.game.format_move(now.position, decision.move) == "D4E5"
    assert decision.value == 1.0
    assert time.monotonic() - started < 25.0


def test_presets_of_every_game_are_valid():
    made = 0
    for game, preset in all_presets():
        if game == "*" or (preset.spec.startswith("gnubg") and find_spec("gnubg_nn") is None):
            continue
        make_player(preset.name, games.load(game)).close()
        made += 1
    assert made >= 25


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("negascout eval=best", "ewn has no evaluation 'best'"),
        ("negascout eval=distance:1", "distance: expected two weights"),
        ("negascout eval=race+distance", "race cannot be part of a sum"),
        ("negascout eval=distance+weighted+determinacy", "one term or the sum of two"),
        ("negascout star=4", "star is 0, 1, 2 or 2.5"),
        ("negascout depth=0", "depth: expected a whole number from 1 to 100"),
        ("negascout table=40", "table: expected a whole number from 0 to 26"),
        ("negascout threads=0", "threads: expected a whole number from 1 to 64"),
        ("negascout scout=maybe", "scout: expected on or off"),
        ("negascout dept=4", "did you mean 'depth'"),
        ("negascout start=0", "start: expected a whole number from 1 to 100"),
        ("negascout step=0", "step: expected a whole number from 1 to 100"),
        ("negascout eval=raw-distance raw=1001", "raw: expected a whole number from 0 to 1000"),
        ("negascout eval=distance raw=6", "raw: expected an evaluation in raw points, got distance"),
    ],
)
def test_invalid_options_are_rejected(spec: str, sentence: str):
    with pytest.raises(GameError, match=sentence):
        make_player(spec, EWN)


def test_clock_is_divided_by_the_plies_left(player, monkeypatch: pytest.MonkeyPatch):
    planned = []

    def recording(limit: Limit, plies_left: float, deepening: float, lag: float, *, sees_end: bool) -> Budget:
        assert deepening == EWN.deepening
        assert sees_end
        planned.append(plies_left)
        return budget(limit, plies_left, deepening, lag, sees_end=sees_end)

    monkeypatch.setattr("starscout.players.negascout.budget", recording)
    early, late = middle_game(1, plies=0), middle_game(1, plies=8)
    for now in (early, late):
        player.choose(now, Limit(clock=0.2))
    assert planned == [EWN.plies_left(now.position, now.ply) for now in (early, late)]
    assert planned[0] > planned[1] >= 1.0


def test_the_growth_of_iterations_is_forgotten_after_a_game(player):
    player._forecast.growth = 1.01
    player.new_game(EWN, 1)
    assert player._forecast.growth == Forecast().growth


def test_a_proof_after_a_selective_search_takes_at_most_the_share_of_the_clock(monkeypatch: pytest.MonkeyPatch):
    """A failed proof must not use the clock of the next moves."""
    othello = games.load("othello")
    player = make_player("strong", othello)
    assert isinstance(player, NegascoutPlayer)
    player.new_game(othello, 0)
    now, limit, given = state.start(othello), Limit(clock=1.0), []
    monkeypatch.setattr(player._endgame, "decide", lambda state, limit, seconds, *, every_move: (None, seconds))
    monkeypatch.setattr(player._endgame, "finish", lambda state, limit, seconds: given.append(seconds.hard))
    monkeypatch.setattr(player._selective, "reaches_end", lambda position, depth: True)
    monkeypatch.setattr(player, "_think", lambda *arguments, **options: Decision(now.legal[0], 0.0, 52, 1))
    player.choose(now, limit)
    share = budget(limit, othello.plies_left(now.position, 0), othello.deepening, sees_end=False).share()
    assert share is not None
    assert [0.0 < seconds <= share for seconds in given] == [True]
