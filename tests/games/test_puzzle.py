"""The puzzle against plain breadth-first search over (board, place in the dice)."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starscout.game import GameError
from starscout.games.ewn.board import movable
from starscout.games.puzzle import DIRECTIONS, PIECES, Puzzle, parse_puzzle, solve_puzzle

pytestmark = pytest.mark.plain

Board = tuple[int, ...]


def after(puzzle: Puzzle, board: Board, piece: int, direction: int) -> Board | None:
    row, column = divmod(board.index(piece), puzzle.columns)
    row, column = row + DIRECTIONS[direction][0], column + DIRECTIONS[direction][1]
    if not (0 <= row < puzzle.rows and 0 <= column < puzzle.columns):
        return None
    squares = [0 if number == piece else number for number in board]
    squares[row * puzzle.columns + column] = piece
    return tuple(squares)


def may_move(puzzle: Puzzle, board: Board, moves_made: int) -> list[int]:
    left = sum(1 << number - 1 for number in board if number)
    die = puzzle.dice[moves_made % len(puzzle.dice)]
    return [piece + 1 for piece in movable(left, die, PIECES)]


def arrived(puzzle: Puzzle, board: Board) -> bool:
    return board[-1] == puzzle.wanted if puzzle.wanted else board[-1] != 0


def shortest(puzzle: Puzzle) -> int | None:
    """The definition: all states, one move after the other."""
    layer, seen, made = {puzzle.board}, set(), 0
    while layer:
        if any(arrived(puzzle, board) for board in layer):
            return made
        seen |= {(board, made % len(puzzle.dice)) for board in layer}
        following = set()
        for board in layer:
            for piece in may_move(puzzle, board, made):
                for direction in range(8):
                    new = after(puzzle, board, piece, direction)
                    if new is not None and (new, (made + 1) % len(puzzle.dice)) not in seen:
                        following.add(new)
        layer, made = following, made + 1
    return None


def random_puzzle(generator: random.Random, size: int, pieces: int) -> Puzzle:
    rows, columns = generator.randint(2, size), generator.randint(2, size)
    board = [0] * (rows * columns)
    numbers = generator.sample(range(1, PIECES + 1), min(pieces, len(board) - 1))
    for number, square in zip(numbers, generator.sample(range(len(board) - 1), len(numbers)), strict=True):
        board[square] = number
    dice = [generator.randint(1, PIECES) for _ in range(generator.randint(1, 4))]
    return Puzzle(rows, columns, tuple(board), tuple(dice), generator.choice([0, *numbers]))


def check_moves(puzzle: Puzzle, moves: tuple[tuple[int, int], ...]) -> None:
    """Every move is legal and the last one arrives."""
    board = puzzle.board
    for made, (piece, direction) in enumerate(moves):
        assert not arrived(puzzle, board)
        assert piece in may_move(puzzle, board, made)
        new = after(puzzle, board, piece, direction)
        assert new is not None
        board = new
    assert arrived(puzzle, board)


@pytest.mark.parametrize("seed", range(30))
def test_solutions_are_legal_and_as_short_as_breadth_first_search_finds(seed: int) -> None:
    puzzle = random_puzzle(random.Random(seed), size=3, pieces=3)
    solution = solve_puzzle(puzzle)
    assert solution.proven
    if solution.moves is None:
        assert shortest(puzzle) is None
    else:
        check_moves(puzzle, solution.moves)
        assert len(solution.moves) == shortest(puzzle)


def test_the_place_in_the_dice_belongs_to_the_state() -> None:
    """Piece 1 steps aside and back while it waits for a 2: the same board returns with another die ahead."""
    puzzle = Puzzle(3, 3, (1, 0, 0, 0, 2, 0, 0, 0, 0), (1, 1, 2), 2)
    solution = solve_puzzle(puzzle)
    assert solution.moves is not None
    assert len(solution.moves) == shortest(puzzle) == 3
    check_moves(puzzle, solution.moves)


def test_a_capture_that_passes_the_dice_on() -> None:
    """Every die is a 1: piece 2 only moves when piece 1 is gone, and nobody can remove it."""
    assert solve_puzzle(Puzzle(3, 3, (1, 0, 0, 0, 2, 0, 0, 0, 0), (1,), 2)).moves is None
    # Every die is a 3, and no piece has this number: the neighbours 2 and 4 may both move.
    solution = solve_puzzle(Puzzle(3, 3, (2, 0, 0, 0, 4, 0, 0, 0, 0), (3,), 2))
    assert solution.moves == ((2, 7), (2, 7))


def test_arrived_piece_needs_no_move() -> None:
    assert solve_puzzle(Puzzle(2, 2, (0, 0, 0, 5), (1,), 5)).moves == ()


def test_state_limit_is_reported() -> None:
    generator = random.Random(5)
    puzzle = random_puzzle(generator, size=3, pieces=3)
    while (solved := solve_puzzle(puzzle).moves) is None or len(solved) < 4:
        puzzle = random_puzzle(generator, size=3, pieces=3)
    solution = solve_puzzle(puzzle, most_states=2)
    assert solution.moves is None
    assert not solution.proven


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "rows is missing"),
        ("3 3 1 0 0", "the board is missing or incomplete"),
        ("3 3 x", "word 3: expected a number, got 'x'"),
        ("0 3", "0×3"),
        ("1 2 1 1 1 1 1", "2 times"),
        ("1 2 7 0 1 1 0", "pieces 1 to 6, got 7"),
        ("1 2 1 0 0 1 0", "dice: expected 1 to .*, got 0"),
        ("1 2 1 0 1 9 0", "dice: expected numbers 1 to 6, got 9"),
        ("1 2 1 0 1 1 2", "target piece 2 is not on the board"),
        ("1 2 1 0 1 1 1 1", "1 unexpected numbers at the end"),
    ],
)
def test_malformed_puzzles_are_rejected(text: str, complaint: str) -> None:
    with pytest.raises(GameError, match=complaint):
        parse_puzzle(text)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(["1", "2", "3", "0", "9", "18", "x", "²", "-1", "1e9"]), max_size=30))
def test_any_text_is_a_puzzle_or_an_error(words: list[str]) -> None:
    try:
        puzzle = parse_puzzle(" ".join(words))
    except GameError:
        return
    assert len(puzzle.board) == puzzle.rows * puzzle.columns
