"""The server: what all its pages share, and the application that Starlette runs."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Coroutine, Sequence
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket

from starscout.arena.store import Store
from starscout.web.catalogue import Catalogue
from starscout.web.game_table import Table, Tables
from starscout.web.gate import Gate
from starscout.web.library import Library
from starscout.web.playing import PLAYING
from starscout.web.runs import Runs
from starscout.web.session import Action, Session
from starscout.web.studying import STUDYING
from starscout.web.thinking import SearchPool
from starscout.web.watching import WATCHING, Watch, keep_showing

STATIC = Path(__file__).parent / "static"
ACTIONS: dict[str, Action] = {**PLAYING, **STUDYING, **WATCHING}
"""Everything that a page can ask for."""


class Server:
    """The catalogue, the threads, the tables and the sessions of one server."""

    def __init__(self, catalogue: Catalogue, store: str) -> None:
        self.catalogue, self.store = catalogue, store
        self.pool = SearchPool()
        self.tables = Tables(self.pool, self._table_changed)
        self.library = Library(self.tables, self.open_store)
        self.watch = Watch(store, self.pool)
        self.runs = Runs(store)
        self.sessions: set[Session] = set()
        self._tasks: set[asyncio.Task[Any]] = set()

    def open_store(self) -> Store:
        """The store that the command line writes, for one thread."""
        return Store(self.store)

    def _table_changed(self, table: Table) -> None:
        """Show a table to everybody who follows it; each way round is drawn once."""
        drawn: dict[bool, dict[str, Any]] = {}
        for session in [session for session in self.sessions if table.name in session.tables]:
            turned = session.tables[table.name]
            if turned not in drawn:
                drawn[turned] = table.to_json(turned)
            session.push(drawn[turned])

    def spawn(self, work: Coroutine[Any, Any, Any]) -> None:
        """Run something in the background; its errors go to the log."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._finished)

    def _finished(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if isinstance(error, Exception):
            self.log_error(error)

    def log_error(self, error: Exception) -> None:
        """Tell the person at the server what a page must not see."""
        logging.getLogger("starscout.web").error("an action failed", exc_info=error)

    async def close(self) -> None:
        """Stop every search and every run."""
        for task in list(self._tasks):
            task.cancel()
        await self.runs.close()
        await self.tables.close()
        await self.pool.close()


def build_application(gate: Gate, store: str, files: Sequence[str] = (), players: Sequence[str] = ()) -> Starlette:
    """The application of a server with this store, these game files and players."""
    server = Server(Catalogue(files, players), store)

    @contextlib.asynccontextmanager
    async def lifespan(application: Starlette) -> AsyncIterator[None]:
        server.spawn(keep_showing(server.sessions, server.watch))
        yield
        await server.close()

    async def index(request: Request) -> Response:
        return FileResponse(STATIC / "index.html")

    async def socket(connection: WebSocket) -> None:
        await connection.accept()
        session = Session(connection, server)
        server.sessions.add(session)
        await session.serve(ACTIONS)

    routes = [
        Route("/", index),
        WebSocketRoute("/socket", socket),
        Mount("/static", StaticFiles(directory=STATIC, packages=[("starscout.views", "assets")])),
    ]
    application = Starlette(routes=routes, lifespan=lifespan)
    application.add_middleware(gate.middleware)
    application.state.server = server
    return application
