"""The fuzzer finds nothing in a few thousand inputs, and finds a planted bug."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from starscout.kernels.kernel import PLAIN

ROOT = Path(__file__).parents[1]

pytestmark = pytest.mark.skipif(PLAIN, reason="the fuzzer always runs without JIT")


def fuzz(*arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "tests/fuzz.py", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False)


def test_fuzzing_finds_nothing_in_a_few_thousand_inputs() -> None:
    done = fuzz("--inputs", "4000", "--seed", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    rows = re.findall(r"^(\S+) +([\d,]+) +[\d,]+ +[\d,]+ +[\d,]+ +(\d+)$", done.stdout, re.MULTILINE)
    assert len(rows) > 50
    assert all(inputs != "0" for _, inputs, _ in rows)
    assert rows[-1][0] == "all"
    assert int(rows[-1][1].replace(",", "")) >= 4_000


def test_fuzzing_finds_and_minimises_a_planted_bug() -> None:
    done = fuzz("--inputs", "2000", "--seed", "1", "--target", "planted")
    assert done.returncode == 1
    assert "planted: ValueError at" in done.stdout
    assert "input: '²'" in done.stdout
    assert "1 different findings" in done.stdout
