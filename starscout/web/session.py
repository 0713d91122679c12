"""The shared state of a server, and sessions: one for the WebSocket of each page.

A session answers messages and pushes the updates that its page has subscribed to.

An invalid message is answered with an error, and a page that reads too slowly is disconnected; other pages are not
affected. An error has a code and arguments, by which the page translates it, and an English text:

    {"id": 7, "error": "it is not your turn", "code": "not_your_turn", "arguments": {}}
"""

import asyncio
import contextlib
import json
import logging
import secrets
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from starscout.game import GameError, WorkError
from starscout.kernels.kernel import PLAIN
from starscout.web.access import CLIENT_COOKIE, cookie_value
from starscout.web.archive import Archive, RecordLibrary, page_database
from starscout.web.catalogue import Catalogue
from starscout.web.games import Table
from starscout.web.message import Message, read_message
from starscout.web.runs import Runs
from starscout.web.searches import Client, EngineError, Job, SearchPool
from starscout.web.tables import Tables
from starscout.web.warming import Warming
from starscout.web.worker import InternalError, StoppedError

MAX_QUEUED = 64
"""Maximum number of unread messages before a page is disconnected."""
MAX_CLIENT = 40
"""Maximum length of the identifier of a browser."""
MAX_ACTIONS = 8
"""Maximum number of concurrent actions of one page."""
STOP_SECONDS = 1.0
"""Maximum time to wait for the end of a stopped search: the compiler cannot be interrupted."""
Action = Callable[["Session", Message], Awaitable[dict[str, Any]]]


class Session:
    """The WebSocket of one page, and what it has subscribed to."""

    def __init__(self, socket: WebSocket, server: "Server", client: Client) -> None:
        self.server = server
        self._socket = socket
        self.client = client
        self._outgoing: asyncio.Queue[str] = asyncio.Queue(MAX_QUEUED)
        self._tasks: set[asyncio.Task[None]] = set()
        self.jobs: dict[str, Job] = {}
        """Running searches by the name that the page chose."""
        self._latest: dict[str, object] = {}
        """Name of a search that is being stopped → the latest request to do so: only that one may start another."""
        self.tables: dict[str, bool] = {}
        """Name of a subscribed table → whether the page shows it turned."""
        self.watched: str = ""
        """Key of the subscribed view of the store; empty: none."""
        self.seen: str = ""
        """The view as last sent."""
        self.live: str = ""
        """Key of the view whose games in progress the page shows; empty: none."""
        self.live_seen: Any = None
        """The game and the number of plies as last sent."""

    async def serve(self, actions: dict[str, Action]) -> None:
        """Answer messages until the page disconnects."""
        sender = asyncio.ensure_future(self._send_all())
        try:
            while True:
                text = await self._receive()
                while len(self._tasks) >= MAX_ACTIONS:
                    await asyncio.wait(self._tasks, return_when=asyncio.FIRST_COMPLETED)
                task = asyncio.ensure_future(self._answer(text, actions))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
        except (WebSocketDisconnect, RuntimeError):
            # Starlette raises RuntimeError for a socket that the server has closed.
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
                name = message.action[:60]
                raise GameError(f"unknown action {name!r}", code="unknown_action", name=name)
            answer = await actions[message.action](self, message)
        except StoppedError:
            answer = {"error": "stopped", "code": "stopped", "arguments": {}}
        except GameError as error:
            answer = {"error": str(error), "code": error.code, "arguments": error.arguments}
        except WorkError as error:
            answer = {"error": str(error), "code": "", "arguments": {}}
        except EngineError:
            answer = {"error": "the engine was restarted: try again", "code": "engine_restarted", "arguments": {}}
        except asyncio.CancelledError:
            raise
        except Exception as error:
            self.server.log_error(error)
            answer = {"error": "internal error: see the log of the server", "code": "internal", "arguments": {}}
        self.push({"id": number, **answer})

    def push(self, value: dict[str, Any]) -> None:
        """Queue a message for the page; a page whose queue is full is disconnected."""
        try:
            self._outgoing.put_nowait(json.dumps(value))
        except asyncio.QueueFull:
            task = asyncio.ensure_future(self._disconnect())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _disconnect(self) -> None:
        # A page that does not read does not complete the closing handshake either.
        with contextlib.suppress(RuntimeError, TimeoutError):
            await asyncio.wait_for(self._socket.close(1013, "too slow"), 1.0)

    async def _send_all(self) -> None:
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):
            while True:
                await self._socket.send_text(await self._outgoing.get())

    def start_job(
        self, name: str, task: str, *arguments: Any, lane: str, progress: Callable[[Any], None] | None = None
    ) -> Job:
        """Start a search that is stopped when the page disconnects; raises GameError if there are too many."""
        self.jobs = {known: job for known, job in self.jobs.items() if not job.done}
        if name in self.jobs:
            raise GameError(f"{name!r} is already running", code="job_running", name=name)
        self.jobs[name] = self.server.pool.start(task, *arguments, lane=lane, client=self.client, progress=progress)
        return self.jobs[name]

    async def stop_job(self, name: str) -> None:
        """Stop a search if it is running; raises StoppedError if a newer request for this name arrived meanwhile."""
        ticket = self._latest[name] = object()
        job = self.jobs.pop(name, None)
        if job is not None:
            await asyncio.wait([asyncio.ensure_future(job.stop())], timeout=STOP_SECONDS)
            job.abandon()
        if self._latest.get(name) is not ticket:
            raise StoppedError
        del self._latest[name]

    async def _leave(self) -> None:
        """Unsubscribe from everything and stop the searches of this page."""
        for name in list(self.tables):
            table = self.server.tables.open_table(name)
            if table is not None:
                table.leave()
        self.server.sessions.discard(self)
        for task in list(self._tasks):
            task.cancel()
        for job in self.jobs.values():
            self.server.spawn(job.stop())


def client_of(socket: WebSocket) -> Client:
    """The browser of a socket; a client without the page's cookie counts as a separate browser."""
    known = cookie_value(socket.headers, CLIENT_COOKIE)[:MAX_CLIENT]
    return Client(known or secrets.token_urlsafe(9), socket.client.host if socket.client else "")


class Server:
    """The state that all sessions of a server share."""

    def __init__(
        self, catalogue: Catalogue, store: str, files: Sequence[str] = (), *, warm: bool = True, threads: bool = False
    ) -> None:
        """`threads`: search in this process instead of an engine process."""
        self.catalogue, self.store, self._warm = catalogue, store, warm
        self.archive = Archive(page_database(store))
        self.pool = SearchPool(store, files, threads=threads)
        self.warming = Warming(self.pool, self._engines_changed, needed=PLAIN and not threads)
        self.tables = Tables(self.pool, self.warming, self.archive, catalogue, self._table_changed)
        self.library = RecordLibrary(self.archive, self.tables, self.pool)
        self.runs = Runs(store)
        self.judgements: dict[str, Job] = {}
        """Digest of a record → its review in progress."""
        self.searching: set[str] = set()
        """Kinds of work that run one at a time for all visitors."""
        self.sessions: set[Session] = set()
        self._tasks: set[asyncio.Task[Any]] = set()

    def start(self) -> None:
        """Start the work in the background."""
        if self._warm:
            self.warming.compile_all(self.catalogue.by_use(self.archive.usage()))

    def _engines_changed(self) -> None:
        engines = self.warming.to_json()
        for session in self.sessions:
            session.push({"push": "engines", "engines": engines})

    def _table_changed(self, table: Table) -> None:
        """Push a table to its subscribers; each view of it is drawn once."""
        drawn: dict[Any, dict[str, Any]] = {}
        for session in [session for session in self.sessions if table.name in session.tables]:
            view = session.tables[table.name], table.sides_of(session.client.id)
            if view not in drawn:
                drawn[view] = table.to_json(*view)
            session.push(drawn[view])

    def spawn(self, work: Coroutine[Any, Any, Any]) -> None:
        """Run a coroutine in the background; its errors are logged."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._finished)

    def _finished(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if isinstance(error, Exception):
            self.log_error(error)

    def log_error(self, error: Exception) -> None:
        """Log an unexpected error, whose details are not sent to pages."""
        if isinstance(error, InternalError):
            logging.getLogger("starscout.web").error("task failed: %s", error)
            return
        logging.getLogger("starscout.web").error("action failed", exc_info=error)

    async def close(self) -> None:
        """Stop all searches and runs."""
        for task in list(self._tasks):
            task.cancel()
        await self.warming.close()
        await self.runs.close()
        await self.tables.close()
        await self.pool.close()
        self.archive.close()
