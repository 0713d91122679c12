"""The engine's connection: lines from arbitrary chunks, and the end of the connection."""

import os
import socket
import threading
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starscout.game import GameError
from starscout.protocols.connection import RefereeConnection, connect


class Ends:
    """A connection and the referee's ends of its pipes."""

    def __init__(self, *, newlines: bool = True) -> None:
        self._engine_reads, self._write = os.pipe()
        self._read, self._engine_writes = os.pipe()
        self.connection = RefereeConnection(self._engine_reads, self._engine_writes, newlines=newlines)

    def say(self, data: bytes) -> None:
        os.write(self._write, data)

    def hear(self) -> bytes:
        return os.read(self._read, 65_536)

    def hang_up(self) -> None:
        os.close(self._write)

    def close(self) -> None:
        for descriptor in (self._engine_reads, self._read, self._engine_writes):
            os.close(descriptor)


@pytest.fixture
def ends() -> Iterator[Ends]:
    opened = Ends()
    yield opened
    opened.close()


@settings(max_examples=30)
@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\r\n")), max_size=6), st.booleans())
def test_lines_end_with_lf_or_crlf(lines: list[str], windows: bool) -> None:
    ends = Ends()
    end = "\r\n" if windows else "\n"
    ends.say("".join(line + end for line in lines).encode() + b"rest")
    ends.hang_up()
    assert [ends.connection.line() for _ in lines] == lines
    # Text without a newline before the end of the connection is a line.
    assert [ends.connection.line(), ends.connection.line()] == ["rest", None]
    ends.close()


def test_a_line_in_pieces(ends: Ends) -> None:
    ends.say(b"hel")
    threading.Timer(0.02, ends.say, (b"lo\nwor",)).start()
    assert ends.connection.line() == "hello"
    ends.hang_up()
    assert ends.connection.line() == "wor"


def test_characters_until_the_end(ends: Ends) -> None:
    ends.say(b"f2")
    ends.hang_up()
    assert [ends.connection.character() for _ in range(4)] == ["f", "2", None, None]


def test_receive_within_waits_briefly(ends: Ends) -> None:
    assert ends.connection.receive_within(0.01) == b""
    ends.say(b"abc")
    assert ends.connection.receive_within(1.0) == b"abc"
    ends.hang_up()
    assert ends.connection.receive() == b""


@pytest.mark.parametrize(("newlines", "sent"), [(True, b"play\n"), (False, b"play")])
def test_newlines_depend_on_the_protocol(newlines: bool, sent: bytes) -> None:
    ends = Ends(newlines=newlines)
    ends.connection.send("play")
    assert ends.hear() == sent
    ends.hang_up()
    ends.close()


def test_a_closed_connection_ends_reading() -> None:
    ours, theirs = socket.socketpair()
    connection = RefereeConnection(ours.fileno(), ours.fileno(), tcp=ours)
    theirs.close()
    connection.send("bestmove A1B1")
    assert connection.line() is None
    connection.close()


def test_connections() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        connection = connect(f":{port}", newlines=True)
        with server.accept()[0] as referee:
            connection.send("hello")
            assert referee.recv(100) == b"hello\n"
            referee.sendall(b"lab 1\n")
            assert connection.line() == "lab 1"
        connection.close()
    with pytest.raises(GameError, match=f"cannot connect to 127.0.0.1:{port}: "):
        connect(f"127.0.0.1:{port}", newlines=True, timeout=0.0)


@pytest.mark.parametrize("address", ["", "7122", "localhost", "localhost:", "localhost:0", "localhost:65536", "a:b"])
def test_an_invalid_address_raises(address: str) -> None:
    with pytest.raises(GameError, match=r"address: expected HOST:PORT such as 127\.0\.0\.1:7122, got "):
        connect(address, newlines=True, timeout=0.0)
