"""Units against NumPy; lanes are tested by the games that use them."""

from typing import Any

import numpy

from starscout.kernels.kernel import kernel
from starscout.kernels.vectors import lookup_instruction, units_instructions

row, rectified = units_instructions(16)
OFFSETS = (3, 0, 20_000, 7, 11)
lookup = lookup_instruction(16, OFFSETS)


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


@kernel
def _sum(rows: numpy.ndarray, values: numpy.ndarray, first: int) -> int:
    return lookup(row(rows, 1), values, first)


def test_units_are_looked_up_as_unsigned_numbers() -> None:
    generator = numpy.random.default_rng(2)
    values = generator.integers(-30_000, 30_000, 90_000).astype(numpy.int16)
    for _ in range(20):
        numbers = generator.integers(0, 1 << 16, (2, 16)).astype(numpy.uint16)
        expected = sum(int(values[5 + offset + int(unit)]) for offset, unit in zip(OFFSETS, numbers[1], strict=False))
        assert _sum(numbers.view(numpy.int16), values, 5) == expected
