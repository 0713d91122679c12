"""A short run of acceptance.py: honest and hostile players on a ladder that is killed."""

from pathlib import Path

import pytest

from tests.ladder.acceptance import Acceptance


@pytest.mark.slow
def test_hostile_players_and_kills_change_nothing_for_honest_players(tmp_path: Path) -> None:
    found = Acceptance(tmp_path, honest=6, hostile_count=6, minutes=2.5, kills=2, workers=1).run()["findings"]
    print(found)
    assert found["of these in the wrong order"] == 0
    assert found["probability of so many"] > 0.001
