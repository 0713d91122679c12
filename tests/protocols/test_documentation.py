"""The examples of docs/protocols.md and docs/referee.md."""

import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

import starscout
from starscout.protocols.registry import PROTOCOLS
from tests.patience import PATIENCE

ROOT = Path(starscout.__file__).parents[1]
PAGE = ROOT / "docs" / "protocols.md"
COMMAND = [sys.executable, "-m", "starscout"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files of the page, compiled as described there."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    found = re.findall(r"[Ss]ave as `([\w.]+)`:\n\n```\w+\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    for name, text in found:
        (tmp_path / name).write_text(text)
    engines = {f"{protocol}.py" for protocol in ("lab", "raw", "dark", "otp", "nboard", "gtp")}
    assert {name for name, _ in found} == {"tiny.py", "tiny.c", "client.py", "tokens.csv", "reversi.py", *engines}
    for name in ("tiny.py", *engines):
        (tmp_path / name).chmod(0o755)
    subprocess.run(["gcc", "-O2", "-Wall", "-Werror", "-o", "tiny", "tiny.c"], cwd=tmp_path, check=True)
    return tmp_path


def run(folder: Path, *words: str) -> str:
    done = subprocess.run([*COMMAND, *words], cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def free_port() -> str:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return str(server.getsockname()[1])


def test_the_python_and_the_c_engine_play_each_other(folder: Path) -> None:
    records = folder / "games.jsonl"
    out = run(
        folder, "game", "--game", "ewn", "-p0", "./tiny.py", "-p1", "./tiny", "-r", "10", "--records", "games.jsonl"
    )
    assert out.startswith("p0 ./tiny.py: ")
    reasons = re.findall(r'"reason": "([^"]*)"', records.read_text())
    assert len(reasons) == 10
    assert set(reasons) <= {"corner", "captured all"}


def test_every_protocol_has_a_complete_engine(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    checked = [
        starscout.check(game, engine)
        for game, engine in (
            ("ewn", "lab:./lab.py"), ("ewn", "tcg-ewn:./tiny.py"), ("ewn", "tcg-ewn:./tiny"),
            ("kari", "tcg-raw:./raw.py"), ("dark-chess", "tcg-dark:./dark.py"),
            ("dark-chess-open", "tcg-dark:./dark.py"), ("othello", "otp:./otp.py"), ("othello", "nboard:./nboard.py"),
            ("othello", "gtp:./gtp.py"),
        )
    ]  # fmt: skip
    assert [(result.games, result.problems) for result in checked] == [(2, ())] * len(checked)
    assert {result.protocol for result in checked} == set(PROTOCOLS)


def test_both_at_the_judge_over_tcp(folder: Path) -> None:
    port = free_port()
    engines = [
        subprocess.Popen(
            [
                *COMMAND,
                "engine",
                f"tcg-ewn:./{program}",
                "--connect",
                f"127.0.0.1:{port}",
                "--token",
                "sesame",
                "--name",
                name,
            ],
            cwd=folder,
        )
        for program, name in (("tiny.py", "python"), ("tiny", "c"))
    ]
    lines = run(folder, "judge", "ewn", port, "--token", "sesame", "--rounds", "4").splitlines()
    assert [engine.wait(PATIENCE) for engine in engines] == [0, 0]
    assert sorted(line.split()[0] for line in lines) == ["NAME:c", "NAME:python"]
    assert all(" QUIT:0 " in line for line in lines)


def test_tcp_engine_plays_with_the_rules_of_starscout(folder: Path) -> None:
    port = free_port()
    engine = subprocess.Popen(
        [*COMMAND, "engine", "random", "--connect", f"127.0.0.1:{port}", "--token", "sesame"], cwd=folder
    )
    judge = subprocess.Popen(
        [*COMMAND, "judge", "othello", port, "--protocol", "lab", "--token", "sesame"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert judge.stderr is not None
    assert "waiting at" in judge.stderr.readline()
    client = subprocess.Popen([sys.executable, "client.py", port, "sesame"], cwd=folder)
    out, _ = judge.communicate(timeout=300)
    assert [engine.wait(PATIENCE), client.wait(PATIENCE)] == [0, 0]
    assert "NAME:client QUIT:0 " in out


def test_the_referee_from_python(folder: Path) -> None:
    code = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "referee.md").read_text(encoding="utf-8"), re.DOTALL)[0]
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, timeout=300)
    assert re.fullmatch(r"[01] (corner|captured all) \d+\n", done.stdout), done.stderr
