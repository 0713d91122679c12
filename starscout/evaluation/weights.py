"""Weights of evaluations: records of named arrays for kernels, and files.

A search passes the record to the evaluation as one pointer. Kernels are compiled for the names, types and shapes of the
arrays, not for their content: new weights do not cause a recompilation.

A weights file has a line with the format, a line of JSON, and the compressed arrays:

    starscout weights 1
    {"game": "ewn", "model": "network", "features": "cubes", "arrays": [["rows", "int16", [384, 8]], …], "learned": {…}}
    …

`learned` contains the recipe, the seed and the history of the generations. The arrays are compressed with LZMA, which
compresses Othello's patterns to a third less than zlib does; files compressed with zlib can also be read.
"""

import functools
import json
import lzma
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy

from starscout.game import GameError

FORMAT = "starscout weights 1"
ENDING = ".weights"
NETWORK, NETWORKS, PATTERNS = "network", "networks", "patterns"
MODELS = (NETWORK, NETWORKS, PATTERNS)
KINDS = ("int8", "int16", "int32", "int64", "uint64", "float32", "float64")
MOST_BYTES = 1 << 28
LZMA_MARK = b"\xfd7zXZ"
"""First bytes of data compressed with LZMA."""


@dataclass(frozen=True, eq=False)
class LearnedWeights:
    """The content of a weights file."""

    game: str
    model: str
    """The model that computes scores from features: one of MODELS."""
    features: str
    """The name of the features."""
    arrays: Mapping[str, numpy.ndarray]
    learned: Mapping[str, Any] = field(default_factory=dict)
    """The recipe, the seed and the history."""


def write_learned(path: Path, weights: LearnedWeights) -> None:
    """Write a weights file; equal weights give equal bytes."""
    header = {
        "game": weights.game,
        "model": weights.model,
        "features": weights.features,
        "arrays": [[name, str(array.dtype), list(array.shape)] for name, array in weights.arrays.items()],
        "learned": weights.learned,
    }
    content = b"".join(numpy.ascontiguousarray(array).tobytes() for array in weights.arrays.values())
    lines = f"{FORMAT}\n{json.dumps(header, ensure_ascii=False)}\n".encode()
    temporary = path.with_name(path.name + ".part")
    try:
        temporary.write_bytes(lines + lzma.compress(content))
        temporary.replace(path)
    except OSError as error:
        raise GameError(f"the weights cannot be written to {path}: {error.strerror}") from error


def read_learned(path: Path) -> LearnedWeights:
    """The inverse of `write_learned`; raises GameError."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise GameError(f"the weights {path} cannot be read: {error.strerror}") from error
    first, _, rest = content.partition(b"\n")
    if first != FORMAT.encode():
        raise GameError(f"{path} is not a weights file: its first line is not {FORMAT!r}")
    line, _, packed = rest.partition(b"\n")
    try:
        unpacked = lzma.decompress(packed) if packed.startswith(LZMA_MARK) else zlib.decompress(packed)
        return _read(json.loads(line), unpacked)
    except (ValueError, TypeError, KeyError, zlib.error, lzma.LZMAError, RecursionError) as error:
        raise GameError(f"the weights file {path} is damaged: {error}") from error


def _read(header: Any, content: bytes) -> LearnedWeights:
    arrays, place = {}, 0
    for name, kind, shape in header["arrays"]:
        if kind not in KINDS or not all(type(length) is int and 0 <= length <= MOST_BYTES for length in shape):
            raise ValueError(f"{name!r} has an unknown type or shape")
        count = int(numpy.prod(shape, dtype=numpy.int64))
        arrays[str(name)] = numpy.frombuffer(content, kind, count, place).reshape(shape)
        place += arrays[name].nbytes
    if place != len(content):
        raise ValueError(f"expected {place} bytes of arrays, got {len(content)}")
    game, model, features = (str(header[name]) for name in ("game", "model", "features"))
    if model not in MODELS:
        raise ValueError(f"there is no model {model!r}")
    return LearnedWeights(game, model, features, arrays, header["learned"])


Weights = numpy.record
"""Named arrays of fixed shapes; kernels read them as `weights.name[index]`."""


def pack(arrays: Mapping[str, numpy.ndarray | int | float]) -> Weights:
    """The record of these arrays; a single number becomes a scalar field."""
    found = {name: numpy.asarray(values) for name, values in arrays.items()}
    fields = tuple((name, values.dtype.str, values.shape) for name, values in found.items())
    weights = numpy.zeros(1, dtype=_record_type(fields))[0]
    for name, values in found.items():
        weights[name] = values
    return weights


@functools.cache
def _record_type(fields: tuple[tuple[str, str, tuple[int, ...]], ...]) -> numpy.dtype:
    """Cached so that equal fields give the same object, which Numba recognises faster."""
    return numpy.dtype((numpy.record, numpy.dtype(list(fields), align=True)))


NO_WEIGHTS = pack({"none": 0})
"""Weights of an evaluation whose kernel takes only the position."""


def read_arrays(path: Path) -> dict[str, numpy.ndarray]:
    """Name → array of a CSV file with one array per line: its name, then integers."""
    lines = [line.split(",") for line in path.read_text(encoding="utf-8").splitlines()]
    return {name: numpy.array([int(number) for number in numbers], dtype=numpy.int64) for name, *numbers in lines}


def write_arrays(path: Path, arrays: dict[str, numpy.ndarray]) -> None:
    """The inverse of `read_arrays`."""
    lines = [",".join([name, *(str(round(float(n))) for n in numbers.ravel())]) for name, numbers in arrays.items()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
