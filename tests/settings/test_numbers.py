"""Numbers in text: ASCII numbers round-trip, and nothing else is accepted."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starscout.settings.options import read_decimal, read_whole


@given(st.integers(-(10**18) + 1, 10**18 - 1))
def test_whole_numbers_round_trip(number: int) -> None:
    assert read_whole(str(number), low=-(10**18)) == number


@given(st.integers(-100, 100), st.integers(-100, 100), st.integers(-100, 100))
def test_the_range_includes_both_ends(number: int, low: int, high: int) -> None:
    assert read_whole(str(number), low, high) == (number if low <= number <= high else None)


@pytest.mark.parametrize("text", ["", "-", "+1", " 1", "1 ", "1\n", "1_0", "0x1", "1.0", "1e3", "٣", "²", "9" * 19])
def test_invalid_whole_numbers(text: str) -> None:
    assert read_whole(text) is None


def test_negative_numbers_need_a_negative_lower_bound() -> None:
    assert read_whole("-1") is None
    assert read_whole("-1", low=-1) == -1
    assert read_whole("007") == 7


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_decimals_round_trip(number: float) -> None:
    assert read_decimal(repr(number)) == number


@pytest.mark.parametrize(
    ("text", "number"), [("1", 1.0), ("-.5", -0.5), ("+2.", 2.0), ("1e3", 1000.0), ("2.5E-1", 0.25), ("0.1", 0.1)]
)
def test_spellings_of_decimals(text: str, number: float) -> None:
    assert read_decimal(text) == number


@pytest.mark.parametrize("text", ["", ".", "-", "nan", "inf", "1e999", "1e", " 1", "1\n", "1_0", "0x1p3", "१", "1,5"])
def test_invalid_decimals(text: str) -> None:
    assert read_decimal(text) is None


@given(st.text("0123456789+-.eE_ naif٣", max_size=12))
def test_any_text_gives_a_finite_number_or_none(text: str) -> None:
    number = read_decimal(text)
    assert number is None or (math.isfinite(number) and number == float(text))
    whole = read_whole(text, low=-(10**18))
    assert whole is None or whole == int(text)
