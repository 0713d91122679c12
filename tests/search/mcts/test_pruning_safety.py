"""How often progressive pruning prunes every best move, over 1,000 small solved positions.

A search without pruning proves each position first; the moves that can reach its exact value are the best ones. A
position counts if it has another move. The limits are a little above the measured rates (docs/results/mcts.md):
pruning by visits and by deviation does err.
"""

import functools
from typing import Any

import pytest

from starscout.games import load
from tests.search.mcts.monte_carlo import monte_carlo
from tests.search.search_positions import random_positions

pytestmark = pytest.mark.slow

POSITIONS, SIMULATIONS, ENOUGH = 1000, 1000, 100_000
CASES: dict[str, tuple[dict[str, Any], float]] = {
    "visits, often": ({"prune": "visits", "period": 100}, 0.10),
    "visits": ({"prune": "visits", "period": 1000}, 0.01),
    "deviation": ({"prune": "deviation", "period": 50, "rd": 0.2, "trials": 100}, 0.02),
}


@functools.cache
def solved() -> tuple[tuple[Any, int, frozenset[int]], ...]:
    """Positions, rolls and best moves: the first POSITIONS that also have a worse move."""
    game = load("ewn-3x3-3")
    solver = monte_carlo(game, nodes=20_000, reuse=False)
    found = []
    for number, position in enumerate(random_positions(game, 2 * POSITIONS, 5, seed=9)):
        roll = 1 + number % game.faces
        exact = solver.run(position, roll, simulations=ENOUGH)
        assert exact.proven
        best = frozenset(branch.move for branch in exact.branches if branch.upper >= exact.value)
        if len(best) < len(exact.branches):
            found.append((position, roll, best))
    return tuple(found[:POSITIONS])


@pytest.mark.parametrize("case", CASES)
def test_the_best_move_is_rarely_pruned(case: str) -> None:
    settings, most = CASES[case]
    search = monte_carlo(load("ewn-3x3-3"), nodes=5000, reuse=False, **settings)
    pruning, lost = 0, 0
    for position, roll, best in solved():
        result = search.run(position, roll, simulations=SIMULATIONS)
        pruned = {branch.move for branch in result.branches if branch.pruned}
        pruning += bool(pruned)
        lost += best <= pruned
    assert len(solved()) == POSITIONS
    assert pruning > POSITIONS // 5
    assert lost / POSITIONS <= most, f"{lost} of {POSITIONS} lost every best move, {pruning} lost some move"
