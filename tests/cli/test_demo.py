"""`starscout demo`: every game with its speed, a position, and a match whose intervals are drawn."""

import pytest

from starscout.cli.demo import interval_lines, verdict
from tests.cli.conftest import CommandLine


@pytest.mark.slow  # test_output.py runs it in ASCII every time
def test_the_demo_shows_every_game_and_ends_with_an_answer(command_line: CommandLine) -> None:
    shown = command_line("demo").stdout
    assert all(f"\n {name} " in shown for name in ("ewn", "ewn-cyclic", "kari", "othello"))
    assert "red wins 58.7% (value +0.1744) with A2B2" in shown
    assert "200 in 100 pairs" in shown
    assert "With the luck of the dice subtracted they are enough" in shown


def test_intervals_are_drawn_below_one_scale() -> None:
    scale, first, second = interval_lines([("raw", 0.5, (0.46, 0.54)), ("adjusted", 0.6, (0.3, 0.9))])
    column = scale.index("50 %")
    assert first[column] == "●"
    assert (first.index("├"), first.index("┤")) == (column - 12, column + 12)
    assert second.index("├") == scale.index("45 %")
    assert second[column] == "┼"
    assert len(second) == scale.index("65 %") + 1


@pytest.mark.parametrize(
    ("raw", "adjusted", "said"),
    [
        ((0.52, 0.6), (0.5, 0.6), "are enough"),
        ((0.4, 0.6), (0.51, 0.6), "With the luck"),
        ((0.4, 0.6),) * 2 + ("open",),
    ],
)
def test_the_verdict_follows_the_intervals(raw: tuple[float, float], adjusted: tuple[float, float], said: str) -> None:
    assert said in verdict(raw, adjusted, 120)
