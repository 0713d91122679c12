"""A game of Othello in discs: what is on the board, and what perfect play would make of it."""

import random

from starscout import games
from starscout.records.record import GameRecord
from starscout.referee.game_in_progress import GameInProgress
from starscout.referee.openings import series_start
from starscout.web.disc_ends import disc_differences, exact_ends


def random_game(name: str, seed: int) -> GameRecord:
    game = GameInProgress(series_start(games.load(name), seed, 0), (None, None), seed=seed)
    generator = random.Random(seed)
    while not game.over:
        game.submit_text(generator.choice(game.state.moves))
    return game.record()


def test_the_end_of_a_game_is_solved_and_no_move_gains_more_than_perfect_play() -> None:
    record = random_game("othello-4x4", 5)
    discs, ends = disc_differences(record), exact_ends(record)
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


def test_what_is_stopped_is_not_solved_and_other_games_have_no_discs() -> None:
    record = random_game("othello-4x4", 5)
    assert exact_ends(record, lambda: True) == [None] * (len(record.plies) + 1)
    ewn = random_game("ewn-3x3-3", 1)
    assert (disc_differences(ewn), exact_ends(ewn)) == (None, None)
