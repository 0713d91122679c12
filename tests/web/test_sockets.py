"""The listening socket."""

import pytest

from starscout.game import GameError
from starscout.web.sockets import lift_file_limit, listen


def test_a_port_that_is_taken_is_a_sentence() -> None:
    first = listen("127.0.0.1", 0)
    try:
        port = first.getsockname()[1]
        with pytest.raises(GameError, match=f"127.0.0.1:{port} cannot be used: .*--port"):
            listen("127.0.0.1", port)
    finally:
        first.close()


def test_an_address_that_is_not_ours_is_a_sentence() -> None:
    with pytest.raises(GameError, match="cannot be used"):
        listen("192.0.2.1", 0)
    with pytest.raises(GameError, match="ports are 0 to 65535"):
        listen("127.0.0.1", 99_999)


def test_the_limit_of_open_files_is_lifted() -> None:
    import resource

    lift_file_limit()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert soft == hard
