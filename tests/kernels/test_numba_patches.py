"""Recursive kernels get the types that Numba itself would find, for less work."""

from typing import Any

import pytest

from starscout.errors import CodeError
from starscout.kernels import numba_patches as inference
from starscout.kernels.kernel import PLAIN, kernel, result_types

pytestmark = pytest.mark.skipif(PLAIN, reason="plain Python compiles nothing")


@pytest.fixture
def partial_inferences(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The kernels that were inferred once more for the type of their recursive calls."""
    found: list[Any] = []
    original = inference._partial_return_type

    def counted(inferer: Any) -> Any:
        found.append(inferer)
        return original(inferer)

    monkeypatch.setattr(inference, "_partial_return_type", counted)
    return found


@pytest.fixture(autouse=True)
def empty_cache(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STARSCOUT_CACHE", str(tmp_path))


def test_a_kernel_is_inferred_once_for_all_its_recursive_calls(partial_inferences: list[Any]):
    @kernel
    def tribonacci(n: int) -> int:
        if n < 3:
            return n
        return tribonacci(n - 1) + tribonacci(n - 2) + tribonacci(n - 3)

    assert tribonacci(10) == 230
    assert result_types(tribonacci) == {("int64",)}
    assert len(partial_inferences) == 1


def test_a_type_that_recursion_widens_is_found_nevertheless(partial_inferences: list[Any]):
    """Without its recursive calls the kernel seems to return whole numbers."""

    @kernel
    def halves(n: int) -> float:
        if n == 0:
            return 1
        value = halves(n - 1)
        return value * 0.5

    assert halves(3) == 0.125
    assert result_types(halves) == {("float64",)}
    assert len(partial_inferences) > 1


def test_recursion_without_an_end_is_refused_by_name():
    @kernel
    def endless(n: int) -> int:
        return endless(n - 1)

    with pytest.raises(CodeError, match="endless"):
        endless(1)


def test_equal_operations_on_other_types_are_other_operations():
    @kernel
    def mixed(n: int, x: float) -> float:
        whole, broken = n + n, x + x
        return whole // 4 + broken / 4 + n % 3 + x % 3

    assert mixed(5, 2.5) == 10 // 4 + 5.0 / 4 + 5 % 3 + 2.5 % 3
