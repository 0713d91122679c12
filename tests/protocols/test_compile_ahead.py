"""Compilation in a process that outlives a game."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import starscout
from starscout import games
from starscout.protocols.compile_ahead import BackgroundCompilation, mark_warm, marker
from tests.patience import PATIENCE

ROOT = Path(starscout.__file__).parents[1]


def test_a_marker_belongs_to_player_and_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STARSCOUT_CACHE", str(tmp_path))
    ewn, kari = games.load("ewn"), games.load("kari")
    names = {marker("strong", ewn), marker("strong", kari), marker("random", ewn)}
    assert len(names) == 3
    mark_warm("strong", ewn)
    assert marker("strong", ewn).exists()
    assert BackgroundCompilation("strong", ewn).done


def test_compilation_outlives_the_engine(tmp_path: Path) -> None:
    environment = {k: v for k, v in os.environ.items() if k != "NUMBA_DISABLE_JIT"} | {"STARSCOUT_CACHE": str(tmp_path)}
    words = ["engine", "random", "--protocol", "tcg-raw", "--game", "kari"]
    agent = subprocess.Popen(
        [sys.executable, "-m", "starscout", *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
        env=environment,
        start_new_session=True,
    )
    kernels = tmp_path / "kernels"
    wait_for(lambda: bool(list(kernels.glob("*.warming"))))
    os.killpg(agent.pid, signal.SIGKILL)
    _, said = agent.communicate()
    assert b"compiling random for kari, once" in said
    wait_for(lambda: bool(list(kernels.glob("*.warm"))))


def wait_for(condition) -> None:
    until = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.05)
