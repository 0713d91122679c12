"""Games in progress, shown to live viewers."""

import json
import os
from pathlib import Path

import pytest

from starscout.arena import broadcast
from starscout.arena.batch import Batch, play_batch
from starscout.arena.broadcast import WATCHED, live_games
from starscout.arena.plan import MatchPlan
from starscout.arena.store import MEMORY, live_folder
from starscout.referee.game_in_progress import GameInProgress

PLAN = MatchPlan("ewn-3x3-3", "random", "random", seed=2)


@pytest.fixture
def store(tmp_path: Path) -> str:
    return str(tmp_path / "arena.sqlite")


def play(store: str, match: int = 7) -> None:
    play_batch(Batch(match, PLAN, (0, 1), live=live_folder(store)))


def test_nothing_is_written_unless_somebody_watches(store: str) -> None:
    play(store)
    assert not Path(live_folder(store)).exists()
    assert live_games(live_folder(store)) == []
    watched = Path(live_folder(store)) / WATCHED
    assert watched.exists()
    play(store)
    assert len(live_games(live_folder(store))) == 1
    # The viewer left long ago.
    for file in watched.parent.glob("*.json"):
        file.unlink()

    os.utime(watched, (0, 0))
    play(store)
    assert not list(watched.parent.glob("*.json"))


def test_every_ply_of_a_watched_game_is_shown(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(broadcast, "INTERVAL", 0.0)
    live_games(live_folder(store))
    seen: list[tuple[int, int, int, bool]] = []
    submit = GameInProgress.submit

    def watched_submit(game: GameInProgress, *arguments: object) -> None:
        found = live_games(live_folder(store))
        if found:
            state = found[0].state
            assert state.text == game.state.text
            assert state.last_squares == game.state.last_squares
            seen.append((found[0].record.pair, found[0].record.half, len(found[0].record.plies), found[0].over))
        submit(game, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(GameInProgress, "submit", watched_submit)
    play(store)
    assert {(pair, half) for pair, half, *_ in seen} == {(0, 0), (0, 1), (1, 0), (1, 1)}
    assert [ply for pair, half, ply, _ in seen if (pair, half) == (0, 0)] == list(range(sum(
        (pair, half) == (0, 0) for pair, half, *_ in seen
    )))  # fmt: skip
    assert live_games(live_folder(store))[0].over


def test_games_of_other_matches_are_not_listed(store: str) -> None:
    live_games(live_folder(store))
    play(store, match=7)
    assert [game.match for game in live_games(live_folder(store), [7])] == [7]
    assert live_games(live_folder(store), [8]) == []


def test_damaged_and_old_files_are_ignored(store: str) -> None:
    live_games(live_folder(store))
    play(store)
    folder = Path(live_folder(store))
    (folder / "1-1.json").write_text("{")
    (folder / "1-2.json").write_text("[]")
    (good,) = [file for file in folder.glob("*.json") if not file.name.startswith("1-")]
    assert len(live_games(live_folder(store))) == 1
    good.write_text(json.dumps(json.loads(good.read_text()) | {"time": 0.0}))
    assert live_games(live_folder(store)) == []
    assert not good.exists()


def test_store_in_memory_has_no_viewers() -> None:
    assert live_folder(MEMORY) == ""
    assert live_games(live_folder(MEMORY)) == []
