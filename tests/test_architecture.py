"""The house as docs/architecture.md draws it: storeys, no cycles, one word for one thing, a test for each module."""

import ast
import re
from collections import Counter, defaultdict
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import starscout

PACKAGE = Path(starscout.__file__).parent
ROOT = PACKAGE.parent
PAGE = ROOT / "docs" / "architecture.md"

STOREYS = (
    ("notices", "numbers"),
    ("kernel_files", "blame"),
    ("digest", "inference"),
    ("compiler", "vectors"),
    ("kernel",),
    ("bits", "flags"),
    ("game", "value"),
    ("drawing",),
    ("source_files", "state", "notation"),
    ("games", "arguments"),
    ("game_laws", "leaves", "random_games", "puzzle_search"),
    ("evaluate",),
    ("search",),
    ("endgame",),
    ("players",),
    ("records",),
    ("referee",),
    ("environments",),
    ("protocols",),
    ("spec",),
    ("arena",),
    ("views",),
    ("experiments",),
    ("learning",),
    ("api",),
    ("web",),
    ("cli",),
    ("__main__",),
)
"""From the ground up. A package or module imports those below it, and none of its own storey or above."""

LEVEL = {name: level for level, names in enumerate(STOREYS) for name in names}

INTERFACES = {
    "Options", "Position", "command", "make", "check", "own_limit", "build", "parse", "load", "start",
    "analyse", "solve", "perft", "warm",
}  # fmt: skip
"""Names that many files give to the same thing: the options of the kind of player in this file, its command, …"""


def modules() -> list[Path]:
    return sorted(path for path in PACKAGE.rglob("*.py"))


def part(module: str) -> str:
    """The package or module of the first storey that a dotted name belongs to."""
    words = module.split(".")
    return words[1] if len(words) > 1 else "__init__"


def imported(path: Path) -> set[str]:
    """The dotted names of our own modules that a file imports, wherever in the file, for type checks too."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name.split(".")[0] == "starscout"}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "starscout":
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                is_module = (ROOT / Path(*whole.split("."))).is_dir() or (
                    ROOT / f"{whole.replace('.', '/')}.py"
                ).is_file()
                found.add(whole if is_module else str(node.module))
    return found


def dotted(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def test_every_import_goes_down() -> None:
    wrong = []
    for path in modules():
        own = part(dotted(path))
        for name in imported(path):
            other = part(name)
            if own == other or "__init__" in (own, other):
                continue
            if LEVEL[other] >= LEVEL[own]:
                wrong.append(f"{path.relative_to(ROOT)} imports {name}")
    assert wrong == []


def test_no_cycle_between_packages() -> None:
    graph: dict[str, set[str]] = defaultdict(set)
    for path in modules():
        own = part(dotted(path))
        graph[own] |= {part(name) for name in imported(path)} - {own, "__init__"}
    # The public face of the package imports upwards when a name is used.
    graph.pop("__init__", None)
    assert list(TopologicalSorter(graph).static_order())


def test_no_import_is_hidden_in_a_string() -> None:
    hidden = re.compile(r"import_module\(|__import__\(")
    found = [str(path.relative_to(PACKAGE)) for path in modules() if hidden.search(path.read_text(encoding="utf-8"))]
    # The public names are loaded when they are used, the command line finds the module of a command by its name, and
    # exports look for an optional library.
    assert found == ["__init__.py", "arena/export.py", "cli/main.py"]


def test_one_word_has_one_meaning() -> None:
    places = defaultdict(list)
    for path in modules():
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef) and not node.name.startswith("_"):
                places[node.name].append(str(path.relative_to(PACKAGE)))
    twice = {name: found for name, found in places.items() if len(set(found)) > 1 and name not in INTERFACES}
    assert twice == {}


def test_files_have_names_of_their_own() -> None:
    names = Counter(path.stem for path in modules() if path.stem != "__init__")
    # A game's rules, evaluations and protocols carry the name of the game; a command that of what it runs.
    by_design = {"ewn", "ewn_cyclic", "kari", "othello", "cubes", "mcts", "negascout", "selection"}
    commands = {path.stem for path in (PACKAGE / "cli").glob("*.py")}
    assert {name for name, count in names.items() if count > 1} - by_design - commands == set()


def test_every_module_has_a_test_of_its_own() -> None:
    tests = {path.stem.removeprefix("test_") for path in (ROOT / "tests").rglob("test_*.py")}
    missing = []
    for path in modules():
        name = path.relative_to(PACKAGE)
        if path.stem in ("__init__", "__main__") or str(name) in TESTED_ELSEWHERE:
            continue
        if not any(stem == path.stem or stem.startswith(f"{path.stem}_") for stem in tests):
            missing.append(str(name))
    assert missing == []
    for name, test in TESTED_ELSEWHERE.items():
        assert (PACKAGE / name).is_file()
        assert (ROOT / "tests" / test).is_file()


TESTED_ELSEWHERE: dict[str, str] = {}
"""Module → the test that covers it, for modules that are parts of one thing."""


def test_no_file_is_longer_than_a_person_reads() -> None:
    assert [str(path) for path in modules() if path.read_text(encoding="utf-8").count("\n") > 500] == []


@pytest.mark.parametrize("page", sorted((ROOT / "docs").rglob("*.md")), ids=lambda path: path.name)
def test_the_files_that_a_page_names_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:starscout|tests|benchmarks|examples|docs)/[\w./-]+)`", text))
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []


def test_the_page_has_a_walk_and_a_glossary() -> None:
    text = PAGE.read_text(encoding="utf-8")
    stops = re.findall(r"^\d+\. ", text, re.MULTILINE)
    words = re.findall(r"^\| \*\*(.+?)\*\* \|", text, re.MULTILINE)
    assert 5 <= len(stops) <= 12
    assert len(words) == 20
