"""Solved discs against an unpruned definition, and the records of Othello games."""

import numpy

from starscout import evaluate, games
from starscout.evaluate.othello_patterns import pattern_features
from starscout.game import ONGOING, Game, Position, new_rows
from starscout.learning.disc_play import DISCS_PER_UNIT, build_solver, play_disc_chunk
from starscout.learning.self_play import SelfPlay
from tests.search.search_positions import random_positions

GAME = games.load("othello")


def discs(game: Game, position: Position) -> int:
    """The mover's difference with best play, by looking at every line."""
    if game.outcome(position) != ONGOING:
        own, enemy = int(position.own).bit_count(), int(position.enemy).bit_count()
        empty = game.rows * game.columns - own - enemy
        return own - enemy + (empty if own > enemy else -empty if own < enemy else 0)
    return max(-discs(game, game.play_position(position, move)) for move in game.legal(position, 1))


def test_the_solver_finds_the_value_of_every_line() -> None:
    solve = build_solver(GAME)
    rows, ranks = new_rows(GAME, GAME.max_plies), new_rows(GAME, GAME.max_plies)
    late = [position for position in random_positions(GAME, 60, 60, seed=4) if _empties(position) <= 6]
    assert len(late) >= 5
    for position in late:
        expected = discs(GAME, position)
        assert solve(position, -64, 64, 0, rows, ranks) == expected
        assert solve(position, expected - 1, expected + 1, 0, rows, ranks) == expected


def _empties(position: Position) -> int:
    return 64 - int(position.own).bit_count() - int(position.enemy).bit_count()


def test_positions_of_a_game_have_its_result() -> None:
    features = pattern_features()
    zero = evaluate.load(GAME, "zero")
    sample = play_disc_chunk(GAME, zero, features, SelfPlay(depth=1, opening=30), 3, 0, 4)
    again = play_disc_chunk(GAME, zero, features, SelfPlay(depth=1, opening=30), 3, 0, 4)
    assert numpy.array_equal(sample.features, again.features)
    assert sample.games == 4
    differences = numpy.arctanh(sample.values.astype(numpy.float64)) * DISCS_PER_UNIT
    # Whole numbers of discs, and an even number of them: the board is full or the rest goes to the winner.
    assert numpy.abs(differences - 2 * numpy.round(differences / 2)).max() < 0.05
    assert sample.values is sample.results or numpy.array_equal(sample.values, sample.results)
    assert ((sample.features >= 0) & (sample.features < features.count)).all()
    assert len(sample) > 4 * 10
