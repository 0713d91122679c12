"""`starscout replay FILE…`: counts, names what is illegal, and says so with its exit code."""

import json
from pathlib import Path

import pytest
import typer

from starscout.cli import replay
from tests.cli.conftest import CommandLine


def test_replay_counts_and_names_the_illegal(command_line: CommandLine, tmp_path: Path) -> None:
    good = "RB NoMove | C5 D4 E5 D5 E3 E4 C1 B2 A1 B1 A3 A2 | 3A1A2 1C5C4 6A3B4 5E3D3 5B4C4 3E5D4 5C4D5 6E4D3 3A2B2 \
4D3C3 3B2C3 4D4C3 4B1B2 2C3B3 4B2B3"
    file = tmp_path / "games.txt"
    file.write_text(f"{good}\n{good.replace('3A1A2', '4A1A2')}\n")
    ended = command_line("replay", str(file), "--json")
    report = json.loads(ended.stdout)
    assert (report["games"], report["legal"]) == (2, 1)
    assert report["illegal"][0]["line"] == 2
    assert "not a legal move" in report["illegal"][0]["why"]
    assert ended.returncode == 1


def test_several_files_are_added_up_for_people(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    game = "(;GM[Othello]PB[a]PW[b]RE[?]TY[8]BO[8 {} *]B[F5]{};)"
    board = "-" * 27 + "O*" + "-" * 6 + "*O" + "-" * 27
    good, bad = tmp_path / "good.ggf", tmp_path / ("bad" * 20 + ".ggf")
    good.write_text(game.format(board, "W[D6]"))
    bad.write_text(game.format(board, "W[A1]"))
    with pytest.raises(typer.Exit) as ended:
        replay.command([good, bad])
    assert ended.value.exit_code == 1
    shown = capsys.readouterr()
    assert shown.out == "2 games, 1 legal, 1 not\n"
    # One line however long it is, so that an editor can jump to it.
    (fault,) = shown.err.splitlines()
    assert fault.startswith(f"{bad}:1: ply 2: 'a1' is not a legal move in ")
    assert fault.endswith("legal are f4 d6 f6")
