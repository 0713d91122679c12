"""`starscout demo`: something worth seeing from every game."""

from tests.cli.conftest import CommandLine


def test_the_demo_shows_every_game(command_line: CommandLine) -> None:
    shown = command_line("demo").stdout
    assert shown.count("random games on one core") == 4
    assert "100 in 50 pairs" in shown
    assert all(name in shown for name in ("(ewn)", "(ewn-cyclic)", "(kari)", "(othello)"))
