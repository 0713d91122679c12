"""Live views of the store: cached HTML of its matches, tournaments, tunings and experiments.

A view is rendered once for all its subscribers, and only when the store has changed.
"""

import threading
import time
from collections import OrderedDict
from typing import Any, NamedTuple

from starscout.api.tournament import stored_tournament
from starscout.arena.broadcast import LiveGame, live_games
from starscout.arena.store import Store, StoredMatch, live_folder
from starscout.arena.tally import Tally
from starscout.arena.tuning import stored_tuning
from starscout.experiments.page import study_progress, study_view
from starscout.experiments.runner import experiment_matches, experiment_tournaments, stored_experiment, stored_study
from starscout.game import GameError
from starscout.views.match import MatchProgress, MatchWithProgress, live_match_view, pair_finder, updated_progress
from starscout.views.store import store_view, tournament_progress, tournament_view, tuning_view

REFRESH_COST, MAX_PAUSE = 50.0, 10.0
"""Spend at most 1/REFRESH_COST of the time refreshing a view, but refresh a changed one after MAX_PAUSE seconds."""
END_SECONDS = 4.0
"""How long a game in progress is shown after its end."""
CACHE_SIZE = 32
"""Maximum number of cached views, and of matches whose progress is cached."""


class _CachedView(NamedTuple):
    """A rendered view, the version of the store that it shows, and the time of the next check."""

    version: Any
    html: str
    next_check: float


class StoreViews:
    """Cached views of one store, for several threads."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._progress: OrderedDict[int, MatchProgress] = OrderedDict()
        self._views: OrderedDict[str, _CachedView] = OrderedDict()
        self._lock = threading.Lock()

    def keys_by_seed(self) -> dict[int, str]:
        """Seed of a match or a tournament → the key of its view."""
        with Store(self._path) as store:
            matches = {match.plan.seed: f"match/{match.id}" for match in store.matches()}
            return matches | {plan["seed"]: f"tournament/{number}" for number, plan, _ in store.tournaments()}

    def view(self, key: str) -> str:
        """The HTML of a view; raises GameError."""
        with self._lock:
            return self._view(key)

    def live_game(self, key: str, before: str) -> LiveGame | None:
        """The game in progress that a view shows: that of the file `before` until it has ended, then another one."""
        found = live_games(live_folder(self._path), self._matches_of(key))
        running = [game for game in found if not game.over or game.age < END_SECONDS]
        return next((game for game in running if game.name == before), next(iter(running), None))

    def _matches_of(self, key: str) -> list[int] | None:
        """The matches of a view; None: all."""
        kind, number = _parsed(key)
        if kind == "match":
            return [number]
        with Store(self._path) as store:
            if kind == "tournament":
                return [match for *_, match in store.meetings(number)]
            if kind == "experiment":
                experiment = stored_experiment(store, number)
                duels = [match.id for match in experiment_matches(store, experiment).values()]
                rounds = experiment_tournaments(store, experiment)
                return duels + [match for one in rounds for *_, match in store.meetings(one)]
        return [] if kind == "tuning" else None

    def _view(self, key: str) -> str:
        known = self._views.get(key)
        if known is not None and time.monotonic() < known.next_check:
            return known.html
        used = time.thread_time()
        with Store(self._path) as store:
            version = _version(store, key)
            html = known.html if known is not None and known.version == version else self._render(store, key)
        # Measure CPU time: waiting for a core or for the compiler takes long, but costs nothing.
        pause = min(MAX_PAUSE, REFRESH_COST * (time.thread_time() - used))
        self._views[key] = _CachedView(version, html, time.monotonic() + pause)
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
            progress = tournament_progress(store, number, played.plan)
            return tournament_view(played.plan, played.standings, played.matches, live=True, progress=progress)
        if kind == "tuning":
            return tuning_view(stored_tuning(store, number))
        if kind == "experiment":
            return self._experiment(store, number)
        return store_view(store)

    def _match_progress(self, store: Store, match: StoredMatch) -> MatchProgress:
        """The progress of a match; only new pairs are read."""
        progress = self._progress[match.id] = updated_progress(store, match, self._progress.get(match.id))
        self._progress.move_to_end(match.id)
        while len(self._progress) > CACHE_SIZE:
            self._progress.popitem(last=False)
        return progress

    def _experiment(self, store: Store, number: int) -> str:
        seen: list[MatchWithProgress] = []

        def tally_of(match: StoredMatch) -> Tally:
            progress = self._match_progress(store, match)
            seen.append(MatchWithProgress(match.id, match.plan, progress, pair_finder(store, match.id)))
            return progress.tally

        stored = stored_study(store, stored_experiment(store, number), tally_of)
        return study_view(stored, seen, live=True, progress=study_progress(store, stored))


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
