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


def test_failures_and_crashes_are_reported(tmp_path: Path) -> None:
    (tmp_path / "test_numbers.py").write_text(TESTS)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "tests.parallel",
        "--processes",
        "3",
        "-p",
        "no:cacheprovider",
    ]
    variables = {**os.environ, "PYTHONPATH": str(ROOT)}
    ended = subprocess.run(command, cwd=tmp_path, env=variables, capture_output=True, text=True, check=False)
    assert ended.returncode == 1, ended.stderr
    assert re.search(r"^2 failed, 7 passed, 1 skipped", ended.stdout, re.MULTILINE)
    assert "\nthe process of this test ended with exit code -9\n" in ended.stdout
    assert "assert 5 != 5" in ended.stdout
    assert re.findall(r"^number \d$", ended.stdout, re.MULTILINE) == ["number 5"]
