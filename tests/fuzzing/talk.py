"""Protocol targets: both sides of every protocol; an input is the peer's output."""

import contextlib
import os
import socket
import tempfile
from collections.abc import Callable, Iterator, Sequence
from random import Random

from starscout import games
from starscout.game import Game, GameError, state
from starscout.game.state import State
from starscout.players import spec
from starscout.players.player import PlayerError
from starscout.protocols import tcg_ewn, tcg_raw
from starscout.protocols.channel import Channel
from starscout.protocols.connection import RefereeConnection
from starscout.protocols.engine import PlayerEngine
from starscout.protocols.judge import Listener, _Logins, is_token
from starscout.protocols.protocol import EngineSettings
from starscout.protocols.registry import PROTOCOLS
from starscout.protocols.remote_player import RemotePlayer
from starscout.search.limits import Limit
from tests.fuzzing.target import Target
from tests.fuzzing.texts import conversation, mutated

EWN = "123../45.../6...f/...ed/..cba r -"
SQUARES = "E5 E4 D5 E3 D4 C5 A1 B1 A2 C1 B2 A3"
KARI = "012345012345f"
CYCLIC = "012345012345" + "012345" * 3 + "012f"
GGF = "(;GM[Othello]PB[a]PW[b]RE[?]TY[8]BO[8 ---------------------------O*------*O--------------------------- *]B[F5];)"

LAB_ENGINE = [
    "lab 1", "setoption name seed value 7", "newgame ewn seat 1", "isready", f"position start {EWN}",
    "go die 4 movetime 100", "ping 12", f"position start {EWN} moves 4 A2B3 6 E3D3",
    "go die 4 p1time 9500 p2time 9800 p1inc 100 p2inc 100", "stop", f"position start {EWN} moves 4 A2B3 6 E3D3 2 B1B2",
    "go die 3 depth 4 nodes 1000 simulations 50", "result p1 reason corner", "newgame kari seat 2", "go", "# nothing",
]  # fmt: skip
LAB_PLAYER = [
    "id name Foo", "game ewn kari", "option name seed type spin default 0", "labok", "readyok",
    "info depth 5 nodes 120000 score 0.226 pv A2B3 1 E5D4", "info simulations 100 score -1 depth 3", "bestmove A2B2",
]  # fmt: skip
TCG_EWN = [
    "name", "version", "time_setting 60 0 0", "board_setting 5 6 2", "ini B", f"get R 2 {SQUARES}",
    "time_setting 9 0 0", f"get B 6 {SQUARES}", "get R 3 0 0 0 0 0 C5 A1 0 0 0 0 0", "ini R",
]  # fmt: skip
TCG_EWN_PLAYER = ["Foo", "1.0", "1", "1", "C1 B2 A3 A1 B1 A2", "A2 B2"]
OTP = [
    "name", "clear_board", "play 2 3", "genmove", "showboard", "final_score", "undo", "play 8 0", "genmove", "NAME",
    "play 4 5", "hocus pocus",
]  # fmt: skip
OTP_PLAYER = ["name Foo", "clear_board", "genmove 2 3", "play"]
NBOARD = [
    "nboard 2", "set depth 10", "ping 1", f"set game {GGF}", "move F6", "hint 3", "ping 2", "go", "move D6//0.5",
    "set depth 0", "set contempt 5", "learn", "set game", "move PA", "hint x",
]  # fmt: skip
NBOARD_PLAYER = ["set myname Foo", "pong 1", "status thinking", "pong 2", "=== D3/1.50/0.2"]
GTP = [
    "protocol_version", "name", "1 version", "list_commands", "known_command genmove", "boardsize 8",
    "clear_board", "time_settings 0 1 1", "time_left black 12 0", "genmove black", "play white D6", "2 play black pass",
    "undo", "final_score", "set_game Othello", "komi 7.5", "play white Z9", "genmove purple", "# comment", "", "12",
]  # fmt: skip
GTP_PLAYER = ["= Foo", "", "= genmove", "", "=", "", "=", "", "= F5", ""]
DARK = [
    "????????/????????/????????/???????? r 600000 600000", "????????/???N????/????????/???????? b -9999 -9999",
    "????????/???N????/????????/??k????? r 500000 400000", "...N..../......../..k...../........ b 100 100", "x r 1 1",
]  # fmt: skip
DARK_PLAYER = ["FLIP D2", "MOVE A1 A2", "flip d2", "FLIP", "FLIP Z9"]
HELLO = ["hello Foo sesame", "hello a-b-c sesame\n", "name Foo", "Name  Foo Bar\r\n", "hello Foo"]


def targets() -> list[Target]:
    """Return the targets of all protocols, both sides, and of their shared parsers."""
    ewn, kari, cyclic, dark = (games.load(name) for name in ("ewn", "kari", "ewn-cyclic", "dark-chess"))
    return [
        _engine("lab", LAB_ENGINE),
        _engine("tcg-ewn", TCG_EWN),
        _engine("otp", OTP),
        _engine("otp", OTP, "otp-engine-unframed", newlines=False),
        _engine("nboard", NBOARD),
        _engine("gtp", GTP),
        _engine("tcg-raw", [KARI, "00", "??", "21", "30", "y", KARI], "tcg-raw-engine-kari", game=kari),
        _engine("tcg-raw", [CYCLIC, "01", "12", "33", "y", CYCLIC], "tcg-raw-engine-cyclic", game=cyclic),
        _player("lab", LAB_PLAYER, state.parse(ewn, EWN)),
        _player("tcg-ewn", TCG_EWN_PLAYER, state.parse(ewn, EWN)),
        _player("otp", OTP_PLAYER, state.start(games.load("othello"))),
        _player("nboard", NBOARD_PLAYER, state.start(games.load("othello"))),
        _player("gtp", GTP_PLAYER, state.start(games.load("othello"))),
        _player("tcg-raw", ["00", "21", "??", "f", "00 "], state.start(kari)),
        _engine("tcg-dark", DARK, game=dark),
        _player("tcg-dark", DARK_PLAYER, state.start(dark)),
        _parser("tcg-ewn-get", [line[4:] for line in TCG_EWN if line.startswith("get")], _check_get, 15),
        _parser("tcg-raw-headers-kari", [KARI, "543210012345s"], lambda text: _check_header(kari, text), 10),
        _parser("tcg-raw-headers-cyclic", [CYCLIC], lambda text: _check_header(cyclic, text), 10),
        _parser("tcg-raw-codes", _codes(state.start(cyclic)), _reads_codes(state.start(cyclic)), 8),
        Target("hellos", lambda generator: conversation(generator, HELLO), _greets("sesame"), (), 1, lines=True),
    ]


def _parser(name: str, texts: Sequence[str], feed: Callable[[str], None], share: int) -> Target:
    return Target(name, lambda generator: mutated(generator, texts), feed, (GameError,), share)


def _check_get(text: str) -> None:
    now = tcg_ewn.read_get(text.split())
    if not now.over and not now.needs_roll:
        assert now.moves


def _check_header(game: Game, text: str) -> None:
    start, side = tcg_raw.start_from_header(game, text)
    assert tcg_raw.header(start, side) == text


def _codes(now: State) -> list[str]:
    return [tcg_raw.code(now.game, now.position, move) for move in now.legal]


def _reads_codes(now: State) -> Callable[[str], None]:
    def feed(text: str) -> None:
        if tcg_raw.move_of(now, text) is None:
            raise GameError("no code")

    return feed


def _engine(
    protocol: str, script: list[str], name: str = "", *, game: Game | None = None, newlines: bool = True
) -> Target:
    """Return a target in which our engine, a random player, reads the input until end of file."""
    engine = PlayerEngine("random", spec.make_player)
    settings = EngineSettings("random", Limit(time=0.01), game)

    def feed(text: str) -> None:
        with _filled_pipe(text) as source, tempfile.TemporaryFile() as answers:
            connection = RefereeConnection(source, answers.fileno(), newlines=newlines)
            PROTOCOLS[protocol].engine(engine, connection, settings).serve()

    def make(generator: Random) -> str:
        return conversation(generator, script)

    return Target(name or f"{protocol}-engine", make, feed, (GameError,), 1, lines=True)


class _Script:
    """A transport whose channel delivers an input and then closes."""

    persistent = False
    exhausted = False

    def __init__(self, text: str) -> None:
        self._text = text

    def open(self) -> Channel:
        with _filled_pipe(self._text) as source:
            read = os.dup(source)
        return Channel("script", read, os.open(os.devnull, os.O_WRONLY))


def _player(protocol: str, script: list[str], start: State) -> Target:
    """Return a target in which the referee talks to an engine that answers with an input."""

    def feed(text: str) -> None:
        player: RemotePlayer = PROTOCOLS[protocol].player("script", _Script(text))
        if isinstance(player, tcg_raw.TcgRawPlayer):
            player.startup = 0.0
        now = start.rolled(4)
        try:
            player.new_game(start.game, 1)
            player.begin(start, start.mover)
            decision = player.choose(now, Limit())
            assert decision.move in now.legal
            assert decision.value is None or -1 <= decision.value <= 1
            for number in (decision.depth, decision.nodes, decision.simulations):
                assert number is None or 0 <= number < 10**18
            player.observe(now, decision.move)
        finally:
            player._drop()

    def make(generator: Random) -> str:
        return conversation(generator, script)

    return Target(f"{protocol}-player", make, feed, (GameError, PlayerError), 4, lines=True)


def _greets(token: str) -> Callable[[str], None]:
    """Return a feed that sends each line as the login of a new connection."""

    def feed(text: str) -> None:
        listener = Listener(0)
        names: list[str] = []

        def admit(name: str, sent: str, descriptor: int | None) -> str:
            names.append(name)
            if descriptor is not None:
                os.close(descriptor)
            return "" if is_token(token, name, sent) else "rejected"

        logins = _Logins(listener.socket, True, admit)
        try:
            for line in text.split("\n"):
                with socket.create_connection(("127.0.0.1", listener.port)) as connection:
                    with contextlib.suppress(OSError):
                        connection.sendall(line.encode("utf-8", "surrogatepass") + b"\n")
                    logins.serve(1.0)
                while logins._pending:
                    logins.serve(1.0)
            assert all(names)
        finally:
            logins.close()
            listener.close()

    return feed


@contextlib.contextmanager
def _filled_pipe(text: str) -> Iterator[int]:
    """Yield the read end of a closed pipe that contains a text."""
    read, write = os.pipe()
    os.set_blocking(write, False)
    with contextlib.suppress(BlockingIOError):
        os.write(write, text.encode("utf-8", "surrogatepass") + b"\n")
    os.close(write)
    try:
        yield read
    finally:
        os.close(read)
