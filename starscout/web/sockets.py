"""The listening socket, and room for many visitors."""

import contextlib
import socket

from starscout.game import GameError

LARGEST_PORT = 65_535


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens; raises GameError when the address cannot be used."""
    if not 0 <= port <= LARGEST_PORT:
        # The system would take the port modulo 65,536.
        raise GameError(f"{host}:{port} cannot be used: ports are 0 to {LARGEST_PORT}; choose another --port")
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(1024)
    except OSError as error:
        raise GameError(f"{host}:{port} cannot be used: {error.strerror or error}; choose another --port") from error
    return listener


def lift_file_limit() -> None:
    """Let this process open as many sockets as the system allows it."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
