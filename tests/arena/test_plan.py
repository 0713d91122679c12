"""Match plans: game defaults, JSON round trip, and identity."""

from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

import starscout
from starscout.arena.plan import MatchPlan, make_plan, meter_text, plan_from_json, resolve_game
from starscout.evaluation.weights import read_learned, write_learned
from starscout.game import GameError
from starscout.games import load
from starscout.games.ewn.endgame_table import build_table, find_table
from starscout.referee.adjudication import Adjudication
from starscout.referee.series import Schedule
from starscout.search.limits import Limit

SHIPPED = Path(starscout.__file__).parent / "games" / "ewn" / "ewn.weights"
CONNECT_FOUR = Path(starscout.__file__).parents[1] / "examples" / "connect_four.py"
PLAN = MatchPlan("ewn", "negascout depth=2", "random", Limit(nodes=5), seed=7)

CHANGES: dict[str, Any] = {
    "game": "kari",
    "first": "negascout depth=3",
    "second": "negascout",
    "limit": Limit(nodes=6),
    "seed": 8,
    "opening_plies": 2,
    "luck": "eval=race depth=1",
    "schedule": Schedule(shuffled=False),
    "contents": "0123",
    "openings": "book.txt",
    "opening_order": "sequential",
    "adjudication": Adjudication(max_plies=9),
    "event": "judge",
}


@pytest.mark.parametrize("name", [field.name for field in fields(MatchPlan)])
def test_identity_depends_on_every_field(name: str) -> None:
    changed = replace(PLAN, **{name: CHANGES[name]})
    assert changed.identity != PLAN.identity
    assert plan_from_json(changed.to_json()) == changed


def test_equal_plans_have_equal_texts_and_identities() -> None:
    again = MatchPlan("ewn", "negascout depth=2", "random", Limit(nodes=5), seed=7)
    assert (again.to_json(), again.identity) == (PLAN.to_json(), PLAN.identity)


@given(st.text(), st.integers(0, 2**64 - 1), st.floats(0.001, 1e6), st.booleans())
def test_plan_json_round_trip(player: str, seed: int, time: float, swapped: bool) -> None:
    plan = MatchPlan("ewn", player, "random", Limit(time=time), seed, schedule=Schedule(swapped=swapped))
    assert plan_from_json(plan.to_json()) == plan


def test_make_plan_fills_in_game_defaults() -> None:
    ewn = make_plan("ewn", "negascout depth=1", "negascout depth=2", Limit(), 3)
    assert (ewn.opening_plies, ewn.luck, ewn.contents) == (0, "eval=learned depth=3", "")
    assert make_plan("ewn", "negascout depth=1", "random", Limit(), 3).luck == "eval=learned depth=1"
    assert make_plan("othello", "random", "random", Limit(), 3).opening_plies == 8
    assert make_plan("othello", "random", "random", Limit(), 3, opening_plies=0).opening_plies == 0


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("ewn", "rundom", "random"), "there is no player 'rundom'; did you mean 'random'"),
        (("own", "random", "random"), "there is no game 'own'; did you mean ewn"),
    ],
)
def test_unplayable_plan_is_refused(words: tuple[str, str, str], sentence: str) -> None:
    with pytest.raises(GameError, match=sentence):
        make_plan(*words, Limit(), 0)


def test_games_with_dice_have_no_random_openings() -> None:
    with pytest.raises(GameError, match="opening_plies: expected 0 for ewn"):
        make_plan("ewn", "random", "random", Limit(), 0, opening_plies=4)


def test_game_file_has_absolute_path_and_content_digest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "mine.py"
    file.write_text(CONNECT_FOUR.read_text())
    monkeypatch.chdir(tmp_path)
    name, game = resolve_game("./mine.py")
    assert (name, game.name) == (str(file), "connect-four")
    plan = make_plan("./mine.py", "random", "random", Limit(), 0, luck="off")
    assert plan.game == str(file)
    (tmp_path / "edited.py").write_text(CONNECT_FOUR.read_text() + "# edited\n")
    edited = make_plan("./edited.py", "random", "random", Limit(), 0, luck="off")
    assert plan.contents
    assert edited.contents not in ("", plan.contents)


def test_contents_cover_weights_of_the_luck_meter(tmp_path: Path) -> None:
    weights = tmp_path / "mine.weights"
    plans = []
    for number in (1, 2):
        learned = read_learned(SHIPPED)
        write_learned(weights, replace(learned, arrays={**learned.arrays, "constant": numpy.array(number)}))
        plans.append(make_plan("ewn", "random", "random", Limit(), 0, luck=f"eval={weights}"))
    assert plans[0].luck == plans[1].luck
    assert len({plan.contents for plan in plans} | {""}) == 3


def test_contents_cover_the_endgame_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("STARSCOUT_CACHE", raising=False)
    contents = []
    for cubes in (3, 4):
        find_table.cache_clear()
        assert list(build_table(load("ewn-3x3-3"), cubes))
        plan = make_plan("ewn-3x3-3", "negascout endgame=on nodes=9", "random", Limit(), 0, luck="off")
        contents.append(plan.contents)
    find_table.cache_clear()
    without = make_plan("ewn-3x3-3", "negascout nodes=9", "random", Limit(), 0, luck="off")
    assert len({*contents, without.contents}) == 3


def test_meter_text() -> None:
    ewn = load("ewn")
    assert meter_text(ewn, "off", ("random", "random")) == ""
    assert meter_text(ewn, "depth=2", ("negascout", "random")) == "eval=learned depth=2"
    with pytest.raises(GameError, match="luck: expected `eval=NAME depth=N` or off, got"):
        meter_text(ewn, "none", ("random", "random"))
    with pytest.raises(GameError, match="luck depth: expected a whole number from 1 to 4 \\(plies\\), got '9'"):
        meter_text(ewn, "depth=9", ("random", "random"))
