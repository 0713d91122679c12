"""Parsers accept any text or raise GameError."""

import os
import random
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from starscout import games
from starscout.game import GameError, state
from starscout.game.laws import random_game
from starscout.players import spec
from starscout.protocols.process import check_command, is_program

pytestmark = pytest.mark.plain

MANY_DIGITS = "1" * 5_000
"""More digits than `int` accepts."""

LONG = "x" * 5_000
"""Longer than the maximum length of a file name."""

NAMES = (*games.NAMES, "ewn-3x3-3", "othello-4x4")


def check(name: str, text: str) -> None:
    game = games.load(name)
    try:
        position, roll = game.parse(text)
    except GameError as error:
        sentence = str(error)
        assert sentence
        return
    assert game.parse(game.format(position, roll)) == (position, roll)
    if not game.has_chance or roll:
        assert state.State(game, position, roll).moves or game.outcome(position) != 2


@pytest.mark.slow_compiled
@settings(max_examples=200, deadline=None)
@given(st.sampled_from(NAMES), st.text(max_size=80))
@example("ewn", f"123../45.../6...f/...ed/..cba r {MANY_DIGITS}")
@example("ewn", "123../45.../6...f/...ed/..cba r ²")
@example("ewn-3x3-3", f"12./3.a/.cb r {MANY_DIGITS}")
@example("ewn-cyclic", f"012..../34...../5....../......f/.....ed/....cba r 012345012345012345012 {MANY_DIGITS}")
@example("ewn-cyclic", "012..../34...../5....../......f/.....ed/....cba r 012345012345012345012 ²")
def test_any_text_as_a_position(name: str, text: str) -> None:
    check(name, text)


@pytest.mark.slow_compiled
@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(NAMES),
    st.integers(0, 1000),
    st.lists(st.tuples(st.integers(0, 90), st.sampled_from("123456abcdef0XO-./ rb9²\x00é")), max_size=3),
)
def test_almost_valid_positions(name: str, seed: int, changes: list[tuple[int, str]]) -> None:
    game = games.load(name)
    generator = random.Random(seed)
    position = generator.choice(list(random_game(game, generator)))
    characters = list(game.format(position, generator.randint(0, game.faces) if game.has_chance else 1))
    for place, character in changes:
        characters[place % len(characters)] = character
    check(name, "".join(characters))


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(NAMES), st.text(max_size=12))
def test_any_text_as_a_move(name: str, text: str) -> None:
    now = state.start(games.load(name)).rolled(random.Random(1))
    try:
        following = now.play(text)
    except GameError as error:
        assert "legal" in str(error)  # noqa: PT017
    else:
        assert following.mover != now.mover


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=20) | st.from_regex(r"\A(ewn|othello)-[0-9]x[0-9](-[0-9])?\Z"))
@example("/\0")
@example("²")
@example("ewn-²x3-3")
@example(MANY_DIGITS)
@example(f"./{LONG}.py")
@example("/\ud800")
def test_any_text_as_a_game(name: str) -> None:
    try:
        game = games.load(name)
    except GameError as error:
        assert str(error)  # noqa: PT017
    else:
        assert game.name.split("-")[0] == name.split("-")[0]


def test_board_size_needs_ascii_digits() -> None:
    with pytest.raises(GameError, match="no game"):
        games.load("ewn-٣x٣-٣")


def test_symlink_loop_is_not_a_game_file(tmp_path: Path) -> None:
    loop = tmp_path / "loop.py"
    loop.symlink_to(loop)
    with pytest.raises(GameError, match="game file"):
        games.load(str(loop))


def test_game_file_with_any_name_is_loaded(tmp_path: Path) -> None:
    example = Path(__file__).parents[1] / "examples" / "connect_four.py"
    copy = os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.py")
    Path(copy).write_bytes(example.read_bytes())
    assert games.load(copy).name == "connect-four"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\0",
        "negascout depth=²",
        "negascout depth=٣",
        "negascout depth=1_0",
        f"negascout depth={MANY_DIGITS}",
        f"negascout nodes={'9' * 19}",
        "negascout time=1e999",
        "negascout time=nan",
        f"negascout time={MANY_DIGITS}",
        "negascout eval=distance:²:1",
        f"negascout eval=distance:{MANY_DIGITS}:1",
        "mcts c=inf",
        f"mcts eval={LONG} cutoff=3",
        f"lab[cwd={LONG}]:sh",
        "lab[cwd=~nobody-of-this-name]:sh",
        "lab[cwd=\0]:sh",
        "lab[depth=²]:sh",
        f"lab[time={MANY_DIGITS}]:sh",
        f"lab:./{LONG}",
        f"lab:{LONG}",
        "lab:\0",
        "lab:'unbalanced",
    ],
)
def test_invalid_player_is_refused(text: str) -> None:
    with pytest.raises(GameError):
        spec.describe(text, games.load("ewn"))


@pytest.mark.parametrize("text", ["", "\0", LONG, "²", "\ud800"])
def test_any_text_can_be_checked_for_a_command(text: str) -> None:
    assert not is_program(text)
    with pytest.raises(GameError):
        check_command(text)
