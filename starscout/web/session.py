"""A session: one socket of one page. It reads messages, answers each, and is told what it follows.

A page that sends nonsense gets an error; one that reads too slowly is disconnected; nobody else notices either.
"""

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from starscout.game import GameError, WorkError
from starscout.web.message import Message, read_message
from starscout.web.thinking import Job, StoppedError

if TYPE_CHECKING:
    from starscout.web.server import Server

MOST_WAITING = 64
"""Messages that wait for a page to read them; a page that is further behind is disconnected."""
MOST_AT_ONCE = 8
"""Actions of one page under way."""
MOST_JOBS = 4
"""Searches that one page may have running besides its tables."""

Action = Callable[["Session", Message], Awaitable[dict[str, Any]]]


class Session:
    """One socket."""

    def __init__(self, socket: WebSocket, server: "Server") -> None:
        self.server = server
        self._socket = socket
        self._outgoing: asyncio.Queue[str] = asyncio.Queue(MOST_WAITING)
        self._tasks: set[asyncio.Task[None]] = set()
        self.jobs: dict[str, Job[Any]] = {}
        """The searches of this page by the name that it gave them."""
        self.tables: dict[str, bool] = {}
        """The tables that it follows, and whether it sees them turned."""
        self.watched: str = ""
        """The view of the store that it follows."""
        self.seen: str = ""
        """That view as it was last sent."""

    async def serve(self, actions: dict[str, Action]) -> None:
        """Read and answer until the page is gone."""
        sender = asyncio.ensure_future(self._send_all())
        try:
            while True:
                text = await self._receive()
                while len(self._tasks) >= MOST_AT_ONCE:
                    await asyncio.wait(self._tasks, return_when=asyncio.FIRST_COMPLETED)
                task = asyncio.ensure_future(self._answer(text, actions))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
        except (WebSocketDisconnect, RuntimeError):
            # Starlette raises RuntimeError for a socket that this side has closed.
            pass
        finally:
            sender.cancel()
            await self._leave()

    async def _receive(self) -> str:
        message = await self._socket.receive()
        if message["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(message.get("code", 1000))
        text = message.get("text")
        return text if text is not None else ""

    async def _answer(self, text: str, actions: dict[str, Action]) -> None:
        number = None
        try:
            message = read_message(text)
            number = message.id
            if message.action not in actions:
                raise GameError(f"there is no action {message.action[:60]!r}")
            answer = await actions[message.action](self, message)
        except StoppedError:
            answer = {"error": "stopped"}
        except (GameError, WorkError) as error:
            answer = {"error": str(error)}
        except asyncio.CancelledError:
            raise
        except Exception as error:
            self.server.log_error(error)
            answer = {"error": "this did not work: the server's log says why"}
        self.push({"id": number, **answer})

    def push(self, value: dict[str, Any]) -> None:
        """Send something as soon as the page reads it."""
        try:
            self._outgoing.put_nowait(json.dumps(value))
        except asyncio.QueueFull:
            task = asyncio.ensure_future(self._hang_up())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _hang_up(self) -> None:
        # A page that does not read does not answer a polite goodbye either.
        with contextlib.suppress(RuntimeError, TimeoutError):
            await asyncio.wait_for(self._socket.close(1013, "too slow"), 1.0)

    async def _send_all(self) -> None:
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):
            while True:
                await self._socket.send_text(await self._outgoing.get())

    def start_job(self, name: str, function: Callable[..., Any], *arguments: Any) -> Job[Any]:
        """Begin a search that ends with the page; raises GameError when there are too many."""
        self.jobs = {known: job for known, job in self.jobs.items() if not job.done}
        if name in self.jobs:
            raise GameError(f"{name!r} is running already")
        if len(self.jobs) >= MOST_JOBS:
            raise GameError(f"at most {MOST_JOBS} searches run at a time: stop one")
        self.jobs[name] = self.server.pool.start(function, *arguments)
        return self.jobs[name]

    async def stop_job(self, name: str) -> None:
        """Stop a search, if it runs."""
        job = self.jobs.pop(name, None)
        if job is not None:
            await job.stop()

    async def _leave(self) -> None:
        """Stop everything that only this page waited for."""
        for name in list(self.tables):
            with contextlib.suppress(GameError):
                self.server.tables.find(name).leave()
        self.server.sessions.discard(self)
        for task in list(self._tasks):
            task.cancel()
        for job in self.jobs.values():
            self.server.spawn(job.stop())
