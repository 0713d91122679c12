"""`nboard`: the notation of moves, and the answers of our engine."""

from starscout import games
from starscout.game.state import parse, start
from starscout.protocols.nboard import nboard_move
from tests.protocols.conftest import converse, converse_here


def test_moves_are_capital_squares_and_a_pass_is_pa() -> None:
    state = start(games.load("othello"))
    assert [nboard_move(state, move) for move in state.legal] == ["D3", "C4", "F5", "E6"]
    # White cannot enclose the disc in the corner; black could still take B1.
    stuck = parse(games.load("othello"), "XO" + "-" * 61 + "O O")
    assert [nboard_move(stuck, move) for move in stuck.legal] == ["PA"]


def test_the_engine_follows_moves_and_reports_errors() -> None:
    talk = "set game nonsense\nmove F5/1.5/0.2\nmove F5\nping 3\nmove D6\ngo\nquit\nping 4\n"
    answers = converse_here("nboard", talk).splitlines()
    assert answers[0] == "status set game: expected a game in GGF"
    assert answers[1].startswith("status 'F5' is not a legal move in ")
    assert answers[2] == "pong 3"
    assert answers[3:5] == ["status Foo is thinking", "status"]
    after = start(games.load("othello")).play("f5").play("d6")
    assert answers[5].startswith("=== ")
    assert answers[5].split()[1].split("/")[0].lower() in after.moves
    assert len(answers) == 6


def test_two_hints_name_two_moves_at_most() -> None:
    hints = [line for line in converse_here("nboard", "hint 2\n").splitlines() if line.startswith("search ")]
    assert 1 <= len(hints) <= 2
    assert hints[0].split()[1] in ("D3", "C4", "F5", "E6")


def test_nboard_as_its_author_describes_it() -> None:
    game = (
        "(;GM[Othello]PC[NBoard]DT[2014-02-21 20:52:27 GMT]PB[./mEdax]PW[chris]RE[?]TI[15:00]TY[8]"
        "BO[8 ---------------------------O*------*O--------------------------- *]"
        "B[F5]W[F6]B[D3]W[C5]B[E6]W[F7]B[E7]W[F4];)"
    )
    answers = converse(
        "nboard", "nboard 2", f"set game {game}", "set depth 6", "ping 1", "go", "unknown", "hint 2", "learn"
    )
    assert answers[:3] == ["set myname Foo", "pong 1", "status Foo is thinking"]
    assert answers[4].startswith("=== ")
    assert answers[-1] == "learned"
    assert any(answer.startswith("search ") for answer in answers)
    assert converse("nboard", "move F5/1.0/2", "move a1", "go")[0].startswith("status 'a1' is not a legal move")
