"""A real server in its own process, a page's socket without a browser, and a real browser."""

import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from tests.patience import PATIENCE

ROOT = Path(__file__).parents[2]
CONNECT_FOUR = ROOT / "examples" / "connect_four.py"
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-extensions", "--disable-software-rasterizer",
    "--disable-site-isolation-trials", "--disable-features=Translate,OptimizationHints,MediaRouter,BackForwardCache",
)  # fmt: skip


def find_chromium() -> str | None:
    """The browser, if this machine has one."""
    return next(
        (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
    )


def print_lines(stream: IO[str]) -> None:
    """Read the standard error of a server, which a full pipe would stop; pytest shows it if a test fails."""
    for line in stream:
        with suppress(ValueError):
            sys.stderr.write(line)


@contextmanager
def serving(*options: str, store: Path | None = None) -> Iterator[str]:
    """The address of `starscout serve` with these options, in a process of its own."""
    kept = [] if store is None else ["--store", str(store)]
    command = [sys.executable, "-m", "starscout", "serve", "--port", "0", "--lazy", *kept, *options]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=ROOT, env={**os.environ})
    assert process.stderr is not None
    try:
        line = process.stderr.readline()
        found = re.search(r"http://\S+", line)
        assert found is not None, line + process.stderr.read()
        threading.Thread(target=print_lines, args=(process.stderr,), daemon=True).start()
        yield found[0]
    finally:
        process.terminate()
        try:
            process.wait(PATIENCE)
        finally:
            process.kill()


def expect(subject: Any) -> Any:
    """Assertions of Playwright about an element or a page: they wait, because the page draws asynchronously."""
    from playwright.sync_api import expect as assertions

    assertions.set_options(timeout=1000 * PATIENCE)
    return assertions(subject)


ALLOW_ANALYSES = """
(allowed) => {
  const send = WebSocket.prototype.usual ??= WebSocket.prototype.send;
  WebSocket.prototype.send = allowed ? send : function (text) {
    if (JSON.parse(text).do !== "analyse") send.call(this, text);
  };
}
"""


def allow_analyses(tab: Any, allowed: bool) -> None:
    """Whether the page, until it is reloaded, requests analyses of positions, which take seconds of two cores."""
    tab.evaluate(ALLOW_ANALYSES, allowed)


class Page:
    """A WebSocket client; messages pushed while it waits for an answer are kept."""

    def __init__(self, address: str, origin: str | None = None, cookie: str = "", client: str = "") -> None:
        """`client`: the identifier of the browser; pages without one are different browsers."""
        cookie = "; ".join(filter(None, (cookie, f"starscout_client={client}" if client else "")))
        base = address.split("?")[0].rstrip("/")
        socket = base.replace("http://", "ws://") + "/socket"
        headers = {"Cookie": cookie} if cookie else {}
        self._open = ExitStack()
        opening = connect(socket, origin=Origin(origin or base), additional_headers=headers)
        self.socket: ClientConnection = self._open.enter_context(opening)
        self.pushed: list[dict[str, Any]] = []
        self._number = 0

    def __enter__(self) -> "Page":
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def send(self, action: str, **fields: Any) -> None:
        """Send a message without waiting for the answer."""
        self._number += 1
        self.socket.send(json.dumps({"id": self._number, "do": action, **fields}))

    def ask(self, action: str, **fields: Any) -> dict[str, Any]:
        """The answer, errors included."""
        self.send(action, **fields)
        while True:
            message = self.answer()
            if message["id"] == self._number:
                return message

    def answer(self) -> dict[str, Any]:
        """The next answer, to any message."""
        while True:
            message = json.loads(self.socket.recv(PATIENCE))
            if not message.get("push"):
                return message
            self.pushed.append(message)

    def next_push(self, **wanted: Any) -> dict[str, Any]:
        """The next pushed message with these values."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            while self.pushed:
                message = self.pushed.pop(0)
                if all(message.get(name) == value for name, value in wanted.items()):
                    return message
            message = json.loads(self.socket.recv(PATIENCE))
            if message.get("push"):
                self.pushed.append(message)
        raise AssertionError(f"nothing came with {wanted}")

    def begin(self, game: str = "ewn", opponent: str | None = "random", **fields: Any) -> dict[str, Any]:
        """Open and join a table; returns it when the user is to move or the game is over."""
        table = self.ask("new", game=game, opponent=opponent, **{"side": 0, **fields})["table"]
        shown = self.ask("join", table=table)["shown"]
        return shown if shown["moves"] else self.until_my_turn(table)

    def until_my_turn(self, table: str) -> dict[str, Any]:
        """Wait until the user is to move or the game is over."""
        while True:
            shown = self.next_push(push="table", table=table)
            if shown["moves"] or shown["over"]:
                return shown
