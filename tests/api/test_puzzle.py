"""`starscout.puzzle`: a puzzle without a solution, and an invalid file."""

from pathlib import Path

import pytest

import starscout
from starscout.api.games import puzzle
from tests.api.results import fields


def test_a_puzzle_without_a_solution(tmp_path: Path) -> None:
    file = tmp_path / "puzzle.txt"
    file.write_text("3 3\n1 0 0\n0 2 0\n0 0 0\n1\n1\n2\n", encoding="utf-8")
    found = puzzle(file)
    assert fields(found) == {"moves", "length", "proven"}
    assert (found.moves, found.length, found.proven) == (None, None, True)
    file.write_text("3 3 x", encoding="utf-8")
    with pytest.raises(starscout.GameError, match=r"puzzle.txt: word 3: expected a number, got 'x'"):
        puzzle(file)


def test_byte_order_mark_is_skipped(tmp_path: Path) -> None:
    file = tmp_path / "puzzle.txt"
    file.write_text("3 3  2 0 0  0 4 0  0 0 0  1  3  2", encoding="utf-8-sig")
    assert puzzle(file).moves == ((2, 7), (2, 7))
