"""The `mcts` player: presets, options, limits and reports."""

from typing import Any

import pytest

from starscout.game import GameError, Position, state
from starscout.games import load
from starscout.players.mcts import MctsPlayer
from starscout.players.spec import make_player, presets_of
from starscout.search.limits import Limit
from starscout.search.mcts.result import TreeResult
from starscout.search.time_control import RESERVE, budget

GAME = load("ewn-3x3-3")
SMALL = Limit(simulations=300)
MCTS_PRESETS = [preset.name for preset in presets_of(GAME) if preset.spec.startswith("mcts ")]


@pytest.mark.parametrize("name", MCTS_PRESETS)
def test_every_preset_that_fits_plays_a_legal_move(name: str) -> None:
    there = state.start(GAME, 1).rolled(2)
    player = make_player(f"{name} nodes=5000 playout=uniform cutoff=0", GAME)
    player.new_game(GAME, 1)
    decision = player.choose(there, SMALL)
    assert decision.move in there.legal
    assert decision.simulations is not None
    player.close()


def test_the_report_shows_visits_values_and_intervals() -> None:
    there = state.start(GAME, 1).rolled(2)
    player = make_player("mcts nodes=5000", GAME)
    player.new_game(GAME, 1)
    decision = player.choose(there, SMALL)
    assert {report.move for report in decision.moves} == set(there.legal)
    assert decision.moves[0].visits == max(report.visits or 0 for report in decision.moves)
    for report in decision.moves:
        assert report.interval is not None
        assert report.value is not None
        assert report.interval[0] <= report.value <= report.interval[1]
    assert decision.line[0] in there.moves
    assert len(decision.line) < 2 or decision.line[1] in "123"


def test_equal_seeds_choose_equal_moves() -> None:
    there = state.start(GAME, 3).rolled(1)
    decisions = []
    for _ in range(2):
        player = make_player("mcts nodes=5000", GAME)
        player.new_game(GAME, 11)
        decisions.append(player.choose(there, SMALL))
    assert decisions[0] == decisions[1]


def test_a_clock_is_divided_among_the_moves_of_the_game(monkeypatch: pytest.MonkeyPatch) -> None:
    there = state.start(GAME, 3).rolled(1)
    player = make_player("mcts nodes=5000", GAME)
    assert isinstance(player, MctsPlayer)
    player.new_game(GAME, 1)
    run, planned = player.search.run, []

    def recording(position: Position, roll: int, simulations: int | None, seconds: float | None, *_: Any) -> TreeResult:
        planned.append(seconds)
        return run(position, roll, 10)

    monkeypatch.setattr(player.search, "run", recording)
    player.choose(there, Limit(clock=100.0))
    player.choose(there, Limit(clock=100.0, time=0.5))
    planned_share = budget(Limit(clock=100.0), GAME.plies_left(there.position, there.ply), GAME.deepening).share()
    assert planned == [planned_share, 0.5 - RESERVE]
    assert planned[0] < 30.0


def test_a_forced_move_takes_no_time() -> None:
    there = state.parse(GAME, "..1/.../a.. r 1")
    player = make_player("mcts nodes=5000", GAME)
    player.new_game(GAME, 1)
    decision = player.choose(there, Limit(time=60.0))
    assert decision.move == there.legal[0]
    assert decision.simulations == 1


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("mcts rule=uct", "rule: expected one of ucb, .* got .uct."),
        ("mcts playout=clever", "playout: expected one of uniform, .* got .clever."),
        ("mcts simulation=3", "did you mean 'simulations'"),
        ("mcts fastmath=yes", "on or off"),
        ("kari-mcts", "for kari, not for ewn"),
    ],
)
def test_invalid_options_are_rejected_by_name(spec: str, words: str) -> None:
    with pytest.raises(GameError, match=words):
        make_player(spec, GAME)
