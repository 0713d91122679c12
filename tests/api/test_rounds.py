"""The settings of refereed games: their defaults, the limit, and what is unknown."""

import pytest

from starscout.api.rounds import ChosenRoundSettings, RoundSettings
from starscout.search.limits import Limit


def test_every_setting_has_a_default() -> None:
    assert set(RoundSettings.__annotations__) == set(vars(ChosenRoundSettings()))


def test_the_usual_limit_holds_where_nothing_is_said() -> None:
    usual = Limit(time=10.0)
    assert ChosenRoundSettings(increment=1.0).limit(usual) == usual
    assert ChosenRoundSettings(time=2.0).limit(usual) == Limit(time=2.0)


def test_an_unknown_setting_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="sed"):
        ChosenRoundSettings(sed=4)  # pyright: ignore[reportCallIssue]
