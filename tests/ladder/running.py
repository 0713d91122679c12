"""A real ladder in its own process, and requests to it."""

import csv
import json
import os
import re
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

from tests.patience import PATIENCE

GAME = "ewn-3x3-3"
CONFIGURATION = f"""
games = ["{GAME}"]
title = "Test <ladder>"
[limits]
time = 2.0
[submission]
seconds_between = 0
megabytes = 1
[[baseline]]
name = "random"
player = "random"
[[baseline]]
name = "also random"
player = "random"
"""
FIRST = "class First:\n    def choose(self, state, limit):\n        return state.moves[0]\n"
LAST = "class Last:\n    def choose(self, state, limit):\n        return state.moves[-1]\n"
CLASS = "id,name,team,email\nanna,Anna <b>,,\nbert,Bert,Team,b@x\nchen,陳,Team,\nkim,Kim,,\n"


class Running:
    """A running ladder."""

    def __init__(self, folder: Path, *options: str, compiled: bool = False) -> None:
        self.folder = folder
        words = [sys.executable, "-m", "starscout", "ladder", str(folder), "--port", "0", "--workers", "1", *options]
        # Plain Python compiles nothing, and 3×3 boards are small enough.
        environment = dict(os.environ) if compiled else {**os.environ, "NUMBA_DISABLE_JIT": "1"}
        self.process = subprocess.Popen(words, stderr=subprocess.PIPE, text=True, env=environment)
        assert self.process.stderr is not None
        line = self.process.stderr.readline()
        if line.startswith("starting;"):
            line = self.process.stderr.readline()
        found = re.search(r"http://[^/\s]+", line)
        assert found is not None, line + self.process.stderr.read()
        self.address = found[0]
        self.process.stderr.readline()

    @property
    def teacher(self) -> str:
        return (self.folder / "teacher.token").read_text().strip()

    def tokens(self) -> dict[str, str]:
        """Enrol the class: id → token."""
        from starscout.ladder.run import enrol_class

        (self.folder / "class.csv").write_text(CLASS, encoding="utf-8")
        file, _ = enrol_class(self.folder, self.folder / "class.csv")
        with file.open(encoding="utf-8-sig", newline="") as opened:
            return {row["id"]: row["token"] for row in csv.DictReader(opened)}

    def get(self, path: str, token: str = "", method: str = "GET", data: bytes | None = None, **more: Any) -> Any:
        """The status and the body of an answer."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        request = urllib.request.Request(self.address + path, data, headers | more, method=method)
        opener = urllib.request.build_opener(_NoRedirect)
        try:
            with opener.open(request, timeout=PATIENCE) as answer:
                return answer.status, answer.read().decode()
        except HTTPError as error:
            return error.code, error.read().decode()

    def json(self, path: str, token: str = "") -> dict[str, Any]:
        status, text = self.get(path, token)
        assert status == 200, text
        return json.loads(text)

    def submit(self, token: str, name: str, data: bytes) -> dict[str, Any]:
        """Submit a file and wait for the decision."""
        status, text = self.get(f"/submit/{name}", token, "PUT", data)
        assert status == 202, text
        number = json.loads(text)["submission"]
        return self.until(
            lambda: self.json(f"/api/submissions/{number}", token), lambda found: found["status"] in DECIDED
        )

    def until(self, look: Callable[[], Any], wanted: Callable[[Any], bool]) -> Any:
        """Wait for an event."""
        end = time.monotonic() + PATIENCE
        while not wanted(found := look()):
            assert time.monotonic() < end, found
            assert self.process.poll() is None
            time.sleep(0.2)
        return found

    def standing(self, player: str) -> dict[str, Any] | None:
        rows = self.json("/api/standings", self.teacher)["standings"]
        return next((row for row in rows if row["player"] == player), None)

    def freeze(self, frozen: bool) -> None:
        """Pause or resume new games, which use a core."""
        assert self.get(f"/teacher/{'freeze' if frozen else 'unfreeze'}", self.teacher, "POST", b"")[0] == 303

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(PATIENCE)
        assert self.process.stderr is not None
        self.process.stderr.close()


DECIDED = ("accepted", "rejected")


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> None:
        return None


@contextmanager
def running(
    folder: Path, *options: str, configuration: str = CONFIGURATION, compiled: bool = False
) -> Iterator[Running]:
    """A ladder until the end of the block."""
    folder.mkdir(exist_ok=True)
    if not (folder / "ladder.toml").exists():
        (folder / "ladder.toml").write_text(configuration)
    ladder = Running(folder, *options, compiled=compiled)
    try:
        yield ladder
    finally:
        ladder.close()
