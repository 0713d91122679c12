"""The notice hook is called if a compilation takes long."""

import subprocess
import sys
from pathlib import Path

import starscout
from tests.patience import PATIENCE

SCRIPT = """
import threading
from starscout.kernels import notices
told = []
notices.compiling = lambda: told.append("notice")

class Timer:
    # Fires at once.

    def __init__(self, seconds, function):
        assert seconds == notices.COMPILING_SECONDS
        self.function = function

    def start(self):
        self.function()

    def cancel(self):
        told.append("end")

from starscout.kernels.kernel import kernel

@kernel
def double(number):
    return 2 * number

threading.Timer = Timer
assert double(4) == 8
assert told == ["notice", "end"], told
assert double(5) == 10
assert told == ["notice", "end"], told
"""


def test_compiling_is_noticed_once_per_compilation(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("STARSCOUT_CACHE", str(tmp_path))
    monkeypatch.delenv("NUMBA_DISABLE_JIT", raising=False)
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    root = str(Path(starscout.__file__).parents[1])
    monkeypatch.setenv("PYTHONPATH", root)
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
