"""Access control: host names, token, origin; and the listening socket."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from starscout.game import GameError
from starscout.web.access import Access, access_control, is_loopback, listen, raise_file_limit


async def _application(
    scope: Any, receive: Callable[[], Awaitable[Any]], send: Callable[[Any], Awaitable[None]]
) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"in"})


def through(
    access: Access, kind: str = "http", path: str = "/", query: str = "", **headers: str
) -> list[dict[str, Any]]:
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
    asyncio.run(access.middleware(_application)(scope, receive, send))  # pyright: ignore[reportArgumentType]
    return sent


def status(sent: list[dict[str, Any]]) -> int:
    return sent[0].get("status") or sent[0]["code"]


def test_token_is_generated_except_on_loopback() -> None:
    assert access_control("127.0.0.1", None) == Access("", True)
    assert access_control("::1", None) == Access("", True)
    assert access_control("localhost", "secret") == Access("secret", True)
    assert access_control("0.0.0.0", "given") == Access("given", False)
    made, other = access_control("0.0.0.0", None), access_control("0.0.0.0", None)
    assert len(made.token) > 16
    assert made.token != other.token
    assert not is_loopback("192.168.1.4")
    assert not is_loopback("example.org")


@pytest.mark.parametrize("host", ["localhost:8017", "127.0.0.1:8017", "127.0.0.2:8017", "[::1]:8017", "LOCALHOST"])
def test_local_host_names_are_accepted(host: str) -> None:
    assert status(through(Access("", True), host=host)) == 200


@pytest.mark.parametrize(
    "host", ["evil.example:8017", "localhost.evil.example", "192.168.1.4:8017", "127.0.0.1.evil.example", ""]
)
def test_other_host_names_are_rejected(host: str) -> None:
    assert status(through(Access("", True), host=host)) == 403


def test_token_in_address_is_exchanged_for_a_cookie() -> None:
    access = Access("secret", False)
    assert status(through(access, host="lab:80")) == 403
    assert status(through(access, query="token=wrong", host="lab:80")) == 403
    assert status(through(access, path="/static/main.js", query="token=secret", host="lab:80")) == 403
    sent = through(access, query="token=secret", host="lab:80")
    assert status(sent) == 303
    cookie = dict(sent[0]["headers"])[b"set-cookie"].decode()
    assert "HttpOnly" in cookie
    assert "samesite=strict" in cookie.lower()
    assert status(through(access, host="lab:80", cookie=cookie.split(";")[0])) == 200
    assert status(through(access, host="lab:80", cookie="starscout_token=wrong")) == 403
    assert status(through(access, host="lab:80", cookie="\x7f;=;=")) == 403


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
def test_websocket_from_another_origin_is_rejected(origin: str) -> None:
    headers = {"host": "localhost:80"} | ({"origin": origin} if origin else {})
    assert status(through(Access("", True), "websocket", **headers)) == 1008


def test_websocket_from_the_same_origin_is_accepted() -> None:
    assert status(through(Access("", True), "websocket", host="localhost:80", origin="http://localhost:80")) == 200
    assert status(through(Access("t", False), "websocket", host="lab:80", origin="http://lab:80")) == 1008


def test_responses_have_security_headers() -> None:
    headers = {
        name.decode(): value.decode() for name, value in through(Access("", True), host="localhost")[0]["headers"]
    }
    assert "default-src 'none'" in headers["content-security-policy"]
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"


def test_listen_reports_a_port_in_use() -> None:
    first = listen("127.0.0.1", 0)
    try:
        port = first.getsockname()[1]
        with pytest.raises(GameError, match=f"cannot listen on 127.0.0.1:{port}: .*--port"):
            listen("127.0.0.1", port)
    finally:
        first.close()


def test_listen_reports_an_unavailable_address() -> None:
    with pytest.raises(GameError, match="cannot listen on"):
        listen("192.0.2.1", 0)
    with pytest.raises(GameError, match="ports are 0 to 65535"):
        listen("127.0.0.1", 99_999)


def test_file_limit_is_raised() -> None:
    import resource

    raise_file_limit()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert soft == hard
