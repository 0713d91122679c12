"""The laws on every game, and on games that break one of them."""

import dataclasses
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starscout import games
from starscout.game import LOSS, ONGOING, Game
from starscout.kernel import kernel
from starscout.laws import LawBrokenError, check_laws, check_position, random_game

pytestmark = [pytest.mark.plain, pytest.mark.bounds]

EXAMPLE = str(Path(__file__).parent.parent / "examples" / "connect_four.py")
NAMES = (*games.NAMES, "ewn-3x3-3", "ewn-4x3-1", "ewn-6x6-6", "othello-6x6", "othello-4x4", EXAMPLE)


@pytest.mark.parametrize("name", NAMES)
def test_laws_hold_along_random_games(name: str) -> None:
    report = check_laws(games.load(name), games=3, seed=1)
    assert report.games == 3
    assert report.positions > 3


@settings(max_examples=25, deadline=None, derandomize=True)
@given(name=st.sampled_from(NAMES), seed=st.integers(0, 2**32), ply=st.integers(0, 60))
def test_laws_hold_in_any_position(name: str, seed: int, ply: int) -> None:
    game = games.load(name)
    generator = random.Random(seed)
    positions = list(random_game(game, generator))
    check_position(game, positions[ply % len(positions)], generator, {})
    assert game.outcome(positions[-1]) != ONGOING


def _broken(**changes: object) -> Game:
    return dataclasses.replace(games.load("ewn-3x3-3"), name="broken", **changes)  # pyright: ignore[reportArgumentType]


def test_a_missing_move_is_seen() -> None:
    moves = games.load("ewn-3x3-3").moves

    @kernel
    def fewer(position, roll, out):
        return moves(position, roll, out) - 1

    with pytest.raises(LawBrokenError, match=r"no move|disagrees with moves"):
        check_laws(_broken(moves=fewer))


def test_wrong_weights_are_seen() -> None:
    group = games.load("ewn-3x3-3").group

    @kernel
    def heavier(position, index):
        roll, weight = group(position, index)
        return roll, weight + 1

    with pytest.raises(LawBrokenError, match="sum to faces"):
        check_laws(_broken(group=heavier))


def test_groups_that_mix_different_rolls_are_seen() -> None:
    @kernel
    def one(position):
        return 1

    @kernel
    def everything(position, index):
        return 1, 3

    with pytest.raises(LawBrokenError, match="do not allow the same moves"):
        check_laws(_broken(groups=one, group=everything))


def test_an_unfair_pick_is_seen() -> None:
    moves = games.load("ewn-3x3-3").moves

    @kernel
    def first(position, roll, random, row):
        moves(position, roll, row)
        return row[0]

    with pytest.raises(LawBrokenError, match="not fair"):
        check_laws(_broken(pick=first))


def test_a_key_that_forgets_the_enemy_is_seen() -> None:
    from starscout.bits import WORD_ZERO

    @kernel
    def own_only(position):
        return position.own, WORD_ZERO

    with pytest.raises(LawBrokenError, match="same key"):
        check_laws(_broken(key=own_only), games=200)


def test_a_game_that_does_not_end_is_seen() -> None:
    with pytest.raises(LawBrokenError, match="max_plies"):
        check_laws(_broken(max_plies=3))


def test_a_false_symmetry_is_seen() -> None:
    game = games.load("ewn-3x3-3")
    numbers = game.symmetries[0]
    false = dataclasses.replace(numbers, roll=lambda roll: roll)
    with pytest.raises(LawBrokenError, match="numbers reversed"):
        check_laws(_broken(symmetries=(false,)))


def test_a_text_that_does_not_come_back_is_seen() -> None:
    game = games.load("ewn-3x3-3")
    with pytest.raises(LawBrokenError, match="is read as"):
        check_laws(_broken(format=lambda position, roll: game.format(position._replace(mover=0), roll)))


def test_the_derived_functions_of_a_game_are_right() -> None:
    """Without its own groups, count, pick and key a game keeps the laws as well."""
    check_laws(_broken(groups=None, group=None, count=None, pick=None, key=None), games=5)
    game = _broken(groups=None, group=None)
    position = game.start_position(0)
    assert game.groups(position) == 3
    assert [tuple(game.group(position, index)) for index in range(3)] == [(1, 1), (2, 1), (3, 1)]
    assert game.outcome(position) != LOSS
