"""Blocks of pages: what stands in them, and what they have to print."""

import doctest
import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
CHECKER = doctest.OutputChecker()


def blocks_of(page: Path) -> list[tuple[str, str]]:
    """(language, text) of every block of a page; the language is empty where none is named."""
    return re.findall(r"^ *```(\w*)\n(.*?)^ *```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def programs_of(page: Path) -> list[tuple[str, str]]:
    """(program, expected output): a python block, and the text block right behind it if there is one."""
    blocks = blocks_of(page)
    return [
        (block, following[1] if following[0] == "text" else "")
        for (language, block), following in zip(blocks, [*blocks[1:], ("", "")], strict=True)
        if language == "python"
    ]


def check_output(expected: str, actual: str) -> None:
    """`...` in the expected text stands for anything; white space at line ends does not count."""
    actual = "\n".join(line.rstrip() for line in actual.splitlines()) + "\n"
    matches = CHECKER.check_output(expected, actual, doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert matches, f"expected:\n{expected}\ngot:\n{actual}"
