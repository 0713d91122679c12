"""Weights: the numbers of an evaluation as one record of named arrays, and fitted weights as files.

A search hands the record down to the evaluation, one pointer whatever its size. Kernels are compiled for the names,
types and shapes of the arrays, not for their numbers: other weights compile nothing.
"""

import functools
from collections.abc import Mapping
from pathlib import Path

import numpy

Weights = numpy.record
"""Named arrays of fixed shapes; kernels read them as `weights.name[index]`."""


def pack(arrays: Mapping[str, numpy.ndarray | int | float]) -> Weights:
    """The record of these arrays; a single number becomes a field that is a number."""
    found = {name: numpy.asarray(values) for name, values in arrays.items()}
    fields = tuple((name, values.dtype.str, values.shape) for name, values in found.items())
    weights = numpy.zeros(1, dtype=_record_type(fields))[0]
    for name, values in found.items():
        weights[name] = values
    return weights


@functools.cache
def _record_type(fields: tuple[tuple[str, str, tuple[int, ...]], ...]) -> numpy.dtype:
    """One object for equal fields: the compiler recognises it fast."""
    return numpy.dtype((numpy.record, numpy.dtype(list(fields), align=True)))


NO_WEIGHTS = pack({"none": 0})
"""For an evaluation whose kernel takes the position alone."""


def read_arrays(path: Path) -> dict[str, numpy.ndarray]:
    """Name → numbers of a file with a line for each array, its name first, then whole numbers."""
    lines = [line.split(",") for line in path.read_text(encoding="utf-8").splitlines()]
    return {name: numpy.array([int(number) for number in numbers], dtype=numpy.int64) for name, *numbers in lines}


def write_arrays(path: Path, arrays: dict[str, numpy.ndarray]) -> None:
    """The inverse of `read_arrays`."""
    lines = [",".join([name, *(str(round(float(n))) for n in numbers.ravel())]) for name, numbers in arrays.items()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
