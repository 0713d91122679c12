"""Speed-up of MCTS with two threads: python benchmarks/mcts_threads.py

Measures both schemes, a shared tree and separate trees merged at the root, against one thread with and without bursts.
Times are wall-clock times, so the benchmark needs two idle cores.

With --pairs it plays games at equal time per move instead: two threads with a shared tree against one thread and
against two threads with separate trees.
"""

import argparse
import time

from mcts_strength import match, tally

from starscout.games import load
from starscout.search.limits import Limit
from starscout.search.mcts import MctsSearch
from starscout.search.mcts.settings import SHARED_BURST, Settings

SEARCHES = {
    "one thread, no bursts": Settings(reuse=False),
    "one thread, bursts": Settings(burst=SHARED_BURST, reuse=False),
    "two threads, one tree": Settings(threads=2, scheme="tree", reuse=False),
    "two threads, a tree each": Settings(threads=2, scheme="root", reuse=False),
    "two threads, a tree each, bursts": Settings(threads=2, scheme="root", burst=SHARED_BURST, reuse=False),
}


def seconds_of(search: MctsSearch, simulations: int) -> float:
    """Return the wall-clock seconds of a search from a start."""
    search.reset(1)
    started = time.perf_counter()
    search.run(search.game.start_position(0), 1, simulations=simulations)
    return time.perf_counter() - started


def speed(name: str, simulations: int, rounds: int) -> None:
    """Print the simulations per second of each search, best of the interleaved rounds."""
    searches = {title: MctsSearch(load(name), settings) for title, settings in SEARCHES.items()}
    best = dict.fromkeys(searches, float("inf"))
    for _ in range(rounds):
        for title, search in searches.items():
            number = simulations * search.settings.threads
            best[title] = min(best[title], seconds_of(search, number) / number)
    for title, search in searches.items():
        times = f"{best['one thread, no bursts'] / best[title]:.2f} times one without bursts"
        if search.settings.rules().burst > 1:
            times += f", {best['one thread, bursts'] / best[title]:.2f} times one with"
        print(f"{name:12} {title:34} {1 / best[title]:11,.0f} simulations/s, {times}", flush=True)


def strength(name: str, spec: str, milliseconds: float, pairs: int, seed: int) -> None:
    """Print the scores at equal time; one game at a time, so that the mover has both cores."""
    game, limit = load(name), Limit(time=milliseconds / 1000)
    shared = f"{spec} threads=2 scheme=tree"
    for opponent in (spec, f"{spec} threads=2 scheme=root"):
        summary = match(game, shared, opponent, pairs, seed, workers=1, limit=limit)
        print(f"{name}: {shared} – {opponent}: {tally(summary)}", flush=True)


def main() -> None:
    """Measure speed, or strength with --pairs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--simulations", type=int, default=200_000)
    parser.add_argument("--pairs", type=int, default=0)
    parser.add_argument("--milliseconds", type=float, default=50.0)
    parser.add_argument("--player", default="mcts c=0.7 burst=16")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--games", nargs="+", default=["ewn", "ewn-cyclic", "kari", "othello"])
    arguments = parser.parse_args()
    for name in arguments.games:
        if arguments.pairs:
            strength(name, arguments.player, arguments.milliseconds, arguments.pairs, arguments.seed)
        else:
            speed(name, arguments.simulations, arguments.rounds)


if __name__ == "__main__":
    main()
