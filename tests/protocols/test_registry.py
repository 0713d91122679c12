"""The registry of protocols, options of programs, and the course of each game."""

from pathlib import Path

import pytest

from starscout import games
from starscout.game import GameError
from starscout.protocols.registry import PROTOCOLS, ProgramOptions, check_game, course_of, find_protocol, program_player
from starscout.search.limits import Limit


def test_names_are_keys() -> None:
    assert {name: protocol.name for name, protocol in PROTOCOLS.items()} == {name: name for name in PROTOCOLS}
    assert list(PROTOCOLS) == ["lab", "tcg-ewn", "tcg-raw", "tcg-dark", "otp", "nboard", "gtp"]


def test_unknown_names_and_games_raise() -> None:
    known = r"no protocol 'uci' \(known: lab, tcg-ewn, tcg-raw, tcg-dark, otp, nboard, gtp\)"
    with pytest.raises(GameError, match=known):
        find_protocol("uci")
    check_game("lab", games.load("ewn-3x3-3"))
    with pytest.raises(GameError, match="the protocol tcg-ewn is for ewn, not for ewn-3x3-3"):
        check_game("tcg-ewn", games.load("ewn-3x3-3"))


@pytest.mark.parametrize(
    ("game", "protocol"), [("ewn", "tcg-ewn"), ("ewn-cyclic", "tcg-raw"), ("kari", "tcg-raw"), ("othello", "otp")]
)
def test_the_course_of_each_game(game: str, protocol: str) -> None:
    found, course = course_of(games.load(game))
    assert found.name == protocol
    assert course.limit == found.limit_of(games.load(game))


def test_a_game_without_a_course_raises() -> None:
    with pytest.raises(GameError, match=r"no course has played othello-6x6: .*othello \(see: starscout match\)"):
        course_of(games.load("othello-6x6"))


def test_options_of_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options = ProgramOptions(time=0.5, clock=60.0, increment=1.0, files="weights.bin,,book")
    assert options.limit == Limit(time=0.5, clock=60.0, increment=1.0)
    assert options.more_files == ("weights.bin", "book")
    assert (ProgramOptions().folder, ProgramOptions().more_files) == (None, ())
    monkeypatch.chdir(tmp_path)
    assert ProgramOptions(cwd=".").folder == str(tmp_path)
    with pytest.raises(ValueError, match=r"no such folder: '\./nowhere'"):
        ProgramOptions(cwd="./nowhere")


def test_a_program_is_started_with_its_first_game_only() -> None:
    player = program_player("lab", "/bin/false", ProgramOptions(depth=3), "nobody")
    assert (player.name, player.limit, player.gone) == ("nobody", Limit(depth=3), False)
    player.close()
