"""The listener: which connections are accepted and rejected, and that none can block it."""

import socket
import threading
import time

import pytest

from starscout.game import GameError
from starscout.protocols.channel import deadline_in
from starscout.protocols.judge import MAX_PENDING, Judge, Listener, MissingEnginesError
from tests.patience import PATIENCE

TOKEN = "sesame"


@pytest.fixture
def listener():
    created = Listener(0)
    yield created
    created.close()


def connect(listener: Listener, data: bytes) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", listener.port))
    connection.sendall(data)
    return connection


def test_an_engine_with_the_token_is_accepted(listener: Listener) -> None:
    with connect(listener, b"hello foo sesame\nid name early\n"):
        (channel,) = listener.accept_engines(1, 60.0, TOKEN)
        assert channel.name == "foo"
        assert channel.line(deadline_in(60)) == "id name early"
        channel.close()


@pytest.mark.parametrize(
    "data",
    [b"hello foo wrong\n", b"hello foo\n", b"\x00\xff\n", b"GET / HTTP/1.1\r\n", b"x" * 10_000, b"hello a b sesame\n"],
)
def test_other_connections_are_rejected_with_a_reason(listener: Listener, data: bytes) -> None:
    with connect(listener, data) as rejected, connect(listener, b"hello foo sesame\n"):
        (channel,) = listener.accept_engines(1, 60.0, TOKEN)
        assert channel.name == "foo"
        channel.close()
        rejected.settimeout(60.0)
        received = b""
        try:
            while chunk := rejected.recv(4096):
                received += chunk
        except ConnectionResetError:
            pass
        assert received == b"" or received.startswith(b"? ")


def test_silent_connections_do_not_block_the_listener(listener: Listener) -> None:
    connections: list[socket.socket] = []

    def crowd() -> None:
        connections.extend(connect(listener, b"") for _ in range(MAX_PENDING + 5))
        connections.append(connect(listener, b"hello foo sesame\n"))

    thread = threading.Thread(target=crowd)
    thread.start()
    (channel,) = listener.accept_engines(1, 60.0, TOKEN)
    thread.join()
    assert channel.name == "foo"
    channel.close()
    for connection in connections:
        connection.close()


def test_a_login_in_pieces(listener: Listener) -> None:
    with connect(listener, b"hel") as first:
        first.sendall(b"lo foo sesame\n")
        (channel,) = listener.accept_engines(1, 60.0, TOKEN)
        assert channel.name == "foo"
        channel.close()


def test_a_duplicate_name_is_rejected(listener: Listener) -> None:
    reports: list[str] = []
    with connect(listener, b"hello foo sesame\n"), connect(listener, b"hello foo sesame\n") as second:
        with connect(listener, b"hello bar sesame\n"):
            channels = listener.accept_engines(2, 60.0, TOKEN, reports.append)
        assert [channel.name for channel in channels] == ["foo", "bar"]
        reason = "an engine with the name foo is connected already"
        assert reports == [f"rejected {address_of(second)} (foo): {reason}"]
        second.settimeout(60.0)
        assert second.recv(1000) == f"? {reason}\n".encode()
        for channel in channels:
            channel.close()


def test_without_a_token_an_engine_is_accepted_with_its_name(
    listener: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Long enough for the second part of the name on a busy machine.
    monkeypatch.setattr("starscout.protocols.judge._QUIET", 2.0)
    monkeypatch.setattr("starscout.protocols.judge.HELLO_SECONDS", 60.0)
    with (
        connect(listener, b"") as scanner,
        connect(listener, b"GET / HTTP/1.1\r\n\r\n") as browser,
        connect(listener, b"name fo") as engine,
    ):
        threading.Timer(0.02, engine.sendall, (b"o",)).start()
        (channel,) = listener.accept_engines(1, 60.0, None)
        assert channel.name == "foo"
        assert channel.peek() == b""
        for connection in (scanner, browser, engine):
            connection.settimeout(60.0)
            assert connection.recv(4) == b"name"
        channel.close()


def accept_after(listener: Listener, reports: list[str], count: int) -> None:
    """Accept engines until `count` connections were reported: then one with the token connects."""

    def log_in() -> None:
        until = time.monotonic() + PATIENCE
        while len(reports) < count and time.monotonic() < until:
            time.sleep(0.01)
        connect(listener, b"hello last sesame\n").close()

    thread = threading.Thread(target=log_in)
    thread.start()
    (channel,) = listener.accept_engines(1, 120.0, TOKEN, reports.append)
    thread.join()
    channel.close()


def test_rejected_connections_are_reported_once_and_port_scans_are_not(
    listener: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("starscout.protocols.judge.HELLO_SECONDS", 0.1)
    reports: list[str] = []
    with connect(listener, b"hello foo wrong\nhello foo wrong\n") as rejected, connect(listener, b"") as silent:
        for _ in range(8):
            connect(listener, b"").close()
        accept_after(listener, reports, 2)
        reason = "the first line must be: hello NAME TOKEN, with the judge's token"
        assert reports == [
            f"rejected {address_of(rejected)} (foo): {reason}",
            f"rejected {address_of(silent)}: hello is missing: {reason} (--protocol lab)",
        ]
    reports.clear()
    monkeypatch.setattr("starscout.protocols.judge.MAX_REPORTED", 2)
    for _ in range(8):
        connect(listener, b"GET /\n").close()
    accept_after(listener, reports, 3)
    assert len(reports) == 3
    assert reports[-1] == "further rejected connections will not be reported"


def address_of(connection: socket.socket) -> str:
    host, port = connection.getsockname()
    return f"{host}:{port}"


def test_no_engine_connects(listener: Listener) -> None:
    assert listener.accept_engines(2, 0.05, TOKEN) == []


def test_the_listener_uses_loopback_and_reports_a_taken_port(listener: Listener) -> None:
    assert listener.socket.getsockname()[0] == "127.0.0.1"
    with pytest.raises(GameError, match="cannot listen on port"):
        Listener(listener.port)


WANTED = "the first line must be: hello NAME TOKEN, with the judge's token"
NAMES = {"anna": "secret-a", "bert": "secret-b"}


class Connections:
    """Engines that only log in."""

    def __init__(self, judge: Judge) -> None:
        self._port = judge.listening_port
        self.open: list[socket.socket] = []

    def log_in(self, name: str, token: str) -> socket.socket:
        connection = socket.create_connection(("127.0.0.1", self._port))
        connection.settimeout(60.0)
        connection.sendall(f"hello {name} {token}\n".encode())
        self.open.append(connection)
        return connection

    def rejection(self, name: str, token: str) -> str:
        return self.log_in(name, token).makefile().readline().removeprefix("? ").strip()


@pytest.fixture
def judge():
    with Judge("ewn-3x3-3", 0, "127.0.0.1", None, NAMES) as created:
        yield created


@pytest.fixture
def engines(judge: Judge):
    connections = Connections(judge)
    yield connections
    for connection in connections.open:
        connection.close()


def test_every_name_has_its_own_token(judge: Judge, engines: Connections) -> None:
    assert engines.rejection("anna", "secret-b") == WANTED
    assert engines.rejection("carl", "secret-a") == WANTED
    engines.log_in("anna", "secret-a")
    engines.log_in("bert", "secret-b")
    assert sorted(judge.wait_for_engines(2, 60.0)) == ["anna", "bert"]
    assert engines.rejection("anna", "secret-a") == "an engine with the name anna is connected already"
    assert "secret" not in judge.invitation


def test_missing_engines_are_named(judge: Judge, engines: Connections) -> None:
    engines.log_in("bert", "secret-b")
    judge.wait_for_engines(1, 60.0)
    with pytest.raises(MissingEnginesError, match="only 1 of 2 engines connected within 0 s; missing: anna"):
        judge.wait_for_engines(2, 0.0)


def test_an_engine_returns_under_its_name(judge: Judge, engines: Connections) -> None:
    anna = engines.log_in("anna", "secret-a")
    judge.wait_for_engines(1, 60.0)
    players = judge.players(["anna", "bert"])
    seats = players["anna"], players["bert"]
    assert [player.gone for player in seats] == [False, True]
    # Bert was missing at the start.
    threading.Thread(target=engines.log_in, args=("bert", "secret-b")).start()
    judge.wait_for_return(seats, 60.0)
    assert [player.gone for player in seats] == [False, False]
    anna.close()
    until = time.monotonic() + PATIENCE
    while not seats[0].gone and time.monotonic() < until:
        time.sleep(0.01)
    returning = threading.Thread(target=engines.log_in, args=("anna", "secret-a"))
    returning.start()
    judge.wait_for_return(seats, 60.0)
    assert not seats[0].gone
    returning.join()
    # The time since the loss counts, not the number of games.
    engines.open[-1].close()
    while not seats[0].gone and time.monotonic() < until:
        time.sleep(0.01)
    began = time.monotonic()
    for _ in range(10):
        judge.wait_for_return(seats, 0.2)
    assert seats[0].gone
    assert time.monotonic() - began < 60.0
