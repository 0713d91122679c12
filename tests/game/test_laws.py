"""The laws on every game, and on games that break one of them."""

import dataclasses
import itertools
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starscout import games
from starscout.game import LOSS, ONGOING, Cell, Game, GameError, laws
from starscout.game.laws import LawBrokenError, check_laws, check_position, random_game
from starscout.kernels.bits import WORD_ZERO, Word
from starscout.kernels.kernel import PLAIN, kernel

RARE = Word(0o23)

pytestmark = pytest.mark.plain

EXAMPLE = str(Path(__file__).parents[2] / "examples" / "connect_four.py")
# A position of backgammon has 400 plays: tests/games/backgammon checks the laws in fewer positions.
NAMES = (
    *(name for name in games.NAMES if name != "backgammon"),
    "ewn-3x3-3",
    "ewn-4x3-1",
    "ewn-6x6-6",
    "othello-6x6",
    "othello-4x4",
    EXAMPLE,
)


def marks(name: str) -> tuple[pytest.MarkDecorator, ...]:
    # In plain Python one game of dark chess takes as long as all others.
    if name == "ewn-6x6-6" or (name == "dark-chess" and PLAIN):
        return (pytest.mark.slow,)
    return (pytest.mark.bounds,) if name in games.NAMES else (pytest.mark.slow_compiled,)


@pytest.mark.parametrize("name", [pytest.param(name, marks=marks(name)) for name in NAMES])
def test_laws_hold_along_random_games(name: str) -> None:
    # Games of dark chess are long and have many events.
    count = 1 if PLAIN or name == "dark-chess" else 3
    report = check_laws(games.load(name), games=count, seed=1)
    assert report.games == count
    assert report.positions > 3


@pytest.mark.slow_compiled
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


def test_missing_move_is_detected() -> None:
    moves = games.load("ewn-3x3-3").moves

    @kernel
    def fewer(position, roll, out):
        return moves(position, roll, out) - 1

    with pytest.raises(LawBrokenError, match=r"no move|disagrees with moves"):
        check_laws(_broken(moves=fewer))


@pytest.mark.slow_compiled
def test_wrong_group_weights_are_detected() -> None:
    group = games.load("ewn-3x3-3").group

    @kernel
    def heavier(position, index):
        roll, weight = group(position, index)
        return roll, weight + 1

    with pytest.raises(LawBrokenError, match="do not sum to 3"):
        check_laws(_broken(group=heavier))


@pytest.mark.slow_compiled
def test_mixed_groups_are_detected() -> None:
    @kernel
    def one(position):
        return 1

    @kernel
    def everything(position, index):
        return 1, 3

    with pytest.raises(LawBrokenError, match="do not allow the same moves"):
        check_laws(_broken(groups=one, group=everything))


@pytest.mark.slow_compiled
def test_unfair_pick_is_detected() -> None:
    moves = games.load("ewn-3x3-3").moves

    @kernel
    def first(position, roll, random, row):
        moves(position, roll, row)
        return row[0]

    with pytest.raises(LawBrokenError, match="not fair"):
        check_laws(_broken(pick=first))


@pytest.mark.slow_compiled
def test_other_random_moves_are_detected() -> None:
    game = games.load("othello-4x4")
    random_moves = game.random_moves
    assert random_moves is not None

    @kernel
    def one_too_many(position, seed, counter, most):
        return random_moves(position, seed, counter, most + 1)

    with pytest.raises(LawBrokenError, match=r"random_moves with .* disagrees with pick and play"):
        check_laws(dataclasses.replace(game, random_moves=one_too_many), 3)


def test_random_moves_need_a_game_without_events() -> None:
    moves = games.load("othello-4x4").random_moves
    with pytest.raises(GameError, match="random_moves: expected none in a game with events"):
        dataclasses.replace(games.load("ewn-3x3-3"), random_moves=moves)


@pytest.mark.slow_compiled
def test_incomplete_key_is_detected() -> None:
    @kernel
    def own_only(position):
        return position.own, WORD_ZERO

    with pytest.raises(LawBrokenError, match="same key"):
        check_laws(_broken(key=own_only), games=200)


@pytest.mark.slow_compiled
def test_endless_game_is_detected() -> None:
    with pytest.raises(LawBrokenError, match="max_plies"):
        check_laws(_broken(max_plies=3))


@pytest.mark.slow_compiled
def test_false_symmetry_is_detected() -> None:
    game = games.load("ewn-3x3-3")
    numbers = game.symmetries[0]
    false = dataclasses.replace(numbers, roll=lambda roll: roll)
    with pytest.raises(LawBrokenError, match="numbers reversed"):
        check_laws(_broken(symmetries=(false,)))


@pytest.mark.slow_compiled
def test_text_without_round_trip_is_detected() -> None:
    game = games.load("ewn-3x3-3")
    with pytest.raises(LawBrokenError, match="is parsed as"):
        check_laws(_broken(format=lambda position, roll: game.format(position._replace(mover=0), roll)))


@pytest.mark.slow_compiled
def test_derived_functions_are_correct() -> None:
    """A game without groups, count, pick and key of its own satisfies the laws too."""
    check_laws(_broken(groups=None, group=None, count=None, pick=None, key=None), games=5)
    game = _broken(groups=None, group=None)
    position = game.start_position(0)
    assert game.groups(position) == 3
    assert [tuple(game.group(position, index)) for index in range(3)] == [(1, 1), (2, 1), (3, 1)]
    assert game.outcome(position) != LOSS


# False declarations that corrupt memory or silently give wrong results.


@pytest.mark.slow_compiled
def test_invalid_outcome_is_detected() -> None:
    @kernel
    def seven(position):
        return 7

    with pytest.raises(LawBrokenError, match=r"outcome is 7: expected WIN, DRAW, LOSS or ONGOING"):
        check_laws(_broken(outcome=seven))


@pytest.mark.parametrize("max_moves", [1, 2])
def test_row_overflow_is_detected(max_moves: int) -> None:
    with pytest.raises(LawBrokenError, match=rf"writes beyond max_moves = {max_moves} \(up to [3-6]\)"):
        check_laws(_broken(max_moves=max_moves))


@pytest.mark.slow_compiled
def test_unwritten_moves_are_detected() -> None:
    @kernel
    def counted(position, roll, out):
        return 2

    @kernel
    def negative(position, roll, out):
        return -1

    with pytest.raises(LawBrokenError, match="returns 2, but writes fewer moves"):
        check_laws(_broken(moves=counted))
    with pytest.raises(LawBrokenError, match="returns -1, which is not a number of moves"):
        check_laws(_broken(moves=negative))


@pytest.mark.slow_compiled
def test_count_or_pick_overflow_is_detected() -> None:
    game = games.load("ewn-3x3-3")
    count, most = game.count, game.max_moves

    @kernel
    def careless(position, roll, row):
        row[most] = 3
        return count(position, roll, row)

    with pytest.raises(LawBrokenError, match="count of roll 1 writes beyond"):
        check_laws(_broken(count=careless))


@pytest.mark.slow_compiled
def test_illegal_pick_is_detected() -> None:
    @kernel
    def any_number(position, roll, random, row):
        return 12345

    with pytest.raises(LawBrokenError, match="pick of roll 1 is not fair"):
        check_laws(_broken(pick=any_number))


@pytest.mark.slow_compiled
@pytest.mark.parametrize(("many", "sentence"), [(0, "0 groups"), (4, "4 groups"), (10**9, "1000000000 groups")])
def test_invalid_number_of_groups_is_detected(many: int, sentence: str) -> None:
    @kernel
    def groups(position):
        return many

    with pytest.raises(LawBrokenError, match=f"there are {sentence}: expected 1 to 3"):
        check_laws(_broken(groups=groups))


@pytest.mark.slow_compiled
def test_invalid_group_is_detected() -> None:
    @kernel
    def no_roll(position, index):
        return 9, 1

    @kernel
    def no_weight(position, index):
        return 1, 0

    with pytest.raises(LawBrokenError, match="group 0 has event 9: events are \\[1, 2, 3\\]"):
        check_laws(_broken(group=no_roll))
    with pytest.raises(LawBrokenError, match="group 0 has weight 0"):
        check_laws(_broken(group=no_weight))


def test_wrong_field_types_are_detected() -> None:
    game = games.load("ewn-3x3-3")
    play, position_class = game.play, game.position

    @kernel
    def halves(position, move):
        following = play(position, move)
        return position_class(following.own, following.enemy, following.mover / 1)

    @kernel
    def third_side(position, move):
        following = play(position, move)
        return position_class(following.own, following.enemy, following.mover + 2)

    with pytest.raises(LawBrokenError, match=r"play of move \d+ returns .*mover: int64"):
        check_laws(_broken(play=halves))
    with pytest.raises(LawBrokenError, match="returns mover = 3: the sides are 0 and 1"):
        check_laws(_broken(play=third_side))


@pytest.mark.slow_compiled
def test_wrong_types_from_parse_are_detected() -> None:
    game = games.load("ewn-3x3-3")

    def loose(text):
        position, roll = game.parse(text)
        return tuple(position), roll

    def plain_numbers(text):
        position, roll = game.parse(text)
        return position._replace(own=int(position.own)), roll

    with pytest.raises(LawBrokenError, match="parse does not return own as uint64, enemy as uint64, mover as int"):
        check_laws(_broken(parse=loose))
    with pytest.raises(LawBrokenError, match="parse does not return own as uint64, as the position declares"):
        check_laws(_broken(parse=plain_numbers))


@pytest.mark.slow_compiled
def test_repeated_starts_are_detected() -> None:
    start = games.load("ewn-3x3-3").start

    @kernel
    def always_the_same(seed):
        return start(seed * WORD_ZERO)

    with pytest.raises(LawBrokenError, match="two of the seeds 0 to starts − 1 = 5 give the same start"):
        check_laws(_broken(start=always_the_same))


def _rarely_broken() -> Game:
    """Tic-tac-toe in which one set of three noughts has the outcome 7."""
    game = games.load(str(Path(EXAMPLE).with_name("tic_tac_toe.py")))
    outcome = game.outcome

    @kernel
    def wrong(position):
        return 7 if position.own == RARE and position.mover == 1 else outcome(position)

    return dataclasses.replace(game, name="rarely-broken", outcome=wrong)


@pytest.mark.slow_compiled
def test_rare_violation_needs_more_games() -> None:
    assert check_laws(_rarely_broken(), games=20).games == 20
    with pytest.raises(LawBrokenError, match="outcome is 7"):
        check_laws(_rarely_broken(), games=400)


@pytest.mark.slow_compiled
def test_more_games_are_played_until_the_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that advances by a second at each reading."""
    seconds = itertools.count()
    monkeypatch.setattr(laws.time, "monotonic", lambda: float(next(seconds)))
    game = games.load("ewn-3x3-3")
    assert check_laws(game, games=2, seconds=5.0).games == 2 + 4
    assert check_laws(game, games=2).games == 2


@pytest.mark.slow_compiled
def test_finished_start_is_detected() -> None:
    @kernel
    def lost(position):
        return LOSS

    with pytest.raises(LawBrokenError, match="a start is a finished game"):
        check_laws(_broken(outcome=lost))


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"cells": lambda position: [Cell("", None)] * 8}, "expected one per square"),
        ({"cells": lambda position: [("", None)] * 9}, r"cell 0 is \('', None\)"),
        ({"cells": lambda position: [Cell("x", 2)] * 9}, "cell 0 is Cell"),
        ({"format_move": lambda position, move: f"move {move}"}, "expected one word"),
        ({"format_move": lambda position, move: "same"}, "have the same text 'same'"),
        ({"move_spellings": lambda text: "A1A1"}, "move_spellings changes the move '.*' to 'A1A1'"),
        ({"move_squares": lambda position, move: (9,)}, "leaves the board"),
        ({"die": lambda position, roll: roll}, "die returns 0: expected text or None"),
        ({"format": lambda position, roll: 3}, "format returns 3: expected one line of text"),
        ({"other_side_first": lambda position: position}, "other_side_first does not return"),
        ({"faces": 4}, "its own text|no move|groups"),
    ],
)
def test_invalid_texts_and_cells_are_detected(changes: dict[str, object], sentence: str) -> None:
    with pytest.raises(LawBrokenError, match=sentence):
        check_laws(_broken(**changes), games=3)
