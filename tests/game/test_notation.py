"""Text notation of squares, boards, sides and moves."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starscout.game import GameError
from starscout.game.notation import (
    format_board,
    move_between_squares,
    parse_board,
    parse_side,
    split_fields,
    square_name,
    square_number,
)

SIZES = st.tuples(st.integers(1, 12), st.integers(1, 26))


def test_letters_count_columns_and_numbers_count_rows() -> None:
    assert [square_name(square, 7) for square in (0, 6, 7, 41)] == ["A1", "G1", "A2", "G6"]


@given(SIZES, st.data())
def test_squares_round_trip(size: tuple[int, int], data: st.DataObject) -> None:
    rows, columns = size
    square = data.draw(st.integers(0, rows * columns - 1))
    name = square_name(square, columns)
    assert square_number(name, rows, columns) == square
    assert square_number(name.lower(), rows, columns) == square


@pytest.mark.parametrize("name", ["", "A", "1", "A0", "F1", "A6", "11", "A1 ", "A001", "Ä1", "A²"])
def test_invalid_squares_are_rejected(name: str) -> None:
    with pytest.raises(GameError, match="square: expected A1 to E5, got "):
        square_number(name, 5, 5)


@given(SIZES, st.data())
def test_boards_round_trip(size: tuple[int, int], data: st.DataObject) -> None:
    rows, columns = size
    characters = data.draw(st.text(".xo", min_size=rows * columns, max_size=rows * columns))
    assert parse_board(format_board(characters, columns), rows, columns, ".xo") == characters


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("...", "board: expected 2 rows separated by '/', got 1: '...'"),
        (".../..", "board, row 2: expected 3 squares, got 2: '..'"),
        (".../.z.", "board, B2: expected one of . x o, got 'z'"),
    ],
)
def test_board_errors_name_the_place(text: str, sentence: str) -> None:
    with pytest.raises(GameError) as wrong:
        parse_board(text, 2, 3, ".xo")
    assert str(wrong.value) == sentence


def test_fields_and_sides() -> None:
    assert split_fields(" .../...  x ", ("board", "side"), "...") == [".../...", "x"]
    with pytest.raises(GameError) as wrong:
        split_fields("...", ("board", "side"), "... x")
    assert str(wrong.value) == "position: expected 2 fields (board, side), like '... x'; got '...'"
    assert [parse_side(text, "rb") for text in "rRbB"] == [0, 0, 1, 1]
    for text in ("", "rb", "x", "red"):
        with pytest.raises(GameError, match="side to move: expected r or b"):
            parse_side(text, "rb")


@pytest.mark.parametrize("text", ["A2B3", "a2b3", "A2-B3", "a2 b3", "A2xB3", "  A2 - b3 "])
def test_move_spellings_are_accepted(text: str) -> None:
    assert move_between_squares(text) == "A2B3"


@pytest.mark.parametrize(("text", "same"), [("pass", "pass"), (" f5 ", "f5"), ("A2B3C4", "A2B3C4"), ("A2", "A2")])
def test_other_texts_are_unchanged(text: str, same: str) -> None:
    assert move_between_squares(text) == same
