"""`starscout experiment`: list, run and errors."""

import json
import re
from pathlib import Path

import pytest

import starscout
from tests.cli.conftest import CommandLine
from tests.experiments.examples import TEXT

ROOT = Path(starscout.__file__).parent.parent


def test_the_list(command_line: CommandLine) -> None:
    listed = json.loads(command_line("experiment", "--json").stdout)["experiments"]
    assert {"name", "question", "report", "games"} == set(listed[0])
    by_name = {one["name"]: one for one in listed}
    assert by_name["002-depth"]["report"] == "002_703dbf1520f04bfa.txt"
    assert by_name["002-depth"]["games"] == 1500
    shown = command_line("experiment").stdout
    assert all(one["question"][:40] in shown for one in listed)


@pytest.mark.slow
def test_user_experiment_by_path(command_line: CommandLine, tmp_path: Path) -> None:
    file, store = tmp_path / "mine.toml", str(tmp_path / "store.sqlite")
    file.write_text(TEXT, encoding="utf-8")
    words = ("experiment", str(file), "--quick", "--workers", "0", "--store", store)
    done = command_line(*words, "--json", "--save", str(tmp_path / "studies"))
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert {"name", "question", "quick", "rows", "verdict", "figures"} <= set(found)
    assert [row["games"] for row in found["rows"]] == [6, 6, 0]
    assert {"score", "score_error"} <= set(found["rows"][0])
    assert found["figures"][0]["svg"].startswith("<svg")
    saved = json.loads((tmp_path / "studies" / "mine.json").read_text(encoding="utf-8"))
    assert saved["rows"] == found["rows"]
    # The same command finds the games in the store and prints them as text.
    shown = command_line(*words)
    assert shown.returncode == 0, shown.stderr
    assert "Does a tree beat a random mover?" in shown.stdout
    assert "tree – chance" in shown.stdout
    assert found["verdicts"][0]["sentence"][:30] in shown.stdout


@pytest.mark.slow
def test_seed_and_pairs_replicate_and_extend(command_line: CommandLine, tmp_path: Path) -> None:
    file, folder = tmp_path / "mine.toml", tmp_path / "seed-9"
    file.write_text(TEXT, encoding="utf-8")
    words = ("experiment", str(file), "--workers", "0", "--store", ":memory:", "--seed", "9", "--pairs", "4")
    done = command_line(*words, "--save", str(folder))
    assert done.returncode == 0, done.stderr
    saved = json.loads((folder / "mine.json").read_text(encoding="utf-8"))
    assert [row["games"] for row in saved["rows"]] == [8, 8, 0]
    assert saved["seed"] == 9
    assert saved["command"] == "starscout experiment mine --seed 9 --pairs 4"
    assert saved["registration"]
    assert saved["date"]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("000-dept",), "no experiment '000-dept'; did you mean '000-depth'?"),
        (("./nowhere.toml",), "nowhere.toml: cannot be read"),
        (("--page", "nowhere/page.md"), "nowhere/page: no studies"),
    ],
)
def test_invalid_input_is_rejected(plain_command_line: CommandLine, words: tuple[str, ...], complaint: str) -> None:
    done = plain_command_line("experiment", *words)
    assert done.returncode == 2
    assert complaint in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.slow
def test_the_experiment_in_the_docs(command_line: CommandLine, tmp_path: Path) -> None:
    text = (ROOT / "docs" / "experiments.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    assert len(block.strip().splitlines()) <= 10
    file = tmp_path / "mine.toml"
    file.write_text(block, encoding="utf-8")
    done = command_line("experiment", str(file), "--quick", "--workers", "0", "--store", ":memory:", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["rows"][0]["games"] > 0
    assert found["verdict"]


@pytest.mark.slow
def test_a_cluster_plays_the_same_games(command_line: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(TEXT, encoding="utf-8")
    words = ("experiment", str(file), "--quick", "--json", "--workers", "0", "--store", ":memory:")
    here, there = command_line(*words), command_line(*words, "--cluster", "local")
    assert there.returncode == 0, there.stderr
    counts = [[row["counts"] for row in json.loads(done.stdout)["rows"]] for done in (here, there)]
    assert counts[0] == counts[1]


def test_engines_of_the_reports_are_listed(plain_command_line: CommandLine) -> None:
    players = json.loads(plain_command_line("players", "--json").stdout)["players"]
    page = (ROOT / "docs" / "experiments.md").read_text(encoding="utf-8")
    lines = [line for line in page.splitlines() if line.startswith("| `")]
    reports = set()
    for player in players:
        found = re.match(r"report (\w+\.txt)", player["origin"])
        if found:
            reports.add(found[1][:3])
            assert any(f"`{player['name']}`" in line and found[1] in line for line in lines), player["name"]
    assert reports == {"000", "001", "002", "003", "004"}
