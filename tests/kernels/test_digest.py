"""The digest of a function changes with everything that can change what it computes, and with nothing else."""

import textwrap
import types
from collections import namedtuple
from typing import Any

import numpy
import pytest

from starscout.kernels.digest import function_digest

BASE = """
    import enum, math
    import numpy
    STEP = 3
    TABLE = numpy.array([1, 2, 3])
    UNUSED = 1
    class Colour(enum.IntEnum):
        RED = 1
    class Constants:
        SIZE = 5
    def inner(x):
        return x * 2
    def other(x):
        return x * 3
    def outer(x, bonus=7, *, malus=1):
        squares = [inner(i) for i in range(x)]
        return STEP + TABLE[x] + sum(squares) + other(inner(x)) + Colour.RED + Constants.SIZE + math.pi
    def make(first, second):
        def both(x):
            return first(x) + second(x) + first(x)
        return both
"""


def module_of(source: str) -> Any:
    module = types.ModuleType("rules")
    exec(textwrap.dedent(source), module.__dict__)
    return module


def digest_of(source: str) -> str:
    return function_digest(module_of(source).outer)


def test_equal_code_has_equal_digests():
    assert digest_of(BASE) == digest_of(BASE)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("STEP = 3", "STEP = 4"),
        ("STEP = 3", "STEP = 3.0"),
        ("[1, 2, 3]", "[1, 2, 4]"),
        ("[1, 2, 3]", "[1, 2, 3], dtype=numpy.int32"),
        ("RED = 1", "RED = 2"),
        ("SIZE = 5", "SIZE = 6"),
        ("x * 2", "x * 4"),
        ("x * 2", "x + 2"),
        ("x * 3", "-x * 3"),
        ("bonus=7", "bonus=8"),
        ("malus=1", "malus=2"),
        ("range(x)", "range(x + 1)"),
        ("other(inner(x))", "inner(other(x))"),
    ],
)
def test_any_change_of_content_changes_the_digest(old: str, new: str):
    assert old in BASE
    assert digest_of(BASE.replace(old, new)) != digest_of(BASE)


@pytest.mark.parametrize(("old", "new"), [("UNUSED = 1", "UNUSED = 2"), ("def make", "# a remark\n    def make")])
def test_unused_names_do_not_change_the_digest(old: str, new: str):
    assert digest_of(BASE.replace(old, new)) == digest_of(BASE)


def test_closures_with_different_cells_have_different_digests():
    rules = module_of(BASE)
    digests = {
        function_digest(rules.make(first, second))
        for first in (rules.inner, rules.other)
        for second in (rules.inner, rules.other)
    }
    assert len(digests) == 4


def test_a_recursive_function_has_a_digest():
    source = "def outer(x):\n    return 1 if x == 0 else x * outer(x - 1)"
    assert digest_of(source) == digest_of(source)
    assert digest_of(source) != digest_of(source.replace("x *", "x +"))


def test_functions_of_other_modules_are_included():
    def using(module: Any) -> str:
        def calls(x: float) -> float:
            return module.rule(x)

        return function_digest(calls)

    first, second = module_of("def rule(x): return x + 1"), module_of("def rule(x): return x + 2")
    assert using(first) != using(second)


def test_named_tuples_are_digested_by_their_fields():
    def using(kind: Any) -> str:
        def calls(x: int) -> Any:
            return kind(x, x)

        return function_digest(calls)

    assert using(namedtuple("Pair", "a b")) == using(namedtuple("Pair", "a b"))
    assert using(namedtuple("Pair", "a b")) != using(namedtuple("Pair", "b a"))


def test_objects_without_content_are_rejected_by_name():
    anything = object()

    def calls(x: int) -> Any:
        return anything

    with pytest.raises(TypeError, match=r"calls refers to 'anything', a object"):
        function_digest(calls)


def test_arrays_are_digested_by_content_not_by_layout():
    def using(table: numpy.ndarray) -> str:
        def calls(x: int) -> Any:
            return table[x]

        return function_digest(calls)

    table = numpy.arange(12).reshape(3, 4)
    assert using(table) == using(table.copy())
    assert using(table) != using(table.T)
    assert using(table) != using(numpy.asarray(table.reshape(4, 3)))


@pytest.mark.parametrize(("statement", "same"), [("x = x + 1", True), ("raise ValueError", False), ("assert x", False)])
def test_functions_that_raise_are_digested_with_their_location(statement: str, same: bool) -> None:
    def digest(file: str, lines_before: int) -> str:
        found: dict[str, Any] = {"__name__": "rules"}
        source = "\n" * lines_before + f"def inner(x):\n    {statement}\ndef outer(x):\n    return inner(x)\n"
        exec(compile(source, file, "exec"), found)
        return function_digest(found["outer"])

    assert digest("here/mine.py", 0) == digest("here/mine.py", 0)
    assert (digest("here/mine.py", 0) == digest("there/mine.py", 0)) == same
    assert (digest("here/mine.py", 0) == digest("here/mine.py", 1)) == same
