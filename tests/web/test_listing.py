"""Lists of finished games for the archive."""

from pathlib import Path

import pytest

from starscout.arena.batch import play_pair
from starscout.arena.director import MatchRun, StoppingRule
from starscout.arena.plan import make_plan
from starscout.arena.store import MEMORY, Store
from starscout.game import GameError
from starscout.records.files import write_record
from starscout.search.limits import Limit
from starscout.web.archive import Archive
from starscout.web.listing import GameFilter, passing_games, stored_games
from starscout.web.worker import Context
from tests.api.test_review import random_game

CONTEXT = Context(1, lambda message: None)


def test_stored_games_in_parts(tmp_path: Path) -> None:
    path = tmp_path / "arena.sqlite"
    plan = make_plan("ewn-3x3-3", "random", "random", Limit(), 4)
    with Store(path) as store:
        match = MatchRun(store, plan, StoppingRule(3))
        store.add(match.id, [play_pair(plan, number) for number in range(3)])
    everything = stored_games(CONTEXT, str(path), GameFilter(), 100, 0)
    assert [row["key"] for row in everything] == [f"match/1/{pair}/{half}" for pair in range(3) for half in (0, 1)]
    assert stored_games(CONTEXT, str(path), GameFilter(), 2, 3) == everything[3:5]
    assert stored_games(CONTEXT, str(path), GameFilter(player="nobody"), 100, 0) == []
    # Every game passes through the start position: the offset counts the games that are listed.
    start = GameFilter(position="12./3.a/.cb r -")
    listed = stored_games(CONTEXT, str(path), start, 100, 0)
    assert stored_games(CONTEXT, str(path), start, 100, 1) == listed[1:]


def test_position_of_another_game_is_not_found() -> None:
    ewn, othello = (random_game(game, 7) for game in ("ewn", "othello"))
    position = next(state.text for state in ewn.states() if state.ply == 3)
    texts = [write_record(record, "json") for record in (ewn, othello)]
    assert passing_games(CONTEXT, GameFilter(position=position), texts) == [True, False]
    with pytest.raises(GameError, match="position: expected"):
        passing_games(CONTEXT, GameFilter(game="othello", position="nonsense"), texts[1:])


def test_games_of_the_page_in_parts() -> None:
    archive = Archive(MEMORY)
    record = random_game("ewn", 7)
    for number in range(3):
        archive.add_game(f"t{number}", "anna", record)
    assert [entry["name"] for entry in archive.games(2)] == ["t2", "t1"]
    assert [entry["name"] for entry in archive.games(2, 2)] == ["t0"]
    assert archive.games(9, game="othello") == archive.games(9, player="no_ody") == []
    assert len(archive.games(9, player=record.players[0][:2])) == 3
    assert archive.record_texts(["t0", "unknown"]) == [write_record(record, "json")]
    totals = [{"luck": 0.3}, {"luck": 0.1}]
    archive.summarise("t1", {"totals": totals, "dice": True, "moves": [{"loss": 0.0}, {"loss": 0.2}]})
    assert [entry["luck"] for entry in archive.games(9)] == [None, pytest.approx(0.2), None]
    assert [entry["loss"] for entry in archive.games(9)] == [None, 0.2, None]
