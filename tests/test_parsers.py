"""Any text is a position of a game or an error sentence, never anything else."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starscout import games, state
from starscout.game import GameError
from starscout.laws import random_game

pytestmark = pytest.mark.plain

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
    if not game.has_dice or roll:
        assert state.State(game, position, roll).moves or game.outcome(position) != 2


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(NAMES), st.text(max_size=80))
def test_any_text(name: str, text: str) -> None:
    check(name, text)


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(NAMES),
    st.integers(0, 1000),
    st.lists(st.tuples(st.integers(0, 90), st.sampled_from("123456abcdef0XO-./ rb9²\x00é")), max_size=3),
)
def test_texts_that_are_almost_positions(name: str, seed: int, changes: list[tuple[int, str]]) -> None:
    game = games.load(name)
    generator = random.Random(seed)
    position = generator.choice(list(random_game(game, generator)))
    characters = list(game.format(position, generator.randint(0, game.faces) if game.has_dice else 1))
    for place, character in changes:
        characters[place % len(characters)] = character
    check(name, "".join(characters))


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(NAMES), st.text(max_size=12))
def test_any_text_as_a_move(name: str, text: str) -> None:
    now = state.start(games.load(name)).rolled(1)
    try:
        following = now.play(text)
    except GameError as error:
        assert "legal" in str(error)  # noqa: PT017
    else:
        assert following.mover != now.mover


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=20) | st.from_regex(r"\A(ewn|othello)-[0-9]x[0-9](-[0-9])?\Z"))
def test_any_text_as_a_game(name: str) -> None:
    try:
        game = games.load(name)
    except GameError as error:
        assert str(error)  # noqa: PT017
    else:
        assert game.name.split("-")[0] == name.split("-")[0]
