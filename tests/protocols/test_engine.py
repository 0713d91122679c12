"""Players as engines: connections, logins and invalid arguments."""

import socket
import threading

import pytest

from starscout.game import GameError
from starscout.players.spec import make_player
from starscout.protocols.engine import serve_engine
from tests.patience import PATIENCE


@pytest.mark.parametrize(
    ("protocol", "options", "sentence"),
    [
        ("uci", {}, r"there is no protocol 'uci' \(known: lab, tcg-ewn, tcg-raw, tcg-dark, otp, nboard, gtp\)"),
        ("otp", {"game": "kari"}, "the protocol otp is for othello, not for kari"),
        ("lab", {"game": "chess"}, "there is no game 'chess'"),
        ("nboard", {"connect": "127.0.0.1:1"}, "nboard works only over standard input and output"),
    ],
)
def test_invalid_arguments_raise(protocol: str, options: dict, sentence: str) -> None:
    with pytest.raises(GameError, match=sentence):
        serve_engine("random", protocol, make_player, **options)


def visit(protocol: str, *questions: bytes, **options: str) -> list[bytes]:
    """The answers of an engine that connects to us; for b"" its first message."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        told = {"connect": f"127.0.0.1:{server.getsockname()[1]}", **options}
        engine = threading.Thread(target=serve_engine, args=("random", protocol, make_player), kwargs=told)
        engine.start()
        with server.accept()[0] as line:
            line.settimeout(30.0)
            said = []
            for question in questions:
                line.sendall(question)
                said.append(line.recv(4096))
        engine.join(PATIENCE)
        assert not engine.is_alive()
    return said


def test_lab_engines_log_in_with_the_token() -> None:
    said = visit("lab", b"", b"ping 1\n", token="sesame", name="my engine")
    assert said == [b"hello my_engine sesame\n", b"pong 1\n"]


def test_otp_engines_answer_without_newlines() -> None:
    assert visit("otp", b"name", b"quit", name="Foo") == [b"name Foo", b"quit"]
