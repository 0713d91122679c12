"""`starscout.tune`: steps, history, the tuned SPEC, and resumption."""

from pathlib import Path

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
