"""`starscout.serve`: the web server, a Starlette application run by uvicorn."""

import asyncio
import contextlib
import logging
import os
import sys
from collections.abc import AsyncIterator, Coroutine, Sequence
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket

from starscout.arena.store import Store, default_path
from starscout.settings.arguments import checked
from starscout.settings.schema import Host, Port, StoreFile, Token
from starscout.web.access import Access, access_control, listen, raise_file_limit
from starscout.web.analysis import ANALYSIS_ACTIONS
from starscout.web.catalogue import Catalogue
from starscout.web.game_table import Table, Tables
from starscout.web.playing import PLAYING
from starscout.web.review import REVIEW_ACTIONS, RecordLibrary
from starscout.web.runs import Runs
from starscout.web.searches import SearchPool
from starscout.web.session import Action, Session
from starscout.web.watch import WATCH_ACTIONS, StoreViews, push_views

STATIC = Path(__file__).parent / "static"
ACTIONS: dict[str, Action] = {**PLAYING, **ANALYSIS_ACTIONS, **REVIEW_ACTIONS, **WATCH_ACTIONS}
"""Name of an action in messages of pages → its function."""
MAX_MESSAGE_BYTES = 1_000_000


class Server:
    """The state that all sessions of a server share."""

    def __init__(self, catalogue: Catalogue, store: str) -> None:
        self.catalogue, self.store = catalogue, store
        self.pool = SearchPool()
        self.tables = Tables(self.pool, self._table_changed)
        self.library = RecordLibrary(self.tables, self.open_store)
        self.views = StoreViews(store, self.pool)
        self.runs = Runs(store)
        self.sessions: set[Session] = set()
        self._tasks: set[asyncio.Task[Any]] = set()

    def open_store(self) -> Store:
        """Open the store; a connection is for one thread only."""
        return Store(self.store)

    def _table_changed(self, table: Table) -> None:
        """Push a table to its subscribers; each orientation is drawn once."""
        drawn: dict[bool, dict[str, Any]] = {}
        for session in [session for session in self.sessions if table.name in session.tables]:
            turned = session.tables[table.name]
            if turned not in drawn:
                drawn[turned] = table.to_json(turned)
            session.push(drawn[turned])

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
        logging.getLogger("starscout.web").error("action failed", exc_info=error)

    async def close(self) -> None:
        """Stop all searches and runs."""
        for task in list(self._tasks):
            task.cancel()
        await self.runs.close()
        await self.tables.close()
        await self.pool.close()


def build_application(access: Access, store: str, files: Sequence[str] = (), players: Sequence[str] = ()) -> Starlette:
    """Create the application for a store, with additional game files and players."""
    server = Server(Catalogue(files, players), store)

    @contextlib.asynccontextmanager
    async def lifespan(application: Starlette) -> AsyncIterator[None]:
        server.spawn(push_views(server.sessions, server.views))
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
    application.add_middleware(access.middleware)
    application.state.server = server
    return application


@checked
def serve(
    *,
    port: Port = 8017,
    host: Host = "127.0.0.1",
    token: Token | None = None,
    game: Sequence[str] = (),
    player: Sequence[str] = (),
    store: StoreFile | None = None,
) -> None:
    """Serve a web page to play, watch and analyse games, until Ctrl-C; prints its address to standard error.

    Port 0 selects a free port. A `host` that other machines can reach requires a `token`, which is generated if none is
    given. `game` are additional game files and `player` descriptions of additional players. Raises GameError.

    >>> try:
    ...     serve(port=0, player=["nobody"])
    ... except GameError as error:
    ...     print(error)
    the player 'nobody' cannot play any game of this server: ...
    """
    access = access_control(host, token)
    kept = os.fspath(store) if store is not None else str(default_path())
    application = build_application(access, kept, game, player)
    raise_file_limit()
    socket = listen(host, port)
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{socket.getsockname()[1]}/" + (f"?token={access.token}" if access.token else "")
    print(f"StarScout is at {address}   (press Ctrl-C to stop)", file=sys.stderr, flush=True)
    config = uvicorn.Config(
        application, log_level="warning", ws="websockets-sansio", ws_max_size=MAX_MESSAGE_BYTES, server_header=False,
        timeout_graceful_shutdown=2, lifespan="on",
    )  # fmt: skip
    logging.getLogger("uvicorn.error").addFilter(_is_relevant)
    uvicorn.Server(config).run(sockets=[socket])


def _is_relevant(record: logging.LogRecord) -> bool:
    """False for messages that are not UTF-8: their connection is closed, and a traceback would not help."""
    return record.exc_info is None or not isinstance(record.exc_info[1], UnicodeDecodeError)
