"""How many games a ladder needs until the order of its players is 90 % correct, by pairing and rating.

python benchmarks/ladder_pairing.py [REPETITIONS]

30 players with true ratings from N(0, 200) Elo, games without draws, the pair of games as the unit. The order is 90 %
correct when 90 % of the pairs of players are ranked as by their true ratings, at a check after every 15 pairs of games.

information    the ladder: Bradley-Terry with a prior, the most informative pair, 10 % of the pairs at random
random         the same ratings, uniformly random pairs
near           the same ratings, a random player against one of its nearest three
TrueSkill      Gaussian ratings updated after each game in turn, a random player against one of its nearest three
"""

import math
import random
import statistics
import sys
from collections.abc import Callable

from starscout.arena.elo import ELO_SCALE
from starscout.ladder.pairing import Pairing
from starscout.ladder.ratings import Ratings

PLAYERS, DEVIATION, WANTED = 30, 200.0, 0.9
CHECK, MOST = 15, 6000
NEAREST = 3


class Gaussian:
    """TrueSkill for two players without draws."""

    def __init__(self, count: int) -> None:
        self.mean = [25.0] * count
        self.variance = [(25 / 3) ** 2] * count

    def add(self, winner: int, loser: int) -> None:
        beta, tau = 25 / 6, 25 / 300
        for player in (winner, loser):
            self.variance[player] += tau**2
        c = math.sqrt(2 * beta**2 + self.variance[winner] + self.variance[loser])
        t = (self.mean[winner] - self.mean[loser]) / c
        normal = statistics.NormalDist()
        below = max(normal.cdf(t), 1e-12)
        v = normal.pdf(t) / below
        w = v * (v + t)
        for player, sign in ((winner, 1), (loser, -1)):
            share = self.variance[player]
            self.mean[player] += sign * share / c * v
            self.variance[player] = share * (1 - share / c**2 * w)


def near(values: list[float], generator: random.Random) -> tuple[int, int]:
    """A random player and one of its nearest."""
    one = generator.randrange(PLAYERS)
    others = sorted((other for other in range(PLAYERS) if other != one), key=lambda o: abs(values[o] - values[one]))
    return one, generator.choice(others[:NEAREST])


def share_in_order(values: list[float], truth: list[float]) -> float:
    """The share of the pairs of players that are ranked in the order of their true ratings."""
    right = sum((values[i] - values[j]) * (truth[i] - truth[j]) > 0 for i in range(PLAYERS) for j in range(i))
    return right / math.comb(PLAYERS, 2)


def play(method: str, seed: int) -> int:
    """The number of games until the order is right."""
    generator = random.Random(seed)
    truth = [generator.gauss(0, DEVIATION) for _ in range(PLAYERS)]
    ratings, gaussian = Ratings(), Gaussian(PLAYERS)
    players = [ratings.add_player() for _ in range(PLAYERS)]
    counts = [0] * PLAYERS
    for number in range(1, MOST + 1):
        values = gaussian.mean if method == "TrueSkill" else ratings.strength.tolist()
        if method == "information":
            new = [player for player in players if counts[player] < 5]
            one, other = Pairing(ratings, players).choose(new, 0.1, generator)
        elif method == "random":
            one, other = generator.sample(players, 2)
        else:
            one, other = near(values, generator)
        chance = 1 / (1 + math.exp((truth[other] - truth[one]) / ELO_SCALE))
        wins = [generator.random() < chance for _ in range(2)]
        for player in (one, other):
            counts[player] += 1
        if method == "TrueSkill":
            for won in wins:
                gaussian.add(*((one, other) if won else (other, one)))
        else:
            ratings.add_pair(one, other, number % 2, None, sum(wins) / 2)
            ratings.fit()
        if number % CHECK == 0:
            values = gaussian.mean if method == "TrueSkill" else ratings.strength.tolist()
            if share_in_order(list(values), truth) >= WANTED:
                return 2 * number
    return 2 * MOST


def main(repetitions: int, show: Callable[[str], None] = print) -> None:
    """Print the games that each method needs."""
    baseline: list[int] = []
    for method in ("random", "information", "near", "TrueSkill"):
        games = [play(method, seed) for seed in range(repetitions)]
        baseline = baseline or games
        error = 1.96 * statistics.stdev(games) / math.sqrt(repetitions)
        saved = [100 * (1 - mine / theirs) for mine, theirs in zip(games, baseline, strict=True)]
        saving = f"{statistics.mean(saved):5.1f} ± {1.96 * statistics.stdev(saved) / math.sqrt(repetitions):.1f} %"
        show(
            f"{method:12} {statistics.mean(games):6.0f} ± {error:.0f} games (median {statistics.median(games):.0f}, "
            f"not reached {sum(count == 2 * MOST for count in games)}), fewer than random: {saving}"
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
