"""The root finder on functions whose roots are known."""

import math

import pytest

from starscout.arena.sprt import find_root


@pytest.mark.parametrize(
    ("function", "low", "high", "root"),
    [
        (lambda x: x * x - 2, 0, 2, math.sqrt(2)),
        (math.cos, 1, 2, math.pi / 2),
        (lambda x: math.exp(x) - 1, -5, 3, 0),
        (lambda x: (x - 3) ** 3, 0, 7, 3),
        (lambda x: x, 0, 1, 0),
        (lambda x: x - 1, 0, 1, 1),
    ],
)
def test_known_roots(function: object, low: float, high: float, root: float) -> None:
    assert find_root(function, low, high) == pytest.approx(root, abs=1e-5 if root == 3 else 1e-11)  # pyright: ignore[reportArgumentType]


def test_equal_signs_are_refused() -> None:
    with pytest.raises(ValueError, match="the same sign"):
        find_root(lambda x: x * x + 1, -1, 1)
