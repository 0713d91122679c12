"""Batches: games follow the rules with the dice of a match; masks, observations, rewards."""

from pathlib import Path

import numpy
import pytest

import starscout
from starscout import games
from starscout.environments.batch import GameBatch, action_count, action_mask, batch, board_view, legal_actions
from starscout.game import GameError
from starscout.game.state import State, start
from starscout.kernels.bits import WORD_ALL, Word, random_word
from starscout.referee.game_in_progress import die
from tests.search.generated_games import ALTERNATING, FREE, POINTS

pytestmark = pytest.mark.plain

ROOT = Path(__file__).parents[2]
NAMES = ("ewn", "ewn-cyclic", "kari", "othello", str(ROOT / "examples" / "dice_race.py"))


def first_state(game: starscout.Game, seed: int, number: int) -> State:
    """Return the start of a game of the batch, computed from its definition."""
    choice = int(random_word(Word(random_word(Word(seed), Word(number))), WORD_ALL))
    return start(game, choice % game.starts if game.starts else choice)


@pytest.mark.parametrize(
    "name", [name if name == "ewn" else pytest.param(name, marks=pytest.mark.slow_compiled) for name in NAMES]
)
def test_batch_follows_the_rules(name: str) -> None:
    """Compare three parallel games with states at every ply until each has ended once."""
    game = games.load(name)
    many, seed = 3, 5
    played = batch(game, many, seed)
    states = [first_state(game, seed, number) for number in range(many)]
    ended = [0] * many
    for _ in range(4 * game.typical_plies):
        for index, state in enumerate(states):
            if state.needs_roll:
                roll = die(seed, int(played.numbers[index]), state.ply, game.faces)
                states[index] = state = state.rolled(roll)
            assert played.state(index).text == state.text
            assert played.movers[index] == state.mover
            assert played.plies[index] == state.ply
            assert numpy.array_equal(played.masks[index], action_mask(state))
            assert numpy.array_equal(played.observations[index], board_view(state))
            if game.has_chance:
                assert played.rolls[index] == state.roll
        chosen = played.sample()
        played.step(chosen)
        for index, state in enumerate(states):
            following = state.play(legal_actions(state)[int(chosen[index])])
            outcome = following.outcome
            assert bool(played.terminated[index]) == (outcome is not None)
            if outcome is not None:
                ended[index] += 1
                expected = [
                    0.0 if outcome.winner is None else 1.0 if outcome.winner == side else -1.0 for side in (0, 1)
                ]
                assert played.rewards[index].tolist() == expected
                following = first_state(game, seed, index + many * ended[index])
            else:
                assert played.rewards[index].tolist() == [0.0, 0.0]
            states[index] = following
        if min(ended) >= 1:
            break
    assert min(ended) >= 1


@pytest.mark.parametrize(
    "name", [name if name == "ewn" else pytest.param(name, marks=pytest.mark.slow_compiled) for name in NAMES]
)
def test_actions_and_observations_match_the_cells(name: str) -> None:
    game = games.load(name)
    played = batch(game, 8, 2)
    for _ in range(game.typical_plies):
        for index in range(8):
            state = played.state(index)
            actions = legal_actions(state)
            assert len(actions) == len(state.legal)
            assert all(0 <= action < played.actions for action in actions)
            seen = played.observations[index].ravel()
            for number, cell in zip(seen, game.cells(state.position), strict=True):
                assert (number == 0) == (cell.side is None)
                assert number == 0 or (number > 0) == (cell.side == state.mover)
        played.step(played.sample())


@pytest.fixture
def small() -> GameBatch:
    return batch("ewn-3x3-3", 4, seed=9)


def test_same_seed_gives_the_same_games(small: GameBatch) -> None:
    boards = []
    for _ in range(2):
        small.reset(9)
        small._drawn = 0
        for _ in range(10):
            small.step(small.sample())
        boards.append(small.observations.copy())
    assert numpy.array_equal(*boards)
    small.reset(10)
    assert not numpy.array_equal(small.observations, boards[0])


def test_illegal_action_plays_nothing(small: GameBatch) -> None:
    before, actions = small.observations.copy(), small.sample()
    actions[2] = int(numpy.flatnonzero(~small.masks[2])[0])
    with pytest.raises(GameError, match=r"game 2: action .* is illegal in .*; legal actions: \["):
        small.step(actions)
    assert numpy.array_equal(small.observations, before)
    for wrong in (-1, 10**9):
        actions[2] = wrong
        with pytest.raises(GameError, match=r"game 2: action .* is illegal"):
            small.step(actions)
    with pytest.raises(GameError, match="expected an array of shape"):
        small.step(numpy.zeros(3))
    with pytest.raises(GameError, match="n: expected a whole number of at least 1"):
        batch("ewn", 0)


def test_othello_encoding() -> None:
    state = starscout.start("othello")
    assert action_count(state.game) == 65
    # Black plays d3, c4, f5 or e6: squares 19, 26, 37, 44.
    assert sorted(legal_actions(state)) == [19, 26, 37, 44]
    assert action_mask(state).sum() == 4
    assert board_view(state)[3:5, 3:5].tolist() == [[-1, 1], [1, -1]]
    passing = starscout.parse("othello-4x4", "XXXXXXXXXXXXXXO- O")
    assert list(legal_actions(passing)) == [16]


def test_ewn_encoding() -> None:
    # Red cube 2 may go right, down and diagonally: actions 3, 4 and 5.
    red = starscout.parse("ewn-3x3-3", ".2./.../.ca r 2")
    assert {action: red.game.format_move(red.position, move) for action, move in legal_actions(red).items()} == {
        3: "B1C1", 4: "B1B2", 5: "B1C2",
    }  # fmt: skip
    assert board_view(red).tolist() == [[0, 2, 0], [0, 0, 0], [0, -3, -1]]
    blue = starscout.parse("ewn-3x3-3", ".2./.../.ca b 3")
    assert {action: blue.game.format_move(blue.position, move) for action, move in legal_actions(blue).items()} == {
        6: "B3A3", 7: "B3B2", 8: "B3A2",
    }  # fmt: skip
    assert board_view(blue).tolist() == [[0, -2, 0], [0, 0, 0], [0, 3, 1]]


@pytest.mark.slow_compiled
@pytest.mark.parametrize("game", [ALTERNATING, FREE], ids=lambda game: game.name)
def test_batches_of_generated_games_follow_the_rules(game: starscout.Game) -> None:
    many, seed = 3, 5
    played = batch(game, many, seed)

    def drawn(state: State, number: int) -> State:
        if not state.needs_roll:
            return state
        word = Word(random_word(Word(random_word(Word(seed), Word(number))), Word(state.ply)))
        return state.rolled(int(game.draw(state.position, word)))

    states = [drawn(first_state(game, seed, int(number)), int(number)) for number in played.numbers]
    rewards = set()
    for _ in range(100):
        numbers = played.numbers.copy()
        for index, state in enumerate(states):
            assert played.state(index).position == state.position
            assert played.movers[index] == state.mover
            assert numpy.array_equal(played.masks[index], action_mask(state))
        actions = played.sample()
        played.step(actions)
        for index, state in enumerate(states):
            states[index] = state = drawn(state.play(state.legal[actions[index]]), int(numbers[index]))
            assert bool(played.terminated[index]) == state.over
            if state.outcome is not None:
                won = 0 if state.outcome.winner is None else state.outcome.points
                mine = won if state.outcome.winner == 0 else -won
                assert played.rewards[index].tolist() == pytest.approx([mine / POINTS, -mine / POINTS])
                rewards.add(mine)
                number = int(played.numbers[index])
                states[index] = drawn(first_state(game, seed, number), number)
    assert len(rewards) == 2 * POINTS + 1
