"""Base classes of results: plain text, boards, frames, plots."""

import builtins
import io
from typing import Any

import pytest
from rich.console import Console

import starscout
from starscout.api.result import Board, Picture, data_frame, flattened, plain_text
from starscout.game import GameError


def test_board_is_colored_only_where_supported() -> None:
    state = starscout.start("ewn-3x3-3")
    assert plain_text(Board(state)) == str(state)
    coloured = io.StringIO()
    Console(file=coloured, force_terminal=True, color_system="standard", width=80).print(Board(state))
    assert "\x1b[" in coloured.getvalue()


def test_frames_without_pandas_name_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    assert data_frame([{"a": 1}, {"a": 2}]).to_numpy().sum() == 3
    real = builtins.__import__

    def without_pandas(name: str, *arguments: Any, **named: Any) -> Any:
        if name == "pandas":
            raise ImportError(name)
        return real(name, *arguments, **named)

    monkeypatch.setattr(builtins, "__import__", without_pandas)
    with pytest.raises(GameError, match=r"pip install 'starscout\[data\]'"):
        data_frame([])


def test_repr_of_a_picture() -> None:
    assert repr(Picture("<svg/>")) == "<picture of 6 characters: .save(FILE.svg) writes it>"
    assert Picture("<svg/>")._repr_svg_() == "<svg/>"


def test_frames_have_no_nested_columns() -> None:
    result = starscout.match("ewn-3x3-3", "random", "random", pairs=1, workers=0, store=":memory:", progress=False)
    for row in (result.json(), *result.rows(), *starscout.list_games().rows()):
        assert not any(isinstance(value, dict | list | tuple) for value in flattened(row).values())
    assert flattened({"a": {"b": [1, 2]}, "c": [], "d": None}) == {"a_b_low": 1, "a_b_high": 2, "c": "", "d": None}
