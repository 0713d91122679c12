"""Leads and exact scores at every ply of a game."""

import random

from starscout import games
from starscout.records.record import GameRecord
from starscout.referee.game_in_progress import GameInProgress
from starscout.referee.openings import series_start
from starscout.web.review import exact_scores, leads


def random_game(name: str, seed: int) -> GameRecord:
    game = GameInProgress(series_start(games.load(name), seed, 0), (None, None), seed=seed)
    generator = random.Random(seed)
    while not game.over:
        game.submit_text(generator.choice(game.state.moves))
    return game.record()


def test_exact_scores_never_improve_for_the_mover() -> None:
    record = random_game("othello-4x4", 5)
    discs, ends = leads(record), exact_scores(record)
    assert discs is not None
    assert ends is not None
    assert (discs[0], len(discs)) == (0, len(record.plies) + 1)
    movers = [state.mover for state in record.states()]
    solved = [ply for ply, end in enumerate(ends) if end is not None]
    assert solved == list(range(len(record.plies) + 1))
    for ply in solved[:-1]:
        before, after = ends[ply], ends[ply + 1]
        assert before is not None
        assert after is not None
        assert before >= after if movers[ply] == 0 else before <= after
    assert (ends[-1] > 0) == (record.winner == 0) or record.winner is None  # type: ignore[operator]


def test_exact_scores_when_stopped_and_in_games_without_score() -> None:
    record = random_game("othello-4x4", 5)
    assert exact_scores(record, lambda: True) == [None] * (len(record.plies) + 1)
    ewn = random_game("ewn-3x3-3", 1)
    assert (leads(ewn), exact_scores(ewn)) == (None, None)
