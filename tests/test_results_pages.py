"""Results pages: each names its date, commit, code and command, and says so if the code has changed since."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.blocks import ROOT

PAGES = sorted((ROOT / "docs" / "results").glob("*.md"))
LINE = re.compile(
    r"^Last measured: (\d{4}-\d\d-\d\d), commit ([0-9a-f]{7,40})\. Describes: ([^.]*(?:\.py`[^.]*)*)\.(.*)$",
    re.MULTILINE,
)
CHANGED = " The code has changed since."


def git(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=False)


def described(page: Path) -> tuple[str, list[str], bool]:
    """Commit, paths, and whether the page says that the code has changed since."""
    found = LINE.search(page.read_text(encoding="utf-8"))
    assert found is not None, f"{page.name}: no line 'Last measured: DATE, commit C. Describes: `path`.'"
    return found[2], re.findall(r"`([^`]+)`", found[3]), found[4] == CHANGED


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page_names_its_provenance_and_command(page: Path) -> None:
    _, paths, _ = described(page)
    assert paths
    assert [path for path in paths if not (ROOT / path).exists()] == []
    assert re.search(r"`(python benchmarks/|starscout |make )", page.read_text(encoding="utf-8"))


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page_older_than_the_code_says_so(page: Path) -> None:
    commit, paths, changed = described(page)
    if git("cat-file", "-e", commit).returncode:
        pytest.skip("the history is incomplete")
    later = git("log", "--oneline", f"{commit}..HEAD", "--", *paths).stdout.splitlines()
    assert bool(later) == changed, (
        f"{page.name}: measure again and name the new commit, or add or remove '{CHANGED.strip()}'"
    )
