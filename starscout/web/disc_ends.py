"""Othello in discs: the difference at every ply of a game, and the result of perfect play where it can be solved."""

from collections.abc import Callable

from starscout import games
from starscout.api.solve import OTHELLO, solve
from starscout.games.othello.solver import disc_difference
from starscout.records.record import GameRecord

SECONDS = 4.0
"""For all positions of a game together."""
EACH = 1.0
"""For one position: where this is not enough, the plies before it are not tried."""


def disc_differences(record: GameRecord) -> list[int] | None:
    """Black's discs − white's before every ply and at the end; None in other games."""
    if games.find(record.game).family != OTHELLO:
        return None
    sides = [[cell.side for cell in state.game.cells(state.position)] for state in record.states()]
    return [board.count(0) - board.count(1) for board in sides]


def exact_ends(record: GameRecord, is_stopped: Callable[[], bool] = lambda: False) -> list[int | None] | None:
    """Black's lead in discs after perfect play from every ply on, None where it is not known; None in other games.

    The last position is solved first: each is harder than the one after it.
    """
    if games.find(record.game).family != OTHELLO:
        return None
    states = list(record.states())
    ends: list[int | None] = [None] * len(states)
    left = SECONDS
    for ply in reversed(range(len(states))):
        state = states[ply]
        if is_stopped() or left <= 0:
            break
        if state.over:
            lead = disc_difference(state.game, state.position)
            ends[ply] = lead if state.mover == 0 else -lead
            continue
        solution = solve(state, time=min(EACH, left))
        left -= solution.seconds
        if solution.discs is None:
            break
        ends[ply] = solution.discs if state.mover == 0 else -solution.discs
    return ends
