"""Fallback moves: with an empty kernel cache the first answer is in time, in every protocol."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import starscout
from starscout import games
from starscout.evaluation import load_evaluation
from starscout.game.state import from_position, parse, start
from starscout.protocols.fallback import fallback_move
from starscout.protocols.tcg_raw import header, move_of
from starscout.search.exact import exact_moves
from tests.patience import PATIENCE
from tests.search.search_positions import random_positions

ROOT = Path(starscout.__file__).parents[1]


def test_fallback_search_wins_in_one_and_blocks_a_loss_in_two(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NUMBA_DISABLE_JIT")
    state = parse(games.load("ewn"), "...../...../...../...4a/.b... r 4")
    assert state.game.format_move(state.position, fallback_move(state)) == "D4E5"
    # Blue enters the corner A1 with most rolls, unless red captures the cube on A2.
    threatened = parse(games.load("ewn"), "1..../b..../...../...../....a r 1")
    assert threatened.game.format_move(threatened.position, fallback_move(threatened)) == "A1A2"


def test_fallback_move_is_the_best_of_two_plies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NUMBA_DISABLE_JIT")
    game = games.load("othello")
    evaluation = load_evaluation(game, "positional")
    other_at_one_ply = 0
    for position in random_positions(game, 20, 20, seed=3):
        one, two = (exact_moves(game, evaluation, position, 1, depth) for depth in (1, 2))
        move = fallback_move(from_position(game, position))
        assert two[move] == max(two.values())
        other_at_one_ply += one[move] < max(one.values())
    assert other_at_one_ply > 0


def engine(protocol: str, cache: Path, *options: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "starscout", "engine", "negascout depth=6", "--protocol", protocol, *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if name != "NUMBA_DISABLE_JIT"}
        | {"STARSCOUT_CACHE": str(cache)},
        bufsize=0,
    )


@pytest.mark.slow
def test_raw_agents_answer_before_anything_is_compiled(tmp_path: Path) -> None:
    first = start(games.load("ewn-cyclic"), 3)
    with engine("tcg-raw", tmp_path, "--time", "1.0") as agent:
        assert agent.stdin is not None
        assert agent.stdout is not None
        agent.stdin.write(header(first, 0).encode())
        answer = agent.stdout.read(2).decode()
        agent.stdin.close()
        agent.wait(PATIENCE)
    assert move_of(first, answer) is not None


@pytest.mark.slow
def test_lab_engines_report_ready_after_compiling(tmp_path: Path) -> None:
    text = start(games.load("ewn")).text
    with engine("lab", tmp_path) as agent:
        assert agent.stdin is not None
        assert agent.stdout is not None
        agent.stdin.write(b"newgame ewn seat 1\nisready\n")
        assert agent.stdout.readline() == b"readyok\n"
        compiled = len(list((tmp_path / "kernels").glob("*")))
        agent.stdin.write(f"position start {text}\ngo die 3 movetime 500\n".encode())
        while not (line := agent.stdout.readline()).startswith(b"bestmove"):
            assert line.startswith(b"info")
        agent.stdin.write(b"quit\n")
        agent.wait(PATIENCE)
    assert len(list((tmp_path / "kernels").glob("*"))) == compiled > 0
