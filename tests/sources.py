"""The syntax trees of source files, parsed once per test process."""

import ast
import functools
from pathlib import Path


@functools.cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """All nodes of the syntax tree of a file, the module first."""
    return tuple(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


def module(path: Path) -> ast.Module:
    """The syntax tree of a file."""
    tree = nodes(path)[0]
    assert isinstance(tree, ast.Module)
    return tree
