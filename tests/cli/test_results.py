"""`starscout results`: selection, comparison, export and reports."""

import json
import os
import shutil
from pathlib import Path

import pytest

from starscout.arena.batch import play_pair
from starscout.arena.plan import MatchPlan
from starscout.arena.store import Store
from starscout.cli import matches as commands
from starscout.game import GameError
from tests.cli.conftest import CommandLine

OLD_STORE = Path(__file__).parents[1] / "arena" / "data" / "store-version-1.sqlite"
EXAMPLE = Path(__file__).parents[2] / "examples" / "connect_four.py"

Out = pytest.CaptureFixture[str]


@pytest.fixture
def store(tmp_path: Path) -> str:
    """Three matches: a finished one, an unfinished one, and one in which a program lost every game."""
    path = tmp_path / "a.sqlite"
    with Store(path) as opened:
        for number, (game, first) in enumerate(
            [("ewn-3x3-3", "random"), ("othello-4x4", "random"), ("ewn-3x3-3", "lab[depth=2]:/bin/false")]
        ):
            plan = MatchPlan(game, first, "random", seed=number)
            match = opened.open_match(plan, {"pairs": 2, "sprt": None, "adjusted": False})
            opened.add(match.id, [play_pair(plan, pair) for pair in range(1 if number == 1 else 2)])
            if number != 1:
                opened.finish(match.id, 2)
    return str(path)


def shown(capsys: Out) -> list[str]:
    return [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]


def matches(capsys: Out, **options: object) -> list[dict]:
    commands.results(json=True, **options)  # pyright: ignore[reportArgumentType]
    return json.loads(capsys.readouterr().out)["matches"]


def test_matches_side_by_side(store: str, capsys: Out) -> None:
    commands.results(store=store)
    heading, first, second, third = shown(capsys)
    assert heading == "match game A B pairs score of A 95 % luck-adjusted Elo"
    assert first.startswith("1 ewn-3x3-3 random random 2 ")
    assert second.endswith("of 2, unfinished")
    assert third.startswith("3 ewn-3x3-3 false depth=2 random 2 0.0% ")
    assert third.endswith(" −∞")
    commands.results([1], store=store)
    heading, of_a, of_b = shown(capsys)
    assert heading.endswith(" Elo used")
    assert (" A: " in of_a, of_b.startswith("B: "), of_b.endswith(" ms per move")) == (True, True, True)


def test_only_some_of_them(store: str, capsys: Out) -> None:
    assert [match["match"] for match in matches(capsys, store=store)] == [1, 2, 3]
    assert [match["match"] for match in matches(capsys, store=store, game="ewn-3x3-3")] == [1, 3]
    assert [match["match"] for match in matches(capsys, store=store, player="lab")] == [3]
    assert [match["match"] for match in matches(capsys, store=store, numbers=[2, 1])] == [2, 1]
    with pytest.raises(GameError, match=r"a\.sqlite: no match 9 \(`starscout results` lists them\)"):
        commands.results([9], store=store)


def test_the_fields_of_a_match(store: str, capsys: Out) -> None:
    finished, unfinished, lost = matches(capsys, store=store)
    assert (finished["finished"], unfinished["finished"], unfinished["wanted"]) == (True, False, 2)
    assert finished["games"] == finished["wins"] + finished["losses"] == 4
    assert finished["current_code"]
    assert (lost["elo"], lost["forfeits"]["A"]) == (None, {"crash": 4})


def test_report_needs_a_single_match(store: str, tmp_path: Path, capsys: Out) -> None:
    report = tmp_path / "report.html"
    with pytest.raises(GameError, match="--report: expected one match, got 3: select one by number"):
        commands.results(store=store, report=str(report))
    commands.results([3], store=store, report=str(report))
    assert capsys.readouterr() == ("", f"report written to {report}\n")
    assert "lab[depth=2]:/bin/false" in report.read_text()


def test_games_are_exported(store: str, tmp_path: Path, capsys: Out) -> None:
    commands.results([1, 2], store=store, export=str(tmp_path / "games.csv"))
    assert shown(capsys) == [f"6 games written to {tmp_path / 'games.csv'}"]
    assert len((tmp_path / "games.csv").read_text().splitlines()) == 7


def test_old_matches_are_marked_as_earlier_code(tmp_path: Path, capsys: Out) -> None:
    store = shutil.copy(OLD_STORE, tmp_path / "old.sqlite")
    commands.results(store=str(store))
    lines = shown(capsys)
    assert all(line.endswith("(earlier code)") for line in lines[1:5])
    assert lines[5] == "tournament 1: Swiss of 3 players, ewn"
    commands.results(store=str(store), tournament=1)
    table = shown(capsys)
    assert table[0] == "rank player games points opponents' points Elo"
    assert table[1].startswith("1 negascout depth=1 eval=race 4 3 5 ")
    with pytest.raises(GameError, match="no tournament 2"):
        commands.results(store=str(store), tournament=2)


def test_games_of_a_file_are_exported_when_the_file_is_named(command_line: CommandLine, tmp_path: Path) -> None:
    file, store, written = tmp_path / "mine.py", tmp_path / "a.sqlite", tmp_path / "games.csv"
    file.write_text(EXAMPLE.read_text())
    plan = MatchPlan(str(file), "random", "random")
    with Store(store) as opened:
        match = opened.open_match(plan, {"pairs": 1})
        opened.add(match.id, [play_pair(plan, 0)])
    words = ("results", "--store", str(store), "--export", str(written))
    refused = command_line(*words, NUMBA_DISABLE_JIT="1")
    assert refused.returncode == 2
    assert "allow it with --game FILE" in refused.stderr
    relative = os.path.relpath(file)
    exported = command_line(*words, "--game", relative, NUMBA_DISABLE_JIT="1")
    assert exported.returncode == 0, exported.stderr
    assert len(written.read_text().splitlines()) == 3
