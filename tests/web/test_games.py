"""Tables: moves, clocks, searches and viewers."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from starscout import games
from starscout.game import GameError
from starscout.search.limits import Limit
from starscout.web import games as tables
from starscout.web.catalogue import Offer
from starscout.web.games import Setup, Table, Tables
from starscout.web.searches import SearchPool
from tests.web.client import PATIENCE

RANDOM = Offer("random", "random", "")
SLOW = Offer("negascout", "negascout", "")


def setup(game: str = "ewn", opponent: Offer | None = RANDOM, **fields: Any) -> Setup:
    chosen: dict[str, Any] = {"side": 0, "level": Limit(time=0.05), "clocks": (Limit(), Limit()), **fields}
    return Setup(games.load(game), opponent, **chosen)


def at_table(chosen: Setup, work: Callable[[Table], Awaitable[None]]) -> list[dict[str, Any]]:
    """The states that the table pushed during `work`."""
    seen: list[dict[str, Any]] = []

    async def all_of_it() -> None:
        pool = SearchPool(2)
        table = Table(chosen, pool, lambda changed: seen.append(changed.to_json(False)))
        table.enter()
        try:
            await work(table)
        finally:
            await table.close()
            await pool.close()

    asyncio.run(all_of_it())
    return seen


async def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end
        await asyncio.sleep(0.01)


def shown(table: Table) -> dict[str, Any]:
    return table.to_json(False)


def test_complete_game() -> None:
    async def work(table: Table) -> None:
        await table.begin()
        while True:
            await until(lambda: bool(shown(table)["moves"] or shown(table)["over"]))
            now = shown(table)
            if now["over"]:
                break
            table.play(now["ply"], now["moves"][0]["text"])
        table.record().check()

    seen = at_table(setup(side=1), work)
    assert seen[-1]["over"] is not None
    assert seen[-1]["plies"][0]["side"] == 0


def test_moves_out_of_turn_are_rejected() -> None:
    async def work(table: Table) -> None:
        with pytest.raises(GameError, match="not begun"):
            table.play(0, "A1B2")
        await table.begin()
        move = shown(table)["moves"][0]["text"]
        with pytest.raises(GameError, match="position has changed"):
            table.play(1, move)
        with pytest.raises(GameError, match="not a legal move"):
            table.play(0, "E5A1")
        with pytest.raises(GameError, match="already begun"):
            await table.begin()
        table.play(0, move)
        with pytest.raises(GameError, match="position has changed"):
            table.play(0, move)
        with pytest.raises(GameError, match="not your turn"):
            table.play(1, move)

    at_table(setup(opponent=SLOW, level=Limit(time=0.5)), work)


def test_take_back_keeps_the_roll() -> None:
    async def work(table: Table) -> None:
        await table.begin()
        before = shown(table)
        table.play(0, before["moves"][-1]["text"])
        await until(lambda: bool(shown(table)["moves"]))
        await table.take_back()
        after = shown(table)
        assert (after["position"], after["die"]) == (before["position"], before["die"])

    at_table(setup(), work)


def test_pieces_are_exchanged_before_the_first_roll() -> None:
    async def work(table: Table) -> None:
        before = shown(table)
        assert (before["placing"], before["die"]) == (True, None)
        table.exchange(0, 1)
        first, second = before["position"][:2]
        assert shown(table)["position"].startswith(second + first)
        for squares in ((0, 24), (24, 23), (0, 12), (0, 999)):
            with pytest.raises(GameError, match="exchanged"):
                table.exchange(*squares)
        await table.begin()
        assert shown(table)["die"] is not None
        with pytest.raises(GameError, match="only before the game"):
            table.exchange(0, 1)

    at_table(setup(), work)


def test_second_side_may_move_first() -> None:
    async def work(table: Table) -> None:
        assert shown(table)["mover"] == 1

    at_table(setup(first=1), work)


def test_timeout_loses() -> None:
    async def work(table: Table) -> None:
        await table.begin()
        assert shown(table)["clocks"][0] <= 0.2
        await until(lambda: shown(table)["over"] is not None)

    seen = at_table(setup(clocks=(Limit(clock=0.2), Limit(clock=0.2))), work)
    assert seen[-1]["over"] == {"winner": 1, "reason": "timeout"}


def test_hurry_and_stop_of_unwatched_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "GRACE_SECONDS", 0.1)

    async def work(table: Table) -> None:
        await table.begin()
        table.play(0, shown(table)["moves"][0]["text"])
        assert shown(table)["thinking"]
        await table.hurry()
        await until(lambda: bool(shown(table)["moves"]))
        table.play(2, shown(table)["moves"][0]["text"])
        table.leave()
        await until(lambda: not shown(table)["thinking"])
        assert shown(table)["ply"] == 3
        # The search starts again for a new viewer.
        table.enter()
        assert shown(table)["thinking"]

    at_table(setup(opponent=SLOW, level=Limit(time=60)), work)


def test_player_runs_one_search_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leaving, joining and taking back while a search is being stopped do not start a second one."""
    monkeypatch.setattr(tables, "GRACE_SECONDS", 0.0)
    busy: list[int] = []

    async def work(table: Table) -> None:
        await table.begin()
        for _ in range(20):
            table.play(0, shown(table)["moves"][0]["text"])
            table.leave()
            # Let the event loop start to stop the search.
            for _ in range(3):
                await asyncio.sleep(0)
            table.enter()
            busy.append(table._pool.busy)
            await until(lambda: table._pool.busy == 1 and shown(table)["thinking"])
            taken = await asyncio.gather(table.take_back(), table.take_back(), return_exceptions=True)
            assert {type(end) for end in taken} == {type(None), GameError}
            busy.append(table._pool.busy)
            assert shown(table)["ply"] == 0

    at_table(setup(opponent=SLOW, level=Limit(time=60)), work)
    assert set(busy) <= {0, 1}


def test_failure_of_the_opponent_is_reported() -> None:
    async def work(table: Table) -> None:
        await table.begin()

    seen = at_table(setup(opponent=Offer("broken", "lab:false", "", local=False)), work)
    assert "crash" in seen[-1]["failure"] or "disconnected" in seen[-1]["failure"]


def test_class_plays_in_a_process_of_its_own(tmp_path: Path) -> None:
    """A class that ends its process loses the game; the server goes on."""
    (tmp_path / "agent.py").write_text(
        "import os\nclass Ends:\n    def choose(self, state, limit):\n        os._exit(3)\n"
    )

    async def work(table: Table) -> None:
        await table.begin()
        await until(lambda: bool(shown(table)["over"]))

    ends = f"python:{tmp_path}/agent.py:Ends"
    seen = at_table(setup(side=1, opponent=Offer(ends, ends, "", local=False)), work)
    assert "crash" in str(seen[-1]["over"])


def test_unused_tables_are_closed_first() -> None:
    async def work() -> None:
        pool = SearchPool(1)
        several = Tables(pool, lambda table: None, limit=2)
        first, second = await several.open(setup()), await several.open(setup())
        second.enter()
        third = await several.open(setup())
        third.enter()
        with pytest.raises(GameError, match="no longer exists"):
            several.find(first.name)
        assert several.find(second.name) is second
        with pytest.raises(GameError, match="all tables"):
            await several.open(setup())
        await several.close()
        await pool.close()

    asyncio.run(work())


@pytest.mark.parametrize(
    ("spec", "seconds", "expected"),
    [
        ("strong", 0.1, "strong table=14"),
        ("strong", 1.0, "strong table=16"),
        ("strong", 60.0, "strong"),
        ("negascout table=10", 1.0, "negascout table=10"),
        ("random", 0.1, "random"),
    ],
)
def test_hash_size_depends_on_the_time_limit(spec: str, seconds: float, expected: str) -> None:
    assert tables.with_hash_size(spec, games.load("ewn"), Limit(time=seconds)) == expected


def test_repeated_turns_and_reveals() -> None:
    """The user and the opponent may move several times in succession, and an event ends the game."""
    reveal = str(Path(__file__).parents[1] / "reveal_game.py")
    turns: list[int] = []

    async def work(table: Table) -> None:
        await table.begin()
        while True:
            await until(lambda: shown(table)["over"] is not None or bool(shown(table)["moves"]))
            now = shown(table)
            if now["over"] is not None:
                break
            assert now["mover"] == now["running"] == 0
            turns.append(now["ply"])
            table.play(now["ply"], now["moves"][0]["text"])
        end = shown(table)
        assert end["over"]["winner"] is None or end["over"]["points"] >= 1
        record = table.record()
        record.check()
        assert [ply["side"] for ply in end["plies"]] == record.movers()[:-1]
        assert [ply["roll"] for ply in end["plies"]] == record.event_texts()[:-1]
        await table.take_back()
        assert shown(table)["ply"] == turns[-1]
        assert (shown(table)["over"], shown(table)["mover"]) == (None, 0)

    for _ in range(3):
        turns.clear()
        at_table(setup(reveal), work)
