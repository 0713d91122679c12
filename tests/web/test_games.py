"""Tables: moves, clocks, searches and viewers."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from starscout import games
from starscout.game import GameError
from starscout.referee.openings import series_start
from starscout.search.limits import Limit
from starscout.web import games as tables
from starscout.web import tasks
from starscout.web.archive import Archive
from starscout.web.catalogue import Catalogue, Offer
from starscout.web.games import Table
from starscout.web.searches import Client, SearchPool
from starscout.web.setup import Setup
from starscout.web.tables import Tables
from starscout.web.tasks import with_hash_size
from starscout.web.warming import Warming
from starscout.web.worker import Context, Seat
from tests.web.client import CONNECT_FOUR, PATIENCE

RANDOM = Offer("random", "random", "")
SLOW = Offer("negascout", "negascout", "")
ANNA = Client("anna")


def setup(game: str = "ewn", opponent: Offer | None = RANDOM, **fields: Any) -> Setup:
    chosen: dict[str, Any] = {"side": 0, "level": Limit(time=0.05), "clocks": (Limit(), Limit()), **fields}
    return Setup(games.load(game), opponent, **chosen)


def at_table(chosen: Setup, work: Callable[[Table], Awaitable[None]]) -> list[dict[str, Any]]:
    """The states that the table pushed during `work`."""
    seen: list[dict[str, Any]] = []

    async def all_of_it() -> None:
        pool = SearchPool(":memory:", threads=True)
        warming = Warming(pool, lambda: None, needed=False)
        table = Table(chosen, ANNA, pool, warming, lambda changed: seen.append(changed.to_json(False)))
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
        table.begin()
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
        table.begin()
        move = shown(table)["moves"][0]["text"]
        with pytest.raises(GameError, match="position has changed"):
            table.play(1, move)
        with pytest.raises(GameError, match="not a legal move"):
            table.play(0, "E5A1")
        with pytest.raises(GameError, match="already begun"):
            table.begin()
        table.play(0, move)
        with pytest.raises(GameError, match="position has changed"):
            table.play(0, move)
        with pytest.raises(GameError, match="not your turn"):
            table.play(1, move)

    at_table(setup(opponent=SLOW, level=Limit(time=0.5)), work)


def test_take_back_keeps_the_roll() -> None:
    async def work(table: Table) -> None:
        table.begin()
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
        table.begin()
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
        table.begin()
        assert shown(table)["clocks"][0] <= 0.2
        await until(lambda: shown(table)["over"] is not None)

    seen = at_table(setup(clocks=(Limit(clock=0.2), Limit(clock=0.2))), work)
    assert seen[-1]["over"] == {"winner": 1, "reason": "timeout"}


def test_hurry_and_stop_of_unwatched_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "GRACE_SECONDS", 0.1)

    async def work(table: Table) -> None:
        table.begin()
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


def searches(table: Table) -> int:
    """The number of unfinished searches for a move."""
    pool = table._pool
    return sum(job.task == "choose" for job in (*pool._running.values(), *pool._queued["move"]))


def test_player_runs_one_search_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leaving, joining and taking back while a search is being stopped do not start a second one."""
    monkeypatch.setattr(tables, "GRACE_SECONDS", 0.0)
    busy: list[int] = []

    async def work(table: Table) -> None:
        table.begin()
        for _ in range(20):
            table.play(0, shown(table)["moves"][0]["text"])
            table.leave()
            # Let the event loop start to stop the search.
            for _ in range(3):
                await asyncio.sleep(0)
            table.enter()
            busy.append(searches(table))
            await until(lambda: searches(table) == 1 and shown(table)["thinking"])
            taken = await asyncio.gather(table.take_back(), table.take_back(), return_exceptions=True)
            assert {type(end) for end in taken} == {type(None), GameError}
            busy.append(searches(table))
            assert shown(table)["ply"] == 0

    at_table(setup(opponent=SLOW, level=Limit(time=60)), work)
    assert set(busy) <= {0, 1}


def test_failure_of_the_opponent_is_reported() -> None:
    async def work(table: Table) -> None:
        table.begin()
        await until(lambda: bool(shown(table)["failure"]))

    seen = at_table(setup(opponent=Offer("broken", "lab:false", "", local=False)), work)
    assert "crash" in seen[-1]["failure"] or "disconnected" in seen[-1]["failure"]


def test_class_plays_in_a_process_of_its_own(tmp_path: Path) -> None:
    """A class that ends its process loses the game; the server goes on."""
    (tmp_path / "agent.py").write_text(
        "import os\nclass Ends:\n    def choose(self, state, limit):\n        os._exit(3)\n"
    )

    async def work(table: Table) -> None:
        table.begin()
        await until(lambda: bool(shown(table)["over"]))

    ends = f"python:{tmp_path}/agent.py:Ends"
    seen = at_table(setup(side=1, opponent=Offer(ends, ends, "", local=False)), work)
    assert "crash" in str(seen[-1]["over"])


@pytest.fixture
def opened(tmp_path: Path) -> Callable[..., Any]:
    """Runs a coroutine with the tables of a server; later calls find what earlier ones have saved."""

    def run(work: Callable[[Tables, Archive], Awaitable[Any]], limit: int = 9) -> Any:
        async def all_of_it() -> Any:
            pool, archive = SearchPool(":memory:", threads=True), Archive(str(tmp_path / "page.sqlite"))
            warming = Warming(pool, lambda: None, needed=False)
            several = Tables(pool, warming, archive, Catalogue(), lambda table: None, limit)
            try:
                return await work(several, archive)
            finally:
                await several.close()
                await pool.close()
                archive.close()

        return asyncio.run(all_of_it())

    return run


def test_unused_tables_leave_the_memory_first(opened: Any) -> None:
    async def work(several: Tables, archive: Archive) -> None:
        first, second = [await several.open(setup(), ANNA) for _ in range(2)]
        first.begin()
        second.enter()
        third = await several.open(setup(), ANNA)
        assert several.open_table(first.name) is None
        assert await several.find(second.name) is second
        third.enter()
        with pytest.raises(GameError, match="all tables"):
            await several.open(setup(), ANNA)
        third.leave()
        # The table was saved.
        assert shown(await several.find(first.name))["position"] == shown(first)["position"]
        with pytest.raises(GameError, match="no longer exists"):
            await several.find("unknown")

    opened(work, 2)


def test_one_browser_has_a_bounded_number_of_tables(opened: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("starscout.web.tables.MAX_TABLES_OF_CLIENT", 2)

    async def work(several: Tables, archive: Archive) -> None:
        mine = [await several.open(setup(), ANNA) for _ in range(2)]
        other = await several.open(setup(), Client("bert"))
        mine.append(await several.open(setup(), ANNA))
        assert [several.open_table(table.name) for table in mine] == [None, *mine[1:]]
        assert several.open_table(other.name) is other

    opened(work)


def test_games_survive_a_restart(opened: Any) -> None:
    async def begin(several: Tables, archive: Archive) -> Any:
        table = await several.open(
            setup("ewn", SLOW, level=Limit(depth=1), clocks=(Limit(clock=90), Limit(clock=90))), ANNA
        )
        table.enter()
        table.begin()
        for _ in range(2):
            await until(lambda: bool(shown(table)["moves"]))
            now = shown(table)
            table.play(now["ply"], now["moves"][0]["text"])
        await until(lambda: bool(shown(table)["moves"]))
        return table.name, shown(table)

    async def go_on(several: Tables, archive: Archive) -> None:
        table = await several.find(name)
        table.enter()
        after = shown(table)
        for part in ("position", "die", "moves", "plies", "yours", "opponent"):
            assert after[part] == before[part]
        assert after["clocks"] == pytest.approx(before["clocks"], abs=1.0)
        assert table.sides_of("anna") == (0,)
        assert archive.games(9) == []
        await table.resign()
        assert [(game["name"], game["winner"], game["reason"]) for game in archive.games(9)] == [(name, 1, "resigned")]
        assert archive.usage() == {"ewn": 1}
        archive.game(name).check()  # pyright: ignore[reportOptionalMemberAccess]

    async def see_the_end(several: Tables, archive: Archive) -> None:
        table = await several.find(name)
        assert shown(table)["over"] == {"winner": 1, "reason": "resigned"}
        await table.take_back()
        assert archive.games(9) == []

    name, before = opened(begin)
    opened(go_on)
    opened(see_the_end)


def test_seats_belong_to_browsers() -> None:
    async def work(table: Table) -> None:
        table.begin()
        assert (table.join("anna"), table.join("bert"), table.join("carl")) == ((0,), (1,), ())
        assert table.join("bert") == (1,)
        with pytest.raises(GameError, match="you are watching"):
            table.check_seat("carl")
        assert table.to_json(False, (1,))["moves"] == []
        with pytest.raises(GameError, match="not your turn"):
            table.play(0, shown(table)["moves"][0]["text"], (1,))
        for side in (0, 1):
            table.play(side, shown(table)["moves"][0]["text"], (side,))
        # A take-back needs the consent of the other side.
        await table.take_back((0,))
        assert (shown(table)["ply"], shown(table)["request"]) == (2, {"what": "back", "side": 0})
        await table.take_back((0,))
        assert shown(table)["ply"] == 2
        table.refuse()
        assert shown(table)["request"] is None
        # The other side may agree before it has moved itself.
        await table.take_back((1,))
        await table.take_back((0,))
        assert shown(table)["ply"] == 1
        await table.take_back((0,))
        await table.take_back((1,))
        assert shown(table)["ply"] == 0
        for side in (0, 1):
            table.play(side, shown(table)["moves"][0]["text"], (side,))
        await table.take_back((0,))
        await table.take_back((1,))
        assert (shown(table)["ply"], shown(table)["mover"]) == (0, 0)
        await table.resign((1,))
        assert shown(table)["over"] == {"winner": 0, "reason": "resigned"}
        assert not table.wants_rematch((0,))
        assert table.wants_rematch((1,))

    at_table(setup("othello", None, invite=True), work)


def test_link_to_a_game_against_a_player_or_at_one_board_grants_no_seat() -> None:
    for chosen, own in ((setup(), (0,)), (setup(opponent=None), (0, 1))):

        async def work(table: Table, own: tuple[int, ...] = own) -> None:
            assert (table.join("anna"), table.join("bert")) == (own, ())

        at_table(chosen, work)


def test_forced_pass_is_automatic() -> None:
    async def passes(table: Table) -> None:
        # White has no move after a1: black moves again.
        table.restore(table.saved() | {"start": "-OX" + "-" * 53 + "XO------ X", "begun": True})
        now = shown(table)
        table.play(now["ply"], "a1")
        after = shown(table)
        assert [(ply["move"], ply["passed"]) for ply in after["plies"]] == [("a1", False), ("pass", True)]
        assert after["mover"] == 0

    at_table(setup("othello", None), passes)


@pytest.mark.parametrize(
    ("spec", "seconds", "expected"),
    [
        ("strong", 0.1, "strong table=14"),
        ("strong", 1.0, "strong table=16"),
        ("strong", 60.0, "strong table=18"),
        ("negascout table=10", 1.0, "negascout table=10"),
        ("random", 0.1, "random"),
    ],
)
def test_hash_size_depends_on_the_time_limit(spec: str, seconds: float, expected: str) -> None:
    assert with_hash_size(spec, games.load("ewn"), seconds) == expected


def test_opponents_are_closed_beyond_the_budget_and_created_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "MAX_OPPONENT_BYTES", 3 << 20)
    opponents, context = tasks.Opponents(), Context(0, lambda message: None)
    text = series_start(games.load("ewn"), 1, 0).text
    seats = [Seat(str(number), "ewn", "negascout", 1, text, 1, (Limit(), Limit()), 0.1) for number in range(9)]
    for seat in seats:
        opponents.prepare(context, seat)
    assert list(opponents._opponents) == ["6", "7", "8"]
    decision, _, _ = opponents.choose(context, seats[0], [], (None, None), Limit(depth=1))
    assert decision.depth == 1
    assert list(opponents._opponents) == ["7", "8", "0"]
    opponents.release(context, "8")
    assert list(opponents._opponents) == ["7", "0"]


def test_repeated_turns_and_reveals() -> None:
    """The user and the opponent may move several times in succession, and an event ends the game."""
    reveal = str(Path(__file__).parents[1] / "reveal_game.py")
    turns: list[int] = []

    async def work(table: Table) -> None:
        table.begin()
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
        assert [ply["revealed"] for ply in end["plies"]] == record.event_texts()[1:]
        assert not any(ply["roll"] for ply in end["plies"])
        await table.take_back()
        assert shown(table)["ply"] == turns[-1]
        assert (shown(table)["over"], shown(table)["mover"]) == (None, 0)

    for _ in range(3):
        turns.clear()
        at_table(setup(reveal), work)


def test_a_revealed_piece_is_listed_with_its_flip() -> None:
    async def work(table: Table) -> None:
        table.begin()
        table.play(0, "B2")
        await until(lambda: len(table.to_json(False)["plies"]) == 1)

    (ply,) = at_table(setup("dark-chess", None), work)[-1]["plies"]
    assert ply["roll"] == ""
    assert len(ply["revealed"]) == 1


def test_last_move_at_a_table_is_marked_after_taking_back() -> None:
    """Connect Four does not name the squares of its moves."""

    async def work(table: Table) -> None:
        table.begin()
        for column in ("1", "7"):
            table.play(0, column)
            square = f'class="square last" data-square="{34 + int(column)}"'
            assert square in table.to_json(False)["svg"]
            await table.take_back()
        assert "square last" not in table.to_json(False)["svg"]

    at_table(setup(str(CONNECT_FOUR), None), work)
