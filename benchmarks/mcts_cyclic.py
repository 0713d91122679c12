"""Simulations of the first five moves of ewn-cyclic: python benchmarks/mcts_cyclic.py

The player is `ucb-variance` (20 playouts from every child of a new leaf, tree reuse) as red against `hard`, like the
course engine whose table is printed for comparison. The numbers are means over the games, scaled to 1.7 CPU seconds, so
they do not depend on the load of the machine.
"""

import argparse
import time

from starscout.game import state as states
from starscout.games import load
from starscout.players.spec import make_player
from starscout.search.limits import Limit

SECONDS, MOVES = 1.7, 5
COURSE = {
    "course, float, fast-math": (268_220, 299_690, 436_870, 531_670, 813_150),
    "course, double, fast-math": (229_820, 262_410, 444_980, 519_110, 421_120),
    "course, float, no fast-math": (219_890, 203_740, 243_830, 256_500, 335_180),
}
OURS = {
    "ours, float64": "ucb-variance",
    "ours, float32": "ucb-variance precision=32",
    "ours, float32, fast-math": "ucb-variance precision=32 fastmath=on",
    "ours, float64, UCB without variance": "ucb-variance rule=ucb",
}


def first_moves(spec: str, games: int) -> list[float]:
    """Return the mean simulations in 1.7 CPU seconds for each of the first moves."""
    game = load("ewn-cyclic")
    player, enemy = make_player(spec, game), make_player("hard", game)
    sums = [0.0] * MOVES
    for number in range(games):
        state = states.start(game, number)
        player.new_game(game, number)
        enemy.new_game(game, number)
        for move in range(MOVES):
            started = time.thread_time()
            decision = player.choose(state, Limit(time=SECONDS))
            sums[move] += (decision.simulations or 0) * SECONDS / (time.thread_time() - started)
            state = state.play(decision.move)
            state = state.play(enemy.choose(state, Limit()).move)
    return [total / games for total in sums]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=4)
    arguments = parser.parse_args()
    for name, spec in OURS.items():
        print(f"{name:36}", *(f"{number:12,.0f}" for number in first_moves(spec, arguments.games)), flush=True)
    for name, row in COURSE.items():
        print(f"{name:36}", *(f"{number:12,}" for number in row))


if __name__ == "__main__":
    main()
