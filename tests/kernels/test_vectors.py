"""Units against NumPy; lanes are tested by the games that use them."""

from typing import Any

import numpy

from starscout.kernels.kernel import kernel
from starscout.kernels.vectors import units_instructions

row, rectified = units_instructions(16)


@kernel
def _layer(rows: numpy.ndarray, numbers: numpy.ndarray, outputs: numpy.ndarray) -> Any:
    units = row(rows, numbers[0])
    for place in range(1, len(numbers)):
        units = units + row(rows, numbers[place])
    return rectified(units, outputs, 1)


def test_rows_are_added_rectified_and_weighted() -> None:
    generator = numpy.random.default_rng(1)
    for _ in range(20):
        rows = generator.integers(-5000, 5000, (9, 16)).astype(numpy.int16)
        outputs = generator.integers(-3000, 3000, (2, 16)).astype(numpy.int16)
        numbers = generator.integers(0, 9, 4)
        expected = numpy.maximum(rows[numbers].astype(int).sum(axis=0), 0) @ outputs[1].astype(int)
        assert _layer(rows, numbers, outputs) == expected
