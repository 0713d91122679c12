"""The door: who is let in, who is turned away, and that nobody can block it."""

import socket
import threading

import pytest

from starscout.game import GameError
from starscout.protocols.channel import deadline_in
from starscout.protocols.judge import MOST_STRANGERS, Listener

TOKEN = "sesame"


@pytest.fixture
def door():
    listener = Listener(0)
    yield listener
    listener.close()


def knock(door: Listener, data: bytes) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", door.port))
    connection.sendall(data)
    return connection


def test_the_right_word_opens(door: Listener) -> None:
    with knock(door, b"hello foo sesame\nid name early\n"):
        (channel,) = door.visitors(1, 60.0, TOKEN)
        assert channel.name == "foo"
        assert channel.line(deadline_in(60)) == "id name early"
        channel.close()


@pytest.mark.parametrize(
    "data",
    [b"hello foo wrong\n", b"hello foo\n", b"\x00\xff\n", b"GET / HTTP/1.1\r\n", b"x" * 10_000, b"hello a b sesame\n"],
)
def test_others_are_turned_away_with_a_word(door: Listener, data: bytes) -> None:
    with knock(door, data) as stranger, knock(door, b"hello foo sesame\n"):
        (channel,) = door.visitors(1, 60.0, TOKEN)
        assert channel.name == "foo"
        channel.close()
        stranger.settimeout(60.0)
        said = b""
        try:
            while chunk := stranger.recv(4096):
                said += chunk
        except ConnectionResetError:
            pass
        assert said == b"" or said.startswith(b"? ")


def test_silent_strangers_do_not_block_the_door(door: Listener) -> None:
    connections: list[socket.socket] = []

    def crowd() -> None:
        connections.extend(knock(door, b"") for _ in range(MOST_STRANGERS + 5))
        connections.append(knock(door, b"hello foo sesame\n"))

    thread = threading.Thread(target=crowd)
    thread.start()
    (channel,) = door.visitors(1, 60.0, TOKEN)
    thread.join()
    assert channel.name == "foo"
    channel.close()
    for connection in connections:
        connection.close()


def test_a_hello_in_pieces_and_equal_names(door: Listener) -> None:
    with knock(door, b"hel") as first, knock(door, b"hello foo sesame\n"):
        first.sendall(b"lo foo sesame\n")
        channels = door.visitors(2, 60.0, TOKEN)
        assert {channel.name for channel in channels} == {"foo", "foo-2"}
        for channel in channels:
            channel.close()


def test_without_a_token_an_engine_is_let_in_when_it_has_said_its_name(
    door: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Long enough for the second piece of the name to come on a busy machine.
    monkeypatch.setattr("starscout.protocols.judge._QUIET", 2.0)
    monkeypatch.setattr("starscout.protocols.judge.HELLO_SECONDS", 60.0)
    with (
        knock(door, b"") as scanner,
        knock(door, b"GET / HTTP/1.1\r\n\r\n") as browser,
        knock(door, b"name fo") as engine,
    ):
        threading.Timer(0.02, engine.sendall, (b"o",)).start()
        (channel,) = door.visitors(1, 60.0, None)
        assert channel.name == "foo"
        assert channel.peek() == b""
        for connection in (scanner, browser, engine):
            connection.settimeout(60.0)
            assert connection.recv(4) == b"name"
        channel.close()


def test_who_is_turned_away_is_told_once_each_and_a_port_scanner_is_not(
    door: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("starscout.protocols.judge.HELLO_SECONDS", 0.1)
    told: list[str] = []
    with knock(door, b"hello foo wrong\nhello foo wrong\n") as stranger, knock(door, b"") as silent:
        for _ in range(8):
            knock(door, b"").close()
        door.visitors(1, 0.5, TOKEN, told.append)
        why = "the first line must be: hello NAME TOKEN, with the judge's token"
        assert told == [
            f"turned away {address_of(stranger)}: {why}",
            f"turned away {address_of(silent)}: hello is missing: {why} (--protocol lab)",
        ]
    told.clear()
    monkeypatch.setattr("starscout.protocols.judge.MOST_TOLD", 2)
    for _ in range(8):
        knock(door, b"GET /\n").close()
    door.visitors(1, 0.5, TOKEN, told.append)
    assert len(told) == 3
    assert told[-1] == "whoever else is turned away is not mentioned"


def address_of(connection: socket.socket) -> str:
    host, port = connection.getsockname()
    return f"{host}:{port}"


def test_nobody_comes(door: Listener) -> None:
    assert door.visitors(2, 0.05, TOKEN) == []


def test_it_listens_on_loopback_and_says_when_a_port_is_taken(door: Listener) -> None:
    assert door._socket.getsockname()[0] == "127.0.0.1"
    with pytest.raises(GameError, match="cannot be opened"):
        Listener(door.port)
