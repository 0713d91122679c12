"""Fitted weights as files: a line for each array, its name first, then whole numbers."""

from pathlib import Path

import numpy


def read_arrays(path: Path) -> dict[str, numpy.ndarray]:
    """Name → numbers."""
    lines = [line.split(",") for line in path.read_text(encoding="utf-8").splitlines()]
    return {name: numpy.array([int(number) for number in numbers], dtype=numpy.int64) for name, *numbers in lines}


def write_arrays(path: Path, arrays: dict[str, numpy.ndarray]) -> None:
    """The inverse of `read_arrays`."""
    lines = [",".join([name, *(str(round(float(n))) for n in numbers.ravel())]) for name, numbers in arrays.items()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
