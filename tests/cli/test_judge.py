"""`starscout judge GAME PORT` with two or more engine processes, including a misbehaving one."""

import json
import re
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import starscout
from starscout.cli import matches, referee
from starscout.game import GameError

ROOT = Path(starscout.__file__).parents[1]
COMMAND = [sys.executable, "-m", "starscout"]
PATIENT = """
from starscout.cli.main import main
from starscout.protocols import otp

otp.OTHER_SECONDS = 60.0
main()
"""
"""A judge with longer timeouts than the course's, for busy machines."""


@pytest.fixture(autouse=True)
def quick_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run child processes in plain Python: they start faster, and random players need no kernels."""
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


def test_two_othello_engines_play_at_a_judge() -> None:
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
    """An engine with fixed answers to the first words of commands."""

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


def test_lab_engines_with_a_token_and_json(capsys: pytest.CaptureFixture[str]) -> None:
    port = free_port()
    engines = [start_engine(port, name, "--token", "sesame") for name in ("one", "two")]
    done = run_judge("ewn", port, "--token", "sesame", "--rounds", "4", "--json")
    assert done.returncode == 0, done.stderr
    assert [engine.wait(60) for engine in engines] == [0, 0]
    result = json.loads(done.stdout)
    assert (result["games"], result["pairs"], result["draws"]) == (4, 2, 0)
    assert result["forfeits"] == {"A": {}, "B": {}}
    listed = stored(capsys)
    (match,) = listed["matches"]
    assert ({match["a"], match["b"]}, match["games"]) == ({"one", "two"}, 4)
    assert {name: match[name] for name in ("wins", "losses")} == {name: result[name] for name in ("wins", "losses")}
    assert len(listed["tournaments"]) == 1


def stored(capsys: pytest.CaptureFixture[str], *, tournament: int | None = None) -> dict:
    """The output of `starscout results --json` for the judge's store."""
    matches.results(tournament=tournament, json=True)
    return json.loads(capsys.readouterr().out)


def judged(*options: str) -> subprocess.CompletedProcess[str]:
    """Three engines that have played at a judge and exited."""
    port = free_port()
    engines = [start_engine(port, name, "--token", "sesame") for name in ("one", "two", "three")]
    done = run_judge("ewn-3x3-3", port, "--token", "sesame", "--engines", "3", *options)
    assert done.returncode == 0, done.stderr
    assert [engine.wait(20) for engine in engines] == [0, 0, 0]
    return done


@pytest.mark.slow
def test_three_engines_play_a_round_robin(capsys: pytest.CaptureFixture[str]) -> None:
    done = judged("--round-robin", "--rounds", "3")
    lines = [line.split() for line in done.stdout.splitlines()]
    assert lines[0] == ["rank", "player", "games", "points", "opponents'", "points", "Elo"]
    assert {line[1] for line in lines[1:4]} == {"one", "two", "three"}
    assert all(line[2] == "6" for line in lines[1:4])
    assert sum(float(line[3]) for line in lines[1:4]) == 9
    assert lines[4] == ["rank", "1", "2", "3"]
    assert done.stderr.count(" – ") == 9

    listed = stored(capsys)
    assert len(listed["matches"]) == 3
    assert all((match["games"], match["finished"]) == (3, True) for match in listed["matches"])
    assert [listed["tournaments"][0][name] for name in ("kind", "game", "games")] == ["round robin", "ewn-3x3-3", 3]
    rows = stored(capsys, tournament=1)["table"]
    assert [[str(row["rank"]), row["player"], str(row["games"])] for row in rows] == [line[:3] for line in lines[1:4]]


def test_three_engines_play_a_swiss(capsys: pytest.CaptureFixture[str]) -> None:
    told = json.loads(judged("--swiss", "2", "--json").stdout)
    assert {row["player"] for row in told["table"]} == {"one", "two", "three"}
    # Two rounds with one pairing each; a bye scores the two points of a round.
    assert sum(row["score"] for row in told["table"]) == 2 * 2 + 2 * 2
    assert [meeting["round"] for meeting in told["rounds"]] == [1, 1, 2, 2]
    assert len({meeting["rests"] for meeting in told["rounds"] if "rests" in meeting}) == 2
    assert stored(capsys, tournament=told["tournament"])["table"] == told["table"]
    assert [match["games"] for match in stored(capsys)["matches"]] == [2, 2]


def test_round_robin_and_swiss_exclude_each_other() -> None:
    with pytest.raises(GameError, match="pass only one of round_robin, swiss"):
        referee.judge("ewn", 0, round_robin=True, swiss=2)


TIMED_JUDGE = """
import sys

from starscout.cli.main import main
from starscout.protocols import judge

judge.HELLO_SECONDS = float(sys.argv.pop(1))
main()
"""
"""A judge whose login timeout is the first argument."""

HELLO = "the first line must be: hello NAME TOKEN, with the judge's token"


@pytest.mark.parametrize(
    ("judged", "options", "why"),
    [
        ("lab", ("--token", "wrong"), HELLO),
        ("lab", (), HELLO),
        ("lab", ("--protocol", "otp"), f"hello is missing: {HELLO} (--protocol lab)"),
        ("otp", ("--token", "sesame"), "the answer to name must be: name NAME (--protocol otp)"),
    ],
)
def test_a_rejected_engine_and_its_judge_report_the_reason(judged: str, options: tuple[str, ...], why: str) -> None:
    port = free_port()
    secret = ("--token", "sesame") if judged == "lab" else ()
    words = ["judge", "othello", str(port), "--protocol", judged, *secret, "--wait", "60"]
    # The timeout is short only where it is the reason.
    seconds = 0.5 if why.startswith("hello is missing") else 60.0
    command = [sys.executable, "-c", TIMED_JUDGE, str(seconds), *words]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=ROOT) as door:
        assert door.stderr is not None
        try:
            assert door.stderr.readline().startswith("waiting at ")
            engine = [*COMMAND, "engine", "random", "--connect", f"127.0.0.1:{port}", *options]
            done = subprocess.run(engine, capture_output=True, text=True, timeout=60, cwd=ROOT)
            said = door.stderr.readline()
        finally:
            door.kill()
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines()[-1] == f"starscout: the judge rejected this engine: {why}"
    assert re.fullmatch(rf"rejected 127\.0\.0\.1:\d+: {re.escape(why)}\n", said)


def test_an_engine_reports_a_judge_that_leaves() -> None:
    port = free_port()
    engine = [*COMMAND, "engine", "random", "--connect", f"127.0.0.1:{port}", "--token", "sesame"]
    with subprocess.Popen(engine, stderr=subprocess.PIPE, text=True, cwd=ROOT) as lonely:
        assert run_judge("ewn", port, "--token", "sesame", "--wait", "3").returncode == 1
        assert lonely.stderr is not None
        assert lonely.stderr.read() == "starscout: the judge closed the connection before the first game\n"
    assert lonely.returncode == 1


def test_a_judge_without_engines_times_out() -> None:
    done = run_judge("othello", free_port(), "--wait", "0.1")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.endswith("starscout: only 0 of 2 engines connected within 0.1 s\n")
