"""Validation of Python arguments: invalid ones raise GameError before anything is stored."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy
import pytest

import starscout
from starscout.game import GameError
from starscout.settings.arguments import argument, check_fields, checked
from starscout.settings.schema import Depth, Setting, SettingError

QUICK: dict[str, Any] = {"pairs": 1, "workers": 0}


def play(**keywords: Any) -> Any:
    given: Any = {**QUICK, "store": ":memory:", **keywords}
    return starscout.match("ewn-3x3-3", "random", "random", **given)


@pytest.mark.parametrize(
    ("keywords", "said"),
    [
        ({"seed": None}, "seed: expected a whole number from 0 to 18446744073709551615, got None"),
        ({"seed": -1}, "got -1"),
        ({"seed": 2**64}, "seed: expected a whole number"),
        ({"depth": 2.5}, "depth: expected a whole number of at least 1 (plies), got"),
        ({"depth": True}, "depth: expected a whole number of at least 1 (plies), got"),
        ({"nodes": 10**30}, "nodes: expected a whole number from 1 to 999999999999999999, got 1"),
        ({"simulations": 0}, "simulations: expected a whole number of at least 1"),
        ({"pairs": 0}, "pairs: expected a whole number of at least 1, got 0"),
        ({"pairs": True}, "got True"),
        ({"pairs": "3"}, "got '3'"),
        ({"workers": -1}, "workers: expected a whole number from 0 to 10000, got -1"),
        ({"time": "1"}, "time: expected a number of at least 0.001 (seconds), got '1'"),
        ({"time": float("inf")}, "got inf"),
        ({"time": float("nan")}, "got nan"),
        ({"time": 10**400}, "time: expected a number"),
        ({"game_time": "60"}, "game_time: expected a number"),
        ({"sprt": ("a", "b")}, "sprt: expected a number from -10000 to 10000 (Elo), got 'a'"),
        ({"sprt": (0, float("inf"))}, "sprt: expected a number from -10000 to 10000 (Elo), got inf"),
        ({"sprt": 5}, "sprt: expected two Elo differences"),
        ({"luck": False}, "luck: expected a string, got False"),
        ({"opening_plies": 41}, "opening_plies: expected a whole number from 0 to 40 (plies), got 41"),
    ],
)
def test_invalid_settings_are_rejected_before_a_store_is_created(
    keywords: dict[str, Any], said: str, tmp_path: Path
) -> None:
    store = tmp_path / "arena.sqlite"
    with pytest.raises(GameError) as error:
        play(store=store, **keywords)
    assert said in str(error.value)
    assert not store.exists()


def test_numpy_numbers_and_integral_floats_are_converted() -> None:
    plain = play(seed=3, nodes=10_000, time=1.0).plan
    assert play(seed=numpy.int64(3), nodes=1e4, time=1, pairs=numpy.int32(1)).plan == plain
    assert play(seed=numpy.uint64(3), nodes=numpy.float64(1e4), time=numpy.float32(1)).plan == plain


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: starscout.match(None, "random", "random"), "game: expected a string or a Game, got None"),  # type: ignore[arg-type]
        (lambda: starscout.match("ewn", None, "random"), "player: expected a SPEC or a class"),  # type: ignore[arg-type]
        (lambda: starscout.parse("ewn", None), "text: expected a string, got None"),  # type: ignore[arg-type]
        (lambda: starscout.start("ewn").rolled("7"), "'7'"),
        (lambda: starscout.analyse("ewn", "random"), "state: expected a State, got 'ewn'"),  # type: ignore[arg-type]
        (
            lambda: starscout.analyse(starscout.start("ewn"), "random", depth=0),
            "depth: expected a whole number of at least 1",
        ),
        (lambda: starscout.analyse(starscout.start("ewn"), "random", depth=-3), "got -3"),
        (lambda: starscout.solve("ewn"), "state: expected a State"),  # type: ignore[arg-type]
        (lambda: starscout.show(None), "state: expected a State or a Game or a string, got None"),  # type: ignore[arg-type]
        (
            lambda: starscout.playouts("ewn", seconds=float("nan")),
            "seconds: expected a number of at least 0 (seconds)",
        ),
        (lambda: starscout.learn("ewn", minutes=-1), "minutes: expected a number from 0.01 to 1e+07 (minutes), got -1"),
        (lambda: starscout.batch("ewn", 2, seed=-1), "seed: expected a whole number"),
        (lambda: starscout.tune("ewn", "mcts", 3), "parameters: expected text or a dictionary, got 3"),  # type: ignore[arg-type]
        (lambda: starscout.tournament("ewn", (x for x in ("random",))), "players: expected a sequence or a path"),  # type: ignore[arg-type]
        (lambda: starscout.player(2.5, "ewn"), "player: expected a SPEC or a class, got 2.5"),  # type: ignore[arg-type]
        (lambda: starscout.player("random", {}), "game: expected a string or a Game, got {}"),  # type: ignore[arg-type]
        (lambda: starscout.list_players([]), "game: expected a string or a Game, got []"),  # type: ignore[arg-type]
        (lambda: starscout.replay(3), "files: expected a string or a path, got 3"),  # type: ignore[arg-type]
        (lambda: starscout.replay("a\0b"), "files: expected a string or a path, got 'a\\x00b'"),
        (lambda: starscout.replay("a", game=3), "game: expected a string or a sequence, got 3"),  # type: ignore[arg-type]
        (lambda: starscout.replay("a", game=[3]), "game[0]: expected a string, got 3"),  # type: ignore[list-item]
        (lambda: starscout.results("x"), "numbers: expected a whole number of at least 0, got 'x'"),  # type: ignore[arg-type]
        (lambda: starscout.start("othello").play(2.5), "move: expected a text or a whole number, got 2.5"),  # type: ignore[arg-type]
        (lambda: starscout.start("othello").parse_move(3), "move: expected a text, got 3"),  # type: ignore[arg-type]
        (lambda: starscout.start("ewn").rolled([1]), "roll: expected a text or a whole number, got [1]"),  # type: ignore[arg-type]
        (lambda: starscout.tables(numpy.array([1, 2]), "ewn"), "action: expected 'build' or 'check', got array"),  # type: ignore[arg-type]
        (lambda: starscout.perft("ewn", -1), "depth: expected a whole number of at least 0"),
    ],
)
def test_invalid_arguments_are_rejected(call: Callable[[], Any], said: str) -> None:
    with pytest.raises(GameError) as error:
        call()
    assert said in str(error.value)


def test_unknown_keywords_raise_type_error() -> None:
    with pytest.raises(TypeError, match=r"match\(\) has no argument 'pears': it has game, a, b, pairs, sprt"):
        play(pears=3)
    with pytest.raises(TypeError, match=r"solve\(\) got an unexpected keyword argument 'wdl'"):
        starscout.solve(starscout.start("ewn"), wdl=True)  # type: ignore[call-arg]


SmallCount = Annotated[int, Setting("A count.", 0, 5)]


def test_argument_checks_type_and_range() -> None:
    assert argument("x", None, int | None) is None
    assert argument("x", "text", str) == "text"
    assert argument("x", 3.0, SmallCount) == 3
    assert argument("x", 3, Annotated[float, Setting(low=0, high=5)]) == 3.0
    for wrong in (None, "3", 3.5, 6, -1, True, numpy.True_, [3], float("nan"), float("inf"), 1j):
        with pytest.raises(SettingError, match="x: expected a whole number from 0 to 5, got "):
            argument("x", wrong, SmallCount)


def test_a_narrowed_setting_keeps_what_it_does_not_change() -> None:
    with pytest.raises(SettingError, match=r"depth: expected a whole number from 1 to 4 \(plies\), got 5"):
        argument("depth", 5, Annotated[Depth, Setting(high=4)])
    assert argument("depth", 0, Annotated[Depth, Setting(low=0)]) == 0


@dataclass(frozen=True)
class Options:
    mode: Annotated[str, Setting("The mode.", choices=("fast", "exact"))] = "fast"
    size: SmallCount | None = None

    def __post_init__(self) -> None:
        check_fields(self)


def test_fields_of_a_dataclass_are_checked() -> None:
    assert Options("exact", 5).size == 5
    with pytest.raises(SettingError, match="mode: expected one of fast, exact, got 'slow'"):
        Options("slow")
    with pytest.raises(SettingError, match="size: expected a whole number from 0 to 5, got 6"):
        Options(size=6)


def test_positional_and_variable_arguments_pass_through() -> None:
    @checked
    def function(size: SmallCount, *rest: str) -> tuple[int, tuple[str, ...]]:
        return size, rest

    size: Any = numpy.int8(3)
    assert function(size, "a", "b") == (3, ("a", "b"))
