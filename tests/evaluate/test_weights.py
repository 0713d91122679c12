"""Weights as files."""

from pathlib import Path

import numpy
import pytest

from starscout.evaluate.weights import read_arrays, write_arrays

pytestmark = pytest.mark.plain


def test_arrays_come_back_rounded_to_whole_numbers(tmp_path: Path):
    file = tmp_path / "weights.csv"
    write_arrays(file, {"first": numpy.array([1.4, -2.6]), "second": numpy.array([[1, 2], [3, 4]])})
    assert file.read_text(encoding="utf-8") == "first,1,-3\nsecond,1,2,3,4\n"
    again = read_arrays(file)
    assert {name: array.tolist() for name, array in again.items()} == {"first": [1, -3], "second": [1, 2, 3, 4]}
    assert again["first"].dtype == numpy.int64
