"""`starscout judge GAME PORT` with two or more engine processes, including a misbehaving one."""

import contextlib
import json
import re
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import starscout
from starscout import games
from starscout.cli import matches, referee
from starscout.game import GameError
from starscout.game.state import parse, start
from tests.patience import PATIENCE

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
    assert [engine.wait(PATIENCE) for engine in engines] == [0, 0]
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
    assert engine.wait(PATIENCE) == 0
    assert sorted(done.stdout.splitlines()) == [
        "NAME:good QUIT:0 WIN:3 LOSE:0 DRAW:0",
        "NAME:rogue QUIT:1 WIN:0 LOSE:3 DRAW:0",
    ]


def test_lab_engines_with_a_token_and_json(capsys: pytest.CaptureFixture[str]) -> None:
    port = free_port()
    engines = [start_engine(port, name, "--token", "sesame") for name in ("one", "two")]
    done = run_judge("ewn", port, "--token", "sesame", "--rounds", "4", "--json")
    assert done.returncode == 0, done.stderr
    assert [engine.wait(PATIENCE) for engine in engines] == [0, 0]
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
    assert [engine.wait(PATIENCE) for engine in engines] == [0, 0, 0]
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
    # The timeout is short only in the case that tests it.
    seconds = 0.5 if why.startswith("hello is missing") else 60.0
    command = [sys.executable, "-c", TIMED_JUDGE, str(seconds), *words]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=ROOT) as door:
        assert door.stderr is not None
        try:
            assert door.stderr.readline().startswith("waiting at ")
            engine = [*COMMAND, "engine", "random", "--connect", f"127.0.0.1:{port}", *options]
            done = subprocess.run(engine, capture_output=True, text=True, timeout=PATIENCE, cwd=ROOT)
            said = door.stderr.readline()
        finally:
            door.kill()
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines()[-1] == f"starscout: the judge rejected this engine: {why}"
    assert re.fullmatch(rf"rejected 127\.0\.0\.1:\d+( \(random\))?: {re.escape(why)}\n", said)


def kill(process: "subprocess.Popen[str]") -> None:
    process.kill()
    process.communicate()


def started(*options: str, store: Path) -> "tuple[subprocess.Popen[str], int]":
    """A judge that listens on any free port, and its port."""
    command = [sys.executable, "-m", "starscout", "judge", "ewn-3x3-3", "0", "--store", str(store), *options]
    judge = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT)
    assert judge.stderr is not None
    line = judge.stderr.readline()
    match = re.search(r"waiting at 127\.0\.0\.1:(\d+)", line)
    assert match is not None, line + judge.communicate()[1]
    return judge, int(match[1])


class LabClient(threading.Thread):
    """A lab engine in this process that plays the first legal move and can lose its connection."""

    def __init__(self, port: int, name: str, *, answers: int | None = None, token: str = "sesame") -> None:
        super().__init__(daemon=True)
        self._left = answers
        self.moves = 0
        self._connection = socket.create_connection(("127.0.0.1", port))
        self._connection.settimeout(120.0)
        self._connection.sendall(f"hello {name} {token}\n".encode())
        self.start()

    def run(self) -> None:
        game = games.load("ewn-3x3-3")
        state = start(game)
        with self._connection, contextlib.suppress(OSError), self._connection.makefile("rw") as stream:
            for line in stream:
                words = line.split()
                answer = {"lab": "labok", "isready": "readyok"}.get(words[0])
                if words[0] == "position":
                    end = words.index("moves") if "moves" in words else len(words)
                    state = parse(game, " ".join(words[2:end]))
                    for roll, move in zip(words[end + 1 :: 2], words[end + 2 :: 2], strict=True):
                        rolled = state.rolled(int(roll))
                        state = rolled.play(rolled.parse_move(move))
                elif words[0] == "go":
                    if self._left == self.moves:
                        return
                    self.moves += 1
                    answer = f"bestmove {state.rolled(int(words[2])).moves[0]}"
                if answer:
                    stream.write(f"{answer}\n")
                    stream.flush()


def test_two_missing_engines_end_no_tournament(tmp_path: Path) -> None:
    """Two of four engines leave after their first move: all rounds are played, and the exit code reports it."""
    options = ("--token", "sesame", "--engines", "4", "--swiss", "3", "--reconnect", "0", "--json")
    judge, port = started(*options, store=tmp_path / "a.sqlite")
    clients = [LabClient(port, name, answers=1 if name in "ab" else None) for name in "abcd"]
    output, errors = judge.communicate(timeout=300)
    assert judge.returncode == 1, errors
    result = json.loads(output)
    assert len(result["rounds"]) == 6
    points = {frozenset((row["first"], row["second"])): row["points"] for row in result["rounds"]}
    assert sum(points[frozenset("ab")]) < 2
    assert sum(row["score"] for row in result["table"] if row["player"] in "cd") >= 8
    assert errors.splitlines()[-1].endswith("scored 0 – 0: both engines were disconnected")
    assert "Traceback" not in errors
    for client in clients:
        client.join(PATIENCE)


def test_an_engine_returns_and_plays_its_later_games(tmp_path: Path) -> None:
    """The engine loses its connection in the first game, and forfeits only this game."""
    judge, port = started(
        "--token", "sesame", "--rounds", "6", "--reconnect", "120", "--json", store=tmp_path / "a.sqlite"
    )
    good, bad = LabClient(port, "good"), LabClient(port, "bad", answers=1)
    bad.join(PATIENCE)
    again = LabClient(port, "bad")
    output, errors = judge.communicate(timeout=300)
    assert judge.returncode == 0, errors
    result = json.loads(output)
    assert result["games"] == 6
    assert sum(sum(reasons.values()) for reasons in result["forfeits"].values()) == 1
    assert again.moves > 0
    assert "bad is connected again" in errors
    for client in (good, again):
        client.join(PATIENCE)


def test_a_killed_judge_resumes_its_tournament(tmp_path: Path) -> None:
    """Engines connect in another order, one of them late; games in the store are not played again."""
    store = tmp_path / "a.sqlite"
    options = ("--token", "sesame", "--engines", "3", "--swiss", "3", "--json", "--rounds", "4")
    judge, port = started(*options, store=store)
    clients = [LabClient(port, name) for name in "abc"]
    assert judge.stderr is not None
    # Kill it after the first pair, during a later game.
    for _ in range(3):
        assert " – " in judge.stderr.readline()
    kill(judge)
    before = starscout.results(store=store)
    (played,) = [match for match in before.matches if match.games]
    for client in clients:
        client.join(PATIENCE)
    judge, port = started(*options, store=store)
    clients = [LabClient(port, name) for name in "cab"]
    output, errors = judge.communicate(timeout=300)
    assert judge.returncode == 0, errors
    assert "resuming a tournament of " in errors
    result = json.loads(output)
    assert result["tournament"] == 1
    assert sum(row["games"] for row in result["table"]) == 2 * 3 * 4
    after = starscout.results(played.match, store=store).matches[0]
    assert after.pair_records[: len(played.pair_records)] == played.pair_records
    # A finished tournament is not resumed: the same command starts another one.
    judge, port = started(*options, "--wait", "60", store=store)
    clients += [LabClient(port, name) for name in "abc"]
    output, errors = judge.communicate(timeout=300)
    assert json.loads(output)["tournament"] == 2
    for client in clients:
        client.join(PATIENCE)


def test_tokens_come_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "tokens.csv"
    file.write_text("name,token\nanna,secret-a\nbert,secret-b\n")
    judge, port = started("--tokens", str(file), "--json", store=tmp_path / "a.sqlite")
    clients = [LabClient(port, name, token=token) for name, token in (("anna", "secret-a"), ("bert", "secret-b"))]
    output, errors = judge.communicate(timeout=300)
    assert judge.returncode == 0, errors
    assert json.loads(output)["games"] == 2
    assert "secret" not in errors
    for client in clients:
        client.join(PATIENCE)


def test_tokens_come_from_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STARSCOUT_TOKENS", "anna=secret-a bert=secret-b")
    judge, port = started("--json", store=tmp_path / "a.sqlite")
    monkeypatch.delenv("STARSCOUT_TOKENS")
    client = LabClient(port, "anna", token="secret-a")
    monkeypatch.setenv("STARSCOUT_TOKEN", "secret-b")
    engine = start_engine(port, "bert")
    output, errors = judge.communicate(timeout=300)
    assert judge.returncode == 0, errors
    assert json.loads(output)["games"] == 2
    assert engine.wait(PATIENCE) == 0
    client.join(PATIENCE)


def test_all_errors_of_a_tokens_file_are_reported(tmp_path: Path) -> None:
    file = tmp_path / "tokens.csv"
    file.write_text("name,token\nanna,a b\nbert,b\nbert,c\nJ\u00f6rg,d\n", encoding="latin-1")
    with pytest.raises(GameError) as failure:
        referee.judge("ewn", 0, tokens=str(file))
    assert [line.removeprefix(f"{file}:").split(":")[0] for line in str(failure.value).splitlines()] == ["2", "4", "5"]
    file.write_text("name,token\nanna,a\nbert,b\n")
    with pytest.raises(GameError, match="do not send tokens"):
        referee.judge("othello", 0, tokens=str(file))


def test_a_program_that_fails_behind_an_engine_is_one_line(tmp_path: Path) -> None:
    agent = tmp_path / "agent.py"
    agent.write_text("class Bad:\n    def choose(self, state, limit):\n        raise RuntimeError('boom')\n")
    specs = {f"python:{agent}:Bad": "RuntimeError: boom", f"lab:{sys.executable} -c pass": "crash: "}
    for spec, why in specs.items():
        judge, port = started("--token", "sesame", "--reconnect", "0", "--rounds", "1", store=tmp_path / "a.sqlite")
        client = LabClient(port, "good")
        command = [*COMMAND, "engine", spec, "--connect", f"127.0.0.1:{port}", "--name", "bad", "--token", "sesame"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, cwd=ROOT)
        assert done.returncode in (1, 2)
        assert "Traceback" not in done.stderr
        assert why in done.stderr.splitlines()[-1]
        _, errors = judge.communicate(timeout=300)
        assert judge.returncode == 0, errors
        assert "Traceback" not in errors
        client.join(PATIENCE)


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
