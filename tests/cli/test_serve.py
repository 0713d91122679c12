"""`starscout serve`: address and rejected input."""

import pytest

from tests.cli.conftest import CommandLine


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--game", "./missing.py"), "there is no game file"),
        (("--player", "nobody"), "cannot play any game of this server"),
        (("--host", "192.0.2.1"), "cannot listen on"),
    ],
)
def test_invalid_input_is_rejected(options: tuple[str, ...], why: str, plain_command_line: CommandLine) -> None:
    ended = plain_command_line("serve", "--port", "0", *options)
    assert ended.returncode == 2
    assert why in ended.stderr
    assert "Traceback" not in ended.stderr
