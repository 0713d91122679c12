"""Fit the calibrations of the evaluations to self-play of a search.

    python benchmarks/search_calibration.py ewn --games 4000 --depth 3

Each game starts with a few random plies; every later position before its roll is paired with the result of the game for
its mover. Prints the best logistic curve of each evaluation and its log loss.
"""

import argparse
import random
from collections.abc import Iterator

import numpy

from starscout import games
from starscout.evaluation import evaluation_names, load_evaluation
from starscout.evaluation.evaluation import Evaluation, fit
from starscout.game import ONGOING, Game, Position
from starscout.game.values import as_float
from starscout.search.deepening import Searcher
from starscout.search.negascout import Switches

RANDOM_PLIES = 6


def self_play(
    game: Game, evaluation: Evaluation, depth: int, count: int, seed: int = 0
) -> Iterator[tuple[Position, float]]:
    """Return positions with the result of their game for the mover: 1 won, 0 lost, ½ drawn."""
    generator = random.Random(seed)
    searcher = Searcher(game, evaluation, Switches(scout=not game.has_chance), 14)
    for _ in range(count):
        position = game.start_position(generator.randrange(10**9))
        first = int(position.mover)
        searcher.clear()
        history: list[Position] = []
        result = ONGOING
        for ply in range(game.max_plies):
            if ply >= RANDOM_PLIES:
                history.append(position)
            roll = generator.randint(1, game.faces)
            legal = game.legal(position, roll)
            move = generator.choice(legal)
            if ply >= generator.randrange(RANDOM_PLIES + 1) and len(legal) > 1:
                searcher.begin()
                *_, last = searcher.deepen(position, roll, range(1, depth + 1))
                move = last.best.move
            position = game.play_position(position, move)
            result = game.outcome(position)
            if result != ONGOING:
                break
        won = (result + 1) / 2 if int(position.mover) == first else (1 - result) / 2
        for earlier in history:
            yield earlier, won if int(earlier.mover) == first else 1.0 - won


def raw_score(evaluation: Evaluation, position: Position) -> float:
    """Return the logit of the evaluation's value."""
    return float(2.0 * numpy.arctanh(as_float(evaluation.value(position))))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("--games", type=int, default=4000)
    parser.add_argument("--depth", type=int, default=3)
    parser.add_argument("--eval", nargs="*", help="evaluations to fit; default: all of the game")
    arguments = parser.parse_args()
    game = games.load(arguments.game)
    player = load_evaluation(game)
    pairs = list(self_play(game, player, arguments.depth, arguments.games))
    results = numpy.array([won for _, won in pairs])
    print(
        f"{len(pairs)} positions of {arguments.games} games, depth {arguments.depth}; "
        f"the mover won {results.mean():.3f}"
    )
    for name in arguments.eval or [name for name in evaluation_names(game) if name != "zero"]:
        evaluation = load_evaluation(game, name)
        scores = numpy.array([raw_score(evaluation, position) for position, _ in pairs])
        curve = fit(scores, results)
        chance = 1.0 / (1.0 + numpy.exp(-(curve.offset + curve.slope * scores)))
        loss = -(results * numpy.log(chance) + (1 - results) * numpy.log(1 - chance)).mean()
        print(f"{name:28} logit = {curve.offset:+.3f} {curve.slope:+.4f} · (present logit)   log loss {loss:.4f}")
        if name == "race" and game.has_chance:
            x = numpy.tanh(scores / 2.0)
            basis = numpy.stack([numpy.ones_like(x), x, x**3], axis=1)
            weights, *_ = numpy.linalg.lstsq(basis, 2 * results - 1, rcond=None)
            print(
                f"{'':28} value = {weights[0]:+.4f} {weights[1]:+.4f} · x {weights[2]:+.4f} · x³, x the present value"
            )


if __name__ == "__main__":
    main()
