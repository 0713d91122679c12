"""Files in the working directory never shadow libraries; `--help` and imports stay light."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import starscout
from tests.patience import PATIENCE

ROOT = Path(starscout.__file__).parents[1]
SCRIPT = Path(sys.executable).with_name("starscout")
NAMES = ("queue", "json", "random", "typing", "signal", "socket", "threading", "numbers", "secrets", "tempfile", "rich")
MATCH = ("match", "ewn-3x3-3", "random", "random", "--pairs", "2", "--workers", "1", "--store", ":memory:", "--json")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in NAMES:
        (tmp_path / f"{name}.py").write_text(f"raise RuntimeError('the {name} of the working directory')\n")
    return tmp_path


def run(command: list[str], folder: Path, **changes: str) -> "subprocess.CompletedProcess[str]":
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
    variables = {**kept, "PYTHONPATH": str(ROOT), "NUMBA_DISABLE_JIT": "1", **changes}
    return subprocess.run(
        command, cwd=folder, env=variables, capture_output=True, text=True, timeout=PATIENCE, check=False
    )


@pytest.mark.parametrize("words", [("games",), ("--help",), MATCH], ids=["games", "help", "match"])
@pytest.mark.parametrize("start", ["module", "script"])
def test_working_directory_does_not_shadow_libraries(start: str, words: tuple[str, ...], folder: Path) -> None:
    if start == "script" and not SCRIPT.is_file():
        pytest.skip("the command is not installed")
    command = [sys.executable, "-m", "starscout"] if start == "module" else [str(SCRIPT)]
    ended = run([*command, *words], folder)
    assert ended.returncode == 0, ended.stderr
    assert "of the working directory" not in ended.stderr


def test_package_in_the_working_directory() -> None:
    ended = run([sys.executable, "-m", "starscout", "games", "--json"], ROOT, PYTHONPATH="")
    assert ended.returncode == 0, ended.stderr


def test_programs_of_a_match_import_from_their_folder(tmp_path: Path, trusted: None) -> None:
    """Variables set for workers are not inherited by the programs that they start."""
    (tmp_path / "neighbour.py").write_text("NAME = 'neighbour'\n")
    agent = tmp_path / "agent.py"
    agent.write_text("import os, sys\nimport neighbour\nassert 'PYTHONSAFEPATH' not in os.environ\nopen('ran', 'w')\n")
    words = ("match", "ewn", f"lab:{sys.executable} agent.py", "random", *MATCH[4:])
    run([sys.executable, "-m", "starscout", *words], tmp_path)
    assert (tmp_path / "ran").is_file()


def test_import_starscout_imports_nothing_else() -> None:
    code = "import sys; before = set(sys.modules); import starscout; print(sorted(set(sys.modules) - before))"
    ended = run([sys.executable, "-S", "-c", code], ROOT)
    assert ended.stdout.strip() == "['starscout']", ended.stderr


def test_internal_errors_keep_their_traceback(tmp_path: Path) -> None:
    code = (
        "import sys, starscout.state\n"
        "def broken(*_):\n    raise AttributeError('ours')\n"
        "broken.__code__ = broken.__code__.replace(co_filename=starscout.state.__file__)\n"
        "starscout.state.start = broken\n"
        "sys.argv = ['starscout', 'show', 'ewn']\n"
        "from starscout.cli.main import main\nmain()\n"
    )
    ended = run([sys.executable, "-c", code], tmp_path)
    assert ended.returncode == 1
    assert "Traceback" in ended.stderr


THREADS = """
import os, sys, time
from starscout.cli.main import main
try:
    main()
finally:
    # A finished thread may still be listed for a moment.
    time.sleep(0.3)
    print(len(os.listdir("/proc/self/task")), os.environ.get("OPENBLAS_NUM_THREADS"), file=sys.stderr)
"""


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="no /proc/self/task")
@pytest.mark.parametrize(
    ("words", "given", "threads"),
    [("games --json", None, "1"), ("games --json", "2", "2"), ("engine random --protocol otp", None, "1")],
)
def test_linear_algebra_starts_no_threads_by_default(words: str, given: str | None, threads: str) -> None:
    """The variable of this process is not passed on to child processes."""
    kept = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    variables = {**kept, "PYTHONPATH": str(ROOT), **({} if given is None else {"OPENBLAS_NUM_THREADS": given})}
    ended = subprocess.run(
        [sys.executable, "-c", THREADS, *words.split()],
        env=variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert ended.stderr.split()[-1] == str(given)
    if given is None or len(os.sched_getaffinity(0)) > 1:
        assert ended.stderr.split()[-2] == threads
