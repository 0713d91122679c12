"""Nodes that Star1 and Star2 save in dark chess, in searches with equal values, by the number of hidden pieces.

python benchmarks/search_dark_chess.py
"""

import random

from starscout import games
from starscout.game.state import State, start
from starscout.players.spec import make_player
from starscout.search.limits import Limit

HIDDEN = (24, 16, 8)
POSITIONS = 10
DEPTHS = (2, 3)
STARS = ("0", "1", "2", "2.5")


def sample(hidden: int, count: int, seed: int) -> list[State]:
    """Decisions with this many hidden pieces, from random games that prefer captures."""
    game, generator, found = games.load("dark-chess"), random.Random(seed), []
    while len(found) < count:
        state = start(game)
        while not state.over:
            if state.needs_roll:
                state = state.rolled(generator)
                continue
            if state.text.split()[0].count("?") == hidden:
                found.append(state)
                break
            pieces = int(state.position.revealed) | int(state.position.revealed) >> 32
            captures = [move for move in state.legal if move // 32 != move % 32 and pieces >> move % 32 & 1]
            state = state.play(generator.choice(captures or state.legal))
    return found


def main() -> None:
    """Print a table of nodes relative to a search without Star pruning."""
    game = games.load("dark-chess")
    players = {star: make_player(f"negascout eval=material star={star} table=18", game) for star in STARS}
    print("hidden  depth  " + "  ".join(f"star={star:>4}" for star in STARS))
    for hidden in HIDDEN:
        states = sample(hidden, POSITIONS, seed=7)
        for depth in DEPTHS:
            nodes, values = {}, {}
            for star, player in players.items():
                decisions = []
                for state in states:
                    player.new_game(game, 0)
                    decisions.append(player.choose(state, Limit(depth=depth)))
                nodes[star] = sum(decision.nodes or 0 for decision in decisions)
                values[star] = [round(decision.value or 0.0, 9) for decision in decisions]
            assert all(found == values["0"] for found in values.values())
            shares = "  ".join(f"{nodes[star] / nodes['0']:9.3f}" for star in STARS)
            print(f"{hidden:6}  {depth:5}  {shares}   ({nodes['0']:,} nodes)")


if __name__ == "__main__":
    main()
