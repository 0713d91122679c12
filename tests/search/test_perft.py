"""Perft: the published counts, an independent plain count, and counts in parts."""

import pytest

from starscout import games
from starscout.game import ONGOING, Game, Position
from starscout.games.othello.rules import PASS
from starscout.search.perft import count_leaves, expected_leaves, perft, perft_parts

pytestmark = pytest.mark.plain


def plain_count(game: Game, position: Position, depth: int) -> int:
    """The definition: every roll is its own branch, a finished game is one leaf."""
    if depth == 0 or game.outcome(position) != ONGOING:
        return 1
    return sum(
        plain_count(game, game.play_position(position, move), depth - 1)
        for roll in range(1, game.faces + 1)
        for move in game.legal(position, roll)
    )


@pytest.mark.parametrize(
    ("name", "depth"),
    [
        ("ewn", 2),
        ("ewn-3x3-3", 4),
        ("ewn-cyclic", 4),
        ("kari", 2),
        ("othello", 5),
        ("othello-6x6", 4),
        ("othello-4x4", 6),
    ],
)
def test_every_depth_against_the_definition(name: str, depth: int):
    game = games.load(name)
    position = game.start_position(5)
    for plies in range(depth + 1):
        assert perft(game, position, plies) == plain_count(game, position, plies)


def plain_mean(game: Game, position: Position, depth: int) -> float:
    """The definition of the weighted count."""
    if depth == 0 or game.outcome(position) != ONGOING:
        return 1.0
    counts = [
        plain_mean(game, game.play_position(position, move), depth - 1)
        for roll in range(1, game.faces + 1)
        for move in game.legal(position, roll)
    ]
    return sum(counts) / game.faces


@pytest.mark.parametrize(("name", "depth"), [("ewn-3x3-3", 3), ("othello-4x4", 4)])
def test_weighted_counts_against_the_definition(name: str, depth: int):
    game = games.load(name)
    position = game.start_position(5)
    for plies in range(depth + 1):
        expected = plain_mean(game, position, plies)
        assert expected_leaves(game, position, plies) == pytest.approx(expected)


def test_othello_as_published():
    game = games.load("othello")
    counts = [perft(game, game.start_position(), depth) for depth in range(1, 7)]
    assert counts == [4, 12, 56, 244, 1396, 8200]


def test_a_finished_game_is_one_leaf_at_any_depth():
    game = games.load("othello-4x4")
    position, _ = game.parse("XXXXXXXXXXXXXXX- X")
    assert [perft(game, position, depth) for depth in range(4)] == [1, 1, 1, 1]


def test_passes_are_plies():
    """Black must pass, white turns the row, and the game is over."""
    game = games.load("othello-4x4")
    position, _ = game.parse("-XXO------------ X")
    assert game.legal(position, 1) == [PASS]
    after_pass = game.play_position(position, PASS)
    assert game.legal(after_pass, 1) == [0]
    parts = perft_parts(game, position, 8)
    assert [part.depth for part in parts] == [6]
    assert [perft(game, position, depth) for depth in range(4)] == [1, 1, 1, 1]


def test_a_roll_restricts_the_first_ply_only():
    game = games.load("ewn")
    position = game.start_position(3)
    by_roll = [perft(game, position, 3, roll) for roll in range(1, 7)]
    assert sum(by_roll) == perft(game, position, 3)
    assert len(set(by_roll)) > 1


@pytest.mark.parametrize(("name", "depth"), [("othello-4x4", 7), ("ewn-3x3-1", 7)])
def test_parts_add_up(name: str, depth: int):
    game = games.load(name)
    position = game.start_position()
    parts = perft_parts(game, position, depth)
    assert len(parts) > 1
    assert sum(count_leaves(game, part) for part in parts) == plain_count(game, position, depth)


def test_deeper_than_any_game():
    game = games.load("ewn-2x2-1")
    longest = perft(game, game.start_position(), game.max_plies)
    assert perft(game, game.start_position(), 10**9) == longest


@pytest.mark.slow
@pytest.mark.parametrize(("depth", "leaves"), [(9, 3005288), (10, 24571284), (11, 212258800)])
def test_othello_deep(depth: int, leaves: int):
    game = games.load("othello")
    assert perft(game, game.start_position(), depth) == leaves
