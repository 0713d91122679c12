"""Our players as engines: which line is taken, what is said first, and what is refused before anything is said."""

import socket
import threading

import pytest

from starscout.game import GameError
from starscout.players.spec import make_player
from starscout.protocols.engine import serve_engine


@pytest.mark.parametrize(
    ("protocol", "options", "sentence"),
    [
        ("uci", {}, r"there is no protocol 'uci' \(known: lab, tcg-ewn, tcg-raw, otp, nboard, gtp\)"),
        ("otp", {"game": "kari"}, "the protocol otp is for othello, not for kari"),
        ("lab", {"game": "chess"}, "there is no game 'chess'"),
        ("nboard", {"connect": "127.0.0.1:1"}, "nboard works over standard input and output only"),
    ],
)
def test_what_cannot_be_served(protocol: str, options: dict, sentence: str) -> None:
    with pytest.raises(GameError, match=sentence):
        serve_engine("random", protocol, make_player, **options)


def visit(protocol: str, *questions: bytes, **options: str) -> list[bytes]:
    """What an engine that connects to us answers; to b"" what it says by itself."""
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
        engine.join(30.0)
        assert not engine.is_alive()
    return said


def test_lab_engines_introduce_themselves_with_the_token() -> None:
    said = visit("lab", b"", b"ping 1\n", token="sesame", name="my engine")
    assert said == [b"hello my_engine sesame\n", b"pong 1\n"]


def test_othello_engines_wait_until_they_are_asked_and_send_no_line_ends() -> None:
    assert visit("otp", b"name", b"quit", name="Foo") == [b"name Foo", b"quit"]
