"""Access control and the listening socket.

On a loopback address the `Host` header must name this machine, which prevents DNS rebinding. On any other address every
request needs the token, first in the address of the page and then in an HttpOnly cookie. The `Origin` of a WebSocket
must be the server itself.
"""

import contextlib
import hmac
import ipaddress
import secrets
import socket
from collections.abc import Iterable
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from starscout.game import GameError

COOKIE = "starscout_token"
CLIENT_COOKIE = "starscout_client"
"""Identifies a browser: its seats, its runs and its share of the searches."""
INVALID_TOKEN = "The token is missing or wrong: open the address that `starscout serve` printed.\n"
INVALID_HOST = "This server accepts only requests to localhost.\n"
MAX_PORT = 65_535

SECURITY_HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-cache",
}
"""Headers of every response: no third-party content, no embedding in other pages."""
FORM_HEADERS = {
    "content-security-policy": SECURITY_HEADERS["content-security-policy"].replace(
        "form-action 'none'", "form-action 'self'"
    ),
    # Without a referrer, browsers send forms with `Origin: null`.
    "referrer-policy": "same-origin",
}
"""Headers that permit forms."""


def is_loopback(host: str) -> bool:
    """Whether an address can be reached only from this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True)
class Access:
    """ASGI middleware that checks host, origin and token."""

    token: str
    """Empty: no token is needed."""
    local: bool
    """Whether to accept only local host names."""
    forms: bool = False
    """Whether pages may send forms to the server itself."""

    def middleware(self, application: ASGIApp) -> ASGIApp:
        """Wrap an application."""

        async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] == "lifespan":
                await application(scope, receive, send)
                return
            await self._check(application, scope, receive, _with_security_headers(send, forms=self.forms))

        return guarded

    async def _check(self, application: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        if self.local and not _is_local_name(headers.get("host", "")):
            await _reject(INVALID_HOST, scope, receive, send)
        elif scope["type"] == "websocket" and not _same_origin(headers):
            await _reject("", scope, receive, send)
        elif self._is_valid(cookie_value(headers, COOKIE)):
            await application(scope, receive, send)
        elif scope["type"] == "http" and scope["path"] == "/" and self._is_valid(_query_token(scope)):
            response = RedirectResponse("/", 303)
            response.set_cookie(COOKIE, self.token, httponly=True, samesite="strict")
            await response(scope, receive, send)
        else:
            await _reject(INVALID_TOKEN, scope, receive, send)

    def _is_valid(self, token: str) -> bool:
        return not self.token or hmac.compare_digest(token.encode(), self.token.encode())


def access_control(host: str, token: str | None) -> Access:
    """The access control for an address; a token is generated if the address needs one and none is given."""
    local = is_loopback(host)
    return Access(token or ("" if local else secrets.token_urlsafe(16)), local)


def _is_local_name(host: str) -> bool:
    name = host if host.endswith("]") else host.rpartition(":")[0] or host
    return is_loopback(name.lower())


def _same_origin(headers: Headers) -> bool:
    origin = urlsplit(headers.get("origin", ""))
    return origin.scheme in ("http", "https") and bool(origin.netloc) and origin.netloc == headers.get("host")


def cookie_value(headers: Headers, name: str) -> str:
    """The value of a cookie; empty if it is missing."""
    cookies = SimpleCookie()
    try:
        cookies.load(headers.get("cookie", ""))
    except CookieError:
        return ""
    return cookies[name].value if name in cookies else ""


def _query_token(scope: Scope) -> str:
    values: Iterable[str] = parse_qs(scope["query_string"].decode("latin-1")).get("token", [])
    return next(iter(values), "")


async def _reject(reason: str, scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008})
        return
    await PlainTextResponse(reason, 403)(scope, receive, send)


def _with_security_headers(send: Send, *, forms: bool) -> Send:
    async def guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in (SECURITY_HEADERS | (FORM_HEADERS if forms else {})).items():
                headers[name] = value
        await send(message)

    return guarded


def listen(host: str, port: int) -> socket.socket:
    """Open a listening socket; raises GameError if the address is not available."""
    if not 0 <= port <= MAX_PORT:
        # The system would take the port modulo 65,536.
        raise GameError(f"cannot listen on {host}:{port}: ports are 0 to {MAX_PORT}; choose another --port")
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(1024)
    except OSError as error:
        raise GameError(f"cannot listen on {host}:{port}: {error.strerror or error}; choose another --port") from error
    return listener


def raise_file_limit() -> None:
    """Raise the limit of open files, and thus of sockets, to the maximum that the system allows."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        _, maximum = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (maximum, maximum))
