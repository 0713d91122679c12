"""Players from a file: names, commands and folders, as a spreadsheet writes them."""

from pathlib import Path

import pytest

from starscout.api.tournament import read_players
from starscout.game import GameError
from starscout.games import load

EWN = load("ewn")


def test_folders_are_seen_from_the_file(tmp_path: Path) -> None:
    file = tmp_path / "class.csv"
    for program in ("students/anna/agent", "b b/ewn"):
        (tmp_path / program).parent.mkdir(parents=True)
        (tmp_path / program).write_text("#!/bin/sh\n")
        (tmp_path / program).chmod(0o755)
    (tmp_path / "chen").mkdir()
    (tmp_path / "chen" / "agent.py").write_text("class First: pass\n")
    file.write_text(
        "name,command,folder\nAnna,lab:./agent --fast,students/anna\nBert,tcg-ewn[time=2]:./ewn,b b\nus,random,\n"
        "Chen,python[depth=3]:./agent.py:First,chen\n"
    )
    names, specs = read_players(file, EWN)
    assert names == ["Anna", "Bert", "us", "Chen"]
    assert specs == [
        f"lab[cwd={tmp_path}/students/anna]:./agent --fast",
        f"tcg-ewn[time=2 cwd='{tmp_path}/b b']:./ewn",
        "random",
        f"python[depth=3]:{tmp_path}/chen/agent.py:First",
    ]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("Anna,lab:./agent\n", "the first line must be name,command,folder"),
        ("name,command\nAnna,random\nAnna,random\n", "class.csv:3: there are two players called 'Anna'"),
        ("name,command\nAnna,\n", "class.csv:2: a player needs a name and a command"),
        ("name,command,folder\nAnna,random,here\n", "class.csv:2: Anna: 'random' is not a program"),
        ("name,command\nAnna,random\nBert,rundom\n", "class.csv:3: Bert: there is no player 'rundom'"),
        (
            "name,command,folder\nAnna,python:./agent.py:A,here\n",
            "class.csv:2: Anna: there is no file",
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text: str, complaint: str, tmp_path: Path) -> None:
    file = tmp_path / "class.csv"
    file.write_text(text)
    with pytest.raises(GameError, match=complaint):
        read_players(file, EWN)
