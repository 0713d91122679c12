"""Base classes of results: plain text, boards, frames, plots."""

import builtins
import io
import sys
from pathlib import Path
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
    assert repr(Picture("<svg/>")) == "<picture of 6 characters: .save(FILE) writes it as .svg, .png or .pdf>"
    assert Picture("<svg/>")._repr_svg_() == "<svg/>"


@pytest.mark.parametrize(("suffix", "start"), [(".svg", b"<svg"), (".png", b"\x89PNG\r\n"), (".PDF", b"%PDF-")])
def test_pictures_are_saved_by_the_suffix_of_the_file(suffix: str, start: bytes, tmp_path: Path) -> None:
    if suffix != ".svg":
        try:
            import cairosvg  # noqa: F401  # pyright: ignore
        except (ImportError, OSError) as error:
            pytest.skip(f"no CairoSVG: {error}")
    picture, file = starscout.show("ewn-3x3-3").plot(), tmp_path / f"board{suffix}"
    picture.save(file)
    assert file.read_bytes().startswith(start)


def test_png_without_the_converter_names_the_extra(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "cairosvg", None)
    with pytest.raises(GameError, match=r"^\.png plots need CairoSVG: pip install 'starscout\[plots\]'"):
        Picture("<svg/>").save(tmp_path / "plot.png")
    with pytest.raises(GameError, match=r"plot\.jpg: expected a file name ending in \.svg, \.png, \.pdf"):
        Picture("<svg/>").save(tmp_path / "plot.jpg")
    Picture("<svg/>").save(tmp_path / "plot.svg")
    assert [file.name for file in tmp_path.iterdir()] == ["plot.svg"]


def test_frames_have_no_nested_columns() -> None:
    result = starscout.match("ewn-3x3-3", "random", "random", pairs=1, workers=0, store=":memory:", progress=False)
    for row in (result.json(), *result.rows(), *starscout.list_games().rows()):
        assert not any(isinstance(value, dict | list | tuple) for value in flattened(row).values())
    assert flattened({"interval": (None, 3.0), "moves": [{"depth": 1}]}) == {"interval_low": None, "interval_high": 3.0}
    assert list(data_frame([{"test": None, "elo": 1}, {"test": {"llr": 2.0}, "elo": 2}])) == ["elo", "test_llr"]
    assert flattened({"a": {"b": [1, 2]}, "c": [], "d": None}) == {"a_b_low": 1, "a_b_high": 2, "c": "", "d": None}
