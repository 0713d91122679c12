"""The gate: who may talk to the server.

On a loopback address the `Host` of a request must be a name of this machine, so that no page from elsewhere reaches the
server under a name of its own. On any other address everybody needs the token: it comes once in the address of the
page, and then in a cookie that no script can read. The `Origin` of a socket must be the page of this very server.
"""

import hmac
import ipaddress
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

COOKIE = "starscout_token"
LOCAL_NAMES = ("localhost", "127.0.0.1", "[::1]")
REFUSED = "The token is missing or wrong: open the address that `starscout serve` printed.\n"
WRONG_HOST = "This server answers only under the name of this machine.\n"

SAFETY = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-cache",
}
"""Headers of every answer: nothing from elsewhere is loaded or run, and no other page frames this one."""


def is_loopback(host: str) -> bool:
    """Whether an address can be reached from this machine only."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True)
class Gate:
    """The token that everybody needs, empty where none is asked for, and whether only this machine is served."""

    token: str
    local: bool

    def middleware(self, application: ASGIApp) -> ASGIApp:
        """The application behind this gate."""

        async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] == "lifespan":
                await application(scope, receive, send)
                return
            await self._pass(application, scope, receive, _with_headers(send))

        return guarded

    async def _pass(self, application: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        if self.local and not _is_local_name(headers.get("host", "")):
            await _refuse(WRONG_HOST, scope, receive, send)
        elif scope["type"] == "websocket" and not _same_origin(headers):
            await _refuse("", scope, receive, send)
        elif self._knows(_cookie_token(headers)):
            await application(scope, receive, send)
        elif scope["type"] == "http" and scope["path"] == "/" and self._knows(_query_token(scope)):
            answer = RedirectResponse("/", 303)
            answer.set_cookie(COOKIE, self.token, httponly=True, samesite="strict")
            await answer(scope, receive, send)
        else:
            await _refuse(REFUSED, scope, receive, send)

    def _knows(self, token: str) -> bool:
        return not self.token or hmac.compare_digest(token.encode(), self.token.encode())


def open_gate(host: str, token: str | None) -> Gate:
    """The gate of a server at this address: a token is made where one is needed and none is given."""
    local = is_loopback(host)
    return Gate(token or ("" if local else secrets.token_urlsafe(16)), local)


def _is_local_name(host: str) -> bool:
    name = host if host.endswith("]") else host.rpartition(":")[0] or host
    return name.lower() in LOCAL_NAMES


def _same_origin(headers: Headers) -> bool:
    origin = urlsplit(headers.get("origin", ""))
    return origin.scheme in ("http", "https") and bool(origin.netloc) and origin.netloc == headers.get("host")


def _cookie_token(headers: Headers) -> str:
    cookies = SimpleCookie()
    try:
        cookies.load(headers.get("cookie", ""))
    except CookieError:
        return ""
    return cookies[COOKIE].value if COOKIE in cookies else ""


def _query_token(scope: Scope) -> str:
    values: Iterable[str] = parse_qs(scope["query_string"].decode("latin-1")).get("token", [])
    return next(iter(values), "")


async def _refuse(why: str, scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008})
        return
    await PlainTextResponse(why, 403)(scope, receive, send)


def _with_headers(send: Send) -> Send:
    async def guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in SAFETY.items():
                headers[name] = value
        await send(message)

    return guarded
