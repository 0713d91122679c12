"""Each rule against its formula worked out by hand; ln N = 4 means about 54.6 visits of the parent."""

import math

import pytest

from starscout.search.selection import ERROR, HAND, LINEAR, build_formulas

pytestmark = pytest.mark.plain

FORMULAS = build_formulas()


def test_ucb() -> None:
    # 0.5 + 1.18·√(4/16) = 0.5 + 1.18·0.5
    assert FORMULAS.ucb(0.5, 16.0, 4.0, 1.18) == pytest.approx(1.09)


def test_ucb_variance_below_the_cap() -> None:
    # 4/64 = 0.0625, its root 0.25; 0.1 + 0.2·0.25 = 0.15 < 0.25; 0.4 + 2·√(0.0625·0.15)
    assert FORMULAS.ucb_variance(0.4, 0.1, 64.0, 4.0, 2.0, 0.2, 0.25) == pytest.approx(0.4 + 2 * math.sqrt(0.009375))


def test_ucb_variance_at_the_cap() -> None:
    # √2·√(4/16) alone is above 0.25, so 0.5 + 1.18·√(0.25·0.25)
    assert FORMULAS.ucb_variance(0.5, 0.25, 16.0, 4.0, 1.18, math.sqrt(2), 0.25) == pytest.approx(0.5 + 1.18 * 0.25)


def test_the_scaled_form_multiplies_the_inner_term_by_c() -> None:
    # b = 2·√(4/64) = 0.5; min(0.1 + 0.2·0.5, 0.25) = 0.2; 0.4 + 0.5·√0.2
    assert FORMULAS.ucb_variance_scaled(0.4, 0.1, 64.0, 4.0, 2.0, 0.2, 0.25) == pytest.approx(
        0.4 + 0.5 * math.sqrt(0.2)
    )


@pytest.mark.parametrize(
    ("schedule", "share"),
    [(LINEAR, 0.75), (HAND, math.sqrt(1000 / 1750)), (ERROR, 400 / (250 + 400 + 4 * 250 * 400 / 1000))],
)
def test_rave_share(schedule: int, share: float) -> None:
    assert FORMULAS.rave_share(schedule, 250.0, 400.0, 1000.0) == pytest.approx(share)


def test_rave_mixes_the_means() -> None:
    # α = 250/1000: 0.25·0.4 + 0.75·0.8
    assert FORMULAS.rave_mean(0.4, 250.0, 0.8, 9.0, LINEAR, 1000.0) == pytest.approx(0.7)


def test_rave_without_other_moves_is_the_mean() -> None:
    assert FORMULAS.rave_mean(0.4, 250.0, 0.0, 0.0, LINEAR, 1000.0) == 0.4
