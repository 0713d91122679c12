"""Which of two Monte-Carlo players is stronger at equal CPU time: python benchmarks/mcts_strength.py GAME A B

Wall clocks lie on a busy machine, so time is turned into simulations first: each player's speed is measured in CPU
seconds on positions of random games, and it gets as many simulations a move as it makes in the given time. A player of
another kind gets the time itself. The score is A's, with the 95 % interval over pairs (one start, seats swapped).
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
    if not isinstance(player, MonteCarloPlayer):
        return Limit(time=seconds)
    simulations, spent, guess = 0, 0.0, 2000
    while spent < CALIBRATION_SECONDS:
        for state in random_states(game, 12):
            player.new_game(game, 1)
            started = time.process_time()
            player.choose(state, Limit(simulations=guess))
            used = time.process_time() - started
            # A position that is soon proven says nothing about speed.
            done = player.search.run(state.position, state.roll, simulations=1)
            if not done.proven:
                spent += used
                simulations += guess
        guess = max(int(seconds * simulations / max(spent, 1e-6)), 1)
    return Limit(simulations=guess)


def score_of_pair(game: Game, players: tuple[Player, Player], limits: tuple[Limit, Limit], pair: int) -> float:
    """The first player's mean score of two games from one start, with the same dice and the seats swapped."""
    score = 0.0
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
        score += 0.5 if record.winner is None else float(record.winner == order.index(0))
    return score / 2


def main() -> None:
    """Play the match and print one line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game")
    parser.add_argument("first")
    parser.add_argument("second")
    parser.add_argument("--milliseconds", type=float, default=20.0)
    parser.add_argument("--pairs", type=int, default=50)
    arguments = parser.parse_args()
    game = load(arguments.game)
    players = make_player(arguments.first, game), make_player(arguments.second, game)
    limits = tuple(equal_time(player, game, arguments.milliseconds / 1000) for player in players)
    scores = [score_of_pair(game, players, (limits[0], limits[1]), pair) for pair in range(arguments.pairs)]
    mean = sum(scores) / len(scores)
    error = 1.96 * math.sqrt(sum((score - mean) ** 2 for score in scores)) / len(scores)
    budget = " ".join(f"{limit.simulations:,}" if limit.simulations else f"{limit.time:g} s" for limit in limits)
    title = f"{game.name}: {arguments.first} – {arguments.second}"
    print(f"{title}: {mean:.3f} ± {error:.3f} in {len(scores)} pairs ({budget})")


if __name__ == "__main__":
    main()
