"""`@kernel`: compiled and plain results agree, and plain Python does not import the compiler."""

import os
import subprocess
import sys
from pathlib import Path

import numpy
import pytest

import starscout
from starscout.kernels.kernel import PLAIN, borrowed, first_number, is_kernel, kernel, result_types, unroll

PACKAGE = Path(starscout.__file__).parent


@kernel
def doubled(number: int) -> int:
    return number + number


@kernel(inline=True)
def total(numbers: tuple[int, float]) -> float:
    result = 0.0
    for number in unroll(numbers):
        result += number
    return result


@pytest.mark.plain
def test_a_kernel_returns_what_the_function_returns() -> None:
    assert doubled(21) == 42
    assert total((1, 0.5)) == 1.5
    assert is_kernel(doubled)
    assert result_types(doubled) == (set() if PLAIN else {("int64",)})


@pytest.mark.plain
def test_first_number_reads_memory_at_every_call() -> None:
    @kernel
    def read(flag: numpy.ndarray) -> int:
        return first_number(borrowed(flag))

    flag = numpy.zeros(2, dtype=numpy.int64)
    assert read(flag) == 0
    flag[0] = 7
    assert read(flag) == 7


@pytest.mark.parametrize(("switch", "plain"), [("1", True), ("0", False), ("", False), ("yes", False)])
def test_numba_disable_jit_values(switch: str, plain: bool) -> None:
    code = "from starscout.kernels.kernel import PLAIN; print(PLAIN)"
    environment = {**os.environ, "NUMBA_DISABLE_JIT": switch}
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert run.stdout == f"{plain}\n"


def test_plain_python_does_not_import_numba() -> None:
    """An engine can answer its first command before the compiler is imported."""
    code = "import sys, starscout.protocols.tcg_raw, starscout.games; print('numba' in sys.modules)"
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert run.stdout == "False\n"


def test_four_files_import_numba() -> None:
    knowing = [
        path.name
        for path in PACKAGE.rglob("*.py")
        if "import numba" in (text := path.read_text("utf-8")) or "from numba" in text
    ]
    assert sorted(knowing) == ["compiler.py", "numba_patches.py", "python_objects.py", "vectors.py"]
