"""Memory of the web server over time, with visitors who play, review, analyse, watch and leave.

    python benchmarks/page_soak.py [--minutes 60] [--people 6]

Starts a server in its own process. Every visitor is a new browser: it plays one game at a random level, sometimes
leaves in the middle, and then sometimes reviews its game, analyses a position or opens the archive. Prints the memory
of the server and of its engine process every minute, and at the end the minimum of each ten minutes: running searches
use memory for a while only, but a leak would raise the minimum.
"""

import argparse
import asyncio
import json
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.page_load import server_process  # noqa: E402
from tests.web.client import CONNECT_FOUR, serving  # noqa: E402

PAUSE = (0.3, 1.5)
"""Range of the pause of a visitor before a move, in seconds."""
HIGHEST_LEVEL = 5


class Visitor:
    """A WebSocket client in place of a browser."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket, self._number = socket, 0
        self.table: dict[str, Any] = {}

    async def receive(self) -> dict[str, Any]:
        """The next message; keeps the latest state of the table."""
        message = json.loads(await self._socket.recv())
        if message.get("push") == "table":
            self.table = message
        return message

    async def ask(self, action: str, **fields: object) -> dict[str, Any]:
        """The answer to a message."""
        self._number += 1
        await self._socket.send(json.dumps({"id": self._number, "do": action, **fields}))
        while (message := await self.receive()).get("id") != self._number:
            pass
        return message


async def visit(address: str, games: list[str], generator: random.Random, done: Counter[str]) -> None:
    """Play one game, then perhaps use other parts of the page."""
    base = address.rstrip("/")
    cookie = {"Cookie": f"starscout_client={generator.randbytes(9).hex()}"}
    opening = connect(
        base.replace("http", "ws", 1) + "/socket", origin=Origin(base), additional_headers=cookie, max_size=None
    )
    async with opening as socket:
        page = Visitor(socket)
        game = generator.choice(games)
        level, side = generator.randint(1, HIGHEST_LEVEL), generator.randint(0, 1)
        table = (await page.ask("new", game=game, level=level, side=side))["table"]
        page.table = (await page.ask("join", table=table))["shown"]
        leaves_at = generator.choice((None, None, None, 4))
        while not page.table["over"]:
            if not page.table["moves"]:
                await page.receive()
                continue
            if page.table["ply"] == leaves_at:
                done["games left"] += 1
                return
            await asyncio.sleep(generator.uniform(*PAUSE))
            move, before = generator.choice(page.table["moves"])["text"], page.table["ply"]
            await page.ask("move", table=table, ply=before, move=move)
            while page.table["ply"] == before:
                await page.receive()
        done["games finished"] += 1
        if generator.random() < 0.2:
            answer = await page.ask("review", key=f"game/{table}")
            plies = answer["plies"]
            for ply in generator.sample(range(plies), min(5, plies)):
                await page.ask("step", key=f"game/{table}", ply=ply)
            done["reviews"] += "error" not in answer
        if generator.random() < 0.3:
            await page.ask("analyse", name="A", game=game, player="strong", seconds=0.5)
            done["analyses"] += 1
        if generator.random() < 0.2:
            done["archive listings"] += "error" not in await page.ask("games")
        if generator.random() < 0.2:
            done["views of the store"] += "error" not in await page.ask("watch", key="store")


async def crowd(address: str, people: int, seconds: float, done: Counter[str]) -> None:
    """Run visitors one after another and count their errors."""
    games = [game["name"] for game in await _catalogue(address)]
    end = time.monotonic() + seconds

    async def person(number: int) -> None:
        generator = random.Random(number)
        while time.monotonic() < end:
            try:
                await visit(address, games, generator, done)
            except (KeyError, OSError) as error:
                done[f"failed: {error!r}"] += 1
                await asyncio.sleep(1)

    await asyncio.gather(*(person(number) for number in range(people)))


async def _catalogue(address: str) -> list[dict[str, Any]]:
    base = address.rstrip("/")
    async with connect(base.replace("http", "ws", 1) + "/socket", origin=Origin(base), max_size=None) as socket:
        return (await Visitor(socket).ask("catalogue"))["games"]


def memory(process: int) -> list[float]:
    """The resident memory of the server and of the processes that it has started, in MB."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    pages = [int(Path(f"/proc/{number}/statm").read_text().split()[1]) for number in (process, *children)]
    return [4096 * count / 1e6 for count in pages]


async def soak(address: str, minutes: int, people: int) -> None:
    """Print the memory every minute."""
    process, done = server_process(), Counter[str]()
    visitors = asyncio.ensure_future(crowd(address, people, 60 * minutes, done))
    readings: list[list[float]] = []
    for minute in range(1, minutes + 1):
        await asyncio.sleep(60)
        readings.append(memory(process))
        shown = ", ".join(f"{value:.0f}" for value in readings[-1])
        counts = ", ".join(f"{name} {count}" for name, count in sorted(done.items()))
        print(f"minute {minute}: {shown} MB; {counts}", flush=True)
    await visitors
    for name, values in (("server", [row[0] for row in readings]), ("all processes", [sum(row) for row in readings])):
        least = [min(values[first : first + 10]) for first in range(0, minutes, 10)]
        print(f"{name}, least of every ten minutes: {', '.join(f'{value:.0f}' for value in least)} MB")
    print(f"after everybody has left: {', '.join(f'{value:.0f}' for value in memory(process))} MB")


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--minutes", type=int, default=60)
    options.add_argument("--people", type=int, default=6)
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "arena.sqlite"
        with serving("--game", str(CONNECT_FOUR), store=store) as address:
            asyncio.run(soak(address, chosen.minutes, chosen.people))


if __name__ == "__main__":
    main()
