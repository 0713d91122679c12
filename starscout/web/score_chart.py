"""Scores of a game at every ply: the lead on the board, and the exact final score where it can be solved."""

from collections.abc import Callable

from starscout import games
from starscout.api.solve import solve
from starscout.evaluation import knowledge_of
from starscout.records.record import GameRecord

SECONDS = 4.0
"""Total time for solving the positions of a game."""
EACH = 1.0
"""Time for one position; earlier plies are not tried after a position that takes longer."""


def leads(record: GameRecord) -> list[int] | None:
    """The first side's lead before every ply and at the end; None in games without a score."""
    score = knowledge_of(games.find(record.game)).score
    if score is None:
        return None
    return [score.lead(state.game, state.position) * (1, -1)[state.mover] for state in record.states()]


def exact_scores(record: GameRecord, is_stopped: Callable[[], bool] = lambda: False) -> list[int | None] | None:
    """The first side's score after perfect play from every ply, None where unknown; None in games without a score.

    Positions are solved from the last one backwards: each is harder than the next one.
    """
    if knowledge_of(games.find(record.game)).score is None:
        return None
    states = list(record.states())
    scores: list[int | None] = [None] * len(states)
    left = SECONDS
    for ply in reversed(range(len(states))):
        state = states[ply]
        if is_stopped() or left <= 0:
            break
        solution = solve(state, time=min(EACH, left))
        left -= solution.seconds
        if solution.score is None:
            break
        scores[ply] = solution.score * (1, -1)[state.mover]
    return scores
