"""Weights files: round trip and damage."""

import lzma
import zlib
from pathlib import Path

import numpy
import pytest

from starscout.evaluation.weights import FORMAT, LearnedWeights, read_learned, write_learned
from starscout.game import GameError

ARRAYS = {
    "rows": numpy.arange(12, dtype=numpy.int16).reshape(4, 3),
    "masks": numpy.array([2**63, 1], dtype=numpy.uint64),
    "factor": numpy.array(0.125),
}
WEIGHTS = LearnedWeights("kari", "network", "cubes", ARRAYS, {"seed": 7, "generations": []})


def test_weights_file_round_trip(tmp_path: Path) -> None:
    file = tmp_path / "a.weights"
    write_learned(file, WEIGHTS)
    again = read_learned(file)
    assert (again.game, again.model, again.features, again.learned) == ("kari", "network", "cubes", WEIGHTS.learned)
    for name, array in ARRAYS.items():
        assert numpy.array_equal(again.arrays[name], array)
        assert again.arrays[name].dtype == array.dtype
    write_learned(tmp_path / "b.weights", again)
    assert (tmp_path / "b.weights").read_bytes() == file.read_bytes()
    assert not list(tmp_path.glob("*.part"))


def test_zlib_compressed_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "a.weights"
    write_learned(file, WEIGHTS)
    first, second, packed = file.read_bytes().split(b"\n", 2)
    file.write_bytes(b"\n".join((first, second, zlib.compress(lzma.decompress(packed)))))
    for name, array in ARRAYS.items():
        assert numpy.array_equal(read_learned(file).arrays[name], array)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda content: b"hello\n" + content, "is not a weights file"),
        (lambda content: content[:-9], "is damaged"),
        (lambda content: content.replace(b'"network"', b'"oracle"'), "there is no model 'oracle'"),
        (lambda content: content.replace(b'"int16", [4, 3]', b'"int16", [4, 4]'), "is damaged"),
        (lambda content: content.replace(b'"int16"', b'"object"'), "unknown type or shape"),
        (lambda content: FORMAT.encode() + b"\nnull\n", "is damaged"),
    ],
)
def test_damaged_files_are_rejected(change, sentence: str, tmp_path: Path) -> None:
    file = tmp_path / "a.weights"
    write_learned(file, WEIGHTS)
    file.write_bytes(change(file.read_bytes()))
    with pytest.raises(GameError, match=sentence):
        read_learned(file)


def test_missing_files_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(GameError, match="cannot be read"):
        read_learned(tmp_path / "none.weights")
    with pytest.raises(GameError, match="cannot be written"):
        write_learned(tmp_path / "no" / "a.weights", WEIGHTS)
