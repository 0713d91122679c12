"""Is A stronger than others at equal CPU time? python benchmarks/mcts_strength.py GAME A B …

Wall clocks lie on a busy machine, so time is turned into simulations (or nodes, for players that count those) first:
each player's speed is measured in CPU seconds on positions of random games, and it gets as many a move as it makes in
the given time. The score is A's, with the 95 % interval over pairs (one start, the same dice, seats swapped).
"""

import argparse
import math
import random
import time

from starscout import state as states
from starscout.game import Game
from starscout.games import load
from starscout.players.mcts import MonteCarloPlayer
from starscout.players.player import Player
from starscout.players.spec import make_player
from starscout.referee.play import play_game
from starscout.search.limits import Limit

CALIBRATION_SECONDS = 1.5


def random_states(game: Game, number: int) -> list[states.State]:
    """States of random games, the starts among them."""
    generator = random.Random(1)
    found = []
    while len(found) < number:
        state = states.start(game, len(found))
        for _ in range(generator.randrange(20)):
            state = state.rolled(generator)
            following = state.play(generator.choice(state.legal))
            if following.over:
                break
            state = following
        found.append(state.rolled(generator))
    return found


def equal_time(player: Player, game: Game, seconds: float) -> Limit:
    """The limit that a move of so many CPU seconds stands for."""
    counts_nodes = not isinstance(player, MonteCarloPlayer)
    done, spent, guess = 0, 0.0, 2000
    while spent < CALIBRATION_SECONDS:
        for state in random_states(game, 12):
            player.new_game(game, 1)
            limit = Limit(nodes=guess) if counts_nodes else Limit(simulations=guess)
            started = time.process_time()
            decision = player.choose(state, limit)
            spent += time.process_time() - started
            done += (decision.nodes if counts_nodes else decision.simulations) or 0
        guess = max(int(seconds * done / max(spent, 1e-6)), 1)
    return Limit(nodes=guess) if counts_nodes else Limit(simulations=guess)


def results_of_pair(game: Game, players: tuple[Player, Player], limits: tuple[Limit, Limit], pair: int) -> list[float]:
    """The first player's results of two games from one start, with the same dice and the seats swapped."""
    results = []
    for half in (0, 1):
        order = (0, 1) if half == 0 else (1, 0)
        record = play_game(
            states.start(game, pair),
            (players[order[0]], players[order[1]]),
            (limits[order[0]], limits[order[1]]),
            seed=11,
            pair=pair,
            half=half,
        )
        results.append(0.5 if record.winner is None else float(record.winner == order.index(0)))
    return results


def main() -> None:
    """Play the matches and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game")
    parser.add_argument("first")
    parser.add_argument("opponents", nargs="+")
    parser.add_argument("--milliseconds", type=float, default=20.0)
    parser.add_argument("--pairs", type=int, default=50)
    arguments = parser.parse_args()
    game = load(arguments.game)
    first = make_player(arguments.first, game)
    own = equal_time(first, game, arguments.milliseconds / 1000)
    for spec in arguments.opponents:
        opponent = make_player(spec, game)
        other = equal_time(opponent, game, arguments.milliseconds / 1000)
        pairs = (results_of_pair(game, (first, opponent), (own, other), pair) for pair in range(arguments.pairs))
        scores = [sum(results) / 2 for results in pairs]
        mean = sum(scores) / len(scores)
        error = 1.96 * math.sqrt(sum((score - mean) ** 2 for score in scores)) / len(scores)
        budget = " against ".join(f"{limit.simulations or limit.nodes:,}" for limit in (own, other))
        title = f"{game.name}: {arguments.first} – {spec}"
        print(f"{title}: {mean:.3f} ± {error:.3f} in {len(scores)} pairs ({budget})", flush=True)


if __name__ == "__main__":
    main()
