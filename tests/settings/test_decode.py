"""Decoding of JSON and TOML values: types, ranges, unknown and missing fields."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

import pytest

from starscout.settings.decode import decode, decode_value
from starscout.settings.schema import Pairs, Seed, Setting, SettingError


@dataclass(frozen=True)
class Part:
    name: str
    pairs: Pairs = 1


@dataclass(frozen=True)
class Whole:
    title: str
    seed: Seed = 0
    share: Annotated[float, Setting(low=0, high=1)] | None = None
    fast: bool = False
    parts: tuple[Part, ...] = ()
    ends: tuple[float | None, float | None] = (None, None)
    names: Mapping[str, str] = field(default_factory=dict)


def test_every_type_is_decoded() -> None:
    value = {
        "title": "x", "seed": 2**64 - 1, "share": 1, "fast": True, "parts": [{"name": "a", "pairs": 3}],
        "ends": [1.5, None], "names": {"a": "b"},
    }  # fmt: skip
    assert decode(Whole, value) == Whole("x", 2**64 - 1, 1, True, (Part("a", 3),), (1.5, None), {"a": "b"})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seed": "7"}, "seed: expected a whole number from 0 to 18446744073709551615, got '7'"),
        ({"seed": 7.0}, "seed: expected a whole number"),
        ({"seed": True}, "seed: expected a whole number"),
        ({"seed": 10**400}, "seed: expected a whole number"),
        ({"share": 1.5}, "share: expected a number from 0 to 1, got 1.5"),
        ({"share": float("nan")}, "share: expected a number from 0 to 1, got nan"),
        ({"fast": 1}, "fast: expected true or false, got 1"),
        ({"title": 3}, "title: expected a string, got 3"),
        ({"title": "\ud800"}, "title: expected a string"),
        ({"parts": {}}, "parts: expected a list, got {}"),
        ({"parts": [3]}, "parts[0]: expected an object, got 3"),
        (
            {"parts": [{"name": "a"}, {"name": "b", "pairs": 0}]},
            "parts[1].pairs: expected a whole number",
        ),
        ({"parts": [{}]}, "parts[0]: field 'name' is missing"),
        ({"ends": [1.0]}, "ends: expected a list, got [1.0]"),
        ({"names": {"a": 1}}, "names.a: expected a string, got 1"),
        ({"sede": 1}, "Whole: no field 'sede'; did you mean 'seed'?"),
    ],
)
def test_invalid_fields_are_named(change: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError) as error:
        decode(Whole, {"title": "x", **change})
    assert str(error.value).startswith(message)


def test_objects_need_their_required_fields() -> None:
    with pytest.raises(SettingError, match="plan: field 'title' is missing"):
        decode(Whole, {}, "plan")
    with pytest.raises(SettingError, match="plan: expected an object, got None"):
        decode(Whole, None, "plan")
    assert decode(Whole, {"title": "x", "sede": 1}, ignore_unknown=True) == Whole("x")


def test_choices_have_a_type() -> None:
    side = Annotated[int, Setting(choices=(0, 1))]
    assert decode_value("side", 1, side) == 1
    for wrong in (1.0, True, 2, None):
        with pytest.raises(SettingError, match="side: expected one of 0, 1, got"):
            decode_value("side", wrong, side)
