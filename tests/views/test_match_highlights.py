"""Highlights of a match."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from starscout.arena.batch import Batch, play_batch
from starscout.arena.pair import PairRecord
from starscout.arena.plan import MatchPlan
from starscout.views import match
from starscout.views.match import Highlight, highlights_view, with_pairs

PLAN = MatchPlan("ewn-3x3-3", "random", "random", seed=2, luck="eval=race depth=1")


def test_highlight_has_arrows_and_link() -> None:
    pair = play_batch(Batch(1, PLAN, (0,))).records[0]
    (annotation, _) = pair.annotations()
    assert annotation is not None
    ply = max(range(len(annotation.loss)), key=lambda number: annotation.loss[number])
    found = with_pairs(5, PLAN, [Highlight(annotation.loss[ply], 0, 0, ply)], lambda number: pair)
    view = highlights_view(found, [], linked=True)
    assert view.count("<figure>") == 1
    assert view.count('class="arrow"') == 2
    assert f'href="#/analyse/match/5/0/0@{ply}"' in view
    assert "href" not in highlights_view(found, [], linked=False)
    assert f"{100 * annotation.loss[ply]:.1f} %" in view


def test_no_highlights_without_losses() -> None:
    assert with_pairs(5, PLAN, [Highlight(0.0, 0, 0, 0)], lambda number: None) == []
    assert highlights_view([], [], linked=True) == ""


def test_unloaded_game_files_are_skipped() -> None:
    pair = play_batch(Batch(1, PLAN, (0,))).records[0]
    elsewhere = replace(PLAN, game="/nowhere/evil.py")
    found = with_pairs(5, elsewhere, [Highlight(0.5, 0, 0, 0)], lambda number: pair)
    assert highlights_view(found, [], linked=True) == ""


def test_moves_are_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    pair = play_batch(Batch(1, PLAN, (0,))).records[0]
    monkeypatch.setattr(match, "_best", lambda plan, state: "<script>")
    monkeypatch.setattr(match, "_arrow", lambda state, text, sign, best: None)
    found = with_pairs(5, PLAN, [Highlight(0.5, 0, 0, 0)], lambda number: pair)
    record = found[0].pair.games(PLAN.game, ("random", "random"), PLAN.seed)[0].record
    marked = replace(record, plies=(record.plies[0]._replace(text="<b>x"), *record.plies[1:]))
    game = SimpleNamespace(record=marked)
    monkeypatch.setattr(PairRecord, "games", lambda self, *arguments: [game])
    view = highlights_view(found, [], linked=True)
    assert "<script>" not in view
    assert "<b>&lt;b&gt;x</b>" in view
