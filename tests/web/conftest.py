"""Fixtures: one server for all tests of the page, and a browser."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.web.client import CONNECT_FOUR, FLAGS, PATIENCE, Page, find_chromium, serving


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store of the server that all tests share; empty at first."""
    return tmp_path_factory.mktemp("page") / "arena.sqlite"


@pytest.fixture(scope="session")
def address(store: Path) -> Iterator[str]:
    """The address of the server that all tests share."""
    with serving("--game", str(CONNECT_FOUR), store=store) as found:
        yield found


@pytest.fixture
def page(address: str) -> Iterator[Page]:
    """A page without a browser."""
    with Page(address) as opened:
        yield opened


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """A real browser; without one its tests are skipped.

    One for each file: Playwright keeps an event loop running in this thread, in which other tests start their own.
    """
    path = find_chromium()
    if path is None:
        pytest.skip(
            "no Chromium on this machine (Debian: apt-get install chromium): the page is not tested in a browser"
        )
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture
def tab(chromium: Any, address: str) -> Iterator[Any]:
    """A fresh window at the start page; an error in a script fails the test."""
    context = chromium.new_context(viewport={"width": 1200, "height": 800}, locale="en-GB", reduced_motion="reduce")
    context.set_default_timeout(1000 * PATIENCE)
    window = context.new_page()
    errors: list[str] = []
    window.on("pageerror", lambda error: errors.append(str(error)))
    window.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    window.goto(address)
    yield window
    context.close()
    assert errors == []
