"""Conversion of kernel values."""

from hypothesis import given
from hypothesis import strategies as st

from starscout.game.values import ONE, VALUE_BITS, as_float, win_probability


def test_win_draw_and_loss() -> None:
    assert [as_float(value) for value in (ONE, 0, -ONE, ONE // 4)] == [1.0, 0.0, -1.0, 0.25]
    assert [win_probability(expected) for expected in (1.0, 0.0, -1.0, 0.5)] == [1.0, 0.5, 0.0, 0.75]


@given(st.integers(-ONE, ONE))
def test_values_convert_to_float_exactly(value: int) -> None:
    assert as_float(value) * ONE == value


@given(st.integers(-ONE, ONE), st.integers(-ONE, ONE))
def test_conversion_keeps_the_order(a: int, b: int) -> None:
    assert (as_float(a) < as_float(b)) == (a < b)


def test_value_bits_are_minimal() -> None:
    assert (2 * ONE).bit_length() == VALUE_BITS
