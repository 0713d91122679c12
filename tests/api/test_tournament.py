"""`starscout.tournament`: table, rounds, names, and files of players."""

from pathlib import Path

import pytest

import starscout
from starscout import games
from starscout.api.running import opened_store
from starscout.api.tournament import read_players, stored_tournament
from starscout.game import GameError

GAME, DEEP = "ewn-3x3-3", "negascout depth=2 eval=zero"


def test_a_round_robin_is_ranked_stored_and_drawn(tmp_path: Path) -> None:
    store = tmp_path / "a.sqlite"
    players = ["random", DEEP, "negascout depth=1 eval=zero"]
    result = starscout.tournament(GAME, players, pairs=6, seed=2, store=store, workers=0)
    assert [row.rank for row in result.table] == [1, 2, 3]
    assert sum(row.score for row in result.table) == 3 * 12
    assert sum(row.games for row in result.table) == 2 * 3 * 12
    assert len(result.rounds) == 3
    with opened_store(store, existing=True) as opened:
        stored = stored_tournament(opened, result.tournament)
    assert stored.json() == result.json()
    assert str(stored) == str(result)
    assert result._repr_html_().count("<svg") == 1
    assert result.frame()["player"].tolist() == [row.player for row in result.table]
    result.report(tmp_path / "report.html")
    assert (tmp_path / "report.html").is_file()


def test_a_swiss_has_rounds_and_names() -> None:
    result = starscout.tournament(
        GAME, ["random", "random", DEEP], swiss=2, pairs=1, names=["a", "b", "c"], store=":memory:", workers=0
    )
    assert {row.player for row in result.table} == {"a", "b", "c"}
    assert sum("rests" in row for row in result.rounds) == 2
    assert "bye" in str(result)


@pytest.mark.parametrize(
    ("keywords", "sentence"),
    [
        ({"players": ["random"]}, "at least two players"),
        ({"players": ["random", DEEP], "gauntlet": True, "swiss": 2}, "pass only one of round_robin, swiss, gauntlet"),
        ({"players": ["random", DEEP], "names": ["a"]}, "names: expected 2 different names, got 1"),
    ],
)
def test_invalid_input_is_rejected(keywords: dict, sentence: str) -> None:
    with pytest.raises(GameError, match=sentence):
        starscout.tournament(GAME, store=":memory:", **keywords)


EWN = games.load("ewn")


def test_folders_are_relative_to_the_players_file(tmp_path: Path) -> None:
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
        ("Anna,lab:./agent\n", "class.csv:1: expected the columns name,command,folder"),
        ("name,command\nAnna,random\nAnna,random\n", "class.csv:3: duplicate name 'Anna'"),
        ("name,command\nAnna,\n", "class.csv:2: name or command is missing"),
        ("name,command,folder\nAnna,random,here\n", "class.csv:2: Anna: expected PROTOCOL:COMMAND or"),
        ("name,command\nAnna,random\nBert,rundom\n", "class.csv:3: Bert: there is no player 'rundom'"),
        (
            "name,command,folder\nAnna,python:./agent.py:A,here\n",
            "class.csv:2: Anna: no such file",
        ),
    ],
)
def test_errors_in_a_players_file_name_the_line(text: str, complaint: str, tmp_path: Path) -> None:
    file = tmp_path / "class.csv"
    file.write_text(text)
    with pytest.raises(GameError, match=complaint):
        read_players(file, EWN)
