"""How much faster two threads search one position than one: python benchmarks/mcts_threads.py

For both schemes: one tree that the threads share, or one each with the roots merged. Two figures: by the wall clock
(true on an idle machine with two cores), and by CPU seconds (what two free cores would give: 2 × the CPU cost of a
simulation alone ÷ beside another).

With --pairs, instead, what it is worth in games at equal time: two threads, each with the simulations of one, against
one; and against one tree with all of the simulations, which is more than any scheme that shares a tree can reach.
"""

import argparse
import itertools
import math
import time

from mcts_strength import results_of_pair

from starscout.games import load
from starscout.players.spec import make_player
from starscout.search.limits import Limit
from starscout.search.mcts import MonteCarlo
from starscout.search.mcts_settings import Settings

SCHEMES = ("tree", "root")


def costs(name: str, threads: int, simulations: int, search: MonteCarlo) -> tuple[float, float]:
    """Wall and CPU seconds of a search."""
    position = load(name).start_position(0)
    search.reset(1)
    wall, cpu = time.perf_counter(), time.process_time()
    search.run(position, 1, simulations=simulations * threads)
    return time.perf_counter() - wall, time.process_time() - cpu


def strength(name: str, simulations: int, pairs: int) -> None:
    """Print the score of two threads against one and against one tree of double size."""
    game = load(name)
    one, both = make_player("mcts c=0.7", game), Limit(simulations=2 * simulations)
    opponents = ("one thread", Limit(simulations=simulations)), ("one tree with all simulations", both)
    for scheme, (title, other) in itertools.product(SCHEMES, opponents):
        two = make_player(f"mcts c=0.7 threads=2 scheme={scheme}", game)
        scores = [sum(results_of_pair(game, (two, one), (both, other), pair)) / 2 for pair in range(pairs)]
        mean = sum(scores) / pairs
        error = 1.96 * math.sqrt(sum((score - mean) ** 2 for score in scores)) / pairs
        players = f"{name}: two threads of {simulations:,}, {scheme}, against {title}"
        print(f"{players}: {mean:.3f} ± {error:.3f} in {pairs} pairs", flush=True)


def main() -> None:
    """Measure in turns, take the best of the rounds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--simulations", type=int, default=200_000)
    parser.add_argument("--pairs", type=int, default=0)
    parser.add_argument("--games", nargs="+", default=["ewn", "ewn-cyclic", "kari", "othello"])
    arguments = parser.parse_args()
    if arguments.pairs:
        for name in arguments.games:
            strength(name, arguments.simulations, arguments.pairs)
        return
    for name, scheme in itertools.product(arguments.games, SCHEMES):
        game = load(name)
        searches = {n: MonteCarlo(game, Settings(threads=n, scheme=scheme, reuse=False)) for n in (1, 2)}
        walls: dict[int, list[float]] = {1: [], 2: []}
        cpus: dict[int, list[float]] = {1: [], 2: []}
        for _ in range(arguments.rounds):
            for threads, search in searches.items():
                wall, cpu = costs(name, threads, arguments.simulations, search)
                walls[threads].append(wall)
                cpus[threads].append(cpu)
        by_wall = 2 * min(walls[1]) / min(walls[2])
        by_cpu = 2 * 2 * min(cpus[1]) / min(cpus[2])
        print(
            f"{name:12} {scheme}: two threads are {by_wall:.2f} times as fast by the clock, {by_cpu:.2f} by CPU seconds"
        )


if __name__ == "__main__":
    main()
