"""`ewn` and `othello` in step with open_spiel's rules: legal moves, boards, results and lengths of random games.

Where the conventions differ:
- EWN: open_spiel calls our red black (top left) and our blue white, and white always begins; we let either side begin,
  so the games start from our positions with blue to move. Both sides are numbered independently there, and dice are
  chance nodes 0–5 for our rolls 1–6. An action is 12·square + 2·direction + 1 if something, own or enemy, is captured;
  directions are diagonal, down, right for the side at the top left, then up, diagonal, left for the other.
- Othello: the same squares (row by row from the top left), the same first mover, and a pass is 64 in both. Both end
  the game when neither side can move, without two passes at the end.
"""

import random
from typing import Any

import pytest

from starscout.game import ONGOING, Game
from starscout.games.ewn import rules as ewn
from starscout.games.ewn.board import BLUE, RED, SHIFT_MASK, TARGET_SHIFT
from starscout.games.othello import rules as othello

pytestmark = pytest.mark.slow

pyspiel = pytest.importorskip("pyspiel", reason="`make test-all` installs it")

# The step forward in the mover's view, on a board of five columns → open_spiel's number of the direction.
DIRECTIONS = {RED: {6: 0, 5: 1, 1: 2}, BLUE: {5: 3, 6: 4, 1: 5}}
SQUARES, LANE_BITS, LANE = 25, 5, 31


def board_text(state: Any) -> str:
    """The board of an open_spiel state of EWN as `ewn` writes it."""
    rows = []
    for line in str(state).split("\n")[:5]:
        cells = line.strip("|").split("||")
        rows.append("".join("." if c == "__" else c[1] if c[0] == "b" else "abcdef"[int(c[1]) - 1] for c in cells))
    return "/".join(rows)


def moves_by_action(game: Game, position: Any, roll: int) -> dict[int, int]:
    """Our legal moves by the numbers that open_spiel gives them."""
    own = {int(position.own) >> LANE_BITS * cube & LANE for cube in range(6)}
    enemy = {SQUARES - 1 - (int(position.enemy) >> LANE_BITS * cube & LANE) for cube in range(6)}
    moves = {}
    for move in game.legal(position, roll):
        start = int(position.own) >> (move & SHIFT_MASK) & LANE
        target = move >> TARGET_SHIFT
        square = start if position.mover == RED else SQUARES - 1 - start
        captures = target in own or target in enemy
        moves[12 * square + 2 * DIRECTIONS[position.mover][target - start] + captures] = move
    return moves


def compare_ewn(games: int, seed: int) -> None:
    generator = random.Random(seed)
    theirs_of_all = pyspiel.load_game("einstein_wurfelt_nicht")
    game = ewn.build()
    for _ in range(games):
        theirs = theirs_of_all.new_initial_state()
        theirs.apply_action(generator.randrange(720))
        theirs.apply_action(generator.randrange(720))
        position, _ = game.parse(f"{board_text(theirs)} b -")
        plies = 0
        while not theirs.is_terminal():
            assert theirs.is_chance_node()
            assert game.outcome(position) == ONGOING
            roll = generator.randint(1, 6)
            theirs.apply_action(roll - 1)
            legal = theirs.legal_actions()
            ours = moves_by_action(game, position, roll)
            assert sorted(ours) == sorted(legal)
            assert theirs.current_player() == position.mover
            action = generator.choice(legal)
            position = game.play_position(position, ours[action])
            theirs.apply_action(action)
            plies += 1
        assert game.outcome(position) == theirs.returns()[position.mover]
        assert game.format(position, 0).split()[0] == board_text(theirs)
        # A move number and a roll for each ply, and the two placements.
        assert plies == (theirs.move_number() - 2) // 2


def compare_othello(games: int, seed: int) -> None:
    generator = random.Random(seed)
    theirs_of_all = pyspiel.load_game("othello")
    game = othello.build()
    for _ in range(games):
        theirs = theirs_of_all.new_initial_state()
        position = game.start_position()
        plies = 0
        while not theirs.is_terminal():
            legal = theirs.legal_actions()
            assert game.legal(position, 1) == sorted(legal)
            assert theirs.current_player() == position.mover
            action = generator.choice(legal)
            theirs.apply_action(action)
            position = game.play_position(position, action)
            plies += 1
        assert game.outcome(position) == theirs.returns()[position.mover]
        assert plies == theirs.move_number()
        rows = [line.split()[1:9] for line in str(theirs).split("\n")[2:10]]
        board = "".join("".join(row) for row in rows).upper()
        assert game.format(position, 1).split()[0] == board


def test_ewn():
    compare_ewn(2000, seed=1)


def test_othello():
    compare_othello(1000, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 6))
def test_ewn_tens_of_thousands(seed: int):
    compare_ewn(8000, seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 6))
def test_othello_tens_of_thousands(seed: int):
    compare_othello(5000, seed)
