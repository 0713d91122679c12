"""Options as text: each becomes what its field says, and what is wrong is named with the nearest that is right."""

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


def test_every_kind_of_value() -> None:
    assert parsed() == Options()
    assert parsed("depth=4", "factor=0.5", "move-order=off", "eval=a=b") == Options(4, 0.5, False, "a=b")
    assert parsed("depth=4", "depth=5").depth == 5


@given(
    st.builds(
        Options,
        st.integers(-(10**17), 10**17),
        st.floats(0, 1e15, allow_subnormal=False).map(lambda number: round(number, 12)),
        st.booleans(),
        st.text("abc=:+.-0123456789", min_size=1),
    )
)
def test_options_come_back(options: Options) -> None:
    texts = {True: "on", False: "off"}
    values = {field.name.replace("_", "-"): getattr(options, field.name) for field in fields(options)}
    words = [f"{name}={texts[value] if isinstance(value, bool) else value}" for name, value in values.items()]
    assert parsed(*words) == options


@pytest.mark.parametrize(
    ("word", "sentence"),
    [
        ("depth", "'depth' is not an option: write name=value"),
        ("=4", "'=4' is not an option: write name=value"),
        ("depth=", "'depth=' is not an option: write name=value"),
        (
            "deph=4",
            "engine has no option 'deph'; did you mean 'depth'? (it has depth, factor, move-order, eval)",
        ),
        ("x=4", "engine has no option 'x' (it has depth, factor, move-order, eval)"),
        ("depth=many", "engine depth=many is not a whole number"),
        ("factor=nan", "engine factor=nan is not a number"),
        ("move-order=true", "engine move-order is on or off, not 'true'"),
        ("factor=-1", "engine: factor is at least 0"),
    ],
)
def test_what_is_wrong_is_a_sentence(word: str, sentence: str) -> None:
    with pytest.raises(GameError) as wrong:
        parsed(word)
    assert str(wrong.value) == sentence


def test_the_nearest_name() -> None:
    assert nearest("negascuot", ["mcts", "negascout"]) == "; did you mean 'negascout'?"
    assert nearest("chess", ["mcts", "negascout"]) == ""
