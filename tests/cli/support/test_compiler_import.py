"""The import of the compiler: no threads for linear algebra, unless somebody asks for them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
THREADS = """
import os, sys, time
from starscout.cli.main import main
try:
    main()
finally:
    # A thread of ours that has ended may still be listed for a moment.
    time.sleep(0.3)
    print(len(os.listdir("/proc/self/task")), os.environ.get("OPENBLAS_NUM_THREADS"), file=sys.stderr)
"""


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="the threads of a process are not listed here")
@pytest.mark.parametrize(
    ("words", "given", "threads"),
    [("games --json", None, "1"), ("games --json", "2", "2"), ("engine random --protocol otp", None, "1")],
)
def test_linear_algebra_starts_threads_only_for_who_asks(words: str, given: str | None, threads: str) -> None:
    """And what is set for our own process is not set for the programs that it starts."""
    kept = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    variables = {**kept, "PYTHONPATH": str(ROOT), **({} if given is None else {"OPENBLAS_NUM_THREADS": given})}
    ended = subprocess.run(
        [sys.executable, "-c", THREADS, *words.split()],
        env=variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.stderr.split()[-1] == str(given)
    if given is None or (os.cpu_count() or 1) > 1:
        assert ended.stderr.split()[-2] == threads
