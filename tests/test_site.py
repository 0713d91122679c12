"""Documentation site: run every program in an empty folder, check links, menu, references and the build."""

import json
import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import starscout
from starscout import games
from starscout.cli.main import COMMANDS
from tests.blocks import ROOT, TRANSLATIONS, blocks_of, check_output, original_of, programs_of
from tests.command_line import run as run_command

DOCS = ROOT / "docs"
TUTORIALS = sorted((DOCS / "tutorials").glob("*.md"))
PAGES = sorted(
    page
    for pattern in (
        "index.md",
        "python.md",
        "environments.md",
        "mcts.md",
        "tutorials/*.md",
        "games/*.md",
        "searches/*.md",
    )
    for page in DOCS.glob(pattern)
)
MOST_LINES = {"backgammon": 30}
"""Tutorials whose script may be longer than SHORT lines."""
SHORT = 15
START = {"pictures/curve.svg"}
SLOW = {
    "index.md", "mcts.md", "tutorials/researcher.md", "tutorials/engine-author.md",
    "searches/progressive-pruning.md", "searches/rave.md", "tutorials/teacher.md", "tutorials/dark-chess.md",
}  # fmt: skip
"""Pages that repeat programs of other pages or start many matches."""
PROGRAMS = [
    pytest.param(page, number, marks=[pytest.mark.slow] if page.relative_to(DOCS).as_posix() in SLOW else [])
    for page in PAGES
    for number in range(len(programs_of(page)))
]


@pytest.mark.parametrize(("page", "number"), PROGRAMS, ids=lambda part: getattr(part, "stem", str(part)))
def test_program_prints_the_output_below_it(page: Path, number: int, tmp_path: Path) -> None:
    program, expected = programs_of(page)[number]
    script = tmp_path / "script.py"
    script.write_text(program, encoding="utf-8")
    ended = run_command((), folder=tmp_path, script=script)
    assert ended.returncode == 0, ended.stderr
    check_output(expected, ended.stdout)


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_tutorial_has_one_short_script(page: Path) -> None:
    ((program, expected),) = programs_of(page)
    assert len([line for line in program.splitlines() if line.strip()]) <= MOST_LINES.get(page.stem, SHORT)
    assert expected


def test_knowledge_block_is_part_of_the_example() -> None:
    program, _ = programs_of(DOCS / "games.md")[-1]
    assert program in (ROOT / "examples" / "dice_race.py").read_text(encoding="utf-8")


def linked(page: Path) -> list[str]:
    """Links of a page to other files."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    return [link for link in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in link and not link.startswith("#")]


@pytest.mark.parametrize("page", [*sorted(DOCS.rglob("*.md")), ROOT / "README.md"], ids=lambda page: page.name)
def test_links_have_a_target(page: Path) -> None:
    made = {f"pictures/{name}{kind}.svg" for name in games.NAMES for kind in ("", "-moves")} | START
    for link in linked(page):
        target = (page.parent / link.partition("#")[0]).resolve()
        inside = target.relative_to(DOCS).as_posix() if target.is_relative_to(DOCS) else ""
        assert target.exists() or inside in made, f"{page.name} links to {link}"


def exists(name: str) -> bool:
    """Whether a dotted name is a public name, a module of the package, or occurs in the source of its module."""
    parts = name.split(".")[1:]
    path = ROOT.joinpath("starscout", *parts)
    if parts[0] in starscout.__all__ or path.is_dir() or path.with_suffix(".py").is_file():
        return True
    sources = [path.parent.with_suffix(".py"), path.parent / "__init__.py"]
    return any(source.is_file() and re.search(rf"\b{path.name}\b", source.read_text("utf-8")) for source in sources)


TEXTS = [ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")]


@pytest.mark.parametrize("page", [*sorted(DOCS.rglob("*.md")), *TEXTS], ids=lambda page: page.name)
def test_modules_and_files_named_in_the_text_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    # The changelog lists former module names in the first column of its tables.
    text = re.sub(r"^\| `starscout\..*? \|", "", text, flags=re.MULTILINE) if page.name == "CHANGELOG.md" else text
    modules = set(re.findall(r"\b(starscout(?:\.[a-z_]\w*)+)", text))
    assert [name for name in sorted(modules) if not exists(name)] == []
    files = set(re.findall(r"`((?:starscout|tests|benchmarks|examples|docs)/[\w./-]+)`", text))
    assert [name for name in sorted(files) if not (ROOT / name).exists()] == []
    for name, file in re.findall(r"`(\w+)` of\s+`(starscout/[\w/]+\.py)`", text):
        assert re.search(rf"\b{name}\b", (ROOT / file).read_text(encoding="utf-8")), f"{name} is not in {file}"


def test_menu_lists_every_page() -> None:
    menu = set(re.findall(r"[\w/-]+\.md", (ROOT / "mkdocs.yml").read_text(encoding="utf-8")))
    pages = {page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")}
    assert pages <= menu
    assert menu - pages == {"reference/python.md", "reference/commands.md", "changelog.md", "contributing.md"}


REPORTS = [page for page in TRANSLATIONS.rglob("*.md") if page.stem == "reports" or page.parent.name == "reports"]
TRANSLATED = sorted(set(TRANSLATIONS.rglob("*.md")) - set(REPORTS))
PARTIAL = {"protocols.md", "dark-chess.md", "backgammon.md"}
"""Pages whose translation leaves out details."""
MUST_HAVE = ("index", "protocols", "reports", "tutorials/student", "tutorials/teacher", "games/ewn", "games/ewn-cyclic",
             "games/kari", "games/othello", "reports/004")  # fmt: skip


def prose_numbers(page: Path) -> set[str]:
    """Numbers of a page outside code and links."""
    text = re.sub(r"```.*?```|`[^`]*`|\]\([^)]*\)|<[^>]*>", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    return set(re.findall(r"\d[\d,.]*\d|\d", text))


def test_translations_exist() -> None:
    assert [name for name in MUST_HAVE if not (TRANSLATIONS / f"{name}.md").is_file()] == []
    assert all((original_of(page) or page).is_file() for page in TRANSLATED)


@pytest.mark.parametrize("page", TRANSLATED, ids=lambda page: page.name)
def test_translation_agrees_with_the_english_page(page: Path) -> None:
    """The same programs in the same order, and the same numbers; pages of reports are in tests/experiments."""
    original = original_of(page) or page
    text = page.read_text(encoding="utf-8")
    assert len(re.findall(r"[\u4e00-\u9fff]", text)) > 100
    ours, theirs = blocks_of(page), blocks_of(original)
    if page.name in PARTIAL:
        assert [block for block in theirs if block in ours] == ours
        assert prose_numbers(page) <= prose_numbers(original)
    else:
        assert ours == theirs
        assert prose_numbers(page) == prose_numbers(original)


def test_references_list_all_commands_and_names() -> None:
    code = "import json, site_hooks; print(json.dumps(site_hooks.generated()))"
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{DOCS}"}
    ended = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    made = json.loads(ended.stdout)
    commands, python = made["reference/commands.md"], made["reference/python.md"]
    assert re.findall(r"^## (\w+)$", commands, re.MULTILINE) == list(COMMANDS)
    assert all(f"Usage: starscout {name}" in commands for name in COMMANDS)
    assert sorted(re.findall(r"^::: [\w.]+\.(\w+)$", python, re.MULTILINE)) == sorted(starscout.__all__)
    assert made["pictures/ewn.svg"].startswith("<svg")
    assert made["pictures/ewn-moves.svg"].count('class="arrow"') == 6


@pytest.mark.slow
def test_site_builds_without_warnings_and_external_resources(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(tmp_path / "site")]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    ended = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr.strip()) == (0, "")
    for page in (tmp_path / "site").rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        loads = re.findall(r"<(?:script|img|iframe|source)[^>]+src=\"([^\"]+)\"", text)
        loads += re.findall(r"<link[^>]+rel=\"(?:stylesheet|preconnect|icon)\"[^>]*href=\"([^\"]+)\"", text)
        assert [load for load in loads if re.match(r"(?:https?:)?//", load)] == [], page
    # Every label of the theme that is translated is still one of the theme, and no Chinese page has it.
    english, chinese = (
        (tmp_path / "site" / name).read_text(encoding="utf-8") for name in ("index.html", "zh/index.html")
    )
    assert ('<html lang="en"' in english, '<html lang="zh-Hant"' in chinese) == (True, True)
    labels = runpy.run_path(str(DOCS / "site_hooks.py"))["CHINESE_LABELS"]
    assert [label for label in labels if label not in english] == []
    assert [label for label in labels if label in chinese] == []
    shutil.rmtree(tmp_path / "site")
