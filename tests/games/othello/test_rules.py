"""Every rule of Othello, its known perft numbers, and a plain count that shares no code with the game."""

import pytest

from starscout import games
from starscout.game import GameError, Outcome, state
from starscout.kernels.kernel import PLAIN
from starscout.search.perft import perft

pytestmark = [pytest.mark.plain, pytest.mark.bounds]

OTHELLO = games.load("othello")
KNOWN_PERFT = (1, 4, 12, 56, 244, 1396, 8200, 55092, 390216, 3005288, 24571284, 212258800)


def test_known_perft_numbers() -> None:
    depth = 4 if PLAIN else len(KNOWN_PERFT) - 1
    counts = tuple(perft(OTHELLO, OTHELLO.start_position(), ply) for ply in range(depth + 1))
    assert counts == KNOWN_PERFT[: depth + 1]


def test_the_start() -> None:
    start = state.start(OTHELLO)
    assert start.text == "-" * 27 + "OX" + "-" * 6 + "XO" + "-" * 27 + " X"
    assert start.moves == ["d3", "c4", "f5", "e6"]
    assert start.play("F5").moves == ["f4", "d6", "f6"]


def test_all_eight_directions_turn() -> None:
    rows = ["--------", "-X-X-X--", "--OOO---", "-XO-OX--", "--OOO---", "-X-X-X--", "--------", "--------"]
    now = state.parse(OTHELLO, "".join(rows) + " X").play("d4")
    assert now.text.split()[0].count("O") == 0
    assert now.text.split()[0].count("X") == 17


def test_a_line_without_an_end_does_not_turn() -> None:
    now = state.parse(OTHELLO, "-OX-----" + "O-------" * 7 + " X").play("a1")
    assert now.text == "XXX-----" + "O-------" * 7 + " O"


def test_lines_do_not_wrap_around_the_edge() -> None:
    assert state.parse(OTHELLO, "------XO" + "--------" * 6 + "OX------" + " O").moves == ["f1", "c8"]
    # With a wrap, X on a2 would enclose g1 and h1 from f1; X on h4 keeps the game going.
    wrapped = state.parse(OTHELLO, "------OO" + "X-------" + "--------" + "-----OX-" + "--------" * 4 + " X")
    assert wrapped.moves == ["e4"]


def test_a_side_without_moves_must_pass_and_may_pass_only_then() -> None:
    stuck = state.parse(OTHELLO, "XO------" + "--------" * 7 + " O")
    assert stuck.moves == ["pass"]
    assert stuck.play("pass").moves == ["c1"]
    assert "pass" not in state.start(OTHELLO).moves
    with pytest.raises(GameError, match="not a legal move"):
        state.start(OTHELLO).play("pass")


def test_the_game_ends_when_neither_side_can_move() -> None:
    # One pass gives the turn to a side that can move; two passes in a row cannot happen before the end.
    assert state.parse(OTHELLO, "XO------" + "--------" * 7 + " O").outcome is None
    assert state.parse(OTHELLO, "XX------" + "--------" * 7 + " O").outcome == Outcome(0, "discs")
    assert state.parse(OTHELLO, "X-O-----" + "--------" * 7 + " X").outcome == Outcome(None, "discs")
    assert state.parse(OTHELLO, "O" * 63 + "X" + " X").outcome == Outcome(1, "discs")


def test_spellings_of_moves() -> None:
    stuck = state.parse(OTHELLO, "XO------" + "--------" * 7 + " O")
    assert {stuck.play(text).text for text in ("pass", "PASS", "--", " pa ")} == {"XO------" + "--------" * 7 + " X"}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "2 fields"),
        ("X" * 63 + " X", "expected 64 squares, .*; got 63"),
        ("Z" + "-" * 63 + " X", "board, a1: expected X, O or -, got 'Z'"),
        ("-" * 64 + " Z", "side to move: expected"),
    ],
)
def test_malformed_positions_are_rejected(text: str, complaint: str) -> None:
    with pytest.raises(GameError, match=complaint):
        OTHELLO.parse(text)


class PlainOthello:
    """The rules once more, as a list of squares."""

    def __init__(self, squares: str, mover: str, size: int) -> None:
        self.squares, self.mover, self.size = list(squares), mover, size

    def leaves(self, depth: int) -> int:
        if depth == 0:
            return 1
        moves = self.moves(self.mover)
        if not moves and not self.moves(self.other(self.mover)):
            return 1
        return sum(self.after(move).leaves(depth - 1) for move in moves or [None])

    def other(self, side: str) -> str:
        return "O" if side == "X" else "X"

    def turned(self, square: int, side: str) -> list[int]:
        row, column = divmod(square, self.size)
        found = []
        for down in (-1, 0, 1):
            for right in (-1, 0, 1):
                line = []
                r, c = row + down, column + right
                while 0 <= r < self.size and 0 <= c < self.size and self.squares[r * self.size + c] == self.other(side):
                    line.append(r * self.size + c)
                    r, c = r + down, c + right
                if line and 0 <= r < self.size and 0 <= c < self.size and self.squares[r * self.size + c] == side:
                    found += line
        return found

    def moves(self, side: str) -> list[int]:
        return [n for n in range(self.size**2) if self.squares[n] == "-" and self.turned(n, side)]

    def after(self, move: int | None) -> "PlainOthello":
        following = PlainOthello("".join(self.squares), self.other(self.mover), self.size)
        if move is not None:
            for square in [move, *self.turned(move, self.mover)]:
                following.squares[square] = self.mover
        return following


@pytest.mark.parametrize(("name", "depth"), [("othello", 3), ("othello-6x6", 4), ("othello-4x4", 6)])
def test_perft_agrees_with_a_plain_count(name: str, depth: int) -> None:
    game = games.load(name)
    board, mover = state.start(game).text.split()
    assert perft(game, game.start_position(), depth) == PlainOthello(board, mover, game.rows).leaves(depth)


def test_the_whole_tree_of_4x4() -> None:
    """Every game of 4×4 is over after 14 plies at the latest, so deeper counts stay the same."""
    game = games.load("othello-4x4")
    depth = 5 if PLAIN else 14
    counts = [perft(game, game.start_position(), ply) for ply in range(depth + 1)]
    assert counts[:3] == [1, 4, 12]
    assert counts == sorted(counts)
    if not PLAIN:
        assert perft(game, game.start_position(), 20) == perft(game, game.start_position(), 24) == 60060


def test_other_sizes_are_rejected() -> None:
    for name in ("othello-5x5", "othello-8x6"):
        with pytest.raises(GameError):
            games.load(name)
