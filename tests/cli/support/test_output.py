"""Output: JSON that every locale can print, and a console that shows texts as they are."""

import io
import json
import sys

import pytest
from rich.table import Table

from starscout.cli.support.output import console, print_json


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_one_json_object_in_ascii(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"title": "EinStein würfelt nicht!", "score": 0.5})
    shown = capsys.readouterr().out
    assert shown.isascii()
    assert shown.count("\n") == 1
    assert json.loads(shown) == {"title": "EinStein würfelt nicht!", "score": 0.5}


@pytest.mark.parametrize("text", ["nboard[depth=4 cwd=./x]:./ntest", "[bold]", "lab:./a :smile: b", "[/]"])
def test_brackets_and_colons_are_text(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Descriptions of players have both, in sentences and in tables."""
    console().print(text)
    table = Table(box=None, show_header=False, title=text, title_justify="left")
    table.add_row(text)
    console().print(table)
    assert [line.strip() for line in capsys.readouterr().out.splitlines()] == [text] * 3


def test_colours_are_for_terminals_that_want_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert console().color_system is None
    monkeypatch.setattr(sys, "stdout", Terminal())
    assert console().color_system is not None
    monkeypatch.setenv("NO_COLOR", "1")
    assert console().color_system is None


def test_a_table_in_a_pipe_has_room(capsys: pytest.CaptureFixture[str]) -> None:
    assert console().width == 160
    console(stderr=True).print("x")
    assert capsys.readouterr() == ("", "x\n")
