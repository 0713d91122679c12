"""The web server of a ladder. Every route declares which role may use it; see ROUTES.

Students and the teacher send their token as `Authorization: Bearer TOKEN`, or log in once on the page, which keeps it
in an HttpOnly cookie. A form must come from the page of the server itself.
"""

import asyncio
import functools
import threading
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import parse_qs, urlsplit

from starlette.applications import Starlette
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from starscout.errors import GameError, WorkError
from starscout.ladder import views
from starscout.ladder.configuration import Folder, Ladder
from starscout.ladder.director import Director
from starscout.ladder.pages import Call, Viewer, login_form, page
from starscout.ladder.store import LadderStore
from starscout.ladder.submissions import WEB, RefusedError, Submissions, receive
from starscout.ladder.tokens import hashed, matches
from starscout.views.html import Markup, heading, paragraph
from starscout.web.access import Access, cookie_value

COOKIE = "starscout_ladder"
COOKIE_SECONDS = 180 * 24 * 3600
STATIC = Path(__file__).parent / "static"
THREADS = 4
CACHE_SECONDS = 2.0
"""Age of a cached page for visitors without a token."""
CACHED_PAGES = 200
MAX_FORM = 10_000
MAX_WAITING = 16
"""Maximum number of requests for slow pages at the same time; others are refused."""

PUBLIC, STUDENT, TEACHER = "public", "student", "teacher"
"""Who may use a route. The configuration determines whether PUBLIC pages need a token."""
OPEN = "open"
"""Routes for everybody."""

Returned = TypeVar("Returned")


class DeniedError(GameError):
    """A request that is not permitted."""


class MissingError(GameError):
    """A page that does not exist."""


Handler = Callable[[views.Views, Call], Response]


class LadderServer:
    """The state of the server: the ladder, threads that read the store, and cached pages."""

    def __init__(
        self, folder: Folder, ladder: Ladder, director: Director, submissions: Submissions, token: str
    ) -> None:
        """`token`: the teacher's token."""
        self.folder, self.ladder, self.director, self.submissions = folder, ladder, director, submissions
        self._teacher = hashed(token)
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="ladder page")
        # Slow pages have a separate thread, so that the others do not wait for them.
        self._slow = ThreadPoolExecutor(1, thread_name_prefix="slow ladder page")
        self._waiting = 0
        self._local = threading.local()
        self._cache: OrderedDict[str, tuple[float, Response]] = OrderedDict()
        self._reviews: dict[tuple[int, int], Markup] = {}

    def close(self) -> None:
        """Stop the threads."""
        self._threads.shutdown()
        self._slow.shutdown(cancel_futures=True)

    def store(self) -> LadderStore:
        """The store of the calling thread."""
        if not hasattr(self._local, "store"):
            self._local.store = LadderStore(self.folder.store)
        return self._local.store

    async def run(self, function: Callable[[], Returned]) -> Returned:
        """Run a function in a thread."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, function)

    async def _run_slow(self, function: Callable[[], Returned]) -> Returned:
        """Run a function in the thread of the slow pages, one at a time."""
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._slow, function)
        finally:
            self._waiting -= 1

    def viewer(self, request: Request) -> Viewer:
        """The viewer who sends a request."""
        kind, _, given = request.headers.get("authorization", "").partition(" ")
        token = given.strip() if kind.lower() == "bearer" else cookie_value(request.headers, COOKIE)
        return self.viewer_of(token)

    def viewer_of(self, token: str) -> Viewer:
        """The owner of a token."""
        if not token:
            return Viewer()
        if matches(token, self._teacher):
            return Viewer(teacher=True)
        student = self.store().student_with_hash(hashed(token))
        return Viewer() if student is None else Viewer(student.entrant, student.id)

    def permits(self, role: str, viewer: Viewer) -> bool:
        """Whether a viewer may use routes of a role."""
        if role == OPEN or viewer.teacher:
            return True
        if role == PUBLIC:
            return self.ladder.public or viewer.student is not None
        return role == STUDENT and viewer.student is not None

    def endpoint(self, role: str, handler: Handler) -> Callable[[Request], Awaitable[Response]]:
        """The endpoint of a route."""

        async def answer(request: Request) -> Response:
            form = await _form(request)
            make = functools.partial(self._answer, role, handler, request, form)
            try:
                return await self.run(lambda: make(slow=False))
            except views.SlowError:
                if self._waiting < MAX_WAITING:
                    return await self._run_slow(lambda: make(slow=True))
                text = "the server is busy; please try again in a minute"
                return await self.run(lambda: self._failure(request, self.viewer(request), 503, text))

        return answer

    def _answer(self, role: str, handler: Handler, request: Request, form: dict[str, str], *, slow: bool) -> Response:
        """Answer a request; raises SlowError for a slow page unless `slow`."""
        viewer = Viewer()
        try:
            viewer = self.viewer(request)
            if request.method != "GET":
                _check_origin(request)
            if not self.permits(role, viewer):
                if viewer == Viewer() and request.method == "GET" and "text/html" in request.headers.get("accept", ""):
                    return RedirectResponse("/login", 303)
                raise DeniedError("this needs a token with more rights" if viewer.student else "this needs a token")
            key = f"{request.url.path}?{request.url.query}"
            make = functools.partial(handler, self._views(viewer, slow=slow), self._call(request, viewer, form))
            return self._cached(key, make) if request.method == "GET" and viewer == Viewer() else make()
        except DeniedError as error:
            return self._failure(request, viewer, 403, str(error))
        except MissingError as error:
            return self._failure(request, viewer, 404, str(error))
        except (GameError, WorkError) as error:
            return self._failure(request, viewer, 400, str(error))

    def _cached(self, key: str, make: Callable[[], Response]) -> Response:
        now = time.monotonic()
        found = self._cache.get(key)
        if found is None or now - found[0] > CACHE_SECONDS:
            found = self._cache[key] = now, make()
            while len(self._cache) > CACHED_PAGES:
                self._cache.popitem(last=False)
        return found[1]

    def _views(self, viewer: Viewer, *, slow: bool) -> views.Views:
        return views.Views(self.store(), self.folder, self.ladder, self.director, viewer, self._reviews, slow=slow)

    def _call(self, request: Request, viewer: Viewer, form: dict[str, str]) -> Call:
        path = {name: str(value) for name, value in request.path_params.items()}
        return Call(viewer, dict(request.query_params), form, path)

    def _failure(self, request: Request, viewer: Viewer, code: int, text: str) -> Response:
        if "text/html" in request.headers.get("accept", ""):
            content = views.concat(heading("Not possible", 1), paragraph(text))
            return HTMLResponse(page(self.ladder.title, content, viewer), code)
        return JSONResponse({"error": text}, code)

    async def submit(self, request: Request) -> Response:
        """Receive a file: the body of a PUT or POST request."""
        viewer = await self.run(lambda: self.viewer(request))
        if viewer.student is None:
            text = "this token is not known" if viewer == Viewer() else "the teacher has no engine"
            return JSONResponse({"error": f"{text}: submit with the token of a student"}, 403)
        most = int(self.ladder.submission.megabytes * 1e6)
        data = bytearray()
        try:
            _check_origin(request)
            async for chunk in request.stream():
                data += chunk
                if len(data) > most:
                    raise RefusedError(f"the file is larger than {self.ladder.submission.megabytes:g} MB")
            number, game = await self.run(functools.partial(self._receive, request, viewer, bytes(data)))
        except DeniedError as error:
            return JSONResponse({"error": str(error)}, 403)
        except GameError as error:
            return JSONResponse({"error": str(error)}, 400)
        except ClientDisconnect:
            return Response(status_code=400)
        self.submissions.wake()
        page = f"/submission/{number}"
        return JSONResponse({"submission": number, "game": game, "status": "waiting", "page": page}, 202)

    def _receive(self, request: Request, viewer: Viewer, data: bytes) -> tuple[int, str]:
        if not data:
            raise RefusedError("the file is empty")
        store = self.store()
        student = next(student for student in store.students() if student.id == viewer.student)
        game = request.query_params.get("game") or self.ladder.games[0]
        name = str(request.path_params.get("name", "engine"))
        return receive(store, self.folder, self.ladder, student, game, name, data, WEB), game

    async def log_in(self, request: Request) -> Response:
        """Keep a token in a cookie."""
        form = await _form(request)
        token = form.get("token", "").strip()
        try:
            if request.method != "GET":
                _check_origin(request)
        except DeniedError as error:
            return self._failure(request, Viewer(), 403, str(error))
        viewer = await self.run(lambda: self.viewer_of(token))
        if viewer == Viewer():
            return HTMLResponse(
                page(self.ladder.title, login_form(bool(token)), viewer, "/login"), 403 if token else 200
            )
        response = RedirectResponse("/teacher" if viewer.teacher else "/mine", 303)
        response.set_cookie(COOKIE, token, max_age=COOKIE_SECONDS, httponly=True, samesite="strict")
        return response


async def _form(request: Request) -> dict[str, str]:
    """The fields of a small form."""
    if request.method != "POST" or "form-urlencoded" not in request.headers.get("content-type", ""):
        return {}
    data = bytearray()
    async for chunk in request.stream():
        data += chunk
        if len(data) > MAX_FORM:
            return {}
    return {name: values[-1] for name, values in parse_qs(data.decode("utf-8", "replace")).items()}


def _check_origin(request: Request) -> None:
    """Refuse a form that another site sends with the cookie of the visitor."""
    origin = request.headers.get("origin")
    if origin is not None and urlsplit(origin).netloc != request.headers.get("host"):
        raise DeniedError("the request comes from another site")


def _log_out(shown: views.Views, call: Call) -> Response:
    response = RedirectResponse("/", 303)
    response.delete_cookie(COOKIE)
    return response


def html(method: Callable[[views.Views, Call], Any], tab: str = "") -> Handler:
    """A handler that shows the content of a view as a page."""

    def handler(shown: views.Views, call: Call) -> Response:
        return HTMLResponse(page(shown.ladder.title, method(shown, call), call.viewer, tab))

    return handler


def fragment(method: Callable[[views.Views, Call], Any]) -> Handler:
    """A handler that sends only the content of a view."""
    return lambda shown, call: HTMLResponse(method(shown, call))


def as_json(method: Callable[[views.Views, Call], Any]) -> Handler:
    """A handler that sends a value as JSON."""
    return lambda shown, call: JSONResponse(method(shown, call))


def then(method: Callable[[views.Views, Call], object], place: str) -> Handler:
    """A handler that performs an action and then shows another page."""

    def handler(shown: views.Views, call: Call) -> Response:
        method(shown, call)
        return RedirectResponse(place, 303)

    return handler


def text(method: Callable[[views.Views, Call], str], kind: str) -> Handler:
    """A handler that sends text with a media type."""
    return lambda shown, call: PlainTextResponse(method(shown, call), media_type=kind)


V = views.Views
ROUTES: list[tuple[str, str, str, Handler]] = [
    ("GET", "/", PUBLIC, html(V.standings, "/")),
    ("GET", "/part/standings", PUBLIC, fragment(V.standings_part)),
    ("GET", "/games", PUBLIC, html(V.games, "/games")),
    ("GET", "/live", PUBLIC, html(V.live, "/live")),
    ("GET", "/part/live", PUBLIC, fragment(V.live_part)),
    ("GET", "/entrant/{entrant:int}", PUBLIC, html(V.entrant)),
    ("GET", "/pair/{pair:int}", PUBLIC, html(V.pair)),
    ("GET", "/pair/{pair:int}/{half:int}", PUBLIC, html(V.review)),
    ("GET", "/badge/{entrant:int}.svg", PUBLIC, text(V.badge, "image/svg+xml")),
    ("GET", "/api/standings", PUBLIC, as_json(V.standings_json)),
    ("GET", "/mine", STUDENT, html(V.mine, "/mine")),
    ("GET", "/mine/part", STUDENT, fragment(V.mine_part)),
    ("GET", "/submission/{submission:int}", STUDENT, html(V.submission)),
    ("GET", "/api/submissions/{submission:int}", STUDENT, as_json(V.submission_json)),
    ("POST", "/restore", STUDENT, then(V.restore, "/mine")),
    ("POST", "/logout", OPEN, _log_out),
    ("GET", "/teacher", TEACHER, html(V.teacher, "/teacher")),
    ("GET", "/teacher/grades.csv", TEACHER, text(V.grades, "text/csv")),
    ("GET", "/teacher/similarity", TEACHER, html(V.similarity, "/teacher")),
    ("GET", "/teacher/forfeits", TEACHER, html(V.forfeits, "/teacher")),
    ("POST", "/teacher/freeze", TEACHER, then(V.freeze, "/teacher")),
    ("POST", "/teacher/unfreeze", TEACHER, then(V.unfreeze, "/teacher")),
    ("POST", "/teacher/final", TEACHER, then(V.begin_final, "/teacher")),
    ("POST", "/teacher/disqualify", TEACHER, then(V.disqualify, "/teacher")),
    ("POST", "/teacher/reinstate", TEACHER, then(V.reinstate, "/teacher")),
]
"""Method, path, who may use it, and handler. Submission and log-in have separate routes."""


def build_application(server: LadderServer, access: Access) -> Starlette:
    """The ASGI application; `access` checks the host and sets the headers."""

    @asynccontextmanager
    async def lifespan(application: Starlette) -> AsyncIterator[None]:
        yield
        server.close()

    routes: list[BaseRoute] = [
        Route(path, server.endpoint(role, handler), methods=[method]) for method, path, role, handler in ROUTES
    ]
    routes += [
        Route("/submit", server.submit, methods=["PUT", "POST"]),
        Route("/submit/", server.submit, methods=["PUT", "POST"]),
        Route("/submit/{name}", server.submit, methods=["PUT", "POST"]),
        Route("/login", server.log_in, methods=["GET", "POST"]),
        Mount(
            "/static",
            StaticFiles(directory=STATIC, packages=[("starscout.views", "assets"), ("starscout.web", "static")]),
        ),
    ]
    application = Starlette(routes=routes, lifespan=lifespan)
    application.add_middleware(GZipMiddleware, minimum_size=1000)
    application.add_middleware(access.middleware)
    return application
