"""`gtp`: the answers of our engine, and `gtp-rhino` as an opponent if it is installed."""

import shutil
from pathlib import Path

import pytest

from starscout import games
from starscout.game.state import parse, start
from starscout.players.spec import make_player
from starscout.protocols.gtp import gtp_move
from starscout.referee.game_in_progress import play_game
from starscout.search.limits import Limit
from tests.protocols.conftest import converse, converse_here

RHINO = shutil.which("gtp-rhino", path="/usr/games:/usr/local/games:/usr/bin:/usr/local/bin")


def answers(text: str) -> list[str]:
    """The answers of our engine, one text each."""
    return [answer.strip() for answer in converse_here("gtp", text).split("\n\n") if answer.strip()]


def test_moves_are_capital_squares() -> None:
    state = start(games.load("othello"))
    assert [gtp_move(state, move) for move in state.legal] == ["D3", "C4", "F5", "E6"]
    stuck = parse(games.load("othello"), "XO" + "-" * 61 + "O O")
    assert [gtp_move(stuck, move) for move in stuck.legal] == ["pass"]


def test_gtp_as_its_specification_describes_it() -> None:
    lines = converse(
        "gtp", "# a comment", "7 protocol_version", "name", "boardsize 8", "clear_board", "play b f5", "nonsense",
        "12 known_command genmove", "known_command nonsense", "quit", "name",
    )  # fmt: skip
    assert lines == ["=7 2", "", "= Foo", "", "=", "", "=", "", "=", "", "? unknown command", "", "=12 true", "",
                     "= false", "", "=", ""]  # fmt: skip


def test_a_game_move_by_move() -> None:
    found = answers("play black F5\nplay white d6\nundo\nplay white f6\ngenmove black\nplay black a1\nundo\nundo\n")
    after = start(games.load("othello")).play("f5").play("f6")
    assert found[:4] == ["="] * 4
    assert found[4].removeprefix("= ").lower() in after.moves
    assert found[5] == "? illegal move: white is to move"
    assert found[6:] == ["=", "="]


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("play white d3", "? illegal move: black is to move"),
        ("play black", "? syntax error: expected play COLOUR SQUARE"),
        ("play green d3", "? syntax error: expected black or white"),
        ("genmove", "? syntax error: expected black or white"),
        ("undo", "? cannot undo"),
        ("final_score", "? cannot score"),
        ("boardsize 19", "? unacceptable size"),
        ("boardsize x", "? unacceptable size"),
        ("boardsize 6", "="),
        ("set_game Go", "? unsupported game: this engine plays Othello"),
        ("set_game Othello", "="),
        ("time_settings 60 0", "? syntax error: expected time_settings MAIN BYO_YOMI STONES, in seconds"),
        ("time_settings 60 0 0", "="),
        ("time_left black 10 0", "="),
        ("time_left black", "? syntax error: expected time_left COLOUR SECONDS STONES"),
        ("komi 0", "="),
    ],
)
def test_commands_are_answered(line: str, answer: str) -> None:
    assert answers(line + "\n") == [answer]


def test_an_omitted_pass_is_played() -> None:
    """After these moves black has to pass; some front ends omit the pass."""
    state, talk = start(games.load("othello")), ""
    for seed in range(200):
        state, talk = start(games.load("othello")), ""
        while not state.over:
            if state.moves == ["pass"]:
                break
            move = state.legal[seed % len(state.legal)]
            talk += f"play {('black', 'white')[state.mover]} {gtp_move(state, move)}\n"
            state = state.play(move)
            seed = seed * 7 + 1
        if not state.over:
            break
    assert state.moves == ["pass"]
    found = answers(talk + f"genmove {('white', 'black')[state.mover]}\n")
    assert found[-1].removeprefix("= ").lower() in state.play("pass").moves


def test_the_final_score() -> None:
    state, talk = start(games.load("othello")), ""
    while not state.over:
        move = state.legal[0]
        talk += f"play {('black', 'white')[state.mover]} {gtp_move(state, move)}\n"
        state = state.play(move)
    board = state.text.split()[0]
    margin = board.count("X") - board.count("O")
    expected = f"{'B' if margin > 0 else 'W'}+{abs(margin)}" if margin else "0"
    found = answers(talk + "final_score\ngenmove black\nplay white pass\n")
    assert found[-3:] == [f"= {expected}", "= pass", "="]


@pytest.mark.skipif(RHINO is None, reason="gtp-rhino is not installed (Debian: apt install grhino)")
def test_a_real_gtp_rhino_plays_both_colours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NUMBA_DISABLE_JIT", raising=False)
    game = games.load("othello")
    rhino, other = make_player(f"gtp:{RHINO}", game), make_player("random", game)
    for players in ((rhino, other), (other, rhino)):
        record = play_game(start(game), players, (Limit(time=20.0), Limit(time=20.0)), seed=4)
        assert not record.forfeit, record.detail
        record.check()
        assert record.winner == players.index(rhino)
    rhino.close()
