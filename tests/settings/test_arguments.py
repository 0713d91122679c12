"""The arguments of Python's words: what people give by mistake is a sentence, and nothing is stored."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import pytest

import starscout
from starscout.game import GameError
from starscout.settings.arguments import argument, number, whole

QUICK: dict[str, Any] = {"pairs": 1, "workers": 0}


def play(**keywords: Any) -> Any:
    given: Any = {**QUICK, "store": ":memory:", **keywords}
    return starscout.match("ewn-3x3-3", "random", "random", **given)


@pytest.mark.parametrize(
    ("keywords", "said"),
    [
        ({"seed": None}, "seed is a whole number from 0 to 18446744073709551615, not None"),
        ({"seed": -1}, "not -1"),
        ({"seed": 2**64}, "seed is a whole number"),
        ({"depth": 2.5}, "depth is a whole number from 1 to"),
        ({"depth": True}, "depth is a whole number from 1 to"),
        ({"nodes": 10**30}, "nodes is a whole number"),
        ({"simulations": 0}, "simulations is a whole number from 1"),
        ({"pairs": 0}, "pairs is a whole number from 1 to 1000000000, not 0"),
        ({"pairs": True}, "not True"),
        ({"pairs": "3"}, "not '3'"),
        ({"workers": -1}, "workers is a whole number from 0 to 10000, not -1"),
        ({"time": "1"}, "time is a number from 0.001 to 1e+09, not '1'"),
        ({"time": float("inf")}, "not inf"),
        ({"time": float("nan")}, "not nan"),
        ({"time": 10**400}, "time is a number"),
        ({"game_time": "60"}, "game_time is a number"),
        ({"sprt": ("a", "b")}, "sprt is a number from -10000 to 10000, not 'a'"),
        ({"sprt": (0, float("inf"))}, "sprt is a number from -10000 to 10000, not inf"),
        ({"sprt": 5}, "sprt is a pair of differences in Elo"),
        ({"luck": False}, "luck is a text, not False"),
        ({"opening_plies": 41}, "opening_plies is a whole number from 0 to 40, not 41"),
    ],
)
def test_a_wrong_setting_is_a_sentence_and_leaves_no_store(keywords: dict[str, Any], said: str, tmp_path: Path) -> None:
    store = tmp_path / "arena.sqlite"
    with pytest.raises(GameError) as error:
        play(store=store, **keywords)
    assert said in str(error.value)
    assert not store.exists()


def test_numbers_of_numpy_and_whole_floats_are_plain_numbers() -> None:
    plain = play(seed=3, nodes=10_000, time=1.0).plan
    assert play(seed=numpy.int64(3), nodes=1e4, time=1, pairs=numpy.int32(1)).plan == plain
    assert play(seed=numpy.uint64(3), nodes=numpy.float64(1e4), time=numpy.float32(1)).plan == plain


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: starscout.match(None, "random", "random"), "game is a text or a game, not None"),  # type: ignore[arg-type]
        (lambda: starscout.match("ewn", None, "random"), "a player is a SPEC or a Python class"),  # type: ignore[arg-type]
        (lambda: starscout.parse("ewn", None), "text is a text, not None"),  # type: ignore[arg-type]
        (lambda: starscout.start("ewn").rolled("1"), "'1'"),  # type: ignore[arg-type]
        (lambda: starscout.analyse("ewn", "random"), "state is a state, as starscout.start"),  # type: ignore[arg-type]
        (lambda: starscout.analyse(starscout.start("ewn"), "random", depth=0), "depth is a whole number from 1"),
        (lambda: starscout.analyse(starscout.start("ewn"), "random", depth=-3), "not -3"),
        (lambda: starscout.solve("ewn"), "state is a state"),  # type: ignore[arg-type]
        (lambda: starscout.show(None), "state is a state, as starscout.start and starscout.parse make them or"),  # type: ignore[arg-type]
        (lambda: starscout.playouts("ewn", seconds=float("nan")), "seconds is a number from 0 to 1e+09, not nan"),
        (lambda: starscout.learn("ewn", minutes=-1), "minutes is a number from 0.01 to 1e+07, not -1"),
        (lambda: starscout.batch("ewn", 2, seed=-1), "seed is a whole number"),
        (lambda: starscout.tune("ewn", "mcts", {"c": (1, 0, 2)}), "parameters is a text"),  # type: ignore[arg-type]
        (lambda: starscout.tournament("ewn", (x for x in ("random",))), "players is a list or a path"),  # type: ignore[arg-type]
        (lambda: starscout.perft("ewn", -1), "depth is a whole number from 0"),
    ],
)
def test_a_wrong_argument_is_a_sentence(call: Callable[[], Any], said: str) -> None:
    with pytest.raises(GameError) as error:
        call()
    assert said in str(error.value)


def test_an_unknown_keyword_is_the_functions_own_type_error() -> None:
    with pytest.raises(TypeError, match=r"match\(\) has no argument 'pears': it has game, a, b, pairs, sprt"):
        play(pears=3)
    with pytest.raises(TypeError, match=r"solve\(\) got an unexpected keyword argument 'wdl'"):
        starscout.solve(starscout.start("ewn"), wdl=True)  # type: ignore[call-arg]


def test_types_and_ranges() -> None:
    assert argument("x", None, int | None) is None
    assert argument("x", "text", str) == "text"
    assert whole("x", 3.0, 0, 5) == 3
    assert number("x", 3, 0, 5) == 3.0
    for wrong in (None, "3", 3.5, 6, -1, True, numpy.True_, [3], float("nan"), 1j):
        with pytest.raises(GameError, match="x is a whole number from 0 to 5"):
            whole("x", wrong, 0, 5)
