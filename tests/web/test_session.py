"""Sessions: invalid messages and slow clients do not affect other pages."""

import asyncio
import contextlib
import socket
import time
from collections.abc import Iterator
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from starscout.web.searches import Client
from starscout.web.session import Session
from starscout.web.worker import StoppedError
from tests.web.client import PATIENCE, Page


@pytest.fixture
def neighbour(address: str) -> Iterator[Page]:
    """Another page with a game, in which a move is still answered quickly after the test."""
    with Page(address) as page:
        shown = page.begin("ewn", "random")
        began = time.monotonic()
        page.ask("catalogue")
        usual = time.monotonic() - began
        yield page
        began = time.monotonic()
        answer = page.ask("move", table=shown["table"], ply=shown["ply"], move=shown["moves"][0]["text"])
        assert "error" not in answer
        assert time.monotonic() - began < 2 + 50 * usual


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "expected JSON"),
        ("{", "expected JSON"),
        ("[1]", "expected an object"),
        ('{"id": 1, "do": "fly"}', "unknown action"),
        ('{"id": 1, "do": "new"}', "game: expected"),
        ('{"id": 1, "do": "new", "game": "chess", "side": 0}', "no game 'chess'"),
        ('{"id": 1, "do": "new", "game": "/etc/passwd", "side": 0}', "no game"),
        ('{"id": 1, "do": "new", "game": "ewn", "side": 7}', "side: expected"),
        ('{"id": 1, "do": "new", "game": "ewn", "side": 0, "opponent": "lab:/bin/sh"}', "no player"),
        ('{"id": 1, "do": "join", "table": "nowhere"}', "no longer exists"),
        ('{"id": 1, "do": "move", "table": {"a": 1}, "ply": 0, "move": "A1"}', "table: expected"),
    ],
)
def test_malformed_message_is_answered_with_an_error(neighbour: Page, page: Page, text: str, why: str) -> None:
    page.socket.send(text)
    assert why in page.answer()["error"]
    assert "games" in page.ask("catalogue")


def test_binary_message_is_an_error(page: Page) -> None:
    page.socket.send(b"\x00\xff")
    assert "expected JSON" in page.answer()["error"]


def test_oversized_message_closes_only_its_connection(neighbour: Page, page: Page) -> None:
    with contextlib.suppress(ConnectionClosed):
        page.socket.send("x" * 1_100_000)
    with pytest.raises(ConnectionClosed) as closed:
        page.answer()
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1009


def test_other_origins_are_rejected(address: str) -> None:
    for origin in ("http://evil.example", "null"):
        with pytest.raises(InvalidStatus):
            Page(address, origin=origin)


def test_illegal_moves_and_two_tabs_at_once(address: str) -> None:
    with Page(address, client="anna") as page, Page(address, client="anna") as other:
        shown = page.begin("ewn", None)
        table, first = shown["table"], shown["moves"][0]["text"]
        assert "not a legal move" in page.ask("move", table=table, ply=0, move="Z9")["error"]
        assert other.ask("join", table=table)["shown"]["position"] == shown["position"]
        assert "error" not in other.ask("move", table=table, ply=0, move=first)
        assert "position has changed" in page.ask("move", table=table, ply=0, move=first)["error"]
        assert page.next_push(push="table", ply=1)["plies"][0]["move"] == first


def test_table_outlives_its_page(address: str) -> None:
    with Page(address) as page:
        shown = page.begin("ewn", None)
        page.ask("move", table=shown["table"], ply=0, move=shown["moves"][0]["text"])
    with Page(address) as again:
        assert again.ask("join", table=shown["table"])["shown"]["ply"] == 1


def test_slow_reader_is_disconnected(neighbour: Page, address: str) -> None:
    host, port = address.removeprefix("http://").rstrip("/").split(":")
    slow = socket.create_connection((host, int(port)))
    slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    headers = (
        "GET /socket HTTP/1.1", f"Host: {host}:{port}", f"Origin: http://{host}:{port}", "Upgrade: websocket",
        "Connection: Upgrade", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13", "", "",
    )  # fmt: skip
    slow.sendall("\r\n".join(headers).encode())
    text = b'{"id": 1, "do": "catalogue"}'
    frame = bytes([0x81, 0x80 | len(text), 0, 0, 0, 0]) + text
    slow.settimeout(5)
    end = time.monotonic() + PATIENCE
    with contextlib.suppress(OSError):
        # Send requests without reading the answers until the server disconnects.
        while time.monotonic() < end:
            slow.sendall(frame * 20)
    assert time.monotonic() < end
    slow.close()


def test_latest_of_several_requests_for_a_search_goes_on() -> None:
    class Slow:
        """A search that ends when it is told to."""

        def __init__(self) -> None:
            self.ended, self.done = asyncio.Event(), False

        async def stop(self) -> None:
            await self.ended.wait()

        def abandon(self) -> None:
            """Nobody waits for its result."""

    async def work() -> None:
        none: Any = None
        session, search = Session(none, none, Client("anna")), Slow()
        session.jobs["first"] = search  # pyright: ignore[reportArgumentType]
        earlier = asyncio.ensure_future(session.stop_job("first"))
        await asyncio.sleep(0)
        await session.stop_job("first")
        search.ended.set()
        with pytest.raises(StoppedError):
            await earlier
        await session.stop_job("first")

    asyncio.run(work())


def test_search_that_cannot_be_stopped_does_not_delay_the_next_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("starscout.web.session.STOP_SECONDS", 0.01)

    class Compiling:
        """A search that never ends."""

        done = abandoned = False

        async def stop(self) -> None:
            await asyncio.Event().wait()

        def abandon(self) -> None:
            self.abandoned = True

    async def work() -> None:
        none: Any = None
        session = Session(none, none, Client("anna"))
        session.jobs["first"] = job = Compiling()  # pyright: ignore[reportArgumentType]
        await asyncio.wait_for(session.stop_job("first"), PATIENCE)
        assert session.jobs == {}
        assert job.abandoned

    asyncio.run(work())


@pytest.mark.slow
def test_thousand_idle_sockets(neighbour: Page, address: str) -> None:
    with contextlib.ExitStack() as stack:
        pages = [stack.enter_context(Page(address)) for _ in range(1000)]
        began = time.monotonic()
        assert "games" in pages[-1].ask("catalogue")
        assert time.monotonic() - began < 1
