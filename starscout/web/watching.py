"""What a page can watch: the store's matches, tournaments and tunings as they grow; and how it starts new ones.

A view is made once for everybody who watches it, and only when the store has something new about it.
"""

import asyncio
import secrets
from collections import OrderedDict
from typing import Any

from starscout.arena.formats import GAUNTLET, ROUND_ROBIN, SWISS
from starscout.arena.store import Store
from starscout.arena.tournament import stored_standings
from starscout.arena.tune import stored_tuning
from starscout.game import GameError
from starscout.views.match_progress import MatchProgress
from starscout.views.store_views import (
    live_match_view,
    played_matches,
    seen_match,
    store_view,
    tournament_view,
    tuning_view,
)
from starscout.web.catalogue import read_level
from starscout.web.message import Message
from starscout.web.runs import limit_arguments
from starscout.web.session import Action, Session
from starscout.web.thinking import ThinkingPool

POLL_SECONDS = 1.0
MOST_KEPT = 32
"""Matches whose progress is kept, and views."""
MOST_PAIRS, MOST_PLAYERS, MOST_ROUNDS = 100_000, 64, 32
KINDS = {"round-robin": ROUND_ROBIN, "swiss": SWISS, "gauntlet": GAUNTLET}


class Watch:
    """The views of one store."""

    def __init__(self, path: str, pool: ThinkingPool) -> None:
        self._path, self._pool = path, pool
        self._progress: OrderedDict[int, MatchProgress] = OrderedDict()
        self._views: OrderedDict[str, tuple[Any, str]] = OrderedDict()
        self._lock = asyncio.Lock()

    async def view(self, key: str) -> tuple[bool, str]:
        """Whether the view of a key is new since it was last made, and the view; raises GameError."""
        async with self._lock:
            return await self._pool.run(self._view, key)

    def _view(self, key: str) -> tuple[bool, str]:
        with Store(self._path) as store:
            version = _version(store, key)
            known = self._views.get(key)
            if known is not None and known[0] == version:
                return False, known[1]
            view = self._made(store, key)
        self._views[key] = version, view
        self._views.move_to_end(key)
        while len(self._views) > MOST_KEPT:
            self._views.popitem(last=False)
        return True, view

    def _made(self, store: Store, key: str) -> str:
        kind, number = _parsed(key)
        if kind == "match":
            match = store.match(number)
            progress = self._progress[number] = seen_match(store, match, self._progress.get(number))
            self._progress.move_to_end(number)
            while len(self._progress) > MOST_KEPT:
                self._progress.popitem(last=False)
            return live_match_view(store, match, progress)
        if kind == "tournament":
            plan, standings = stored_standings(store, number)
            return tournament_view(plan, standings, played_matches(store, standings), live=True)
        if kind == "tuning":
            return tuning_view(stored_tuning(store, number))
        return store_view(store)


def _parsed(key: str) -> tuple[str, int]:
    """The kind and the number of a view; `store` is everything. Raises GameError."""
    kind, _, number = key.partition("/")
    if key == "store":
        return "store", 0
    if kind in ("match", "tournament", "tuning") and number.isdecimal() and len(number) < 12:
        return kind, int(number)
    raise GameError(f"there is nothing to watch at {key[:60]!r}")


def _version(store: Store, key: str) -> Any:
    """Changes whenever the view does."""
    kind, number = _parsed(key)
    if kind == "tuning":
        return len(store.tuning_steps(number))
    counts = store.pair_counts()
    if kind == "match":
        match = store.match(number)
        return counts.get(number, 0), match.counted, str(match.goal)
    if kind == "tournament":
        meetings = store.meetings(number)
        return len(meetings), sum(counts.get(match, 0) for *_, match in meetings)
    return sum(counts.values()), len(store.matches()), [match.counted is None for match in store.matches()].count(True)


async def keep_showing(sessions: set[Session], watch: Watch) -> None:
    """Tell everybody what is new in the view that they watch, again and again."""
    while True:
        await asyncio.sleep(POLL_SECONDS)
        for key in {session.watched for session in sessions if session.watched}:
            try:
                fresh, view = await watch.view(key)
            except GameError:
                continue
            for session in [session for session in sessions if fresh and session.watched == key]:
                session.push({"push": "view", "key": key, "html": view})


async def _watch(session: Session, message: Message) -> dict[str, Any]:
    key = message.text("key", 40)
    _, view = await session.server.watch.view(key)
    session.watched = key
    return {"html": view}


async def _unwatch(session: Session, message: Message) -> dict[str, Any]:
    session.watched = ""
    return {}


async def _runs(session: Session, message: Message) -> dict[str, Any]:
    return {"runs": session.server.runs.to_json()}


async def _halt(session: Session, message: Message) -> dict[str, Any]:
    session.server.runs.stop(message.whole("run", 1, 10_000))
    return {}


async def _start_match(session: Session, message: Message) -> dict[str, Any]:
    catalogue = session.server.catalogue
    game = catalogue.game(message.text("game"))
    first, second = (catalogue.player(game, message.text(name)).spec for name in ("first", "second"))
    pairs = message.whole("pairs", 1, MOST_PAIRS)
    arguments = ["match", catalogue.command_name(game), first, second, "--pairs", str(pairs), *_shared(message)]
    run = await session.server.runs.start(f"{game.name}: {first} – {second}", arguments)
    return {"run": run.number}


async def _start_tournament(session: Session, message: Message) -> dict[str, Any]:
    catalogue = session.server.catalogue
    game = catalogue.game(message.text("game"))
    names = message.texts("players", MOST_PLAYERS)
    if len(names) < 2:
        raise GameError("a tournament needs at least two players")
    players = [catalogue.player(game, name).spec for name in names]
    kind = message.text("kind", 20)
    if kind not in KINDS:
        raise GameError(f"there is no kind of tournament {kind!r}: {', '.join(KINDS)}")
    rounds = [str(message.whole("rounds", 1, MOST_ROUNDS))] if kind == "swiss" else []
    pairs = message.whole("pairs", 1, MOST_PAIRS)
    arguments = ["tournament", catalogue.command_name(game), *players, f"--{kind}", *rounds, "--pairs", str(pairs)]
    run = await session.server.runs.start(f"{game.name}: {kind}, {len(players)}", [*arguments, *_shared(message)])
    return {"run": run.number}


def _shared(message: Message) -> list[str]:
    """The limit, and a seed of its own: the same setup may be played again."""
    return [*limit_arguments(read_level(message)), "--seed", str(secrets.randbits(32))]


WATCHING: dict[str, Action] = {
    "watch": _watch,
    "unwatch": _unwatch,
    "runs": _runs,
    "halt": _halt,
    "match": _start_match,
    "tournament": _start_tournament,
}
