"""Does a player keep within its clock? Whole games of EWN against itself, in wall time.

    python benchmarks/search_clock.py --clock 1.0 --games 200

Prints the games, the oversteps, and the least time that a side had left.
"""

import argparse
import random
import time

from starscout import games
from starscout.game import state
from starscout.players.spec import make_player
from starscout.search.limits import Limit


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clock", type=float, default=1.0)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--player", default="strong table=16")
    arguments = parser.parse_args()
    game = games.load("ewn")
    player = make_player(arguments.player, game)
    generator = random.Random(1)
    oversteps, least, spent, moves = 0, arguments.clock, 0.0, 0
    for number in range(arguments.games):
        player.new_game(game, number)
        clocks = [arguments.clock, arguments.clock]
        now = state.start(game, generator.randrange(10**6))
        while not now.over and min(clocks) >= 0.0:
            now = now.rolled(generator)
            began = time.monotonic()
            decision = player.choose(now, Limit(clock=clocks[now.mover]))
            took = time.monotonic() - began
            clocks[now.mover] -= took
            spent, moves = spent + took, moves + 1
            now = now.play(decision.move)
        oversteps += min(clocks) < 0.0
        least = min(least, *clocks)
    print(
        f"{arguments.games} games at {arguments.clock:g} s: {oversteps} oversteps, least time left {least:.3f} s, "
        f"{1000 * spent / moves:.1f} ms per move"
    )


if __name__ == "__main__":
    main()
