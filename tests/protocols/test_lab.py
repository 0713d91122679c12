"""`lab`, both sides: golden transcripts of whole games, and answers to invalid lines."""

import subprocess
import sys
from pathlib import Path

import pytest

import starscout
from starscout import games
from starscout.game.state import parse
from starscout.players.spec import make_player
from starscout.protocols.judge import Listener
from starscout.protocols.lab import LabPlayer
from starscout.protocols.remote_player import ConnectedEngine
from starscout.referee.game_in_progress import play_game
from starscout.search.limits import Limit
from tests.patience import PATIENCE
from tests.protocols.conftest import Transcript, check_golden
from tests.starts import any_start

ENGINE = f"{sys.executable} -m starscout engine random"


@pytest.mark.parametrize("name", ["ewn", "othello"])
def test_golden_transcript_of_two_games(name: str, transcript: Transcript) -> None:
    records, talk = transcript("lab", ENGINE, name, limit=Limit(nodes=100))
    for record in records:
        assert not record.forfeit, record.detail
        record.check()
    check_golden(f"lab-{name}.txt", talk)


def converse(*lines: str, game: Path | None = None) -> list[str]:
    """The answers of our engine to these lines."""
    done = subprocess.run(
        [sys.executable, "-m", "starscout", "engine", "random", *(("--game", str(game)) if game else ())],
        input="".join(f"{line}\n" for line in lines),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
        cwd=Path(starscout.__file__).parents[1],
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_the_example_of_the_protocol() -> None:
    answers = converse(
        "# a comment",
        "lab 1",
        "setoption name table value 20",
        "newgame ewn seat 1",
        "isready",
        "position start 123../45.../6...f/...ed/..cba r - moves 4 A2B3 6 E3D3",
        "go die 4 p1time 9500 p2time 9800 p1inc 100 p2inc 100",
        "result p1 reason corner",
        "quit",
    )
    assert answers[0] == "id name random"
    assert answers[1].startswith("id author ")
    assert answers[2] == "game backgammon dark-chess ewn ewn-cyclic kari othello"
    assert answers[3].startswith("option name seed type spin")
    assert answers[4:6] == ["labok", "readyok"]
    words = answers[6].split()
    assert words[0] == "bestmove"
    assert words[1][:2] == "B3"
    assert len(answers) == 7


def test_invalid_lines_are_ignored_or_answered_with_an_error() -> None:
    answers = converse(
        "hocus pocus",
        "",
        "go die 3",
        "newgame chess seat 1",
        "newgame ewn seat 1",
        "position start nowhere",
        "position start 123../45.../6...f/...ed/..cba r - moves 4 A2C4",
        "position start 123../45.../6...f/...ed/..cba r - moves 4",
        "position start 123../45.../6...f/...ed/..cba r -",
        "go",
        "go die --4",
        "go die ²",
        f"go die {'1' * 5_000}",
        "go die 7",
        "setoption name seed value ²",
        "ping 7",
    )
    assert sorted(answers)[-1] == "pong 7"
    messages = [answer for answer in answers if answer.startswith("? ")]
    expected = [
        "go: expected newgame",
        "no game 'chess'",
        "3 fields",
        "'A2C4' is not a legal move",
        "the last roll has no move",
        *["the die is missing"] * 4,
        "roll: expected 1 to 6",
    ]
    assert len(messages) == len(expected)
    for message, words in zip(messages, expected, strict=True):
        assert words in message


def test_a_referee_cannot_load_a_game_file(tmp_path: Path) -> None:
    game = tmp_path / "evil.py"
    game.write_text(f"open({str(tmp_path / 'run')!r}, 'w')\n")
    (complaint,) = converse(f"newgame {game} seat 1")
    assert complaint.startswith("? a record or a network peer requires the game file ")
    assert "allow it with --game FILE" in complaint
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("words", ["go die --4", "go die ²", f"go die 1 movetime {'9' * 5000}", "go die -3"])
def test_extreme_numbers_do_not_stop_the_engine(words: str) -> None:
    start = "position start 123../45.../6...f/...ed/..cba r -"
    answers = converse("newgame ewn seat 1", start, words, start, "go die 1 nodes 1", "quit")
    assert answers[-1].startswith("bestmove A1")


def test_ping_and_quit_are_handled_during_a_search() -> None:
    engine = subprocess.Popen(
        [sys.executable, "-c", THOUGHTFUL],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(starscout.__file__).parents[1],
    )
    assert engine.stdin is not None
    assert engine.stdout is not None
    engine.stdin.write("newgame othello seat 1\nisready\n")
    engine.stdin.flush()
    assert engine.stdout.readline() == "readyok\n"
    start = games.load("othello").format(games.load("othello").start_position(), 1)
    engine.stdin.write(f"position start {start}\ngo movetime 60000\nping 1\n")
    engine.stdin.flush()
    assert engine.stdout.readline() == "pong 1\n"
    engine.stdin.write("quit\n")
    engine.stdin.flush()
    assert engine.wait(PATIENCE) == 0
    engine.stdin.close()
    engine.stdout.close()


@pytest.mark.slow
def test_stop_is_answered_with_the_best_move_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NUMBA_DISABLE_JIT")
    engine = subprocess.Popen(
        [sys.executable, "-m", "starscout", "engine", "negascout"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(starscout.__file__).parents[1],
    )
    game = games.load("othello")
    start = game.format(game.start_position(), 1)
    out, _ = engine.communicate(
        f"newgame othello seat 1\nposition start {start}\ngo movetime 600000\nstop\n", timeout=PATIENCE
    )
    words = out.splitlines()[-1].split()
    assert words[0] == "bestmove"
    assert words[1] in ("d3", "c4", "f5", "e6")
    assert engine.returncode == 0


THOUGHTFUL = """
import time
from starscout.protocols.lab import LabEngine
from starscout.protocols.protocol import EngineSettings
from starscout.protocols.engine import PlayerEngine
from starscout.protocols.connection import standard_streams
from starscout.players.spec import make_player

def make(spec, game):
    player = make_player("random", game)
    inner = player.choose
    def choose(state, limit):
        time.sleep(60 if limit.time == 60 else 0)
        return inner(state, limit)
    player.choose = choose
    return player

LabEngine(PlayerEngine("random", make), standard_streams(), EngineSettings("thoughtful")).serve()
"""


def test_a_whole_match_over_tcp() -> None:
    game = games.load("ewn")
    listener = Listener(0)
    engines = [
        subprocess.Popen(
            [
                *ENGINE.split(),
                "--connect",
                f"127.0.0.1:{listener.port}",
                "--token",
                "sesame",
                "--name",
                f"visitor{number}",
            ],
            cwd=Path(starscout.__file__).parents[1],
        )
        for number in (1, 2)
    ]
    channels = listener.accept_engines(2, 120.0, "sesame")
    listener.close()
    first, second = (LabPlayer(channel.name, ConnectedEngine(channel)) for channel in channels)
    assert {first.name, second.name} == {"visitor1", "visitor2"}
    for pair in range(3):
        record = play_game(
            any_start(game, 1, pair), (first, second), (Limit(time=60.0), Limit(time=60.0)), seed=1, pair=pair
        )
        assert not record.forfeit, record.detail
        record.check()
    first.close()
    second.close()
    assert [engine.wait(PATIENCE) for engine in engines] == [0, 0]


def test_single_positions_can_be_searched() -> None:
    game = games.load("ewn")
    engine = make_player(f"lab:{ENGINE}", game)
    engine.new_game(game, 1)
    for text in ("123../45.../6...f/...ed/..cba r 4", "...../.1.../...../...../....a b 2"):
        state = parse(game, text)
        assert engine.choose(state, Limit(nodes=10)).move in state.legal
    engine.close()


def test_a_user_defined_game() -> None:
    file = Path(starscout.__file__).parents[1] / "examples" / "connect_four.py"
    game = games.load(str(file))
    engine = make_player(f"lab:{ENGINE} --game {file}", game)
    record = play_game(any_start(game, 0, 0), (engine, make_player("random", game)), (Limit(), Limit()))
    engine.close()
    assert not record.forfeit, record.detail


def test_events_in_the_notation_of_the_game(transcript: Transcript) -> None:
    file = Path(__file__).parents[1] / "reveal_game.py"
    records, talk = transcript("lab", f"{ENGINE} --game {file}", str(file), limit=Limit(nodes=100))
    for record in records:
        assert not record.forfeit, record.detail
        record.check()
    check_golden("lab-reveal.txt", talk)


def test_an_event_is_resolved_before_the_move_and_wrong_events_are_reported() -> None:
    file = Path(__file__).parents[1] / "reveal_game.py"
    new = "newgame reveal seat 1"
    answers = converse(
        new,
        "position start ?????? 0 0 a - moves s1 q s2 o s3",
        "go nodes 1",
        "go die 2 nodes 1",
        "go event z nodes 1",
        "go event q nodes 1",
        "position start ?????? 0 0 a - moves s1 q",
        "position start ?????? 0 0 a - moves s1 s2",
        "position start oopqq? 5 0 a - moves s6 p",
        "quit",
        game=file,
    )
    assert answers[0] == "? go: the event is missing"
    assert answers[1].startswith("bestmove s")
    assert answers[2] == "? event: expected o p q, got 'z' in 'qo???? 2 0 b 3'"
    assert answers[3].startswith("bestmove s")
    assert answers[4] == "? moves: the last event has no move"
    assert answers[5].startswith("? event: expected o p q, got 's2'")
    assert answers[6] == "? moves: the last event has no move"


def test_an_engine_that_does_not_play_the_game_forfeits() -> None:
    rogue = Path(__file__).parent / "rogue.py"
    game = games.load("othello")
    engine = make_player(f"lab:{sys.executable} {rogue} none", game)
    record = play_game(any_start(game, 0, 0), (engine, make_player("random", game)), (Limit(), Limit()))
    engine.close()
    assert record.reason == "crash"
    assert "does not play othello" in record.detail
