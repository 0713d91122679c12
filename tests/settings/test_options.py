"""Options as text: parsing by field type, and errors that name the option and the nearest known name."""

from dataclasses import dataclass, fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starscout.game import GameError
from starscout.settings.options import nearest, parse_options, split_options


@dataclass(frozen=True)
class Options:
    depth: int | None = None
    factor: float = 1.0
    move_order: bool = True
    eval: str = "zero"

    def __post_init__(self) -> None:
        if self.factor < 0:
            raise ValueError("factor is at least 0")


def parsed(*words: str) -> Options:
    return parse_options(Options, split_options(words), "engine")


def test_every_type_of_value() -> None:
    assert parsed() == Options()
    assert parsed("depth=4", "factor=0.5", "move-order=off", "eval=a=b") == Options(4, 0.5, False, "a=b")
    assert parsed("depth=4", "depth=5").depth == 5


@given(
    st.builds(
        Options,
        st.integers(0, 10**17),
        st.floats(0, 1e15, allow_subnormal=False).map(lambda number: round(number, 12)),
        st.booleans(),
        st.text("abc=:+.-0123456789", min_size=1),
    )
)
def test_options_round_trip(options: Options) -> None:
    texts = {True: "on", False: "off"}
    values = {field.name.replace("_", "-"): getattr(options, field.name) for field in fields(options)}
    words = [f"{name}={texts[value] if isinstance(value, bool) else value}" for name, value in values.items()]
    assert parsed(*words) == options


@pytest.mark.parametrize(
    ("word", "sentence"),
    [
        ("depth", "option: expected name=value, got 'depth'"),
        ("=4", "option: expected name=value, got '=4'"),
        ("depth=", "option: expected name=value, got 'depth='"),
        (
            "deph=4",
            "engine: no option 'deph'; did you mean 'depth'? (options: depth, factor, move-order, eval)",
        ),
        ("x=4", "engine: no option 'x' (options: depth, factor, move-order, eval)"),
        ("depth=many", "engine depth: expected a whole number of at least 0, got 'many'"),
        ("factor=nan", "engine factor: expected a number, got 'nan'"),
        ("move-order=true", "engine move-order: expected on or off, got 'true'"),
        ("factor=-1", "engine: factor is at least 0"),
    ],
)
def test_invalid_options_are_named(word: str, sentence: str) -> None:
    with pytest.raises(GameError) as wrong:
        parsed(word)
    assert str(wrong.value) == sentence


def test_nearest_name() -> None:
    assert nearest("negascuot", ["mcts", "negascout"]) == "; did you mean 'negascout'?"
    assert nearest("chess", ["mcts", "negascout"]) == ""
