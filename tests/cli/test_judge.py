"""`starscout judge GAME PORT`: two engines in processes of their own, and one that misbehaves."""

import json
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import starscout

ROOT = Path(starscout.__file__).parents[1]
COMMAND = [sys.executable, "-m", "starscout"]
PATIENT = """
from starscout.cli.main import main
from starscout.protocols import otp

otp.OTHER_SECONDS = 60.0
main()
"""
"""A judge with more patience than the course's, for busy machines."""


@pytest.fixture(autouse=True)
def quick_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the tests start runs as plain Python: it starts sooner, and random movers have nothing to compile."""
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def start_engine(port: int, name: str, *options: str) -> subprocess.Popen[bytes]:
    words = ["engine", "random", "--connect", f"127.0.0.1:{port}", "--name", name, *options]
    return subprocess.Popen([*COMMAND, *words], cwd=ROOT)


def run_judge(game: str, port: int, *options: str) -> subprocess.CompletedProcess[str]:
    words = ["judge", game, str(port), *options]
    command = [sys.executable, "-c", PATIENT, *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=ROOT)


def test_two_othello_engines_and_the_judges_lines() -> None:
    port = free_port()
    engines = [start_engine(port, name, "--protocol", "otp", "--nodes", "10") for name in ("one", "two")]
    done = run_judge("othello", port, "--rounds", "2", "--wait", "60")
    assert done.returncode == 0, done.stderr
    assert [engine.wait(60) for engine in engines] == [0, 0]
    lines = sorted(done.stdout.splitlines())
    assert [line.split()[0] for line in lines] == ["NAME:one", "NAME:two"]
    counts = [dict(word.split(":") for word in line.split()) for line in lines]
    for mine, other in (counts, counts[::-1]):
        assert mine["QUIT"] == "0"
        assert mine["WIN"] == other["LOSE"]
        assert int(mine["WIN"]) + int(mine["LOSE"]) + int(mine["DRAW"]) == 2


def otp_rogue(port: int, answers: dict[str, bytes]) -> threading.Thread:
    """An engine that gives these answers, byte for byte, to the first words of what it is asked."""

    def talk() -> None:
        while True:
            try:
                connection = socket.create_connection(("127.0.0.1", port))
                break
            except ConnectionRefusedError:
                continue
        with connection:
            while chunk := connection.recv(1000):
                answer = answers.get(chunk.decode().split()[0])
                if answer is not None:
                    connection.sendall(answer)

    thread = threading.Thread(target=talk)
    thread.start()
    return thread


def test_a_bad_reply_loses_that_round_and_the_later_ones() -> None:
    port = free_port()
    rogue = otp_rogue(
        port, {"name": b"name rogue", "clear_board": b"CLEAR_BOARD", "genmove": b"genmove 0 0", "play": b"play"}
    )
    engine = start_engine(port, "good", "--protocol", "otp", "--nodes", "10")
    done = run_judge("othello", port, "--rounds", "3", "--wait", "60")
    rogue.join()
    assert engine.wait(60) == 0
    assert sorted(done.stdout.splitlines()) == [
        "NAME:good QUIT:0 WIN:3 LOSE:0 DRAW:0",
        "NAME:rogue QUIT:1 WIN:0 LOSE:3 DRAW:0",
    ]


def test_lab_engines_with_a_token_and_json() -> None:
    port = free_port()
    engines = [start_engine(port, name, "--token", "sesame") for name in ("one", "two")]
    done = run_judge("ewn", port, "--token", "sesame", "--rounds", "4", "--json")
    assert done.returncode == 0, done.stderr
    assert [engine.wait(60) for engine in engines] == [0, 0]
    result = json.loads(done.stdout)
    assert (result["games"], result["pairs"], result["draws"]) == (4, 2, 0)
    assert result["forfeits"] == {"A": {}, "B": {}}


def test_nobody_comes() -> None:
    done = run_judge("othello", free_port(), "--wait", "0.1")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.endswith("starscout: only 0 of 2 engines connected within 0.1 s\n")
