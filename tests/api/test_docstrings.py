"""Every public name has an example that runs."""

import ast
import doctest
from pathlib import Path
from types import FunctionType

import pytest

import starscout

RUNNER_FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
FILE = Path(starscout.__file__)


@pytest.mark.parametrize("name", starscout.__all__)
def test_every_public_name_has_an_example_that_runs(name: str) -> None:
    public = getattr(starscout, name)
    known = {other: getattr(starscout, other) for other in starscout.__all__}
    names = {**known, "starscout": starscout}
    found = doctest.DocTestFinder(exclude_empty=True).find(public, name, globs=names)
    assert any(test.examples for test in found), f"{name} has no example"
    runner = doctest.DocTestRunner(optionflags=RUNNER_FLAGS)
    for test in found:
        said: list[str] = []
        runner.run(test, out=said.append)
        assert runner.failures == 0, "".join(said)


def test_the_example_of_the_package() -> None:
    (test, *_) = doctest.DocTestFinder(recurse=False).find(starscout, "starscout", globs={})
    said: list[str] = []
    assert doctest.DocTestRunner(optionflags=RUNNER_FLAGS).run(test, out=said.append).failed == 0, "".join(said)


def test_type_checkers_see_the_lazy_names() -> None:
    tree = ast.parse(FILE.read_text(encoding="utf-8"))
    (block,) = (node for node in tree.body if isinstance(node, ast.If))
    seen = {
        alias.name: node.module.removeprefix("starscout.")
        for node in block.body
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }
    places = {name: place for place, names in starscout._MODULES.items() for name in names}
    assert seen == places
    assert sorted(places) == sorted(starscout.__all__)
    for name in starscout.__all__:
        public = getattr(starscout, name)
        if isinstance(public, type | FunctionType):
            assert public.__module__ == f"starscout.{places[name]}"


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="'starscout' has no attribute 'mtach'"):
        starscout.mtach  # noqa: B018  # pyright: ignore[reportAttributeAccessIssue]
    assert set(starscout.__all__) <= set(dir(starscout))
