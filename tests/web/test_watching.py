"""Watching a store that grows, and starting matches, over a real socket."""

import time

import pytest

from tests.web.running import PATIENCE, Page

MATCH = {"game": "ewn", "first": "random", "second": "random", "pairs": 3, "depth": 1}


def test_a_match_is_started_watched_by_two_and_seen_after_a_reload(page: Page, address: str) -> None:
    assert page.ask("match", **MATCH)["run"] >= 1
    number = None
    end = time.monotonic() + PATIENCE
    while number is None:
        assert time.monotonic() < end
        html = page.ask("watch", key="store")["html"]
        number = next((n for n in range(9, 0, -1) if f'#/watch/match/{n}"' in html), None)
        time.sleep(0.2)
    with Page(address) as other:
        key = f"match/{number}"
        for watcher in (page, other):
            html = watcher.ask("watch", key=key)["html"]
            while ">finished<" not in html:
                html = watcher.next_push(push="view", key=key)["html"]
            assert "+" in html
        assert other.ask("step", key=f"{key}/0/0", ply=1, best=None)["seats"][0]["seconds"] >= 0
    with Page(address) as again:
        assert again.ask("watch", key=key)["html"] == html
        assert again.ask("unwatch") == {"id": 2}


@pytest.mark.parametrize("key", ["match/999", "match/x", "tuning/1", "tournament/4", "../store", "match/" + "9" * 30])
def test_what_is_not_there_cannot_be_watched(page: Page, key: str) -> None:
    assert "error" in page.ask("watch", key=key)


@pytest.mark.parametrize(
    ("action", "fields", "why"),
    [
        ("match", {"first": "lab:/bin/sh"}, "no player"),
        ("match", {"game": "--help"}, "no game"),
        ("match", {"pairs": 10**9}, "'pairs'"),
        ("tournament", {"players": ["random"], "kind": "swiss", "rounds": 1}, "at least two"),
        ("tournament", {"players": ["random", "--store=x"], "kind": "swiss", "rounds": 1}, "no player"),
        ("tournament", {"players": ["random", "random"], "kind": "--help", "rounds": 1}, "no kind"),
        ("halt", {"run": 77}, "no run"),
    ],
)
def test_a_start_that_makes_no_sense_is_refused(page: Page, action: str, fields: dict[str, object], why: str) -> None:
    assert why in page.ask(action, **{**MATCH, **fields})["error"]


@pytest.mark.slow
def test_a_swiss_is_started_from_the_page(page: Page) -> None:
    fields = {
        "game": "ewn",
        "players": ["random", "negascout", "random"],
        "kind": "swiss",
        "rounds": 2,
        "pairs": 1,
        "depth": 1,
    }
    page.ask("tournament", **fields)
    end = time.monotonic() + PATIENCE
    while "error" in page.ask("watch", key="tournament/1"):
        assert time.monotonic() < end
        time.sleep(0.5)
    html = ""
    while html.count("rests") < 2:
        html = page.next_push(push="view", key="tournament/1")["html"]
    assert "Cross table" in html
