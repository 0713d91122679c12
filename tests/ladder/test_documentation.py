"""The commands of docs/ladder.md: a teacher starts a ladder from an empty folder, a student submits."""

import csv
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.blocks import ROOT, blocks_of
from tests.ladder.running import PATIENCE

PAGE = ROOT / "docs" / "ladder.md"
MOST_OF_A_TEACHER, MOST_OF_A_STUDENT = 10, 5


def commands() -> list[list[str]]:
    return [block.splitlines() for language, block in blocks_of(PAGE) if language == "sh"]


@contextmanager
def shell(folder: Path) -> Iterator["subprocess.Popen[str]"]:
    """A shell with `starscout` on its path, in an empty folder with the files that the page shows."""
    (folder / "bin").mkdir()
    (folder / "bin" / "starscout").write_text(f'#!/bin/sh\nexec {sys.executable} -m starscout "$@"\n')
    (folder / "bin" / "starscout").chmod(0o755)
    for name, content in re.findall(r"[Ss]ave as `([\w.]+)`:\n\n```\w+\n(.*?)```", PAGE.read_text(), re.DOTALL):
        (folder / name).write_text(content)
    environment = {
        **os.environ, "PATH": f"{folder}/bin:{os.environ['PATH']}", "PYTHONPATH": str(ROOT), "NUMBA_DISABLE_JIT": "1",
    }  # fmt: skip
    with subprocess.Popen(
        ["bash"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=folder,
        env=environment,
    ) as process:  # fmt: skip
        yield process


def test_the_commands_are_few() -> None:
    teacher, student, _ = commands()
    assert len(teacher) + 1 <= MOST_OF_A_TEACHER
    assert len(student) <= MOST_OF_A_STUDENT


@pytest.mark.slow
def test_a_teacher_and_a_student_follow_the_page(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    teacher, student, _ = commands()
    with shell(tmp_path) as bash:
        assert bash.stdin is not None
        assert bash.stdout is not None
        began = teacher[0].replace(" &", f" --port {port} &")
        wait = "until test -s course/teacher.token; do sleep 0.2; done"
        bash.stdin.write("\n".join([began, wait, *teacher[2:], "echo ready", ""]))
        bash.stdin.flush()
        lines = list(iter(bash.stdout.readline, "ready\n"))
        assert any("class-tokens.csv: 3 tokens" in line for line in lines), lines
        with (tmp_path / "class-tokens.csv").open(encoding="utf-8-sig", newline="") as file:
            token = next(csv.DictReader(file))["token"]
        given = [line.replace("PASTE-YOUR-TOKEN", token).replace("8020", str(port)) for line in student]
        bash.stdin.write("\n".join([*given, "echo result $?", "kill %1", "wait", "exit", ""]))
        bash.stdin.flush()
        end = time.monotonic() + PATIENCE
        lines = []
        for line in bash.stdout:
            lines.append(line)
            assert time.monotonic() < end
    assert "result 0\n" in lines, lines
    assert sum(line.startswith("accepted") for line in lines) == 2, lines
    shutil.rmtree(tmp_path / "course")
