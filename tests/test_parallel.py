"""tests/parallel.py: failures, skipped tests and crashed processes are reported as without it."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
TESTS = """
import os, signal
import pytest

@pytest.mark.parametrize("number", range(9))
def test_number(number):
    print("number", number)
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    assert number != 5

def test_skipped():
    pytest.skip("reason")
"""


ORDER = """
import os, time
import pytest

@pytest.mark.parametrize("number", range(20))
def test_number(number):
    with open("order", "a") as file:
        print(os.getpid(), number, file=file)
    time.sleep(0.02)
"""


def run(folder: Path, tests: str) -> "subprocess.CompletedProcess[str]":
    (folder / "test_numbers.py").write_text(tests)
    options = ("-q", "-p", "tests.parallel", "--processes", "3", "-p", "no:cacheprovider")
    variables = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "pytest", *options]
    return subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, check=False)


def test_every_process_runs_its_tests_in_order(tmp_path: Path) -> None:
    ended = run(tmp_path, ORDER)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    by_process: dict[str, list[int]] = {}
    for line in (tmp_path / "order").read_text().splitlines():
        process, number = line.split()
        by_process.setdefault(process, []).append(int(number))
    assert len(by_process) == 3
    assert sorted(number for numbers in by_process.values() for number in numbers) == list(range(20))
    assert all(numbers == sorted(numbers) for numbers in by_process.values())


def test_failures_and_crashes_are_reported(tmp_path: Path) -> None:
    ended = run(tmp_path, TESTS)
    assert ended.returncode == 1, ended.stderr
    assert re.search(r"^2 failed, 7 passed, 1 skipped", ended.stdout, re.MULTILINE)
    assert "\nthe process of this test ended with exit code -9\n" in ended.stdout
    assert "assert 5 != 5" in ended.stdout
    assert re.findall(r"^number \d$", ended.stdout, re.MULTILINE) == ["number 5"]
