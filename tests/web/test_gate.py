"""Who may talk to the server: names of this machine, the token, the origin of sockets."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from starscout.web.gate import Gate, is_loopback, open_gate


async def _application(
    scope: Any, receive: Callable[[], Awaitable[Any]], send: Callable[[Any], Awaitable[None]]
) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"in"})


def through(gate: Gate, kind: str = "http", path: str = "/", query: str = "", **headers: str) -> list[dict[str, Any]]:
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "websocket.connect" if kind == "websocket" else "http.request"}

    async def send(message: Any) -> None:
        sent.append(message)

    listed = [(name.encode(), value.encode()) for name, value in headers.items()]
    scope = {
        "type": kind, "path": path, "query_string": query.encode(), "headers": listed, "method": "GET",
        "scheme": "http", "server": ("127.0.0.1", 80), "root_path": "", "http_version": "1.1",
    }  # fmt: skip
    asyncio.run(gate.middleware(_application)(scope, receive, send))  # pyright: ignore[reportArgumentType]
    return sent


def status(sent: list[dict[str, Any]]) -> int:
    return sent[0].get("status") or sent[0]["code"]


def test_loopback_needs_no_token_and_everything_else_gets_one() -> None:
    assert open_gate("127.0.0.1", None) == Gate("", True)
    assert open_gate("::1", None) == Gate("", True)
    assert open_gate("localhost", "secret") == Gate("secret", True)
    assert open_gate("0.0.0.0", "given") == Gate("given", False)
    made, other = open_gate("0.0.0.0", None), open_gate("0.0.0.0", None)
    assert len(made.token) > 16
    assert made.token != other.token
    assert not is_loopback("192.168.1.4")
    assert not is_loopback("example.org")


@pytest.mark.parametrize("host", ["localhost:8017", "127.0.0.1:8017", "[::1]:8017", "LOCALHOST"])
def test_a_local_server_answers_under_local_names(host: str) -> None:
    assert status(through(Gate("", True), host=host)) == 200


@pytest.mark.parametrize("host", ["evil.example:8017", "localhost.evil.example", "192.168.1.4:8017", ""])
def test_a_name_from_elsewhere_is_refused(host: str) -> None:
    assert status(through(Gate("", True), host=host)) == 403


def test_the_token_comes_once_in_the_address_and_then_in_a_cookie() -> None:
    gate = Gate("secret", False)
    assert status(through(gate, host="lab:80")) == 403
    assert status(through(gate, query="token=wrong", host="lab:80")) == 403
    assert status(through(gate, path="/static/main.js", query="token=secret", host="lab:80")) == 403
    sent = through(gate, query="token=secret", host="lab:80")
    assert status(sent) == 303
    cookie = dict(sent[0]["headers"])[b"set-cookie"].decode()
    assert "HttpOnly" in cookie
    assert "samesite=strict" in cookie.lower()
    assert status(through(gate, host="lab:80", cookie=cookie.split(";")[0])) == 200
    assert status(through(gate, host="lab:80", cookie="starscout_token=wrong")) == 403
    assert status(through(gate, host="lab:80", cookie="\x7f;=;=")) == 403


@pytest.mark.parametrize(
    "origin",
    [
        "",
        "null",
        "http://evil.example",
        "http://localhost:81",
        "https://localhost:8017.evil.example",
        "file://localhost:80",
    ],
)
def test_a_socket_from_another_page_is_refused(origin: str) -> None:
    headers = {"host": "localhost:80"} | ({"origin": origin} if origin else {})
    assert status(through(Gate("", True), "websocket", **headers)) == 1008


def test_a_socket_of_the_own_page_is_let_in() -> None:
    assert status(through(Gate("", True), "websocket", host="localhost:80", origin="http://localhost:80")) == 200
    assert status(through(Gate("t", False), "websocket", host="lab:80", origin="http://lab:80")) == 1008


def test_every_answer_forbids_what_is_not_ours() -> None:
    headers = {name.decode(): value.decode() for name, value in through(Gate("", True), host="localhost")[0]["headers"]}
    assert "default-src 'none'" in headers["content-security-policy"]
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
