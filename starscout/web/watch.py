"""The Watch tab: live views of the store's matches, tournaments, tunings and experiments; starting new ones.

A view is rendered once for all its subscribers, and only when the store has changed.
"""

import asyncio
import time
from collections import OrderedDict
from typing import Any, NamedTuple

from starscout.api.tournament import stored_tournament
from starscout.arena.pairing import GAUNTLET, ROUND_ROBIN, SWISS
from starscout.arena.spsa import stored_tuning
from starscout.arena.store import Store, StoredMatch
from starscout.arena.tally import Tally
from starscout.experiments.page import study_view
from starscout.experiments.runner import stored_experiment, stored_study
from starscout.game import GameError
from starscout.settings.schema import Pairs, Swiss
from starscout.views.match_progress import MatchProgress
from starscout.views.store_views import (
    SeenMatch,
    live_match_view,
    pair_finder,
    seen_match,
    store_view,
    tournament_view,
    tuning_view,
)
from starscout.web.catalogue import read_level
from starscout.web.message import Message
from starscout.web.runs import limit_arguments
from starscout.web.searches import SearchPool
from starscout.web.session import Action, Session

POLL_SECONDS = 1.0
REFRESH_COST = 50.0
"""Spend at most 1/REFRESH_COST of wall time refreshing a view."""
CACHE_SIZE = 32
"""Maximum number of cached views, and of matches whose progress is cached."""
MAX_PAIRS, MAX_PLAYERS, MAX_ROUNDS = 100_000, 64, 32
KINDS = {"round-robin": ROUND_ROBIN, "swiss": SWISS, "gauntlet": GAUNTLET}


class _CachedView(NamedTuple):
    """A rendered view, the version of the store that it shows, and the time of the next check."""

    version: Any
    html: str
    next_check: float


class StoreViews:
    """Cached views of one store."""

    def __init__(self, path: str, pool: SearchPool) -> None:
        self._path, self._pool = path, pool
        self._progress: OrderedDict[int, MatchProgress] = OrderedDict()
        self._views: OrderedDict[str, _CachedView] = OrderedDict()
        self._lock = asyncio.Lock()

    async def keys_by_seed(self) -> dict[int, str]:
        """Seed of a match or a tournament → the key of its view."""
        return await self._pool.run(self._keys_by_seed)

    def _keys_by_seed(self) -> dict[int, str]:
        with Store(self._path) as store:
            matches = {match.plan.seed: f"match/{match.id}" for match in store.matches()}
            return matches | {plan["seed"]: f"tournament/{number}" for number, plan, _ in store.tournaments()}

    async def view(self, key: str) -> str:
        """The HTML of a view; raises GameError."""
        async with self._lock:
            return await self._pool.run(self._view, key)

    def _view(self, key: str) -> str:
        began, known = time.monotonic(), self._views.get(key)
        if known is not None and began < known.next_check:
            return known.html
        with Store(self._path) as store:
            version = _version(store, key)
            html = known.html if known is not None and known.version == version else self._render(store, key)
        rendered = time.monotonic()
        self._views[key] = _CachedView(version, html, rendered + REFRESH_COST * (rendered - began))
        self._views.move_to_end(key)
        while len(self._views) > CACHE_SIZE:
            self._views.popitem(last=False)
        return html

    def _render(self, store: Store, key: str) -> str:
        kind, number = _parsed(key)
        if kind == "match":
            match = store.match(number)
            return live_match_view(store, match, self._match_progress(store, match))
        if kind == "tournament":
            played = stored_tournament(store, number)
            return tournament_view(played.plan, played.standings, played.matches, live=True)
        if kind == "tuning":
            return tuning_view(stored_tuning(store, number))
        if kind == "experiment":
            return self._experiment(store, number)
        return store_view(store)

    def _match_progress(self, store: Store, match: StoredMatch) -> MatchProgress:
        """The progress of a match; only new pairs are read."""
        progress = self._progress[match.id] = seen_match(store, match, self._progress.get(match.id))
        self._progress.move_to_end(match.id)
        while len(self._progress) > CACHE_SIZE:
            self._progress.popitem(last=False)
        return progress

    def _experiment(self, store: Store, number: int) -> str:
        seen: list[SeenMatch] = []

        def tally_of(match: StoredMatch) -> Tally:
            progress = self._match_progress(store, match)
            seen.append(SeenMatch(match.id, match.plan, progress, pair_finder(store, match.id)))
            return progress.tally

        stored = stored_study(store, stored_experiment(store, number), tally_of)
        return study_view(stored, seen, live=True)


def _parsed(key: str) -> tuple[str, int]:
    """Split a key into kind and number; the key `store` has number 0. Raises GameError."""
    kind, _, number = key.partition("/")
    if key == "store":
        return "store", 0
    if kind in ("match", "tournament", "tuning", "experiment") and number.isdecimal() and len(number) < 12:
        return kind, int(number)
    raise GameError(f"no view {key[:60]!r}", code="unknown_view", key=key[:60])


def _version(store: Store, key: str) -> Any:
    """A value that changes whenever the view does."""
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


async def push_views(sessions: set[Session], views: StoreViews) -> None:
    """Push every changed view to its subscribers, forever."""
    while True:
        await asyncio.sleep(POLL_SECONDS)
        for key in {session.watched for session in sessions if session.watched}:
            try:
                view = await views.view(key)
            except GameError:
                continue
            for session in [session for session in sessions if session.watched == key and session.seen != view]:
                session.seen = view
                session.push({"push": "view", "key": key, "html": view})


async def _watch(session: Session, message: Message) -> dict[str, Any]:
    key = message.text("key", 40)
    view = await session.server.views.view(key)
    session.watched, session.seen = key, view
    return {"html": view}


async def _unwatch(session: Session, message: Message) -> dict[str, Any]:
    session.watched = session.seen = ""
    return {}


async def _runs(session: Session, message: Message) -> dict[str, Any]:
    runs = session.server.runs.to_json()
    keys = await session.server.views.keys_by_seed() if runs else {}
    return {"runs": [run | {"key": keys.get(run["seed"])} for run in runs]}


async def _stop_run(session: Session, message: Message) -> dict[str, Any]:
    session.server.runs.stop(message.whole("run", 1, 10_000))
    return {}


async def _start_match(session: Session, message: Message) -> dict[str, Any]:
    catalogue = session.server.catalogue
    game = catalogue.game(message.text("game"))
    first, second = (catalogue.player(game, message.text(name)).spec for name in ("first", "second"))
    pairs = message.setting("pairs", Pairs, MAX_PAIRS)
    arguments = ["match", catalogue.command_name(game), first, second, "--pairs", str(pairs)]
    limit = limit_arguments(read_level(message))
    run = await session.server.runs.start(f"{game.name}: {first} – {second}", [*arguments, *limit])
    return {"run": run.number}


async def _start_tournament(session: Session, message: Message) -> dict[str, Any]:
    catalogue = session.server.catalogue
    game = catalogue.game(message.text("game"))
    names = message.texts("players", MAX_PLAYERS)
    if len(names) < 2:
        raise GameError("a tournament needs at least two players", code="too_few_players")
    players = [catalogue.player(game, name).spec for name in names]
    kind = message.text("kind", 20)
    if kind not in KINDS:
        raise GameError(
            f"kind: expected one of {', '.join(KINDS)}, got {kind!r}", code="unknown_tournament_kind", kind=kind
        )
    rounds = [str(message.setting("rounds", Swiss, MAX_ROUNDS))] if kind == "swiss" else []
    pairs = message.setting("pairs", Pairs, MAX_PAIRS)
    arguments = ["tournament", catalogue.command_name(game), *players, f"--{kind}", *rounds, "--pairs", str(pairs)]
    run = await session.server.runs.start(
        f"{game.name}: {kind}, {len(players)}", [*arguments, *limit_arguments(read_level(message))]
    )
    return {"run": run.number}


WATCH_ACTIONS: dict[str, Action] = {
    "watch": _watch,
    "unwatch": _unwatch,
    "runs": _runs,
    "stop-run": _stop_run,
    "match": _start_match,
    "tournament": _start_tournament,
}
