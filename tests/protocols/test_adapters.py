"""External protocols: golden transcripts of whole games between our engine and our referee."""

import sys

import pytest

import starscout
from starscout.search.limits import Limit
from tests.protocols.conftest import ENGINE, Transcript, check_golden

ADAPTERS = [
    ("tcg-ewn", "ewn"),
    ("tcg-raw", "ewn-cyclic"),
    ("tcg-raw", "kari"),
    ("otp", "othello"),
    ("nboard", "othello"),
    ("gtp", "othello"),
]


@pytest.mark.parametrize(("protocol", "game"), ADAPTERS)
def test_golden_transcript_of_two_games(protocol: str, game: str, transcript: Transcript) -> None:
    option = f" --game {game}" if protocol == "tcg-raw" else ""
    records, talk = transcript(protocol, f"{ENGINE} --protocol {protocol}{option}", game, limit=Limit(time=10.0))
    for record in records:
        assert not record.forfeit, record.detail
        record.check()
    if protocol == "nboard":
        # The answer contains the time of the move, and the name may come before or after the next ping.
        lines = [line.rsplit("/", 1)[0] if line.startswith("< ===") else line for line in talk.splitlines()]
        assert lines.count("< set myname Foo") == len(records)
        talk = "".join(f"{line}\n" for line in lines if line != "< set myname Foo")
    check_golden(f"{protocol}-{game}.txt", talk.replace(f"< {starscout.__version__}\n", "< VERSION\n"))


@pytest.mark.slow
@pytest.mark.parametrize(("protocol", "game"), [("tcg-raw", "kari"), ("otp", "othello")])
def test_other_protocols_are_adapted_to_lab(protocol: str, game: str, transcript: Transcript) -> None:
    option = f" --game {game}" if protocol == "tcg-raw" else ""
    carrier = f"{sys.executable} -m starscout engine '{protocol}:{ENGINE} --protocol {protocol}{option}'"
    records, _ = transcript("lab", carrier, game)
    for record in records:
        assert not record.forfeit, record.detail
        record.check()
