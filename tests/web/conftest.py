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
    """A WebSocket client in place of a browser."""
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


@pytest.fixture(scope="module")
def window(chromium: Any) -> Iterator[Any]:
    """The window that the tests of a file share: opening one takes as long as a short test."""
    context = chromium.new_context(viewport={"width": 1200, "height": 800}, locale="en-GB", reduced_motion="reduce")
    context.set_default_timeout(1000 * PATIENCE)
    yield context.new_page()
    context.close()


@pytest.fixture
def tab(window: Any, address: str) -> Iterator[Any]:
    """A window of a new visitor at the start page; an error in a script fails the test."""
    errors: list[str] = []

    def add_error(error: Any) -> None:
        errors.append(str(error))

    def add_message(message: Any) -> None:
        if message.type == "error":
            errors.append(message.text)

    window.on("pageerror", add_error)
    window.on("console", add_message)
    window.goto(address)
    yield window
    window.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
    window.goto("about:blank")
    window.context.clear_cookies()
    window.remove_listener("pageerror", add_error)
    window.remove_listener("console", add_message)
    assert errors == []
