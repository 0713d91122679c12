"""Import direction, module cycles, file size and the paths named in the documentation."""

import ast
import re
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import starscout
from tests.sources import module, nodes

PACKAGE = Path(starscout.__file__).parent
ROOT = PACKAGE.parent

LAYERS = (
    ("errors", "kernels", "settings"),
    ("game", "drawing", "games"),
    ("evaluation", "search", "learning"),
    ("players", "records", "referee", "protocols", "games.*"),
    ("arena", "environments"),
    ("experiments", "views"),
    ("api",),
    ("cli", "web", "ladder", "__main__"),
)
"""Lowest first. A module imports modules of its own layer and of lower layers.

`games` is the registry, which loads the package of a game by name; `games.*` are those packages.
"""

LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def dotted(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


NAMES = {dotted(path) for path in modules()}


def layer(module: str) -> int | None:
    """The level of a dotted name; None for the package itself, which loads its public names on first use."""
    parts = module.split(".")[1:]
    if not parts:
        return None
    if parts[0] == "games" and len(parts) > 1:
        return LEVEL["games.*"]
    return LEVEL[parts[0]]


def imported(path: Path) -> set[str]:
    """The modules of the package that a file imports, anywhere in the file, type-checking blocks included."""
    found = set()
    for node in nodes(path):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name.split(".")[0] == "starscout"}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "starscout":
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                found.add(whole if whole in NAMES else str(node.module))
    return found


def test_imports_point_to_the_same_or_a_lower_layer() -> None:
    wrong = []
    for path in modules():
        own = layer(dotted(path))
        for name in imported(path):
            other = layer(name)
            if own is not None and other is not None and other > own:
                wrong.append(f"{path.relative_to(ROOT)} imports {name}")
    assert wrong == []


def test_modules_have_no_import_cycle() -> None:
    graph = {dotted(path): imported(path) - {"starscout", dotted(path)} for path in modules()}
    graph.pop("starscout")
    assert list(TopologicalSorter(graph).static_order())


def test_dynamic_imports_are_listed() -> None:
    hidden = re.compile(r"import_module\(|__import__\(")
    found = [str(path.relative_to(PACKAGE)) for path in modules() if hidden.search(path.read_text(encoding="utf-8"))]
    # Public names and commands are loaded on first use, games by name; exports look for an optional library.
    assert found == ["__init__.py", "arena/export.py", "cli/main.py", "games/__init__.py"]


def test_files_have_at_most_500_lines() -> None:
    assert [str(path) for path in modules() if path.read_text(encoding="utf-8").count("\n") > 500] == []


@pytest.mark.parametrize("page", sorted((ROOT / "docs").rglob("*.md")), ids=lambda path: path.name)
def test_files_named_in_the_documentation_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:starscout|tests|benchmarks|examples|docs)/[\w./-]+)`", text))
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []


GAME_TERMS = re.compile(
    r"(?<![a-z])(?:ewn|cyclic|kari|othello|discs?|cubes?|backgammons?|gammons?|gnubg|bear[ -]?offs?|dark[ -]?chess)"
    r"(?![a-z])",
    re.IGNORECASE,
)
GAME_SPECIFIC = re.compile(
    r"games/(?:\w+/|puzzle\.py)|protocols/(?:gtp|otp|nboard|tcg_\w+)\.py"
    r"|records/(?:ggf|mat|move_list|ewn_server|dark_boards)\.py"
)
"""Files about particular games: their packages, course protocols and record formats."""
MODULES_OF_GAMES = {"tcg_ewn", "starscout.protocols.tcg_ewn", "ewn_server", "starscout.records.ewn_server"}

TEXT = r".* .*"
"""Prose: help, examples and hints."""
ALLOWED_TERMS = {
    "api/games.py": TEXT,
    "api/solve.py": r"[Cc]ubes",  # the public argument
    "settings/arguments.py": r"cubes",
    "settings/schema.py": rf"[Cc]ubes|{TEXT}",
    "cli/demo.py": rf"ewn|{TEXT}",  # the game of the demonstration
    "cli/engine.py": TEXT,
    "cli/games.py": TEXT,
    "cli/play.py": TEXT,
    "cli/positions.py": rf"[Cc]ubes|{TEXT}",
    "cli/records.py": TEXT,
    "cli/referee.py": rf"ewn-cyclic|{TEXT}",  # the default game
    "views/store.py": TEXT,
}
"""File of generic code → pattern of the texts in it that may name a game or its terms."""


def identifiers_and_literals(tree: ast.AST) -> set[str]:
    """The identifiers and string literals of a module, without docstrings."""
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            found.add(node.value)
        found |= {
            name
            for field in ("id", "attr", "arg", "name", "module")
            if isinstance(name := getattr(node, field, None), str)
        }
    return found


def mentions_game(text: str) -> bool:
    words = re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", text) if text.isidentifier() else text
    return text not in MODULES_OF_GAMES and GAME_TERMS.search(words) is not None


def test_generic_code_names_no_game() -> None:
    found: dict[str, list[str]] = {}
    for path in modules():
        name = path.relative_to(PACKAGE).as_posix()
        if GAME_SPECIFIC.match(name) is None:
            texts = filter(mentions_game, identifiers_and_literals(module(path)))
            allowed = re.compile(ALLOWED_TERMS.get(name, "(?!)"), re.DOTALL)
            found[name] = [text for text in texts if allowed.fullmatch(text) is None]
    assert {name: texts for name, texts in found.items() if texts} == {}


@pytest.mark.parametrize(
    ("source", "mentioned"),
    [
        ('if game.family == "othello": pass', True),
        ("from starscout.games.ewn import rules", True),
        ("def disc_count(): pass", True),
        ("class KariBoard: pass", True),
        ("table.most_cubes", True),
        ("is_dark_chess = GnubgPlayer", True),
        ("if 'bear-off' in text: pass", True),
        ('"""Used by ewn."""', False),
        ("discarded = excuse", False),
    ],
)
def test_game_terms_are_found(source: str, mentioned: bool) -> None:
    assert any(map(mentions_game, identifiers_and_literals(ast.parse(source)))) == mentioned
