"""The protocols of others: whole games between our engine and our referee, in processes of their own, byte for byte."""

import subprocess
import sys
from pathlib import Path

import pytest

import starscout
from starscout.search.limits import Limit
from tests.protocols.conftest import Transcript, check_golden

ENGINE = f"{sys.executable} -m starscout engine random --name Foo --nodes 100"

ADAPTERS = [
    ("tcg-ewn", "ewn"),
    ("tcg-raw", "ewn-cyclic"),
    ("tcg-raw", "kari"),
    ("otp", "othello"),
    ("nboard", "othello"),
]


@pytest.mark.parametrize(("protocol", "game"), ADAPTERS)
def test_golden_transcript_of_two_games(protocol: str, game: str, transcript: Transcript) -> None:
    option = f" --game {game}" if protocol == "tcg-raw" else ""
    records, talk = transcript(protocol, f"{ENGINE} --protocol {protocol}{option}", game, limit=Limit(time=10.0))
    for record in records:
        assert not record.forfeit, record.detail
        record.check()
    if protocol == "nboard":
        # The time that a move took is in its answer, and the name may come before or after the next ping.
        lines = [line.rsplit("/", 1)[0] if line.startswith("< ===") else line for line in talk.splitlines()]
        assert lines.count("< set myname Foo") == len(records)
        talk = "".join(f"{line}\n" for line in lines if line != "< set myname Foo")
    check_golden(f"{protocol}-{game}.txt", talk.replace(f"< {starscout.__version__}\n", "< VERSION\n"))


def converse(protocol: str, *lines: str) -> list[str]:
    """What our engine answers to these lines."""
    done = subprocess.run(
        [*ENGINE.split(), "--protocol", protocol],
        input="".join(f"{line}\n" for line in lines),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        cwd=Path(starscout.__file__).parents[1],
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_tcg_ewn_as_the_course_describes_it() -> None:
    answers = converse(
        "tcg-ewn",
        "name",
        "version",
        "time_setting 60 0 0",
        "board_setting 5 6 2",
        "ini B",
        "get R 2 D4 D5 E5 E4 C5 E3 B2 B1 A1 A2 C1 A3",
        "get B 3 0 0 E5 0 0 0 0 0 0 0 A1 0",
        "exit",
    )
    assert answers[0] == "Foo"
    assert answers[2:4] == ["1", "1"]
    assert sorted(answers[4].split()) == ["C5", "D4", "D5", "E3", "E4", "E5"]
    assert answers[5] in ("B1 C1", "B1 B2", "B1 C2")
    assert answers[6] in ("E5 D5", "E5 E4", "E5 D4")
    assert len(answers) == 7


def test_otp_as_the_course_describes_it() -> None:
    answers = converse(
        "otp", "name", "CLEAR_BOARD", "play 2 3", "genmove", "final_score", "undo", "undo", "showboard", "play 0 0",
        "Play 4 5", "hello", "undo", "play 2 3", "play 8 0", "quit", "name",
    )  # fmt: skip
    assert answers[:3] == ["name Foo", "clear_board", "play"]
    assert answers[3] in ("genmove 2 2", "genmove 2 4", "genmove 4 2")
    assert answers[4:9] == ["final_score 0", "undo", "undo", "showboard", "unknown command"]
    assert answers[9:] == ["play", "unknown command", "undo", "play", "unknown command", "quit"]


@pytest.mark.parametrize("number", ["²", "٣", "1" * 5_000, "--4", "1e999", "nan"])
def test_what_is_no_number_is_passed_over(number: str) -> None:
    lines = f"time_setting {number} 0 0", "get R 2 D4 D5 E5 E4 C5 E3 B2 B1 A1 A2 C1 A3"
    answers = converse("tcg-ewn", *lines)
    assert answers[0] == "1"
    assert answers[1] in ("B1 C1", "B1 B2", "B1 C2")
    told = converse("nboard", f"set depth {number}", f"hint {number}", "ping 3")
    assert (told[0], told[-1]) == ("set myname Foo", "pong 3")
    assert sum(line.startswith("search ") for line in told) == 1


def test_blank_lines_are_passed_over() -> None:
    assert converse("otp", "name", *([""] * 3_000), "undo", "quit") == ["name Foo", "undo", "quit"]


def test_a_position_in_which_the_game_is_over_is_refused() -> None:
    done = subprocess.run(
        [*ENGINE.split(), "--protocol", "tcg-ewn"],
        input="get R 3 A1 0 0 0 0 0 0 B2 0 0 0 0\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        cwd=Path(starscout.__file__).parents[1],
    )
    assert done.returncode == 2
    assert "the game is over" in done.stderr


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


@pytest.mark.slow
@pytest.mark.parametrize(("protocol", "game"), [("tcg-raw", "kari"), ("otp", "othello")])
def test_programs_of_others_are_carried_to_a_lab_referee(protocol: str, game: str, transcript: Transcript) -> None:
    option = f" --game {game}" if protocol == "tcg-raw" else ""
    carrier = f"{sys.executable} -m starscout engine '{protocol}:{ENGINE} --protocol {protocol}{option}'"
    records, _ = transcript("lab", carrier, game)
    for record in records:
        assert not record.forfeit, record.detail
        record.check()
