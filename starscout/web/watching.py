"""What a page can watch: the store's matches, tournaments and tunings as they grow; and how it starts new ones.

A view is made once for everybody who watches it, and only when the store has something new about it.
"""

import asyncio
import time
from collections import OrderedDict
from typing import Any, NamedTuple

from starscout.arena.pairing import GAUNTLET, ROUND_ROBIN, SWISS
from starscout.arena.spsa import stored_tuning
from starscout.arena.store import Store, StoredMatch
from starscout.arena.tally import Tally
from starscout.arena.tournament import stored_standings
from starscout.experiments.page import study_view
from starscout.experiments.runner import stored_experiment, stored_study
from starscout.game import GameError
from starscout.views.match_progress import MatchProgress
from starscout.views.store_views import (
    SeenMatch,
    live_match_view,
    pair_finder,
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
from starscout.web.thinking import SearchPool

POLL_SECONDS = 1.0
SHARE = 50.0
"""Updating a view takes at most one part in this many of the time, so that watching slows nobody down."""
MOST_KEPT = 32
"""Matches whose progress is kept, and views."""
MOST_PAIRS, MOST_PLAYERS, MOST_ROUNDS = 100_000, 64, 32
KINDS = {"round-robin": ROUND_ROBIN, "swiss": SWISS, "gauntlet": GAUNTLET}


class _Made(NamedTuple):
    """A view, what was in the store when it was made, and when the store is looked at again."""

    version: Any
    html: str
    next: float


class Watch:
    """The views of one store."""

    def __init__(self, path: str, pool: SearchPool) -> None:
        self._path, self._pool = path, pool
        self._progress: OrderedDict[int, MatchProgress] = OrderedDict()
        self._views: OrderedDict[str, _Made] = OrderedDict()
        self._lock = asyncio.Lock()

    async def keys_by_seed(self) -> dict[int, str]:
        """The view of the match or the tournament with a seed."""
        return await self._pool.run(self._keys_by_seed)

    def _keys_by_seed(self) -> dict[int, str]:
        with Store(self._path) as store:
            matches = {match.plan.seed: f"match/{match.id}" for match in store.matches()}
            return matches | {plan["seed"]: f"tournament/{number}" for number, plan, _ in store.tournaments()}

    async def view(self, key: str) -> str:
        """The view of a key; raises GameError."""
        async with self._lock:
            return await self._pool.run(self._view, key)

    def _view(self, key: str) -> str:
        began, known = time.monotonic(), self._views.get(key)
        if known is not None and began < known.next:
            return known.html
        with Store(self._path) as store:
            version = _version(store, key)
            html = known.html if known is not None and known.version == version else self._made(store, key)
        made = time.monotonic()
        self._views[key] = _Made(version, html, made + SHARE * (made - began))
        self._views.move_to_end(key)
        while len(self._views) > MOST_KEPT:
            self._views.popitem(last=False)
        return html

    def _made(self, store: Store, key: str) -> str:
        kind, number = _parsed(key)
        if kind == "match":
            match = store.match(number)
            return live_match_view(store, match, self._seen(store, match))
        if kind == "tournament":
            plan, standings = stored_standings(store, number)
            return tournament_view(plan, standings, played_matches(store, standings), live=True)
        if kind == "tuning":
            return tuning_view(stored_tuning(store, number))
        if kind == "experiment":
            return self._experiment(store, number)
        return store_view(store)

    def _seen(self, store: Store, match: StoredMatch) -> MatchProgress:
        """The progress of a match; only what is new is read."""
        progress = self._progress[match.id] = seen_match(store, match, self._progress.get(match.id))
        self._progress.move_to_end(match.id)
        while len(self._progress) > MOST_KEPT:
            self._progress.popitem(last=False)
        return progress

    def _experiment(self, store: Store, number: int) -> str:
        seen: list[SeenMatch] = []

        def tally_of(match: StoredMatch) -> Tally:
            progress = self._seen(store, match)
            seen.append(SeenMatch(match.id, match.plan, progress, pair_finder(store, match.id)))
            return progress.tally

        stored = stored_study(store, stored_experiment(store, number), tally_of)
        return study_view(stored, seen, live=True)


def _parsed(key: str) -> tuple[str, int]:
    """The kind and the number of a view; `store` is everything. Raises GameError."""
    kind, _, number = key.partition("/")
    if key == "store":
        return "store", 0
    if kind in ("match", "tournament", "tuning", "experiment") and number.isdecimal() and len(number) < 12:
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
        return counts.get(number, 0), match.counted, str(match.stopping_rule)
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
                view = await watch.view(key)
            except GameError:
                continue
            for session in [session for session in sessions if session.watched == key and session.seen != view]:
                session.seen = view
                session.push({"push": "view", "key": key, "html": view})


async def _watch(session: Session, message: Message) -> dict[str, Any]:
    key = message.text("key", 40)
    view = await session.server.watch.view(key)
    session.watched, session.seen = key, view
    return {"html": view}


async def _unwatch(session: Session, message: Message) -> dict[str, Any]:
    session.watched = session.seen = ""
    return {}


async def _runs(session: Session, message: Message) -> dict[str, Any]:
    runs = session.server.runs.to_json()
    keys = await session.server.watch.keys_by_seed() if runs else {}
    return {"runs": [run | {"key": keys.get(run["seed"])} for run in runs]}


async def _halt(session: Session, message: Message) -> dict[str, Any]:
    session.server.runs.stop(message.whole("run", 1, 10_000))
    return {}


async def _start_match(session: Session, message: Message) -> dict[str, Any]:
    catalogue = session.server.catalogue
    game = catalogue.game(message.text("game"))
    first, second = (catalogue.player(game, message.text(name)).spec for name in ("first", "second"))
    pairs = message.whole("pairs", 1, MOST_PAIRS)
    arguments = ["match", catalogue.command_name(game), first, second, "--pairs", str(pairs)]
    limit = limit_arguments(read_level(message))
    run = await session.server.runs.start(f"{game.name}: {first} – {second}", [*arguments, *limit])
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
    run = await session.server.runs.start(
        f"{game.name}: {kind}, {len(players)}", [*arguments, *limit_arguments(read_level(message))]
    )
    return {"run": run.number}


WATCHING: dict[str, Action] = {
    "watch": _watch,
    "unwatch": _unwatch,
    "runs": _runs,
    "halt": _halt,
    "match": _start_match,
    "tournament": _start_tournament,
}
