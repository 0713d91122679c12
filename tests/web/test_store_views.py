"""Cached views of a store: when they are rendered again."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from starscout.arena.batch import Batch, play_batch
from starscout.arena.plan import MatchPlan
from starscout.arena.store import Store
from starscout.web import store_views
from starscout.web.store_views import MAX_PAUSE, StoreViews


def test_slow_rendering_does_not_freeze_a_view(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A view that waited 100 s for the compiler is refreshed ten seconds later."""
    plan = MatchPlan("ewn-3x3-3", "random", "random", seed=12)
    with Store(tmp_path / "arena.sqlite") as store:
        match = store.open_match(plan, {"pairs": 2, "sprt": None, "adjusted": False, "games": None})
        views, clock = StoreViews(str(store.path)), SimpleNamespace(now=0.0, used=0.0)
        monkeypatch.setattr(
            store_views, "time", SimpleNamespace(monotonic=lambda: clock.now, thread_time=lambda: clock.used)
        )
        render = views._render

        def slow(store: Store, key: str) -> str:
            clock.now, clock.used = clock.now + 100.0, clock.used + 1.0
            return render(store, key)

        monkeypatch.setattr(views, "_render", slow)
        key = f"match/{match.id}"
        assert "0 / 2" in views.view(key)
        store.add(match.id, play_batch(Batch(match.id, plan, (0, 1))).records)
        clock.now += 0.9 * MAX_PAUSE
        assert "0 / 2" in views.view(key)
        clock.now += 0.2 * MAX_PAUSE
        assert "2 / 2" in views.view(key)
