"""Parameters of Python classes: conversion, errors, partials, and classes in processes of their own."""

import functools
from pathlib import Path
from typing import Any

import pytest

import starscout
from starscout import games
from starscout.game import GameError
from starscout.players.class_host import HostedPlayer
from starscout.players.python_class import ObjectPlayer, class_spec, split_place
from starscout.players.spec import check_arguments, describe, in_folder, make_player, with_defaults, with_options

pytestmark = pytest.mark.plain

GAME = games.load("ewn-3x3-3")
FILE = """
from __future__ import annotations
from typing import Literal
from pathlib import Path
import enum

class Mood(enum.Enum):
    calm = 1
    wild = 2

class Agent:
    def __init__(self, own: int = 5, rate: float = 1, ponder: bool = False, style: Literal["calm", "wild"] = "calm",
                 book: Path | None = None, name: str = "x", mood: Mood = Mood.calm, free=3, loose=None, depth: int = 1):
        self.values = {key: value for key, value in locals().items() if key != "self"}

    def choose(self, state, limit):
        return state.moves[self.values["own"] % len(state.moves)]

class Strict:
    def __init__(self, *, own: int): ...
    def choose(self, state, limit):
        return state.moves[0]

class Open:
    def __init__(self, **more):
        self.values = more
    def choose(self, state, limit):
        return state.moves[0]
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "agent.py").write_text(FILE)
    return tmp_path / "agent.py"


def values(spec: str) -> Any:
    player = make_player(spec, GAME)
    assert isinstance(player, ObjectPlayer)
    return player._written.values


def test_values_have_the_annotated_types(file: Path) -> None:
    found = values(
        f"python:{file}:Agent own=-7 rate=2 ponder=on style=wild book=a/b 'name=7 8' mood=wild free=0 loose=1.5"
    )
    assert {name: repr(value) for name, value in found.items() if name not in ("mood", "book")} == {
        "own": "-7", "rate": "2.0", "ponder": "True", "style": "'wild'", "name": "'7 8'", "free": "0", "loose": "1.5",
        "depth": "1",
    }  # fmt: skip
    assert found["book"] == Path("a/b")
    assert found["mood"].name == "wild"
    assert values(f"python:{file}:Agent mood=2")["mood"].name == "wild"
    assert values(f"python:{file}:Agent book=none")["book"] is None
    assert values(f"python:{file}:Open x=1 y=2.5 z=word") == {"x": 1, "y": 2.5, "z": "word"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Agent owm=7", "no parameter 'owm'; did you mean 'own'? (parameters of __init__: own, rate, ponder,"),
        ("Agent own=7.5", "own: expected a whole number, got '7.5'"),
        ("Agent rate=fast", "rate: expected a number, got 'fast'"),
        ("Agent ponder=maybe", "ponder: expected on or off, got 'maybe'"),
        ("Agent style=odd", "style: expected one of calm, wild, got 'odd'"),
        ("Agent free=x", "free: expected a whole number, got 'x'"),
        ("Agent own", "option: expected name=value, got 'own'"),
        ("Agent time=0.1", "no parameter 'time'"),
        ("Agent time=0.1", "the player's own limit is python[time=0.1]:…"),
        ("Strict", "__init__ needs a value for 'own': write "),
    ],
)
def test_invalid_arguments_raise(file: Path, text: str, expected: str) -> None:
    with pytest.raises(GameError) as caught:
        make_player(f"python:{file}:{text}", GAME)
    assert expected in str(caught.value)


def test_limits_stand_in_brackets_and_parameters_behind_the_class(file: Path) -> None:
    described = describe(f"python[depth=3]:{file}:Agent depth=7", GAME)
    assert (described.limit.depth, described.arguments) == (3, {"depth": "7"})
    with pytest.raises(GameError, match=r"parameters of the class follow it: python:FILE:CLASS own=7"):
        describe(f"python[own=7]:{file}:Agent", GAME)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a b.py:Agent own=7", ("a b.py:Agent", {"own": "7"})),
        ("x:y.py:Agent own=a:b", ("x:y.py:Agent", {"own": "a:b"})),
        (":Agent", (":Agent", {})),
        ("agent.py", ("agent.py", {})),
    ],
)
def test_a_place_is_split(text: str, expected: tuple[str, dict[str, str]]) -> None:
    assert split_place(text) == expected


def test_options_are_added_to_any_spec() -> None:
    assert with_options("mcts c=1", {"leaf": "2"}) == "mcts c=1 leaf=2"
    assert with_options("lab:./engine -x", {"own": "5"}) == "lab[own=5]:./engine -x"
    assert with_options("lab[time=1]:./engine", {"own": "a b"}) == "lab[time=1 'own=a b']:./engine"
    assert with_options("python:a.py:Agent", {"own": "5", "time": "1"}) == "python[time=1]:a.py:Agent own=5"
    assert with_defaults("lab[own=3]:./engine", "own=5 time=1") == "lab[own=3 time=1]:./engine"
    assert with_defaults("python:a.py:Agent own=3", "own=5 'name=x y'") == "python:a.py:Agent own=3 'name=x y'"
    assert with_defaults("negascout depth=3", "depth=5 table=12") == "negascout depth=3 table=12"
    assert in_folder("python:./a.py:Agent own=../b", "/x/y") == "python:/x/y/a.py:Agent own=../b"


class Local:
    def __init__(self, own: int = 5, weights: object = None) -> None:
        self.values = own, weights

    def choose(self, state: Any, limit: Any) -> str:
        return state.moves[0]


def test_partials_become_specs() -> None:
    assert class_spec(functools.partial(Local, own=7)) == f"python:{__file__}:Local own=7"
    assert class_spec(functools.partial(Local, 7)) == f"python:{__file__}:Local own=7"
    one, other = (functools.partial(Local, weights=[number]) for number in (1, 2))
    specs = class_spec(one), class_spec(other)
    assert len(set(specs)) == 2
    assert specs == (class_spec(one), class_spec(other))
    assert not describe(specs[0], GAME).portable
    assert [values(spec)[1] for spec in specs] == [[1], [2]]
    with pytest.raises(GameError, match="unexpected keyword argument 'oven'"):
        class_spec(functools.partial(Local, oven=7))  # pyright: ignore[reportCallIssue]
    with pytest.raises(GameError, match=r"expected functools\.partial of a class"):
        starscout.match("ewn-3x3-3", functools.partial(print), "random", pairs=1, store=":memory:", workers=0)


@pytest.mark.usefixtures("trusted")
def test_classes_in_processes_of_their_own_receive_arguments(file: Path) -> None:
    spec = f"python:{file}:Strict own=7"
    check_arguments(spec, GAME)
    player = make_player(spec, GAME, hosted=True)
    assert isinstance(player, HostedPlayer)
    with pytest.raises(GameError, match=r"own: expected a whole number, got 'x'"):
        check_arguments(f"python:{file}:Strict own=x", GAME)
