"""Streaming analysis, several lines, and players as context managers."""

import itertools
import sys
from pathlib import Path

import pytest

import starscout
from starscout import Limit
from starscout.players.player import Player

SEARCH = "negascout"
"""Compiled for Othello before the tests begin."""


def test_steps_deepen() -> None:
    state = starscout.start("othello")
    infos = list(starscout.analysis(state, SEARCH, depth=3))
    assert [info.depth for info in infos] == [1, 2, 3]
    assert infos[-1].value == starscout.analyse(state, SEARCH, depth=3).value


def test_steps_double_up_to_the_limit() -> None:
    state = starscout.start("ewn-3x3-3").rolled(1)
    infos = list(starscout.analysis(state, "mcts", simulations=750))
    assert [sum(part.visits or 0 for part in info.moves) for info in infos] == [100, 300, 700, 750]


def test_without_a_limit_it_goes_on_until_it_is_closed() -> None:
    closed = []

    class First(Player):
        def choose(self, state: starscout.State, limit: Limit) -> starscout.Decision:
            assert limit.time is not None
            return starscout.Decision(state.legal[0], depth=round(limit.time / 0.05))

        def close(self) -> None:
            closed.append(True)

    with starscout.analysis(starscout.start("othello-4x4"), First) as stream:
        assert [info.depth for info in itertools.islice(stream, 4)] == [1, 2, 4, 8]
        assert stream.latest is not None
        assert stream.latest.depth == 8
    assert closed == [True]
    assert list(stream) == []


def test_lines_are_the_best_moves_with_their_continuations() -> None:
    state = starscout.start("othello").play("f5")
    result = starscout.analyse(state, SEARCH, depth=3, lines=3)
    ranked = sorted((part.value for part in result.moves if part.value is not None), reverse=True)
    assert [line.value for line in result.lines] == ranked[: len(result.lines)]
    assert result.lines[0].move == result.best
    assert all(line.pv[0] == line.move and len(line.pv) > 1 for line in result.lines)
    for line in result.lines:
        played = state
        for move in line.pv:
            played = played.play(move)
    assert [line["move"] for line in result.json()["lines"]] == [line.move for line in result.lines]
    assert starscout.analyse(state, SEARCH, depth=1).json().get("lines") is None


ENGINE = """#!{python} -IS
import sys
own = "0"
for line in sys.stdin:
    word, *rest = line.split()
    if word == "lab":
        print("option name own type spin default 0 min 0 max 9\\nlabok", flush=True)
    elif word == "setoption" and rest[1] == "own":
        own = rest[3]
    elif word == "isready":
        print("readyok", flush=True)
    elif word == "go":
        print("info depth", own, "\\nbestmove A1B1", flush=True)
    elif word == "quit":
        break
"""


def test_engine_is_configured_in_a_with_statement(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("engine").write_text(ENGINE.format(python=sys.executable))
    Path("engine").chmod(0o755)
    state = starscout.parse("ewn-3x3-3", "1../.../..a r 1")
    with starscout.player("lab:./engine", "ewn-3x3-3") as engine:
        # Invalid values are rejected before the first game and later, and change nothing.
        for value in (7, 3):
            for _ in range(2):
                with pytest.raises(starscout.GameError, match="own: expected a whole number from 0 to 9, got '10'"):
                    engine.configure({"own": 10})
            with pytest.raises(starscout.GameError, match="no option 'owm'; did you mean 'own'"):
                engine.configure({"owm": value})
            engine.configure({"own": value})
            assert engine.choose(state, Limit(time=5.0)).depth == value
    with pytest.raises(starscout.GameError, match="random has no options to configure"):
        starscout.player("random", "ewn").configure({"own": 1})
