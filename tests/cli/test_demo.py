"""`starscout demo`: speed of the games, an analysis, and a match with its intervals."""

import pytest

from starscout.cli.demo import interval_lines, verdict
from tests.cli.conftest import CommandLine


@pytest.mark.slow  # test_output.py runs it in ASCII every time
def test_demo_shows_every_game_and_a_verdict(command_line: CommandLine) -> None:
    shown = command_line("demo").stdout
    assert all(f"\n {name} " in shown for name in ("ewn", "ewn-cyclic", "kari", "othello"))
    assert "red wins 58.7% (value +0.1744) with A2B2" in shown
    assert "200 in 100 pairs" in shown
    assert "the luck-adjusted 95 % interval of 200 games excludes 50 %" in shown


def test_intervals_share_a_scale() -> None:
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
        ((0.52, 0.6), (0.5, 0.6), "the 95 % interval of 120 games excludes"),
        ((0.4, 0.6), (0.51, 0.6), "the luck-adjusted 95 % interval"),
        ((0.4, 0.6),) * 2 + ("Undecided",),
    ],
)
def test_verdict_follows_the_intervals(raw: tuple[float, float], adjusted: tuple[float, float], said: str) -> None:
    assert said in verdict(raw, adjusted, 120)
