"""Time forfeits and clock usage in games of a player against itself, in wall-clock time.

    python benchmarks/search_clock.py --clock 10 --games 20
    python benchmarks/search_clock.py --games 200 --clock 1 --busy 2

Prints time forfeits, mean and minimum share of the clock used, and milliseconds per move. `--busy` starts processes
that occupy the CPU. Games that are solved early cannot use up their clocks.
"""

import argparse
import multiprocessing
import random
import time

from starscout import games
from starscout.game import state
from starscout.players.spec import make_player
from starscout.search.limits import Limit


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clock", type=float, default=1.0, help="seconds per side")
    parser.add_argument("--games", type=int, default=20, help="games of each kind")
    parser.add_argument("--game", nargs="+", default=list(games.NAMES))
    parser.add_argument("--player", default="strong")
    parser.add_argument("--busy", type=int, default=0, help="number of processes that occupy the CPU")
    arguments = parser.parse_args()
    load = [multiprocessing.Process(target=occupy, daemon=True) for _ in range(arguments.busy)]
    for process in load:
        process.start()
    for name in arguments.game:
        measure(name, arguments.player, arguments.clock, arguments.games)
    for process in load:
        process.terminate()


def measure(name: str, spec: str, clock: float, count: int) -> None:
    game, generator = games.load(name), random.Random(1)
    players = [make_player(spec, game) for _ in range(2)]
    overruns, moves, used = 0, 0, []
    for number in range(count):
        for player in players:
            player.new_game(game, number)
        clocks = [clock, clock]
        now = state.start(game, generator.randrange(10**6))
        while not now.over and min(clocks) >= 0.0:
            now = now.rolled(generator)
            began = time.monotonic()
            decision = players[now.mover].choose(now, Limit(clock=clocks[now.mover]))
            clocks[now.mover] -= time.monotonic() - began
            moves += 1
            now = now.play(decision.move)
        overruns += min(clocks) < 0.0
        used += [1.0 - left / clock for left in clocks]
    mean = sum(used) / len(used)
    print(
        f"{name}: {count} games at {clock:g} s, {overruns} overruns, {mean:.0%} of the clock used "
        f"({min(used):.0%} to {max(used):.0%}), {1000 * mean * clock * 2 * count / moves:.1f} ms per move",
        flush=True,
    )


def occupy() -> None:
    while True:
        pass


if __name__ == "__main__":
    main()
