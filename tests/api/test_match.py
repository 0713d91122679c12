"""`starscout.match`: same numbers as the command line, classes as players, interruption, plots, frames."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import starscout
from starscout.game import GameError
from tests.patience import PATIENCE

GAME = "ewn-3x3-3"
QUICK = {"workers": 0, "store": ":memory:"}


class Last:
    """Plays the last legal move, as text."""

    def choose(self, state, limit):
        return state.moves[-1]


class Illegal:
    """Plays a move that does not exist."""

    def choose(self, state, limit):
        return "Z9Z8"


@pytest.fixture(scope="module")
def result() -> starscout.MatchResult:
    return starscout.match(GAME, Last, "random", pairs=20, seed=3, **QUICK)


def test_the_fields_fit_together(result: starscout.MatchResult) -> None:
    assert result.games == 2 * result.pairs == 40
    assert result.wins + result.losses + result.draws == 40
    assert result.score == pytest.approx((result.wins + result.draws / 2) / 40)
    low, high = result.score_interval
    assert 0 <= low < result.score < high <= 1
    assert result.luck_adjusted is not None
    assert sum(record.score(side) for record in result.records for side in (0, 1)) == 40
    assert result.forfeits == {"A": {}, "B": {}}
    assert result.seed == 3
    assert repr(result).startswith("<match 1 of ewn-3x3-3: Last scores")


def test_python_and_command_line_agree(tmp_path: Path) -> None:
    words = ["match", GAME, "random", "random", "--pairs", "6", "--seed", "8", "--workers", "0", "--store", "a.sqlite"]
    command = [sys.executable, "-m", "starscout", *words]
    environment = {**os.environ, "PYTHONPATH": str(Path(starscout.__file__).parents[1])}
    printed = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True).stdout
    again = starscout.match(GAME, "random", "random", pairs=6, seed=8, store=tmp_path / "a.sqlite", workers=0)
    assert again.resumed == 6
    assert [line.rstrip() for line in printed.splitlines()] == str(again).splitlines()
    object_ = subprocess.run([*command, "--json"], cwd=tmp_path, env=environment, capture_output=True, check=True)
    assert json.loads(object_.stdout) == json.loads(json.dumps(again.json()))


def test_one_row_per_game(result: starscout.MatchResult) -> None:
    frame = result.frame()
    assert len(frame) == 40
    assert sum(frame["a_score"]) / 40 == pytest.approx(result.score)
    assert set(frame["moves"].str.split().str.len() - frame["plies"]) == {0}


def test_pictures(result: starscout.MatchResult, tmp_path: Path) -> None:
    picture = result.plot()
    assert picture.svg.startswith("<svg")
    picture.save(tmp_path / "curve.svg")
    assert (tmp_path / "curve.svg").read_text(encoding="utf-8") == picture.svg
    with pytest.raises(GameError, match=r"ending in \.svg"):
        picture.save(tmp_path / "curve.jpg")
    page = result._repr_html_()
    assert page.count("<svg") == 1
    assert "score of A" in page


def test_a_report_and_an_export(result: starscout.MatchResult, tmp_path: Path) -> None:
    result.report(tmp_path / "report.html")
    assert "Running score" in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert result.export(tmp_path / "games.json") == 40


def test_class_with_an_illegal_move_forfeits() -> None:
    broken = starscout.match(GAME, Illegal, "random", pairs=5, **QUICK)
    assert broken.failing_player == "A"
    assert broken.forfeits["A"] == {"illegal move": broken.games}
    assert "'Z9Z8' is not a legal move" in str(broken)
    assert broken.forfeited()[0].startswith("match 1, pair 0, game ")


def test_notebook_class_plays_in_this_process_and_is_never_resumed(tmp_path: Path) -> None:
    names: dict = {"__name__": "notebook"}
    exec("class First:\n    def choose(self, state, limit):\n        return state.legal[0]\n", names)
    store = tmp_path / "a.sqlite"
    first = starscout.match(GAME, names["First"], "random", pairs=2, store=store)
    again = starscout.match(GAME, names["First"], "random", pairs=2, store=store)
    assert first.a == "python::First"
    assert (first.match, again.match, again.resumed) == (1, 2, 0)


SCRIPT = """
import sys

import starscout

class Last:
    def choose(self, state, limit):
        return state.moves[-1]

if __name__ == "__main__":
    pairs, store, workers = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    result = starscout.match("ewn-3x3-3", Last, "random", pairs=pairs, seed=3, store=store, workers=workers)
    print(result.score, result.wins, result.pairs)
"""


def run_script(folder: Path, pairs: int, store: str, workers: int, text: str = SCRIPT) -> "subprocess.Popen[str]":
    script = folder / "mine.py"
    script.write_text(text, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(Path(starscout.__file__).parents[1])}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    words = [sys.executable, str(script), str(pairs), store, str(workers)]
    return subprocess.Popen(words, cwd=folder, env=environment, **pipes)


def test_a_class_of_a_script_plays_in_workers(tmp_path: Path, result: starscout.MatchResult) -> None:
    printed, errors = run_script(tmp_path, pairs=20, store=":memory:", workers=2).communicate(timeout=300)
    assert printed.split() == [str(result.score), str(result.wins), "20"], errors


UNGUARDED = SCRIPT.replace('if __name__ == "__main__":', "if True:")


@pytest.mark.slow
def test_a_class_of_a_script_without_a_guard_plays_in_this_process(tmp_path: Path) -> None:
    printed, errors = run_script(tmp_path, 20, ":memory:", 2, UNGUARDED).communicate(timeout=300)
    guarded, _ = run_script(tmp_path, 20, ":memory:", 0).communicate(timeout=300)
    assert printed == guarded
    assert "UserWarning: Last plays in this process: move the code that starts games below" in errors


def test_file_that_starts_games_on_import_is_rejected(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text('import starscout\n\nstarscout.match("ewn-3x3-3", "random", "random")\n', encoding="utf-8")
    with pytest.raises(GameError, match=r"mine.py fails: line 3: games are started while the file is loaded: put them"):
        starscout.match(GAME, f"python:{file}:Last", "random", store=":memory:", workers=0)


@pytest.mark.slow
def test_interrupted_script_resumes(tmp_path: Path) -> None:
    store = tmp_path / "a.sqlite"
    running = run_script(tmp_path, pairs=20_000, store=str(store), workers=1)
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and not (store.exists() and _stored(store) >= 20):
        time.sleep(0.1)
    running.send_signal(signal.SIGINT)
    _, errors = running.communicate(timeout=300)
    assert "Interrupted: interrupted: finished work is stored" in errors
    kept = _stored(store)
    assert 20 <= kept < 20_000
    printed, errors = run_script(tmp_path, pairs=kept + 5, store=str(store), workers=1).communicate(timeout=300)
    assert printed.split()[2] == str(kept + 5), errors
    (stored,) = starscout.results(store=store).matches
    assert stored.pairs == kept + 5


def _stored(store: Path) -> int:
    matches = starscout.results(store=store).matches
    return matches[0].pairs if matches else 0


def test_invalid_input_is_rejected() -> None:
    with pytest.raises(GameError, match="there is no player 'rundom'"):
        starscout.match(GAME, "random", "rundom", **QUICK)
    with pytest.raises(GameError, match="sprt_luck requires sprt"):
        starscout.match(GAME, "random", "random", sprt_luck=True, **QUICK)
    with pytest.raises(GameError, match="player: expected a SPEC or a class, got "):
        starscout.match(GAME, starscout.player("random", GAME), "random", **QUICK)  # pyright: ignore[reportArgumentType]
    with pytest.raises(TypeError, match="piars"):
        starscout.match(GAME, "random", "random", piars=3, **QUICK)  # pyright: ignore[reportCallIssue]
