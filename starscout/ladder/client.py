"""`starscout submit`: send an engine to a ladder, or check it on this machine."""

import io
import json
import math
import os
import re
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starscout.api.tournament import TournamentRow, tournament
from starscout.errors import GameError, WorkError
from starscout.ladder.archives import files_in, unpack
from starscout.ladder.badge import badge, rating_text
from starscout.ladder.build import BuildError, build, check_engine, is_built, placed
from starscout.ladder.configuration import Rules
from starscout.ladder.schema import ACCEPTED, REJECTED
from starscout.search.limits import Limit
from starscout.settings.schema import SettingError

TOKEN_VARIABLE = "STARSCOUT_TOKEN"
POLL_SECONDS = 1.0
TIMEOUT_SECONDS = 60.0
FIRST_GAME_SECONDS = 60.0
"""Time that `submit` waits for the first games of an accepted engine."""


def packed(path: Path) -> tuple[str, bytes]:
    """The name and the content of a file, or of a folder as a zip archive; raises GameError."""
    try:
        if not path.is_dir():
            return path.name, path.read_bytes()
        content = io.BytesIO()
        with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
            for file in files_in(path):
                inside = file.relative_to(path)
                if not any(part.startswith((".", "__pycache__")) for part in inside.parts):
                    archive.write(file, str(inside))
        return f"{path.resolve().name}.zip", content.getvalue()
    except OSError as error:
        raise GameError(f"{path}: {error.strerror}") from error


def submit(
    path: Path, server: str, token: str, game: str | None = None, report: Callable[[str], None] = lambda text: None
) -> dict[str, Any]:
    """Send an engine and wait until it has been checked and has played; returns the fields of the submission.

    Returns without games if there is none within `FIRST_GAME_SECONDS`. Raises GameError.
    """
    if not re.match("https?://.", server):
        raise SettingError("{}", ("to",), f": expected an address such as http://localhost:8020, got {server!r:.100}")
    name, data = packed(path)
    query = "" if game is None else f"?game={urllib.parse.quote(game)}"
    base = server.rstrip("/")
    sent = _request(f"{base}/submit/{urllib.parse.quote(name)}{query}", token, data)
    report(f"submission {sent['submission']} for {sent['game']} has been received: {base}{sent['page']}")
    said, end = "", math.inf
    while True:
        found = _request(f"{base}/api/submissions/{sent['submission']}", token)
        if found["status"] == REJECTED:
            return found
        if found["status"] == ACCEPTED:
            end = min(end, time.monotonic() + FIRST_GAME_SECONDS)
            if found["standing"] is None or found["standing"]["pairs"] or time.monotonic() >= end:
                return found
        if found["status"] != said:
            said = found["status"]
            report("accepted, playing the first games" if said == ACCEPTED else said)
        time.sleep(POLL_SECONDS)


def _request(address: str, token: str, data: bytes | None = None) -> dict[str, Any]:
    """Send a request; raises GameError with the answer of the server."""
    headers = {"Authorization": f"Bearer {token}", "Accept": "application/json"}
    try:
        request = urllib.request.Request(address, data, headers, method="GET" if data is None else "PUT")
        with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as answer:
            found = json.load(answer)
    except urllib.error.HTTPError as error:
        text = error.read(10_000).decode("utf-8", "replace")
        try:
            text = json.loads(text)["error"]
        except (ValueError, KeyError, TypeError):
            text = f"{error.code} {error.reason}"
        raise GameError(f"{server_of(address)}: {text}") from error
    except (OSError, ValueError) as error:
        raise WorkError(f"{server_of(address)}: {getattr(error, 'reason', error)}") from error
    return found


def server_of(address: str) -> str:
    """The server of an address."""
    return urllib.parse.urlsplit(address).netloc or address


def token_of_environment() -> str:
    """The token in STARSCOUT_TOKEN; raises GameError."""
    token = os.environ.get(TOKEN_VARIABLE, "").strip()
    if not token:
        raise GameError(f"set {TOKEN_VARIABLE} to your token: export {TOKEN_VARIABLE}=…")
    return token


@dataclass(frozen=True)
class LocalCheck:
    """The result of a local check: build and check as on the ladder, then a gauntlet."""

    name: str
    status: str
    reason: str
    transcript: str
    table: tuple[TournamentRow, ...] = ()
    forfeits: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether the engine was accepted and lost no game by forfeit."""
        return self.status == ACCEPTED and not self.forfeits


def engine_name(path: Path) -> str:
    """The name of an engine in tables and badges: that of its file or folder."""
    path = path.resolve()
    return path.name if path.is_dir() else path.stem


def check_here(path: Path, game: str, opponents: Sequence[str], pairs: int, limit: Limit, seed: int = 0) -> LocalCheck:
    """Unpack, build and check an engine as the ladder does, then play a gauntlet with it."""
    name, data = packed(path)
    rules, called = Rules(), engine_name(path)
    if called in opponents:
        called += " (submitted)"
    with tempfile.TemporaryDirectory(prefix="starscout-check-") as work:
        source, folder = Path(work, "source"), Path(work, "engine")
        try:
            unpack(name, data, source, rules.megabytes, rules.files)
            if is_built(source):
                build(source, folder, rules.build_seconds)
            else:
                source.rename(folder)
            spec = check_engine(game, folder, limit, seed)
        except GameError as error:
            return LocalCheck(called, REJECTED, str(error), error.transcript if isinstance(error, BuildError) else "")
        result = tournament(
            game, [placed(spec, folder), *opponents], names=[called, *opponents], gauntlet=True, pairs=pairs,
            time=limit.time, depth=limit.depth, nodes=limit.nodes, seed=seed, store=":memory:",
        )  # fmt: skip
        own = [line for line in result.forfeited() if f": {called}: " in line]
        return LocalCheck(called, ACCEPTED, "", "", result.table, tuple(own))


def check_badge(found: LocalCheck) -> str:
    """The badge of a local check: the rating against `random`."""
    name = found.name
    if not found.ok:
        return badge(name, "forfeits" if found.status == ACCEPTED else "rejected", good=False)
    own = next(row for row in found.table if row.player == name)
    zero = found.table[-1] if found.table[-1] is not own else found.table[0]
    reference = next((row for row in found.table if row.player == "random"), zero)
    return badge(name, f"{rating_text(own.elo - reference.elo, own.elo_error or 0.0)} vs {reference.player}")
