"""Live views of a store and starting matches over a WebSocket."""

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from starscout.arena.batch import Batch, play_batch
from starscout.arena.plan import MatchPlan
from starscout.arena.store import Store
from starscout.web import watch as watch_tab
from starscout.web.searches import SearchPool
from starscout.web.watch import push_views
from tests.web.client import PATIENCE, Page

MATCH = {"game": "ewn", "first": "random", "second": "random", "pairs": 3, "depth": 1}


def key_of_run(page: Page, run: int) -> str:
    """The key of the view of a run. Other tests add matches to the store, some of which never end."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        (key,) = [row["key"] for row in page.ask("runs")["runs"] if row["run"] == run]
        if key is not None:
            return key
        time.sleep(0.05)
    raise AssertionError(f"run {run} is not in the store")


def test_match_watched_by_two_pages(page: Page, address: str) -> None:
    key = key_of_run(page, page.ask("match", **MATCH)["run"])
    with Page(address) as other:
        for watcher in (page, other):
            html = watcher.ask("watch", key=key)["html"]
            while ">finished<" not in html:
                html = watcher.next_push(push="view", key=key)["html"]
            assert "+" in html
        assert other.ask("step", key=f"{key}/0/0", ply=1, best=None)["seats"][0]["seconds"] >= 0
    with Page(address) as again:
        assert again.ask("watch", key=key)["html"] == html
        assert again.ask("unwatch") == {"id": 2}


class Watcher:
    """The part of a session that `push_views` uses."""

    def __init__(self, key: str, seen: str) -> None:
        self.watched, self.seen = key, seen
        self.told = asyncio.Event()

    def push(self, value: dict[str, Any]) -> None:
        self.told.set()


def test_second_subscriber_does_not_suppress_updates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch_tab, "POLL_SECONDS", 0.01)
    plan = MatchPlan("ewn-3x3-3", "random", "random", seed=9)

    async def work(store: Store) -> None:
        pool = SearchPool(store.path, threads=True)
        match = store.open_match(plan, {"pairs": 2, "sprt": None, "adjusted": False, "games": None})
        key = f"match/{match.id}"
        first = Watcher(key, await pool.run("view", key, lane="store"))
        store.add(match.id, play_batch(Batch(match.id, plan, (0, 1))).records)
        # The second subscriber renders the view again; the first one still gets it.
        second = Watcher(key, "")
        while "2 / 2" not in second.seen:
            second.seen = await pool.run("view", key, lane="store")
        showing = asyncio.ensure_future(push_views({first, second}, pool))  # pyright: ignore[reportArgumentType]
        await asyncio.wait_for(first.told.wait(), PATIENCE)
        assert first.seen == second.seen
        assert not second.told.is_set()
        showing.cancel()
        await pool.close()

    with Store(tmp_path / "arena.sqlite") as store:
        asyncio.run(work(store))


@pytest.mark.parametrize("key", ["match/999", "match/x", "tuning/1", "tournament/4", "../store", "match/" + "9" * 30])
def test_unknown_view(page: Page, key: str) -> None:
    assert "error" in page.ask("watch", key=key)


@pytest.mark.parametrize(
    ("action", "fields", "why"),
    [
        ("match", {"first": "lab:/bin/sh"}, "no player"),
        ("match", {"game": "--help"}, "no game"),
        ("match", {"pairs": 10**9}, "pairs: expected"),
        ("tournament", {"players": ["random"], "kind": "swiss", "rounds": 1}, "at least two"),
        ("tournament", {"players": ["random", "--store=x"], "kind": "swiss", "rounds": 1}, "no player"),
        (
            "tournament",
            {"players": ["random", "random"], "kind": "--help", "rounds": 1},
            "expected one of",
        ),
        ("stop-run", {"run": 77}, "no run"),
    ],
)
def test_invalid_run_is_rejected(page: Page, action: str, fields: dict[str, object], why: str) -> None:
    assert why in page.ask(action, **{**MATCH, **fields})["error"]


@pytest.mark.slow
def test_start_a_swiss_tournament(page: Page) -> None:
    fields = {
        "game": "ewn",
        "players": ["random", "negascout", "random"],
        "kind": "swiss",
        "rounds": 2,
        "pairs": 1,
        "depth": 1,
    }
    key = key_of_run(page, page.ask("tournament", **fields)["run"])
    html = page.ask("watch", key=key)["html"]
    while html.count("bye") < 2:
        html = page.next_push(push="view", key=key)["html"]
    assert "Cross table" in html
