"""`starscout engine`: what is wrong is said in a sentence."""

import pytest

from tests.cli.conftest import CommandLine


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--protocol", "xyz"), "there is no protocol 'xyz' (known: lab, tcg-ewn, tcg-raw, otp, nboard)"),
        (("--protocol", "nboard", "--connect", "127.0.0.1:1"), "nboard is spoken over standard input and output only"),
        (("--protocol", "tcg-raw", "--game", "ewn"), "the protocol tcg-raw is for ewn-cyclic and kari, not for ewn"),
        (("--connect", "nowhere"), "'nowhere' is no address: write HOST:PORT"),
    ],
)
def test_bad_input(words: tuple[str, ...], complaint: str, command_line: CommandLine) -> None:
    done = command_line("engine", "random", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert complaint in done.stderr
    assert "Traceback" not in done.stderr
