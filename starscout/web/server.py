"""`starscout.serve`: the web server, a Starlette application run by uvicorn."""

import contextlib
import hashlib
import logging
import os
import secrets
import sys
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket

from starscout.arena.store import default_path
from starscout.settings.arguments import checked
from starscout.settings.schema import Host, Lazy, Port, StoreFile, Token
from starscout.views.store import ASSETS
from starscout.web.access import CLIENT_COOKIE, Access, access_control, listen, raise_file_limit
from starscout.web.analysis import ANALYSIS_ACTIONS
from starscout.web.bundle import bundle
from starscout.web.catalogue import Catalogue
from starscout.web.play import PLAY_ACTIONS
from starscout.web.puzzles import PUZZLE_ACTIONS
from starscout.web.review import REVIEW_ACTIONS
from starscout.web.session import Action, Server, Session, client_of
from starscout.web.watch import WATCH_ACTIONS, push_live, push_views

STATIC = Path(__file__).parent / "static"
ACTIONS: dict[str, Action] = {
    **PLAY_ACTIONS, **ANALYSIS_ACTIONS, **PUZZLE_ACTIONS, **REVIEW_ACTIONS, **WATCH_ACTIONS,
}  # fmt: skip
"""Name of an action in messages of pages → its function."""
MAX_MESSAGE_BYTES = 1_000_000
CLIENT_SECONDS = 365 * 24 * 3600
"""Lifetime of the cookie that identifies a browser."""


def build_application(
    access: Access, store: str, files: Sequence[str] = (), players: Sequence[str] = (), *, lazy: bool = False
) -> Starlette:
    """Create the application for a store, with additional game files and players."""
    server = Server(Catalogue(files, players), store, files, warm=not lazy)

    @contextlib.asynccontextmanager
    async def lifespan(application: Starlette) -> AsyncIterator[None]:
        server.start()
        server.spawn(push_views(server.sessions, server.pool))
        server.spawn(push_live(server.sessions, server.pool))
        yield
        await server.close()

    async def index(request: Request) -> Response:
        response = FileResponse(STATIC / "index.html")
        if CLIENT_COOKIE not in request.cookies:
            response.set_cookie(
                CLIENT_COOKIE, secrets.token_urlsafe(12), max_age=CLIENT_SECONDS, httponly=True, samesite="strict"
            )
        return response

    script = bundle("main", (STATIC, ASSETS)).encode()
    version = f'"{hashlib.blake2b(script, digest_size=9).hexdigest()}"'

    async def page_script(request: Request) -> Response:
        if request.headers.get("if-none-match", "").removeprefix("W/") == version:
            return Response(status_code=304, headers={"etag": version})
        return Response(script, media_type="text/javascript", headers={"etag": version})

    async def socket(connection: WebSocket) -> None:
        await connection.accept()
        session = Session(connection, server, client_of(connection))
        server.sessions.add(session)
        await session.serve(ACTIONS)

    routes = [
        Route("/", index),
        WebSocketRoute("/socket", socket),
        Route("/static/page.js", page_script),
        Mount("/static", StaticFiles(directory=STATIC, packages=[("starscout.views", "assets")])),
    ]
    application = Starlette(routes=routes, lifespan=lifespan)
    application.add_middleware(GZipMiddleware, minimum_size=1000)
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
    lazy: Lazy = False,
) -> None:
    """Serve a web page to play, watch and analyse games, until Ctrl-C; prints its address to standard error.

    Port 0 selects a free port. A `host` that other machines can reach requires a `token`, which is generated if none is
    given. `game` are additional game files and `player` descriptions of additional players. `lazy` compiles each game
    when somebody opens it, not all games at the start. Raises GameError.

    >>> try:
    ...     serve(port=0, player=["nobody"])
    ... except GameError as error:
    ...     print(error)
    the player 'nobody' cannot play any game of this server: ...
    """
    access = access_control(host, token)
    kept = os.fspath(store) if store is not None else str(default_path())
    application = build_application(access, kept, game, player, lazy=lazy)
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
