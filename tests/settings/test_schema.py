"""Every setting is declared once: no second range or help text, and signatures refer to the schema."""

import ast
import pickle
from collections import Counter
from pathlib import Path
from typing import Annotated, get_origin

import pytest

import starscout
from starscout.settings import schema
from starscout.settings.schema import Setting, SettingError, exclusive, resolve
from tests.sources import module, nodes

PACKAGE = Path(starscout.__file__).parent
ALIASES = {name: hint for name, hint in vars(schema).items() if get_origin(hint) is Annotated}

PARAMETERS = {
    "time": "Time", "game_time": "GameTime", "increment": "Increment", "nodes": "Nodes", "depth": "Depth",
    "simulations": "Simulations", "seed": "Seed", "pairs": "Pairs", "steps": "Steps", "swiss": "Swiss",
    "engines": "Engines", "boards": "Boards", "opening_plies": "OpeningPlies", "luck": "Luck", "minutes": "Minutes",
    "wait": "Wait", "threads": "Threads", "workers": "Workers", "cluster": "Cluster", "tree_depth": "TreeDepth",
    "cubes": "Cubes", "port": "Port", "store": "StoreFile", "log": "Log", "records": "Records", "progress": "Progress",
    "json": "Json",
}  # fmt: skip
"""Name of a parameter → its setting."""


def declarations(path: Path) -> list[tuple[str, str, int]]:
    """Return name, annotation and line of the parameters of validated functions and commands, and of TypedDicts."""
    found: list[tuple[str, str, int]] = []
    for node in module(path).body:
        if isinstance(node, ast.FunctionDef):
            public = any(ast.unparse(item) == "checked" for item in node.decorator_list) or node.name == "command"
            arguments = [*node.args.args, *node.args.kwonlyargs] if public else []
            found += [(item.arg, ast.unparse(item.annotation), item.lineno) for item in arguments if item.annotation]
        elif isinstance(node, ast.ClassDef) and any("TypedDict" in ast.unparse(base) for base in node.bases):
            fields = [item for item in node.body if isinstance(item, ast.AnnAssign)]
            found += [(ast.unparse(item.target), ast.unparse(item.annotation), item.lineno) for item in fields]
    return found


def test_signatures_refer_to_the_schema() -> None:
    wrong = []
    for folder in ("api", "cli", "environments", "settings", "web"):
        for path in sorted((PACKAGE / folder).rglob("*.py")):
            for name, annotation, line in declarations(path):
                alias = PARAMETERS.get(name)
                words = set(annotation.replace("[", " ").replace("]", " ").replace(",", " ").split())
                if alias is not None and alias not in words:
                    wrong.append(f"{path.relative_to(PACKAGE)}:{line}: {name}: {annotation}")
    assert wrong == []


def test_limits_and_options_of_players_refer_to_the_schema() -> None:
    for file, fields in {
        "search/limits.py": ("time", "increment", "depth", "nodes", "simulations"),
        "protocols/registry.py": ("time", "increment", "depth", "nodes", "simulations"),
        "players/python_class.py": ("time", "depth", "nodes", "simulations"),
        "players/negascout.py": ("time", "nodes", "threads"),
        "players/mcts.py": ("time", "simulations"),
    }.items():
        tree = ast.parse((PACKAGE / file).read_text(encoding="utf-8"))
        found = {
            ast.unparse(node.target): ast.unparse(node.annotation)
            for node in ast.walk(tree)
            if isinstance(node, ast.AnnAssign)
        }
        for name in fields:
            assert PARAMETERS[name] in found[name], (file, name)


def test_help_texts_and_ranges_are_declared_in_one_place() -> None:
    texts: Counter[str] = Counter()
    ranges = []
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in nodes(path):
            if not isinstance(node, ast.Call):
                continue
            called = ast.unparse(node.func)
            if called == "Setting" and node.args and isinstance(node.args[0], ast.Constant):
                texts[str(node.args[0].value)] += 1
            elif called in ("typer.Option", "typer.Argument"):
                given = [keyword.arg for keyword in node.keywords if keyword.arg in ("min", "max")]
                helps = [keyword for keyword in node.keywords if keyword.arg == "help"]
                constant = any(isinstance(item.value, ast.Constant) for item in helps)
                if given or (constant and path.name != "main.py"):
                    ranges.append(f"{path.relative_to(PACKAGE)}:{node.lineno}")
    repeated = [text for text, count in texts.items() if count > 1 and text in HELPS]
    assert repeated == []
    assert ranges == []


HELPS = {resolve(hint)[1].help for hint in ALIASES.values()}


@pytest.mark.parametrize("name", ALIASES)
def test_every_setting_has_help_and_a_range(name: str) -> None:
    kinds, setting = resolve(ALIASES[name])
    assert setting.help.endswith(".")
    if int in kinds or float in kinds:
        assert setting.low is not None
        assert setting.high is not None
        assert setting.low < setting.high


def test_helps_differ() -> None:
    assert len(HELPS) == len(ALIASES)


def test_errors_use_the_names_of_the_caller() -> None:
    with pytest.raises(SettingError, match="pass only one of minutes, games, recipe") as error:
        exclusive(minutes=1.0, games=10, recipe=None)
    assert error.value.text("--minutes", "--games", "--recipe") == "pass only one of --minutes, --games, --recipe"
    exclusive(minutes=None, games=10, recipe=None)
    again = pickle.loads(pickle.dumps(SettingError("{}", ("x",), ": got {}")))
    assert str(again) == "x: got {}"


def test_narrowing_replaces_only_what_is_given() -> None:
    setting = Setting("Help.", 1, 5, "plies").narrowed(Setting(low=0))
    assert setting == Setting("Help.", 0, 5, "plies")
