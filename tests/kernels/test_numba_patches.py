"""Patched type inference finds the types that Numba itself would find."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy
import pytest

from starscout.errors import CodeError
from starscout.kernels import numba_patches
from starscout.kernels.kernel import PLAIN, kernel, result_types

pytestmark = pytest.mark.skipif(PLAIN, reason="plain Python compiles nothing")


@pytest.fixture
def partial_inferences(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The inferers that ran a second inference of their kernel to find the type of a recursive call."""
    found: list[Any] = []
    original = numba_patches._partial_return_type

    def counted(inferer: Any) -> Any:
        found.append(inferer)
        return original(inferer)

    monkeypatch.setattr(numba_patches, "_partial_return_type", counted)
    return found


@pytest.fixture(autouse=True)
def empty_cache(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STARSCOUT_CACHE", str(tmp_path))


def test_recursive_calls_are_inferred_once(partial_inferences: list[Any]) -> None:
    @kernel
    def tribonacci(n: int) -> int:
        if n < 3:
            return n
        return tribonacci(n - 1) + tribonacci(n - 2) + tribonacci(n - 3)

    assert tribonacci(10) == 230
    assert result_types(tribonacci) == {("int64",)}
    assert len(partial_inferences) == 1


def test_recursion_that_widens_the_return_type(partial_inferences: list[Any]) -> None:
    """Without its recursive calls the kernel seems to return integers."""

    @kernel
    def halves(n: int) -> float:
        if n == 0:
            return 1
        value = halves(n - 1)
        return value * 0.5

    assert halves(3) == 0.125
    assert result_types(halves) == {("float64",)}
    assert len(partial_inferences) > 1


def test_infinite_recursion_is_an_error() -> None:
    @kernel
    def endless(n: int) -> int:
        return endless(n - 1)

    with pytest.raises(CodeError, match="endless"):
        endless(1)


def test_operator_types_are_cached_per_argument_types() -> None:
    @kernel
    def mixed(n: int, x: float) -> float:
        whole, broken = n + n, x + x
        return whole // 4 + broken / 4 + n % 3 + x % 3

    assert mixed(5, 2.5) == 10 // 4 + 5.0 / 4 + 5 % 3 + 2.5 % 3


@pytest.mark.parametrize("stop", [10.5, 10.0])
def test_range_of_floats_is_an_error(stop: float) -> None:
    """Numba truncates it; Python rejects it."""

    @kernel
    def summed(start: int, end: float) -> int:
        total = 0
        for number in range(start, end):  # pyright: ignore[reportArgumentType]
            total += number
        return total

    with pytest.raises(CodeError, match=r"test_numba_patches.py:\d+ in summed: .*there is no range\(int64, float64\)"):
        summed(7, stop)
    assert summed(7, 10) == 24


@pytest.mark.parametrize("index", [0, -1])
def test_floats_in_arrays_of_integers_are_an_error(index: int) -> None:
    """Numba truncates them, so a game would have other moves than its author meant."""

    @kernel
    def first(out: Any, number: float) -> int:
        out[0] = number
        return out[0]

    @kernel
    def at(out: Any, place: int, number: float) -> int:
        out[place] = number
        return out[place]

    row = numpy.zeros(2, numpy.int64)
    for call in (lambda: first(row, 2.5), lambda: at(row, index, 2.5)):
        with pytest.raises(
            CodeError, match=r"test_numba_patches.py:\d+ in .*a float64 in an array of int64 would be truncated"
        ):
            call()
    assert first(row, 3) == at(row, index, 3) == 3
    assert at(numpy.zeros(2), index, 2.5) == 2.5


def test_negative_indices_are_wrapped_only_outside_the_package() -> None:
    """In a kernel of the package, index −1 of a view is the item before the view: nothing is added to it."""
    source = "def item(values, index):\n    return values[index]\n"
    view = numpy.arange(5)[2:4]
    found = []
    for file in ("game.py", str(numba_patches.PACKAGE / "games" / "game.py")):
        namespace: dict[str, Any] = {"__name__": "game"}
        exec(compile(source, file, "exec"), namespace)
        found.append(kernel(namespace["item"])(view, -1))
    assert found == [3, 1]


CALL_DURING_COMPILATION = """
import threading
from numba.core.compiler_lock import global_compiler_lock
from starscout.kernels import numba_patches
from starscout.kernels.kernel import kernel

@kernel
def inner(n):
    return n + 1

@kernel
def outer(n):
    return inner(n) + 1

called, request = threading.Event(), numba_patches.request_wrapper
def announced_request():
    called.set()
    request()

numba_patches.request_wrapper = announced_request
with global_compiler_lock:
    thread = threading.Thread(target=lambda: print(inner(1), flush=True))
    thread.start()
    called.wait()
    numba_patches.request_wrapper = request
    assert outer(1) == 3
thread.join()
"""


def test_python_calls_a_kernel_that_another_thread_compiles_for_a_caller(tmp_path: Path) -> None:
    """Python calls `inner` while another thread compiles it without a wrapper: the call must not jump to address 0."""
    script = tmp_path / "script.py"
    script.write_text(CALL_DURING_COMPILATION)
    run = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout) == (0, "2\n"), run.stderr
