"""Mean loss per move in ewn, by evaluation and depth, in win probability.

    starscout tables build ewn
    python benchmarks/learned_loss.py [POSITIONS [WEIGHTS-FILE …]]

The positions are the first of each game, played by two-ply searches, that the table covers; all rolls are tested. The
searches do not use the table.
"""

import random
import sys
from collections.abc import Callable

import numpy

from starscout import games
from starscout.game import Position, state
from starscout.games.ewn.endgame_table import find_table
from starscout.players.spec import make_player
from starscout.search.limits import Limit

EVALUATIONS = ("race+squares", "learned")
DEPTHS = (1, 2, 3)
SEED = 3


def main(count: int, evaluations: list[str]) -> None:
    """Print the table."""
    game = games.load("ewn")
    table = find_table(game)
    if table is None:
        sys.exit("no exact table for ewn: run `starscout tables build ewn`")
    positions = endings(count, table.covers)
    decisions = [
        (state.from_position(game, position, roll), table.move_values(position, roll))
        for position in positions
        for roll in range(1, game.faces + 1)
    ]
    print(f"{len(positions)} positions with up to {table.cubes} cubes, {len(decisions)} decisions")
    for depth in DEPTHS:
        for evaluation in evaluations:
            player = make_player(f"negascout depth={depth} eval={evaluation}", game)
            player.new_game(game, 0)
            losses = []
            for now, values in decisions:
                chosen = player.choose(now, Limit()).move
                losses.append((max(values.values()) - values[chosen]) / 2)
            error = 1.96 * float(numpy.std(losses)) / len(positions) ** 0.5
            right = numpy.mean(numpy.array(losses) < 1e-4)
            print(
                f"  depth {depth} {evaluation:20} {numpy.mean(losses):.5f} ± {error:.5f} per move, "
                f"right in {100 * right:.1f} %",
                flush=True,
            )


def endings(count: int, covers: Callable[[Position], bool]) -> list[Position]:
    """Return the first covered position of each game."""
    game = games.load("ewn")
    player = make_player("negascout depth=2 eval=race", game)
    generator = random.Random(SEED)
    found: list[Position] = []
    seed = 0
    while len(found) < count:
        seed += 1
        now = state.start(game, seed)
        player.new_game(game, seed)
        while not now.over and not covers(now.position):
            now = now.rolled(generator)
            move = generator.choice(now.legal) if generator.random() < 0.1 else player.choose(now, Limit()).move
            now = now.play(move)
        if not now.over:
            found.append(now.position)
    return found


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000, [*EVALUATIONS, *sys.argv[2:]])
