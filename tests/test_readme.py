"""Every block of the README does what it says: commands print what stands below them, Python runs."""

import re
import shlex
import subprocess
import sys

import pytest

from starscout.experiments.experiment import find_experiment
from starscout.experiments.study import load_study
from tests.blocks import ROOT, blocks_of, check_output, programs_of

BLOCKS = blocks_of(ROOT / "README.md")


def commands() -> list[tuple[str, str]]:
    """(command, expected output) for each `$ command` of the console blocks."""
    found = []
    for language, block in BLOCKS:
        if language == "console":
            for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
                command, _, expected = part.partition("\n")
                found.append((command, expected))
    return found


def test_the_two_commands_come_first() -> None:
    language, block = next((language, block) for language, block in BLOCKS if language == "sh")
    assert language == "sh"
    targets = [line.split("#")[0].split() for line in block.splitlines()]
    assert targets == [["make", "demo"], ["make", "test"]]
    makefile = (ROOT / "Makefile").read_text()
    assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for _, target in targets)


@pytest.mark.parametrize(("command", "expected"), commands())
def test_a_command_prints_what_the_readme_shows(command: str, expected: str) -> None:
    words = shlex.split(command)
    assert words[0] == "starscout"
    ended = subprocess.run(
        [sys.executable, "-m", *words], capture_output=True, text=True, cwd=ROOT, timeout=300, check=False
    )
    assert ended.returncode == 0, ended.stderr
    check_output(expected, ended.stdout)


@pytest.mark.parametrize(("program", "expected"), programs_of(ROOT / "README.md"))
def test_a_program_prints_what_the_readme_shows(program: str, expected: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, timeout=300, check=False
    )
    assert ended.returncode == 0, ended.stderr
    check_output(expected, ended.stdout)


def test_the_results_that_come_first_are_those_of_the_reports() -> None:
    """The rows are quoted from the page, which a test compares with the stored studies."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    page = (ROOT / "docs" / "reports.md").read_text(encoding="utf-8")
    opening = readme.partition("\n## ")[0]
    rows = [line for line in opening.splitlines() if line.startswith("| [")]
    assert rows
    assert all(line in page.replace("(#", "(docs/reports.md#") for line in rows)
    variance, equals = (
        load_study(find_experiment(name), ROOT / "docs" / "reports") for name in ("004-variance", "002-equals")
    )
    assert variance is not None
    assert equals is not None
    third, (kept, left, *_) = equals.row("place 3"), variance.rows
    assert f"{third.reported['wins']:.0f} wins of {third.games // 10}" in opening
    assert f"the third has {third.numbers['wins']:.0f}." in opening
    told = [f"{each.reported['score'] * each.reported['games']:.0f}" for each in (kept, left)]
    assert f"{told[0]} wins of 20 with a formula, {told[1]} of 20 without" in opening
    assert f"{kept.games} games each of 10,000 simulations" in opening
    assert f"say {100 * (kept.score or 0):.0f} % and {100 * (left.score or 0):.0f} %:" in opening
    drawn = re.search(r"The reports draw (\d+) conclusions .*? scores\. (\d+) of these", page)
    assert drawn is not None
    assert (
        f"Of the {drawn[1]} differences from which the reports draw conclusions, {drawn[2]} are not significant"
        in opening
    )
    pictures = re.findall(r"!\[[^]]*\]\((docs/reports/[^)]*)\)", opening)
    assert pictures
    assert all((ROOT / picture).is_file() for picture in pictures)
