"""The course's referee program: its commands, and games under a re-implementation of the course's match script."""

import random
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from starscout import games
from starscout.game.state import parse
from starscout.protocols.process import own_command
from starscout.protocols.tcg_dark import CourseReferee
from tests.patience import PATIENCE
from tests.protocols.test_tcg_dark import STUDENT

START = "????????/????????/????????/???????? r"
DARK = games.load("dark-chess")


def at(text: str) -> CourseReferee:
    """A referee of a game at this position."""
    referee = CourseReferee(0)
    referee._state = parse(DARK, text)
    return referee


def test_commands_and_errors() -> None:
    referee = CourseReferee(1)
    assert referee.answers("STATE") == ["ERR Run START first"]
    assert referee.answers("FLIP A1") == ["ERR Run START first"]
    for bad in ("START", "START 2", "START x 1"):
        assert referee.answers(bad) == ["ERR Bad Command"]
    assert referee.answers("START 1") == ["OK"]
    assert referee.answers("STATE") == ["IN-PLAY", START, "OK"]
    for bad in ("FLIP", "MOVE A1", "FLIP A1 B1", "MOVE A1 B1 C1"):
        assert referee.answers(bad) == ["ERR Invalid Move Format"]
    for unknown in ("", "flip A1", "HELP"):
        assert referee.answers(unknown) == ["ERR Unknown command"]
    assert referee.answers("START 0") == ["OK"]
    state = referee.answers("STATE")
    assert state is not None
    assert "?" not in state[1]
    assert referee.answers("QUIT") is None


@pytest.mark.parametrize("seed", range(4))
def test_first_flip_assigns_the_colours(seed: int) -> None:
    """After a black first flip the side letter stays r: the seats swap."""
    referee = CourseReferee(seed)
    referee.answers("START 1")
    assert referee.answers("FLIP D2") == ["OK"]
    _, board, _ = referee.answers("STATE") or []
    piece = board.split("/")[1][3]
    assert piece.isalpha()
    assert board.split()[1] == ("r" if piece.isupper() else "b")


@pytest.mark.parametrize(
    ("position", "move", "answer"),
    [
        ("kr6/8/8/7P r 0 - r", "MOVE A1 B1", "BLACK WINS"),  # an own piece
        ("k6?/8/8/7P r 0 p r", "FLIP A1", "BLACK WINS"),
        ("k6?/8/8/7P r 0 p r", "FLIP C1", "BLACK WINS"),
        ("k6?/8/8/7P b 0 p r", "FLIP I9", "RED WINS"),
        ("k6?/8/8/7P b 0 p r", "FLIP h1", "RED WINS"),
        ("k6?/8/8/7P b 0 p r", "MOVE A1 A2", "RED WINS"),
        ("k6?/8/8/7P b 0 p r", "MOVE H1 H1", "RED WINS"),
    ],
)
def test_illegal_moves_lose_for_ever(position: str, move: str, answer: str) -> None:
    referee = at(position)
    assert referee.answers(move) == ["OK"]
    for _ in range(2):
        assert referee.answers("STATE") == [answer, " ".join(position.split()[:2]), "Illegal move.", "OK"]
        assert referee.answers("FLIP H1") == ["OK"]


@pytest.mark.parametrize(
    ("position", "move", "answer"),
    [
        ("kA6/8/8/8 r 3 - r", "MOVE A1 B1", ["RED WINS", "1k6/8/8/8 b", "All pieces eliminated.", "OK"]),
        ("kA6/8/8/8 r 3 - b", "MOVE A1 B1", ["RED WINS", "1k6/8/8/8 b", "All pieces eliminated.", "OK"]),
        ("Pr6/8/r7/8 r 0 - r", "MOVE A3 A2", ["RED WINS", "Pr6/r7/8/8 b", "Stalemate.", "OK"]),
        ("k7/8/8/7P r 29 - r", "MOVE A1 A2", ["DRAW", "8/k7/8/7P b", "30 moves without captures.", "OK"]),
    ],
)
def test_ends_of_the_game(position: str, move: str, answer: list[str]) -> None:
    referee = at(position)
    assert referee.answers(move) == ["OK"]
    assert referee.answers("STATE") == answer


@dataclass
class Peer:
    """A program of the match script: one line in, one line out."""

    process: subprocess.Popen[str]

    @classmethod
    def run(cls, *command: str) -> "Peer":
        return cls(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))

    def send(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def close(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait(PATIENCE)
        self.process.stdout.close()


def showdown(referee: Peer, agents: tuple[Peer, Peer], first: int) -> tuple[str, str, int]:
    """One game as the course's script plays it: the result, the reason, and the agent that played red.

    The agent to move answers; the other one is shown the same board with -9999. Two equal side letters in a row mean
    that the first flip was black and the seats have swapped.
    """
    referee.send("START 1")
    assert referee.line() == "OK"
    red, mover, last = first, first, ""
    while True:
        referee.send("STATE")
        status, board = referee.line(), referee.line()
        if status != "IN-PLAY":
            reason = referee.line()
            assert referee.line() == "OK"
            return status, reason, red
        assert referee.line() == "OK"
        side = board.split()[1]
        if side == last and board.count("?") == 31:
            red = 1 - red
        mover, last = (red if side == "r" else 1 - red), side
        agents[1 - mover].send(f"{board} -9999 -9999")
        agents[mover].send(f"{board} 600000.0 599652.3196697235")
        referee.send(agents[mover].line())
        assert referee.line() == "OK"


def test_two_students_play_under_the_match_script(tmp_path: Path) -> None:
    program = tmp_path / "student.py"
    program.write_text(STUDENT, encoding="utf-8")
    referee = Peer.run(*own_command("referee", "dark-chess", "--seed", "5"))
    agents = (Peer.run(sys.executable, str(program)), Peer.run(sys.executable, str(program)))
    try:
        # These agents only flip and step, so they give up on the full board after 32 flips.
        status, reason, _ = showdown(referee, agents, first=0)
        assert status in ("RED WINS", "BLACK WINS")
        assert reason == "Illegal move."
        referee.send("QUIT")
        assert referee.line() == "BYE"
    finally:
        for peer in (referee, *agents):
            peer.close()


@pytest.mark.slow
def test_our_engine_plays_under_the_match_script(tmp_path: Path) -> None:
    program = tmp_path / "student.py"
    program.write_text(STUDENT, encoding="utf-8")
    engine = own_command("engine", "strong nodes=2000", "--protocol", "tcg-dark", "--game", "dark-chess")
    wins = 0
    for game in range(4):
        peers = (
            Peer.run(*own_command("referee", "dark-chess", "--seed", str(game))),
            Peer.run(*engine),
            Peer.run(sys.executable, str(program)),
        )
        try:
            status, reason, red = showdown(peers[0], peers[1:], first=game % 2)
            won = status == ("RED WINS" if red == 0 else "BLACK WINS")
            # This agent gives up with an illegal move when it can only capture.
            assert reason != "Illegal move." or won
            wins += won
        finally:
            for peer in peers:
                peer.close()
    assert wins >= 2


def test_random_games_end_as_the_rules_say() -> None:
    """The referee agrees with a game that follows its boards by the rules."""
    generator = random.Random(6)
    for _ in range(3):
        referee = CourseReferee(generator.randrange(1000))
        referee.answers("START 1")
        while (referee.answers("STATE") or [""])[0] == "IN-PLAY":
            assert referee._state is not None
            move = generator.choice(referee._state.moves)
            referee.answers(f"FLIP {move}" if len(move) == 2 else f"MOVE {move[:2]} {move[2:]}")
        answer = referee.answers("STATE") or []
        assert len(answer) == 4
        assert answer[2] != "Illegal move."
