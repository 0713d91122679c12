"""Ladder targets: archives, configurations, class lists, and requests to the pages."""

import asyncio
import io
import os
import shutil
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote

from starlette.requests import Request

from starscout.game import GameError
from starscout.ladder.archives import content_hash, unpack
from starscout.ladder.configuration import Folder, open_folder, read_configuration
from starscout.ladder.server import ROUTES, LadderServer
from starscout.ladder.store import LadderStore
from starscout.ladder.tokens import hashed, read_class
from tests.fuzzing.files import damaged
from tests.fuzzing.target import Target
from tests.fuzzing.texts import mutated

CONFIGURATION = """
games = ["ewn-3x3-3"]
public = true
end = "2026-12-18T12:00:00+08:00"
[limits]
time = 0.5
[submission]
megabytes = 1.5
files = 10
[final]
kind = "Swiss"
rounds = 3
[[baseline]]
name = "random"
player = "random"
games = ["ewn-3x3-3"]
"""
CLASSES = (
    "id,name,team,email\nanna,Anna,,a@x\nbert,Bert Lin,Team 1,\nchen,陳,Team 1,\n",
    'id;name\n1;"Li, Wei"\n2;Jörg\n',
)
REQUESTS = (
    "/ game=ewn-3x3-3", "/games player=1&opponent=2&kind=losses&before=7", "/entrant/1 ", "/pair/1 ", "/pair/1/0 ",
    "/badge/1.svg ", "/api/standings game=ewn-3x3-3", "/teacher/grades.csv grades=A=75,B=60,F=0",
    "/teacher/forfeits before=3", "/submission/1 ", "/api/submissions/1 ", "/part/standings game=",
)  # fmt: skip
"""Path and query, or form."""


def targets() -> list[Target]:
    """Return the targets of a ladder."""
    folder = Path(tempfile.mkdtemp(dir=os.getcwd()))
    archives = [_zip(method) for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)]
    return [
        Target("ladder-archives", lambda g: damaged(g, archives), _unpacks(folder / "unpacked"), (GameError,), 4),
        Target("ladder-settings", lambda g: mutated(g, [CONFIGURATION]), _configures(folder), (GameError,), 2),
        Target("class-lists", lambda g: mutated(g, CLASSES), _enrols(folder / "class.csv"), (GameError,), 4),
        Target("ladder-requests", lambda g: mutated(g, REQUESTS), _asks(folder / "ladder"), (GameError,), 2),
    ]


def _zip(method: int) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", method) as archive:
        archive.writestr("top/agent.py", "class Agent:\n    pass\n" * 9)
        archive.writestr("top/Makefile", "all:\n\ttrue\n")
        archive.writestr("top/陳/data", bytes(range(256)))
    return content.getvalue()


def _unpacks(folder: Path) -> Callable[[str], None]:
    def feed(text: str) -> None:
        try:
            unpack("engine.zip", text.encode("latin-1", "replace"), folder, 0.01, 5)
            assert all(path.resolve().is_relative_to(folder) for path in folder.rglob("*"))
            assert sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) <= 100_000
            content_hash(folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    return feed


def _configures(path: Path) -> Callable[[str], None]:
    folder = Folder(path)

    def feed(text: str) -> None:
        folder.file.write_bytes(text.encode("utf-8", "surrogatepass"))
        ladder = read_configuration(folder)
        assert ladder.games
        _ = ladder.deadline, ladder.limits.limit

    return feed


def _enrols(path: Path) -> Callable[[str], None]:
    def feed(text: str) -> None:
        path.write_bytes(text.encode(("utf-8", "utf-16")[len(text) % 2], "surrogatepass"))
        students = read_class(path)
        assert len({code for code, *_ in students}) == len(students)
        assert all(name.isprintable() and "/" not in code for code, name, *_ in students)

    return feed


def _asks(path: Path) -> Callable[[str], None]:
    """Send requests to all routes of a server without games; every answer has a documented status."""
    path.mkdir()
    (path / "ladder.toml").write_text(CONFIGURATION)
    folder, ladder = open_folder(path)
    with LadderStore(folder.store) as store:
        store.enrol("anna", "Anna", "", "", hashed("student"))
    director: Any = SimpleNamespace(standings=lambda game: (), phase="running", frozen=False, live=())
    server = LadderServer(folder, ladder, director, SimpleNamespace(), "teacher")  # pyright: ignore[reportArgumentType]
    endpoints = [(place, server.endpoint(role, handler)) for method, place, role, handler in ROUTES if method == "GET"]

    def feed(text: str) -> None:
        asked, _, query = text.partition(" ")
        generator = Random(ascii(text))
        place, endpoint = generator.choice(endpoints)
        numbers = {name: generator.choice((0, 1, 7, 1 << 62)) for name in ("entrant", "pair", "half", "submission")}
        headers = [(b"authorization", b"Bearer " + generator.choice((b"teacher", b"student", b"", b"wrong")))]
        accept = generator.choice((b"text/html", asked.encode("utf-8", "replace")))
        scope: dict[str, Any] = {
            "type": "http", "method": "GET", "path": place, "server": ("here", 80), "scheme": "http",
            "query_string": quote(query, safe="=&,", errors="replace").encode(), "path_params": numbers,
            "headers": [*headers, (b"accept", accept)],
        }  # fmt: skip
        answer = asyncio.run(endpoint(Request(scope)))  # pyright: ignore[reportArgumentType]
        assert answer.status_code in (200, 303, 400, 403, 404), answer.status_code

    return feed
