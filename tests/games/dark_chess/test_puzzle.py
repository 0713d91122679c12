"""One-player dark chess: the public cases of homework 1, the proof by breadth-first search, memory, invalid boards."""

import os
import random
import subprocess
import sys

import pytest

from starscout.game import GameError
from starscout.games.dark_chess.puzzle import parse_dark_puzzle, solve_dark_puzzle

CASES = {
    "8/8/8/7K b": 0,
    "2c3n1/4R3/7p/1r4n1 b": 7,
    "8/8/c7/1Kaaeerr b": 10,
    "2D2p2/2DpDD2/1pD1Ap2/8 b": 13,
    "2D2p2/2DpDDD1/1pD1Ap2/8 b": 15,
    "1D3Dk1/DDkD2D1/3DD1D1/PD1kD3 b": 21,
    "c2DD1e1/1K1DD3/2rDDK2/3DD1a1 b": 11,
    "k3kDk1/DDkD2D1/3DD1D1/PD1k1k2 b": 25,
    "2D2D2/aP1NpD2/2DDaD1n/K1D1a3 b": 15,
    "D1N2paa/1D2KDDD/1nDD4/8 b": 17,
    "K1D2p2/1KDpDDD1/1pD1Ap2/8 b": 15,
    "DrprprDD/DDD1DDDD/2K1N3/8 b": 23,
    "2D1DD2/p1RN1Dn1/1D1aDD2/K1D1aP2 b": 16,
}
MEBIBYTE = 1 << 20
TAKES = {"K": "kaernc", "A": "aerncp", "E": "erncp", "R": "rncp", "N": "ncp", "P": "kp"}


def squares_of(text: str) -> dict[str, str]:
    """Square like `A1` → letter, read without the code under test."""
    board = {}
    for rank, row in enumerate(text.split()[0].split("/"), 1):
        file = 0
        for letter in row:
            if letter.isdigit():
                file += int(letter)
            else:
                board[f"{'ABCDEFGH'[file]}{rank}"] = letter
                file += 1
    return board


def steps(board: dict[str, str]) -> list[tuple[str, str]]:
    """All moves of black."""
    found = []
    for square, letter in board.items():
        if letter not in TAKES:
            continue
        for right, up in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            file, rank = "ABCDEFGH".index(square[0]) + right, int(square[1]) + up
            while 0 <= file < 8 and 1 <= rank <= 4:
                target = f"{'ABCDEFGH'[file]}{rank}"
                if target not in board or board[target] in TAKES[letter]:
                    found.append((square, target))
                if target in board or letter != "R":
                    break
                file, rank = file + right, rank + up
    return found


def shortest(text: str) -> int | None:
    """The length of a shortest solution by breadth-first search."""
    layer = {frozenset(squares_of(text).items())}
    seen, moves = set(layer), 0
    while layer:
        following = set()
        for state in layer:
            board = dict(state)
            if not any(letter.islower() for letter in board.values()):
                return moves
            for start, target in steps(board):
                after = {**board, target: board[start]}
                del after[start]
                following.add(frozenset(after.items()))
        layer = following - seen
        seen |= layer
        moves += 1
    return None


@pytest.mark.parametrize("text", CASES)
def test_public_cases_are_solved_optimally(text: str) -> None:
    solution = solve_dark_puzzle(parse_dark_puzzle(text))
    assert solution.proven
    assert solution.moves is not None
    assert len(solution.moves) == CASES[text]
    board = squares_of(text)
    for move in solution.moves:
        _, start, target = move.split()
        assert (start, target) in steps(board)
        board[target] = board.pop(start)
    assert not any(letter.islower() for letter in board.values())
    assert solution.memory < 10 * MEBIBYTE


def test_random_puzzles_equal_breadth_first_search() -> None:
    generator = random.Random(5)
    lengths = set()
    for _ in range(60):
        board = ["."] * 32
        pieces = generator.choices("KAERNP", k=2) + generator.choices("kaerncp", k=2) + ["D"] * 12
        for square, letter in zip(generator.sample(range(32), len(pieces)), pieces, strict=True):
            board[square] = letter
        text = "/".join("".join(board[8 * rank : 8 * rank + 8]).replace(".", "1") for rank in range(4)) + " b"
        solution = solve_dark_puzzle(parse_dark_puzzle(text))
        expected = shortest(text)
        assert solution.proven
        assert (None if solution.moves is None else len(solution.moves)) == expected, text
        lengths.add(expected)
    assert None in lengths
    assert len(lengths) > 5


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("8/8/8/7K r", "expected a board and the side b"),
        ("8/8/8 b", "expected 4 ranks"),
        ("8/8/8/7C b", "rank 4: expected black KAERNP"),
        ("8/8/8/8K b", "rank 4: expected 8 squares, got 9"),
    ],
)
def test_invalid_boards_are_rejected(text: str, message: str) -> None:
    with pytest.raises(GameError, match=message):
        parse_dark_puzzle(text)


LIMITED = """
import re, resource, sys
from starscout.games.dark_chess.puzzle import parse_dark_puzzle, solve_dark_puzzle
solve_dark_puzzle(parse_dark_puzzle("K1a5/8/8/8 b"))  # loads the kernels; its memory is returned to the system
with open("/proc/self/status") as status:
    size = int(re.search(r"VmSize:\\s+(\\d+) kB", status.read())[1]) << 10
resource.setrlimit(resource.RLIMIT_AS, (size + int(sys.argv[1]),) * 2)
for text in sys.argv[2:]:
    solve_dark_puzzle(parse_dark_puzzle(text))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="RLIMIT_AS and /proc are those of Linux")
@pytest.mark.parametrize(("mebibytes", "enough"), [(10, True), (1, False)])
def test_search_memory_of_a_process_stays_below_ten_mebibytes(mebibytes: int, enough: bool) -> None:
    """All public cases are solved in a process whose address space may grow by 10 MiB after the kernels are loaded."""
    words = [sys.executable, "-c", LIMITED, str(mebibytes * MEBIBYTE), *CASES]
    ended = subprocess.run(words, capture_output=True, text=True, check=False, env=dict(os.environ))
    assert (ended.returncode == 0) == enough, ended.stderr
    assert enough or "MemoryError" in ended.stderr
