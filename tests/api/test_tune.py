"""`starscout.tune`: steps, history, the tuned SPEC, and resumption."""

import sys
from pathlib import Path

import pytest

import starscout

SPEC = "mcts simulations=10 nodes=1000"


def test_steps_are_stored_and_continued(tmp_path: Path) -> None:
    keywords = {"pairs": 1, "store": tmp_path / "a.sqlite", "workers": 0, "luck": "off"}
    result = starscout.tune("ewn-3x3-3", SPEC, "c=1:0.2:2", steps=2, **keywords)
    assert [step["step"] for step in result.history] == [1, 2]
    assert result.start == f"{SPEC} c=1"
    assert result.player.startswith(f"{SPEC} c=")
    again = starscout.tune("ewn-3x3-3", SPEC, "c=1:0.2:2", steps=2, **keywords)
    assert again.json() == result.json()
    assert str(result).startswith("step 2 of 2: c ")
    assert result.frame()["step"].tolist() == [1, 2]
    assert result._repr_html_().count("<svg") == 1
    result.report(tmp_path / "report.html")
    assert (tmp_path / "report.html").is_file()


ENGINE = """#!/bin/sh
echo option name own type spin min 0 max 9
echo labok
cat
"""


@pytest.mark.usefixtures("trusted")
@pytest.mark.parametrize(
    ("spec", "parameters", "expected"),
    [
        ("lab:{folder}/engine", "owm=1:0:9", "no option 'owm'; did you mean 'own'?"),
        ("lab:{folder}/engine", "own=1:0:10", "own: expected a whole number from 0 to 9, got '10'"),
        ("tcg-ewn:{folder}/engine", "own=1:0:9", "to pass it in the command line of a program, write {own} there"),
        ("python:{folder}/agent.py:Agent", "owm=1:0:9", "no parameter 'owm'; did you mean 'own'?"),
        ("mcts", "cc=1:0:9", "parameters: mcts: no option 'cc'"),
    ],
)
def test_parameters_that_reach_nobody_are_refused(tmp_path: Path, spec: str, parameters: str, expected: str) -> None:
    (tmp_path / "engine").write_text(ENGINE)
    (tmp_path / "engine").chmod(0o755)
    (tmp_path / "agent.py").write_text(
        "class Agent:\n    def __init__(self, own: int = 1): ...\n    def choose(self, state, limit): ...\n"
    )
    with pytest.raises(starscout.GameError) as caught:
        starscout.tune("ewn", spec.format(folder=tmp_path), parameters, steps=1, pairs=1, store=":memory:", workers=0)
    assert expected in str(caught.value)
    assert not (tmp_path / "a.sqlite").exists()


@pytest.mark.slow
def test_an_external_engine_is_tuned_with_fewer_games_than_by_spsa() -> None:
    """The optimum lies within the interval, and SPSA is further from it after twice the games."""
    engine = Path(__file__).parents[2] / "benchmarks" / "tuning_engine.py"
    found = {
        method: starscout.tune(
            "ewn", f"lab:{sys.executable} {engine}", "own=5:0:20,enemy=15:0:20", steps=30, pairs=pairs, method=method,
            seed=1, luck="off", store=":memory:", progress=False,
        )
        for method, pairs in {"gp": 8, "spsa": 16}.items()
    }  # fmt: skip
    best = {"own": 14, "enemy": 6}
    for name, value in best.items():
        low, high = found["gp"].intervals[name]
        assert low <= value <= high
        assert high - low < 15
    distances = {
        method: sum((result.parameters[name] - value) ** 2 for name, value in best.items())
        for method, result in found.items()
    }
    assert distances["gp"] < distances["spsa"]


def test_parameters_are_a_dictionary_or_text() -> None:
    quick = {"steps": 1, "pairs": 1, "store": ":memory:", "workers": 0}
    spec = "mcts simulations=2"
    found = starscout.tune("ewn-3x3-3", spec, {"c": (1, 0.5, 2)}, **quick)
    assert found.parameters == starscout.tune("ewn-3x3-3", spec, "c=1:0.5:2", **quick).parameters
    for given in ({"c": (1, 2)}, {"c": "1:0:2"}):
        with pytest.raises(starscout.GameError, match=r"c: expected \(start, low, high\)"):
            starscout.tune("ewn-3x3-3", spec, given, **quick)  # type: ignore[arg-type]
    with pytest.raises(starscout.GameError, match="parameters: expected"):
        starscout.tune("ewn-3x3-3", spec, 3, **quick)  # type: ignore[arg-type]
