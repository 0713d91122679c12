"""The notice hook is called if a compilation takes long."""

import subprocess
import sys
from pathlib import Path

import starscout

SCRIPT = """
import time
from starscout.kernels import notices
notices.COMPILING_SECONDS = 0.0001
told = []
notices.compiling = lambda: told.append(1)
from starscout.kernels.kernel import kernel

@kernel
def double(number):
    return 2 * number

assert double(4) == 8
time.sleep(0.2)
assert told == [1]
assert double(5) == 10
time.sleep(0.1)
assert told == [1]
"""


def test_compiling_is_noticed_once_per_compilation(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("STARSCOUT_CACHE", str(tmp_path))
    monkeypatch.delenv("NUMBA_DISABLE_JIT", raising=False)
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    root = str(Path(starscout.__file__).parents[1])
    monkeypatch.setenv("PYTHONPATH", root)
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
