"""`starscout serve`: where it says it is, and what it refuses."""

import subprocess
import sys

import pytest


def serve(*options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "starscout", "serve", *options], capture_output=True, text=True, timeout=60
    )


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--game", "./missing.py"), "there is no game file"),
        (("--player", "nobody"), "plays none of the games of this server"),
        (("--host", "192.0.2.1"), "cannot be used"),
    ],
)
def test_bad_input_is_a_sentence(options: tuple[str, ...], why: str) -> None:
    ended = serve("--port", "0", *options)
    assert ended.returncode == 2
    assert why in ended.stderr
    assert "Traceback" not in ended.stderr
