"""The kernel cache across processes: cold, warm, after edits, damaged, shared, read-only and cleared."""

import hashlib
import json
import os
import pickle
import shutil
import subprocess
import sys
import textwrap
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy
import pytest

from starscout.errors import CodeError
from starscout.kernels.cache import cache_files, cache_folder, clear_cache
from starscout.kernels.kernel import PLAIN, kernel, unroll
from tests import command_line

pytestmark = pytest.mark.skipif(PLAIN, reason="plain Python compiles nothing")

RULES = """
    import numpy
    from starscout.kernels.kernel import kernel

    STEP = 3
    TABLE = numpy.array([10, 20, 30])

    @kernel
    def rule(x):
        return x + STEP + TABLE[x % 3]
"""

SEARCH = """
    from starscout.kernels.kernel import kernel

    def build(rule, bonus):
        @kernel
        def twice(x):
            return rule(rule(x)) + bonus
        return twice
"""

MAIN = """
    import json
    from rules import rule
    from search import build

    closures = [build(rule, bonus) for bonus in range(7)]
    answers = {int(twice(1)) - bonus for bonus, twice in enumerate(closures)}
    loaded = [bonus for bonus, twice in enumerate(closures) if twice.stats.cache_hits]
    compiled = [bonus for bonus, twice in enumerate(closures) if twice.stats.cache_misses]
    print(json.dumps([*answers, loaded, compiled]))
"""

ANSWER = (1 + 3 + 20) + 3 + 10
CLOSURES = list(range(7))
LOADED, COMPILED = [ANSWER, CLOSURES, []], [ANSWER, [], CLOSURES]


class Project:
    """A folder with rules, a search and a separate cache."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.cache = folder / "cache"
        for name, source in (("rules", RULES), ("search", SEARCH), ("main", MAIN)):
            (folder / f"{name}.py").write_text(textwrap.dedent(source))

    def start(self) -> "subprocess.Popen[str]":
        """Start a new process."""
        variables = {**os.environ, "STARSCOUT_CACHE": str(self.cache), "PYTHONDONTWRITEBYTECODE": "1"}
        variables["PYTHONPATH"] = os.pathsep.join([str(self.folder), *sys.path])
        return subprocess.Popen(
            [sys.executable, str(self.folder / "main.py")],
            env=variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def result(self, process: "subprocess.Popen[str]") -> list[Any]:
        output, errors = process.communicate(timeout=120)
        assert errors == ""
        return json.loads(output)

    def run(self) -> list[Any]:
        """[the answer, closures loaded, closures compiled] of a process that has imported the package only."""
        environment = {"STARSCOUT_CACHE": str(self.cache)}
        # Edits keep the times of the files, so bytecode would be stale.
        for folder in self.folder.rglob("__pycache__"):
            shutil.rmtree(folder)
        done = command_line.run((), script=self.folder / "main.py", environment=environment, folder=self.folder)
        assert (done.returncode, done.stderr) == (0, "")
        return json.loads(done.stdout)

    def kernels(self, stem: str = "*") -> list[Path]:
        return sorted((self.cache / "kernels").glob(f"{stem}-*.kernel"))

    def edit(self, name: str, old: str, new: str) -> None:
        """Edit a file but keep its times and, if possible, its size."""
        path = self.folder / f"{name}.py"
        times = path.stat()
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


@pytest.fixture(scope="module")
def warm_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A filled cache: a process compiles the closures, the next one loads them."""
    project = Project(tmp_path_factory.mktemp("warm"))
    assert project.run() == COMPILED
    assert project.run() == LOADED
    return project.cache


@pytest.fixture
def warm(project: Project, warm_cache: Path) -> Project:
    shutil.copytree(warm_cache, project.cache)
    return project


@pytest.mark.parametrize(
    ("name", "old", "new", "answer"),
    [
        ("rules", "STEP = 3", "STEP = 5", (1 + 5 + 20) + 5 + 30),
        pytest.param(*("search", "rule(rule(x))", "rule(rule(0))", (0 + 3 + 10) + 3 + 20), marks=pytest.mark.slow),
    ],
)
def test_edits_invalidate_a_warm_cache(warm: Project, name: str, old: str, new: str, answer: int):
    warm.edit(name, old, new)
    assert warm.run() == [answer, [], CLOSURES]
    warm.edit(name, new, old)
    assert warm.run() == LOADED


def truncated(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:1000])


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def one_bit_flipped(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))


class Planted:
    """Creates a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return Path.touch, (self.path,)


def planted_code(path: Path) -> None:
    """The checksum is correct, but not signed with the key of the user."""
    payload = pickle.dumps(Planted(path.parents[2] / "executed"))
    path.write_bytes(hashlib.blake2b(path.name.encode() + payload, digest_size=32).digest() + payload)


def another_kernel_under_this_name(path: Path) -> None:
    (other,) = path.parent.glob("rule-*.kernel")
    path.write_bytes(other.read_bytes())


def a_folder_in_its_place(path: Path) -> None:
    path.unlink()
    path.mkdir()


DAMAGES = (truncated, emptied, one_bit_flipped, planted_code, another_kernel_under_this_name, a_folder_in_its_place)


def test_damaged_files_are_recompiled(warm: Project):
    """Six of the seven closures are damaged, each differently; the seventh has an incomplete copy beside it."""
    *damaged, whole = warm.kernels("build.twice")
    for path, damage in zip(damaged, DAMAGES, strict=True):
        damage(path)
    whole.with_name(f"{whole.name}abc123").write_bytes(whole.read_bytes()[:100])
    answer, loaded, compiled = warm.run()
    assert (answer, len(loaded), len(compiled)) == (ANSWER, 1, 6)
    assert not (warm.folder / "executed").exists()
    answer, loaded, compiled = warm.run()
    assert (answer, len(loaded), len(compiled)) == (ANSWER, 6, 1), "all but the one whose place a folder takes"


@pytest.mark.slow
def test_processes_that_fill_one_cache_together(project: Project):
    processes = [project.start() for _ in range(3)]
    assert [project.result(process)[0] for process in processes] == [ANSWER] * 3
    assert len(list((project.cache / "kernels").iterdir())) == len(project.kernels()) == 1 + len(CLOSURES)
    assert project.run() == LOADED


def test_an_unwritable_cache_is_ignored(project: Project):
    project.cache.write_text("a file where the folder should be")
    assert project.run() == COMPILED


def test_cache_folder_of_the_user(project: Project, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("STARSCOUT_CACHE", raising=False)
    monkeypatch.setenv("HOME", str(project.folder))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert cache_folder() == project.folder / ".cache" / "starscout" / "kernels"
    monkeypatch.setenv("XDG_CACHE_HOME", str(project.folder / "xdg"))
    assert cache_folder() == project.folder / "xdg" / "starscout" / "kernels"


def test_clear_cache(warm: Project, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("STARSCOUT_CACHE", str(warm.cache))
    before = cache_files()
    assert before == warm.kernels()
    (before[0].parent / f"{before[0].name}half").write_bytes(b"half")
    assert clear_cache() == len(before) + 1
    assert cache_files() == []
    assert clear_cache() == 0


def test_files_unused_for_a_month_are_deleted_on_save(warm: Project):
    """Loading a kernel counts as use."""
    old = warm.cache / "kernels" / "old-0.kernel"
    old.write_bytes(b"old")
    for path in (old, *warm.kernels("build.twice")):
        os.utime(path, (0, 0))
    assert warm.run() == LOADED
    assert old.exists()
    warm.edit("rules", "STEP = 3", "STEP = 5")
    warm.run()
    assert not old.exists()
    assert len(warm.kernels("build.twice")) == 2 * len(CLOSURES)


def test_a_kernel_with_an_unsupported_reference_is_rejected():
    anything = object()

    @kernel
    def look(x: int) -> bool:
        return anything is None

    with pytest.raises(CodeError, match=r"test_compiler.py:\d+ in look: .* refers to 'anything'"):
        look(1)


BOTH_CALLERS = """
    import json
    from starscout.kernels.kernel import kernel

    @kernel
    def inner(x):
        return 3 * x + 1

    @kernel
    def first(x):
        return inner(x) + 100

    @kernel
    def second(x):
        return inner(x) + first(x)

    by_kernel = first(2)
    by_python = inner(2), inner(2)
    again = second(2), first(2), inner(2), inner(2.5), second(2.5)
    print(json.dumps([by_kernel, by_python, again]))
"""
"""A kernel that is called by a kernel, then by Python, then by another kernel."""


def test_a_kernel_that_only_kernels_have_called_can_be_called_by_python(project: Project):
    (project.folder / "main.py").write_text(textwrap.dedent(BOTH_CALLERS))
    answers = [107, [7, 7], [114, 107, 7, 8.5, 117.0]]
    assert project.run() == answers
    # Now both kinds come from the cache.
    assert project.run() == answers


def test_wrapper_is_compiled_on_the_first_call_from_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("STARSCOUT_CACHE", str(tmp_path))

    @kernel
    def inner(x: int) -> int:
        return 3 * x + 1

    @kernel
    def outer(x: int) -> int:
        return inner(x) + 100

    assert outer(2) == 107
    called: Any = inner
    (compiled,) = called.overloads.values()
    assert "cpython" not in compiled.library.get_llvm_str()
    assert inner(2) == 7
    (compiled,) = called.overloads.values()
    assert "cpython" in compiled.library.get_llvm_str()
    assert outer(2) == 107


def test_kernels_release_the_gil():
    """A kernel that held the GIL would count to the end before it could be stopped."""

    @kernel
    def count_until_stopped(count: numpy.ndarray, stop: numpy.ndarray, limit: int) -> bool:
        while count[0] < limit:
            count[0] += 1
            if stop[0] != 0:
                return True
        return False

    count, stop = numpy.zeros(1, dtype=numpy.int64), numpy.zeros(1, dtype=numpy.int64)
    count_until_stopped(count, stop, 0)
    with ThreadPoolExecutor(1) as pool:
        stopped = pool.submit(count_until_stopped, count, stop, 20 * 10**9)
        while count[0] == 0:
            time.sleep(0.001)
        stop[0] = 1
        assert stopped.result()


def test_numba_disable_jit_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    @kernel
    def first(number: int) -> int:
        return number + 1

    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    assert first(1) == 2

    @kernel
    def second(number: int) -> int:
        return first(number) + 1

    @kernel
    def third(numbers: tuple[int, float]) -> float:
        total = 0.0
        for number in unroll(numbers):  # an overload, which Numba compiles itself
            total += number
        return second(1) + total

    assert second(1) == 3
    assert third((1, 2.5)) == 6.5
    assert type(second) is type(first)


LIGHT = """
import sys
from starscout.kernels.kernel import kernel

@kernel
def doubled(number: int) -> int:
    return number + number

print(doubled(21), "numba.np.random.generator_core" in sys.modules)
"""


def test_modules_of_the_compiler_are_imported_only_by_processes_that_compile(tmp_path: Path) -> None:
    script = tmp_path / "light.py"
    script.write_text(LIGHT)
    variables = {**os.environ, "STARSCOUT_CACHE": str(tmp_path / "cache")}
    outputs = [
        subprocess.run([sys.executable, str(script)], env=variables, capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    ]
    assert outputs == ["42 True\n", "42 False\n"]
