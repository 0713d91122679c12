"""Our rules in step with open_spiel's along random games: legal moves, events, boards, side to move and results.

Where the conventions differ:
- EWN: open_spiel calls our red black (top left) and our blue white, and white always begins; we let either side begin,
  so the games start from our positions with blue to move. Both sides are numbered independently there, and dice are
  chance nodes 0–5 for our rolls 1–6. An action is 12·square + 2·direction + 1 if something, own or enemy, is captured;
  directions are diagonal, down, right for the side at the top left, then up, diagonal, left for the other.
- Othello: the same squares (row by row from the top left), the same first mover, and a pass is 64 in both. Both end
  the game when neither side can move, without two passes at the end.
- Pig: chance nodes 0–5 are our rolls 1–6. The horizon, a draw after that many moves, is set beyond the longest game.
- Kalah is called mancala; pits are 1–6 for the first player and 8–13 for the second.
- Dots and Boxes: actions number the horizontal lines row by row, then the vertical lines.
- Breakthrough: rows count from the bottom.
- Dark chess is called banqi. Options give the same count of quiet plies: max_no_progress=30 there, and our variant in
  which a flip resets the count. One difference in the rules remains: our referee also ends a game when the side that is
  *not* to move is blocked, open_spiel only when the side to move is. Games are compared until then.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from starscout import games
from starscout.game import NOT_ROLLED, ONGOING, Game, Position
from starscout.games.dark_chess.board import can_move, mover_colour
from starscout.games.ewn.board import BLUE, RED, SHIFT_MASK, TARGET_SHIFT

pyspiel = pytest.importorskip("pyspiel", reason="open_spiel is not installed: `pip install open_spiel`")

EXAMPLES = Path(__file__).parents[2] / "examples"
DEFAULT_POSITIONS, MANY_POSITIONS = 2_000, 100_000
MOST_GAMES = 20_000


@dataclass(frozen=True)
class Counterpart:
    """A game of open_spiel: its text, the numbers of our moves, and its board in our notation."""

    name: str
    action: Callable[[Game, Position, int], int]
    board: Callable[[Any], str]
    our_board: Callable[[str], str] = lambda text: text.split()[0]
    start: Callable[[Game, Any, random.Random], Position] = lambda game, theirs, generator: game.start_position()
    ends_early: Callable[[Position], bool] = lambda position: False
    """Whether a finished game continues there because of a known difference in the rules."""


# EinStein würfelt nicht!

# The step forward in the mover's view, on a board of five columns → open_spiel's number of the direction.
DIRECTIONS = {RED: {6: 0, 5: 1, 1: 2}, BLUE: {5: 3, 6: 4, 1: 5}}
SQUARES, LANE_BITS, LANE = 25, 5, 31


def ewn_board(theirs: Any) -> str:
    rows = []
    for line in str(theirs).split("\n")[:5]:
        cells = line.strip("|").split("||")
        rows.append("".join("." if c == "__" else c[1] if c[0] == "b" else "abcdef"[int(c[1]) - 1] for c in cells))
    return "/".join(rows)


def ewn_start(game: Game, theirs: Any, generator: random.Random) -> Position:
    theirs.apply_action(generator.randrange(720))
    theirs.apply_action(generator.randrange(720))
    return game.parse(f"{ewn_board(theirs)} b -")[0]


def ewn_action(game: Game, position: Position, move: int) -> int:
    own = {int(position.own) >> LANE_BITS * cube & LANE for cube in range(6)}
    enemy = {SQUARES - 1 - (int(position.enemy) >> LANE_BITS * cube & LANE) for cube in range(6)}
    start = int(position.own) >> (move & SHIFT_MASK) & LANE
    target = move >> TARGET_SHIFT
    square = start if position.mover == RED else SQUARES - 1 - start
    return 12 * square + 2 * DIRECTIONS[position.mover][target - start] + (target in own or target in enemy)


# The other games.


def othello_board(theirs: Any) -> str:
    return "".join("".join(line.split()[1:9]) for line in str(theirs).split("\n") if line[:1].isdigit()).upper()


def pig_board(theirs: Any) -> str:
    """`12 30 8 a choose` from `Scores: 12 30, Turn total: 8`, `Current player: 0`."""
    scores, player = str(theirs).strip().split("\n")
    numbers = scores.replace(",", "").split()
    phase = "rolling" if player.endswith("(rolling)") else "choose"
    return f"{numbers[1]} {numbers[2]} {numbers[5]} {'ab'[int(player.split()[2])]} {phase}"


def kalah_board(theirs: Any) -> str:
    pits = [int(count) for count in theirs.observation_tensor(0)[:14]]
    return ",".join(map(str, pits[1:8])) + " " + ",".join(map(str, [*pits[8:], pits[0]]))


def dots_action(game: Game, position: Position, move: int) -> int:
    row, column = divmod(move, game.columns)
    rows, columns = game.rows // 2, game.columns // 2
    if row % 2 == 0:
        return row // 2 * columns + column // 2
    return (rows + 1) * columns + row // 2 * (columns + 1) + column // 2


def dots_board(theirs: Any) -> str:
    """The lines without their owners, horizontal lines first."""
    return theirs.dbn_string()


def our_lines(text: str) -> str:
    rows = text.split()[0].split("/")
    horizontal = [line for row in rows[::2] for line in row[1::2]]
    vertical = [line for row in rows[1::2] for line in row[::2]]
    return "".join("0" if line == "." else "1" for line in horizontal + vertical)


def breakthrough_action(game: Game, position: Position, move: int) -> int:
    """(row, column, direction, capture) as a number, like open_spiel's; directions 0–2 are black's, 3–5 white's."""
    square, target = divmod(move, game.rows * game.columns)
    captures = int(position.enemy) >> target & 1
    row, column = divmod(square, game.columns)
    direction = target % game.columns - column + 1 + 3 * position.mover
    return ((row * game.columns + column) * 6 + direction) * 2 + captures


def plain_rows(theirs: Any) -> str:
    """The rows of `8bbbbbbbb` and so on, or of `.......`, in our notation."""
    rows = [line.lstrip("12345678") for line in str(theirs).strip().split("\n")]
    return "/".join(row for row in rows if row and not row.startswith(" "))


BANQI = str.maketrans("GAERHCSgaerhcs", "kaerncpKAERNCP")


def banqi_board(theirs: Any) -> str:
    """Red is upper case there, and general, horse and soldier have other letters."""
    return "".join("".join(line.split()) for line in str(theirs).split("\n")[:4]).translate(BANQI)


def dark_board(text: str) -> str:
    """The squares; a piece that is being revealed is hidden."""
    squares = text.split()[0].replace("/", "").replace("!", "?")
    return "".join("." * int(letter) if letter.isdigit() else letter for letter in squares)


def dark_action(game: Game, position: Position, move: int) -> int:
    start, target = divmod(move, 32)
    return start if start == target else 32 + move


def other_side_blocked(position: Position) -> bool:
    return not can_move(position, 1 - mover_colour(position))


GAMES = {
    "ewn": Counterpart("einstein_wurfelt_nicht", ewn_action, ewn_board, start=ewn_start),
    "othello": Counterpart("othello", lambda game, position, move: move, othello_board),
    "pig": Counterpart("pig(horizon=100000)", lambda game, position, move: move, pig_board, lambda text: text),
    "kalah": Counterpart("mancala", lambda game, position, move: move + 1 + 7 * position.mover, kalah_board,
                         lambda text: text[:-2]),
    "dots_and_boxes": Counterpart("dots_and_boxes(num_rows=3,num_cols=3)", dots_action, dots_board, our_lines),
    "breakthrough": Counterpart("breakthrough", breakthrough_action, plain_rows),
    "dark-chess-reset": Counterpart("banqi(max_no_progress=30)", dark_action, banqi_board, dark_board,
                                    ends_early=other_side_blocked),
    "connect_four": Counterpart("connect_four", lambda game, position, move: move, plain_rows),
}  # fmt: skip


def our_game(name: str) -> Game:
    file = EXAMPLES / f"{name}.py"
    return games.load(str(file) if file.exists() else name)


def compare(name: str, positions: int, seed: int) -> int:
    """Play random games in parallel until this many decisions are compared; returns the number of finished games."""
    generator = random.Random(f"{name} {seed}")
    game, counterpart = our_game(name), GAMES[name]
    their_game = pyspiel.load_game(counterpart.name)
    compared = 0
    for number in range(MOST_GAMES):
        if compared >= positions:
            return number
        compared += compare_game(game, counterpart, their_game.new_initial_state(), generator)
    raise AssertionError(f"{MOST_GAMES} games have only {compared} positions")


def compare_game(game: Game, counterpart: Counterpart, theirs: Any, generator: random.Random) -> int:
    """One random game in parallel; returns the number of decisions."""
    position = counterpart.start(game, theirs, generator)
    decisions = 0
    while True:
        text = game.format(position, NOT_ROLLED)
        assert counterpart.our_board(text) == counterpart.board(theirs)
        if game.outcome(position) != ONGOING and not theirs.is_terminal():
            assert counterpart.ends_early(position)
            return decisions
        assert (game.outcome(position) != ONGOING) == theirs.is_terminal()
        if theirs.is_terminal():
            break
        event = NOT_ROLLED if game.has_chance else 1
        weights = game.event_weights(position)
        assert bool(weights) == theirs.is_chance_node()
        if weights:
            total = sum(weights.values())
            probabilities = {event - 1: weight / total for event, weight in weights.items()}
            assert probabilities == pytest.approx(dict(theirs.chance_outcomes()))
            event = generator.choice(list(weights))
            position = game.resolve_position(position, event)
            theirs.apply_action(event - 1)
            if game.outcome(position) != ONGOING:
                continue
        assert theirs.current_player() == position.mover
        moves = {counterpart.action(game, position, move): move for move in game.legal(position, event)}
        assert sorted(moves) == sorted(theirs.legal_actions())
        action = generator.choice(sorted(moves))
        position = game.play_position(position, moves[action])
        theirs.apply_action(action)
        decisions += 1
    assert game.outcome(position) == theirs.returns()[position.mover]
    return decisions


@pytest.mark.parametrize("name", GAMES)
def test_rules_agree(name: str) -> None:
    assert compare(name, DEFAULT_POSITIONS, seed=1) > 5


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
def test_rules_agree_in_many_positions(name: str) -> None:
    assert compare(name, MANY_POSITIONS, seed=2) > 500


def test_a_difference_is_found() -> None:
    """A counterpart with other rules fails: six columns instead of seven."""
    narrow = pyspiel.load_game("connect_four(columns=6)").new_initial_state()
    with pytest.raises(AssertionError):
        compare_game(our_game("connect_four"), GAMES["connect_four"], narrow, random.Random(1))
