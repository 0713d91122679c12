"""`starscout.tournament`: table, rounds, names, and files of players."""

import csv
import json
import sys
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
    (tmp_path / "chen" / "agent.py").write_text("class First:\n    def choose(self, state, limit): ...\n")
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
        ("name,command\nAnna,random\nAnna,random\n", "class.csv:3: Anna: duplicate name"),
        ("name,command\nAnna,\n", "class.csv:2: Anna: command is missing"),
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


def test_all_errors_of_a_players_file_are_reported(tmp_path: Path) -> None:
    """One message per broken row, and nothing is stored; skip_broken plays without them."""
    (tmp_path / "bad.py").write_text("class Bad:\n    def choose(self state): pass\n")
    (tmp_path / "empty.py").write_text("class Other: pass\nclass Gus(Other): pass\n")
    file, store = tmp_path / "class.csv", tmp_path / "a.sqlite"
    file.write_text(
        "name,command,folder\nAnna,random,\nBert,lab:./agnet,.\n,random,\nCleo,python:bad.py:Bad,.\n"
        'Dora,python:empty.py:Dora,.\n,,\nEmil,negascout depth=2 eval=zero,\n"F\ag",random,\n'
        "Gus,python:empty.py:Gus,.\n"
    )
    with pytest.raises(GameError) as failure:
        starscout.tournament(GAME, file, pairs=1, workers=0, store=store)
    first, *lines = str(failure.value).splitlines()
    assert first == "6 players cannot start (skip_broken leaves out such players):"
    assert [line.removeprefix(f"{file}:")[:9] for line in lines] == [
        "3: Bert: ", "4: random", "5: Cleo: ", "6: Dora: ", "9: 'F\\x07", "10: Gus: ",
    ]  # fmt: skip
    assert f"{tmp_path}/empty.py:Gus has no method choose(self, state, limit)" in lines[5]
    assert f"{tmp_path}/bad.py, line 2: " in lines[2]
    assert not store.exists()
    result = starscout.tournament(GAME, file, pairs=1, workers=0, store=store, skip_broken=True)
    assert {row.player for row in result.table} == {"Anna", "Emil"}
    assert len(starscout.results(store=store).tournaments) == 1


def test_players_files_of_spreadsheet_programs(tmp_path: Path) -> None:
    file = tmp_path / "class.csv"
    for encoding in ("utf-8", "utf-8-sig", "latin-1", "cp1252", "utf-16"):
        file.write_text("Name;Command\nJörg;random\nZoé;random\n", encoding=encoding)
        assert read_players(file, EWN)[0] == ["Jörg", "Zoé"]
    file.write_bytes(b"name,command\nJ\x81rg,random\n")
    with pytest.raises(GameError, match=r"class.csv:2: 'J.x81rg': the name contains control characters"):
        read_players(file, EWN)
    file.write_bytes(b"name,command,folder\nJ,lab:sh,\0\n")
    with pytest.raises(GameError, match=r"class.csv:2: J: folder: expected a path, got '.x00'"):
        read_players(file, EWN)


def test_a_tournament_that_cannot_start_is_not_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise GameError("cannot be compiled")

    monkeypatch.setattr("starscout.api.tournament.warm", fail)
    with pytest.raises(GameError, match="cannot be compiled"):
        starscout.tournament(GAME, ["random", DEEP], store=tmp_path / "a.sqlite", workers=0)
    assert starscout.results(store=tmp_path / "a.sqlite").tournaments == ()
    with pytest.raises(GameError, match=r"2 players cannot start .*\nplayer 1: there is no player 'rundom'"):
        starscout.tournament(GAME, ["rundom", DEEP, "rnadom"], store=":memory:")


def test_a_round_robin_shows_forfeits(tmp_path: Path) -> None:
    agent = tmp_path / "agent.py"
    agent.write_text("class Broken:\n    def choose(self, state, limit):\n        return 'nonsense'\n")
    players = ["random", f"python:{agent}:Broken", DEEP]
    result = starscout.tournament(
        GAME, players, names=["r", "broken", "d"], pairs=1, store=":memory:", workers=0, progress=False
    )
    shown = str(result)
    assert shown.count("broken: illegal move 2×") == 2
    assert "forfeits" in shown
    assert [line.split()[1:3] for line in shown.splitlines() if " – " in line] == [
        [row["first"], row["second"]] for row in result.rounds if "broken" in (row["first"], row["second"])
    ]


def swiss_with_a_bad_name() -> starscout.TournamentResult:
    players, names = [DEEP, "random", "random"], ["=1+1", "b <b>", "Jörg"]
    return starscout.tournament(GAME, players, names=names, swiss=2, pairs=2, store=":memory:", workers=0)


def test_a_table_is_exported_with_grades(tmp_path: Path) -> None:
    result = swiss_with_a_bad_name()
    assert result.export(tmp_path / "grades.csv", "A=50,B=25,F=0") == 3
    with (tmp_path / "grades.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == [
        "rank", "player", "number", "games", "score", "elo", "elo_error", "opponents_score", "percent", "forfeits",
        "grade",
    ]  # fmt: skip
    assert {row["player"] for row in rows} == {"'=1+1", "b <b>", "Jörg"}
    # Two rounds of four games; a bye scores four points.
    for row, expected in zip(rows, result.table, strict=True):
        assert float(row["percent"]) == 100 * expected.score / 8
        assert row["grade"] == ("A" if expected.score >= 4 else "B" if expected.score >= 2 else "F")
    result.export(tmp_path / "table.json")
    written = json.loads((tmp_path / "table.json").read_text(encoding="utf-8"))
    assert [row["player"] for row in written["table"]] == [row.player for row in result.table]
    assert "grade" not in written["table"][0]
    assert written["rounds"] == list(result.rounds)
    result.export(tmp_path / "table.html", "A=50,B=25,F=0")
    text = (tmp_path / "table.html").read_text(encoding="utf-8")
    assert "b &lt;b&gt;" in text
    assert "grade</th>" in text
    with pytest.raises(GameError, match=r"expected a file name ending in \.csv, \.json, \.html"):
        result.export(tmp_path / "table.xls")


@pytest.mark.parametrize("scale", ["", "A", "A=x", "A=101", "=5", "A=50,B=50"])
def test_an_invalid_scale_is_rejected(scale: str) -> None:
    with pytest.raises(GameError, match="grades: expected"):
        swiss_with_a_bad_name().graded(scale)


def test_players_join_and_withdraw(tmp_path: Path) -> None:
    """The same call with the late player marked resumes the tournament; the order of the list does not matter."""
    players, names = ["random", DEEP, "random", "random"], ["a", "b", "c", "d"]
    settings = {"swiss": 2, "pairs": 1, "store": tmp_path / "a.sqlite", "workers": 0}
    first = starscout.tournament(GAME, players, names=names, **settings)
    more = {"names": ["kim", *names], "late": "kim", **settings}
    again = starscout.tournament(GAME, ["random", *players], **more, withdraw=["a"])
    assert again.tournament == first.tournament
    assert again.rounds == first.rounds
    assert (again.plan.names, again.plan.late, again.plan.withdrawn) == ((*names, "kim"), (3,), ((0, 3),))
    assert [row.player for row in again.table if not row.games] == ["kim"]
    # The changes are stored: the original call shows them too.
    assert starscout.tournament(GAME, players, names=names, **settings).table == again.table
    with pytest.raises(GameError, match="late: no player 'lee' in the list: a, b, c, d"):
        starscout.tournament(GAME, players, names=names, late=["lee"], **settings)


def test_a_late_program_keeps_the_openings_of_others() -> None:
    """A program that cannot be set up at a position plays without openings; other meetings keep theirs."""
    names = ["a", "b", "c"]
    program = f"tcg-raw:{sys.executable} -c pass"
    players = ["random", "random", program]
    result = starscout.tournament("kari", players, names=names, pairs=1, store=":memory:", workers=0, progress=False)
    openings = {frozenset((plan.first, plan.second)): plan.opening_plies for _, plan, _ in result.matches}
    assert openings == {frozenset(("random",)): 4, frozenset(("random", program)): 0}
