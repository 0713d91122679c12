"""Web page under load: concurrent players, first paint, page size, cost of watching.

    python benchmarks/page_load.py [--people 50] [--seconds 20] [--limit 0.3] [--attack] [--cold]
    python benchmarks/page_load.py --latency 0.4
    python benchmarks/page_load.py --watch [--rounds 3]

Starts a server in its own process. Simulated players are sockets that move after a pause when it is their turn. With
`--attack`, one more client opens 70 tables whose opponents think for 60 s. `--cold` measures the first board and the
first reply of every game with an empty cache, `--latency` the first form and board through a connection with this
round-trip time; `--watch` only the cost of watching a match.
"""

import argparse
import asyncio
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from websockets.asyncio.client import connect
from websockets.typing import Origin

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.web.client import FLAGS, find_chromium, serving  # noqa: E402

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Response

MARGIN = 0.3
"""Seconds by which an answer may exceed its limit."""


async def person(address: str, limit: float, end: float, answers: list[float], number: int) -> None:
    """Play games against `strong`: move, wait for the answer, pause."""
    generator = random.Random(number)
    base = address.rstrip("/")
    async with connect(base.replace("http", "ws", 1) + "/socket", origin=Origin(base), max_size=None) as socket:
        waiting: dict[str, Any] = {}
        count = 0

        async def ask(action: str, **fields: object) -> dict[str, Any]:
            nonlocal count
            count += 1
            await socket.send(json.dumps({"id": count, "do": action, **fields}))
            while True:
                message = json.loads(await socket.recv())
                if message.get("push") == "table":
                    waiting["table"] = message
                elif message.get("id") == count:
                    return message

        async def my_turn() -> dict[str, Any]:
            while True:
                shown = waiting.pop("table", None) or json.loads(await socket.recv())
                if shown.get("moves") or shown.get("over"):
                    return shown

        while time.monotonic() < end:
            table = (await ask("new", game="ewn", opponent="strong", side=0, time=limit))["table"]
            shown = (await ask("join", table=table))["shown"]
            if not shown["moves"]:
                shown = await my_turn()
            while not shown["over"] and time.monotonic() < end:
                await asyncio.sleep(generator.uniform(0.5, 3.0))
                began = time.monotonic()
                waiting.clear()
                await ask("move", table=table, ply=shown["ply"], move=generator.choice(shown["moves"])["text"])
                shown = await my_turn()
                answers.append(time.monotonic() - began - limit)


async def crowd(address: str, people: int, limit: float, seconds: float, *, attacked: bool) -> list[float]:
    """Return the delays of all answers beyond their limit."""
    await asyncio.to_thread(_wait_for_engine, address)
    answers: list[float] = []
    end = time.monotonic() + seconds
    attacker = asyncio.ensure_future(attack(address)) if attacked else None
    await asyncio.gather(*(person(address, limit, end, answers, number) for number in range(people)))
    if attacker is not None:
        attacker.cancel()
    return answers


def _wait_for_engine(address: str) -> None:
    """Wait until the engine is compiled and loaded."""
    from tests.web.client import Page

    with Page(address) as page:
        table = page.ask("new", game="ewn", opponent="strong", side=0, time=0.1)["table"]
        while page.ask("join", table=table)["shown"]["loading"]:
            time.sleep(0.2)


async def attack(address: str) -> None:
    """Open 70 tables whose opponents think for 60 s, and watch them until cancelled."""
    base = address.rstrip("/")
    async with connect(base.replace("http", "ws", 1) + "/socket", origin=Origin(base), max_size=None) as socket:
        for number in range(70):
            fields = {"game": "ewn", "opponent": "strong", "side": 1, "first": 0, "time": 60}
            await socket.send(json.dumps({"id": number, "do": "new", **fields}))
        while True:
            message = json.loads(await socket.recv())
            if "table" in message and "push" not in message:
                await socket.send(json.dumps({"id": 1000 + message["id"], "do": "join", "table": message["table"]}))


def memory_of(process: int) -> float:
    """The resident memory of a process and its descendants, in MB."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return pages * 4096 / 1e6 + sum(memory_of(int(child)) for child in children)


def processor_seconds(process: int) -> float:
    """The processor time of a process and its descendants."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    used = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return used + sum(processor_seconds(int(child)) for child in children)


def server_process() -> int:
    """The server that this process has started."""
    return int(Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()[-1])


def cold_replies() -> None:
    """Print the time to the first board and to the first reply of every game, with an empty cache."""
    from tests.web.client import CONNECT_FOUR, Page

    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder
        with (
            serving("--game", str(CONNECT_FOUR), store=Path(folder) / "arena.sqlite") as address,
            Page(address) as page,
        ):
            for game in page.ask("catalogue")["games"]:
                began = time.monotonic()
                table = page.ask("new", game=game["name"], level=3, side=0)["table"]
                shown = page.ask("join", table=table)["shown"]
                board = time.monotonic() - began
                if not shown["moves"]:
                    shown = page.until_my_turn(table)
                began = time.monotonic()
                page.ask("move", table=table, ply=shown["ply"], move=shown["moves"][0]["text"])
                shown = page.until_my_turn(table)
                quick = shown["plies"][-1]["quick"]
                print(f"{game['name']}: board {board:.2f} s, reply {time.monotonic() - began:.2f} s, quick: {quick}")


async def delayed(address: str, latency: float) -> asyncio.Server:
    """Forward connections to the server with this round-trip time; opening one takes a round trip, too."""
    host, port = address.split("/")[2].split(":")

    async def forward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        loop = asyncio.get_running_loop()
        while data := await reader.read(65_536):
            loop.call_later(latency / 2, writer.write, data)
        loop.call_later(latency / 2, writer.close)

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(latency)
        there = await asyncio.open_connection(host, int(port))
        await asyncio.gather(forward(reader, there[1]), forward(there[0], writer), return_exceptions=True)

    return await asyncio.start_server(accept, "127.0.0.1", 0)


async def slow_connection(address: str, latency: float) -> None:
    """Print the time until a fresh browser shows the form, then a board, through a slow connection."""
    proxy = await delayed(address, latency)
    port = proxy.sockets[0].getsockname()[1]
    for _ in range(3):
        form, board = await asyncio.to_thread(_first_visit, f"http://127.0.0.1:{port}/")
        print(f"round trips of {latency:g} s: form after {form:.2f} s, board {board:.2f} s after the click")
    proxy.close()


def _first_visit(address: str) -> tuple[float, float]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=list(FLAGS))
        page = browser.new_page()
        began = time.monotonic()
        page.goto(address, wait_until="commit")
        page.wait_for_selector("#play")
        form = time.monotonic() - began
        page.click("[data-game=othello]")
        began = time.monotonic()
        page.click("#play")
        page.wait_for_selector(".board-holder svg.board .square")
        board = time.monotonic() - began
        browser.close()
    return form, board


def first_paint(address: str) -> tuple[float, int, int]:
    """Return seconds to the first paint of the board, bytes of files, bytes of messages."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=list(FLAGS))
        page = browser.new_page()
        page.goto(address)
        page.click("[data-game=othello]")
        page.click("#play")
        page.wait_for_selector("svg.board .square")
        table = page.url
        loads = [_loaded(browser, table) for _ in range(5)]
        browser.close()
    return statistics.median(seconds for seconds, *_ in loads), loads[-1][1], loads[-1][2]


def _loaded(browser: "Browser", table: str) -> tuple[float, int, int]:
    """Measure one page in a fresh browser context without a cache."""
    page = browser.new_context().new_page()
    files: list[Response] = []
    messages: list[str | bytes] = []
    page.on("response", lambda response: files.append(response))
    page.on("websocket", lambda socket: socket.on("framereceived", lambda message: messages.append(message)))
    page.goto(table)
    page.wait_for_selector("svg.board .square")
    seconds = page.evaluate("() => performance.now()") / 1000
    weights = sum(len(file.body()) for file in files), sum(len(message) for message in messages)
    page.context.close()
    return seconds, *weights


def match_seconds(store: Path, seed: int) -> tuple[float, float]:
    """Return the time of a match of random games in its own process, and its processor time."""
    options = ["--pairs", "3000", "--workers", "1", "--seed", str(seed), "--store", str(store), "--json"]
    began, used = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "starscout", "match", "ewn", "random", "random", *options]
    subprocess.run(command, check=True, capture_output=True)
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.perf_counter() - began, now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime


async def watch(address: str, number: int) -> None:
    """Watch a match until cancelled."""
    base = address.rstrip("/")
    async with connect(base.replace("http", "ws", 1) + "/socket", origin=Origin(base), max_size=None) as socket:
        while True:
            await socket.send(json.dumps({"id": 1, "do": "watch", "key": f"match/{number}"}))
            if "html" in json.loads(await socket.recv()):
                break
            await asyncio.sleep(0.2)
        while True:
            await socket.recv()


async def watched_seconds(address: str, store: Path, seed: int, number: int) -> tuple[float, float]:
    """Return the times of the same match with three viewers."""
    watchers = [asyncio.ensure_future(watch(address, number)) for _ in range(3)]
    seconds = await asyncio.to_thread(match_seconds, store, seed)
    for watcher in watchers:
        watcher.cancel()
    return seconds


def compare_watched(address: str, store: Path, rounds: int) -> None:
    """Print the times of matches with and without viewers, and the processor time of the server."""
    alone, watched, served = [], [], []
    for number in range(rounds):
        alone.append(match_seconds(store, 2 * number))
        before = processor_seconds(server_process())
        watched.append(asyncio.run(watched_seconds(address, store, 2 * number + 1, 2 * number + 2)))
        served.append(processor_seconds(server_process()) - before)
    for name, place in (("elapsed", 0), ("processor", 1)):
        one, other = (statistics.median(times[place] for times in found) for found in (alone, watched))
        print(f"{name} time of a match: alone {one:.2f} s, watched {other:.2f} s: {other / one - 1:+.1%}")
    print(f"processor time of the server while a match is watched: {statistics.median(served):.2f} s")


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--people", type=int, default=50)
    options.add_argument("--seconds", type=float, default=20.0)
    options.add_argument("--limit", type=float, default=0.3)
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--attack", action="store_true")
    options.add_argument("--cold", action="store_true")
    options.add_argument("--latency", type=float)
    options.add_argument("--watch", action="store_true")
    chosen = options.parse_args()
    print(f"load average {os.getloadavg()[0]:.1f}")
    if chosen.cold:
        cold_replies()
        return
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "arena.sqlite"
        if chosen.watch:
            with serving(store=store) as address:
                compare_watched(address, store, chosen.rounds)
            return
        if chosen.latency is not None:
            with serving(store=store) as address:
                asyncio.run(slow_connection(address, chosen.latency))
            return
        with serving(store=store) as address:
            answers = asyncio.run(crowd(address, chosen.people, chosen.limit, chosen.seconds, attacked=chosen.attack))
            peak = memory_of(server_process())
            late = sorted(answers)[int(0.95 * len(answers))]
            part = sum(answer <= MARGIN for answer in answers) / len(answers)
            print(f"{chosen.people} players, {len(answers)} moves: {part:.1%} within limit + {MARGIN:g} s")
            print(f"95 % of the moves within limit {late:+.3f} s")
            time.sleep(8)
            print(f"memory {peak:.0f} MB, {memory_of(server_process()):.0f} MB after everybody has left")
            if find_chromium():
                seconds, files, messages = first_paint(address)
                print(f"board painted after {seconds:.2f} s")
                print(f"{files / 1000:.0f} kB of files, {messages / 1000:.0f} kB of messages")
            if chosen.rounds:
                compare_watched(address, store, chosen.rounds)


if __name__ == "__main__":
    main()
