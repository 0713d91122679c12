"""Code blocks of documentation pages and comparison of their output."""

import doctest
import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
CHECKER = doctest.OutputChecker()


TRANSLATIONS = ROOT / "docs" / "zh"


def original_of(page: Path) -> Path | None:
    """The English original of a Chinese page; None for other pages."""
    return ROOT / "docs" / page.relative_to(TRANSLATIONS) if page.is_relative_to(TRANSLATIONS) else None


def blocks_of(page: Path) -> list[tuple[str, str]]:
    """(language, text) of every fenced block of a page; the language may be empty."""
    return re.findall(r"^ *```(\w*)\n(.*?)^ *```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def programs_of(page: Path) -> list[tuple[str, str]]:
    """(program, expected output) of every python block; the output is the text block that follows, if any."""
    blocks = blocks_of(page)
    return [
        (block, following[1] if following[0] == "text" else "")
        for (language, block), following in zip(blocks, [*blocks[1:], ("", "")], strict=False)
        if language == "python"
    ]


def check_output(expected: str, actual: str) -> None:
    """Assert that the output matches; `...` matches anything, trailing white space is ignored."""
    actual = "\n".join(line.rstrip() for line in actual.splitlines()) + "\n"
    matches = CHECKER.check_output(expected, actual, doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert matches, f"expected:\n{expected}\ngot:\n{actual}"
