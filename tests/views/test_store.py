"""Views of the store: a match, a tournament, a tuning, everything."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from starscout.arena.batch import Batch, play_batch
from starscout.arena.pairing import SWISS
from starscout.arena.plan import MatchPlan
from starscout.arena.store import Store
from starscout.arena.tournament import Tournament, TournamentPlan, stored_standings
from starscout.arena.tuning import Tuning, TuningPlan, parse_parameters
from starscout.views.match import live_match_view, match_view, pairs_by_number, updated_progress
from starscout.views.store import meeting_matches, store_view, tournament_view, tuning_view
from tests.arena.test_tuning import HereRunner

PLAN = MatchPlan("ewn-3x3-3", "random", "random", seed=2, luck="eval=race depth=1")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "arena.sqlite") as opened:
        yield opened


def played(store: Store, pairs: int) -> int:
    match = store.open_match(PLAN, {"pairs": 20, "sprt": None, "adjusted": False, "games": None})
    store.add(match.id, play_batch(Batch(match.id, PLAN, tuple(range(pairs)))).records)
    return match.id


def test_progress_is_updated_incrementally(store: Store) -> None:
    number = played(store, 3)
    progress = updated_progress(store, store.match(number))
    assert len(progress.scores) == 3
    played(store, 6)
    assert updated_progress(store, store.match(number), progress) is progress
    assert progress.scores == updated_progress(store, store.match(number)).scores
    view = live_match_view(store, store.match(number), progress)
    assert "6 / 20" in view
    assert 'data-replay="match/1/5/1"' in view
    saved = match_view(PLAN, progress.tally.summary(), progress, pairs_by_number(store.pairs(number)))
    assert "data-replay" not in saved
    assert "href" not in saved
    assert saved.count("<figure>") == view.count("<figure>") > 0


def test_match_without_games(store: Store) -> None:
    match = store.open_match(PLAN, {"pairs": 20, "sprt": None, "adjusted": False, "games": None})
    assert "no data yet" in live_match_view(store, match, updated_progress(store, match))


def test_swiss_view_has_rounds_and_links(store: Store) -> None:
    plan = TournamentPlan(
        "ewn-3x3-3", ("random", "random", "random"), SWISS, 2, 1, luck=PLAN.luck, names=("a", "b", "c")
    )
    tournament = Tournament(plan, store)
    tournament.play(HereRunner())
    _, standings = stored_standings(store, tournament.id)
    view = tournament_view(plan, standings, meeting_matches(store, standings), live=True)
    assert view.count('href="#/watch/match/') == 2
    assert view.count("<span data-t>bye</span>") == 2
    for text in ("Cross table", "Ratings", "Rounds", "Highlights"):
        assert f">{text}</h2>" in view


def test_tuning_view(store: Store) -> None:
    parameters = parse_parameters("simulations=20:2:40")
    plan = TuningPlan("ewn-3x3-3", "mcts simulations={simulations}", parameters, 1, 2, luck=PLAN.luck)
    tuning = Tuning(plan, store)
    tuning.play(HereRunner())
    view = tuning_view(tuning)
    assert "2 / 2" in view
    assert "<td>simulations</td><td>20</td><td>2 … 40</td>" in view
    assert 'href="#/watch/tuning/1"' in store_view(store)


def test_store_view_lists_newest_first(store: Store) -> None:
    assert "No games yet." in store_view(store)
    played(store, 1)
    other = MatchPlan("/home/me/my_game.py", "<i>", "random")
    store.open_match(other, {"pairs": 7, "sprt": None, "adjusted": False, "games": None})
    view = store_view(store)
    assert view.index("#/watch/match/2") < view.index("#/watch/match/1")
    assert "&lt;i&gt;" in view
    assert "my_game.py" in view
    assert "/home/me" not in view
