"""Functions of the API: results have the fields of the JSON and print like the command."""

import ast
import inspect
import re
import socket
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import starscout
from starscout.api.engine import engine
from starscout.api.games import perft, playouts
from starscout.api.judge import judge
from starscout.api.records import export, replay
from starscout.api.show import show
from starscout.api.warm import warm
from starscout.cli.main import COMMANDS
from starscout.web.server import serve
from tests.api.results import fields
from tests.patience import PATIENCE

ROOT = Path(starscout.__file__).parents[1]
GAME = "ewn-3x3-3"
QUIET: Any = {"store": ":memory:", "progress": False}


def test_counting() -> None:
    found = perft(starscout.parse("ewn", "1..../...../...../...../....a r 1"), 2)
    assert found.nodes == 3 * 6 * 3
    assert fields(found) == {"nodes", "seconds"}
    assert str(found).startswith("54 leaves at depth 2, ")
    with pytest.raises(starscout.GameError, match="got -1"):
        perft("ewn", -1)


def test_random_games() -> None:
    found = playouts("othello-4x4", seconds=0.01)
    assert fields(found) == {"playouts", "seconds", "per_second", "mean_plies", "first_mover_wins"}
    drawn = replace(found, first_mover_wins=0.5, draws=0.25)
    assert "25.0% draws" in str(drawn)
    assert "second mover" in drawn.plot().svg
    with pytest.raises(starscout.GameError, match="threads: expected a whole number from 1 to 1024, got 0"):
        playouts("ewn", threads=0)
    with pytest.raises(starscout.GameError, match="seed: expected a whole number from 0 to"):
        playouts("ewn", seed=-1)


def test_a_position() -> None:
    shown = show(GAME, seed=3)
    assert fields(shown) == {"position", "mover", "die", "over", "moves"}
    assert (shown.moves, shown.die) == ((), None)
    assert len([line for line in str(shown).splitlines() if line.startswith("die ")]) == 3
    assert show(shown.state.rolled(2)).moves == tuple(shown.state.rolled(2).moves)
    assert shown.plot().svg.startswith("<svg")


def test_records_are_checked_and_converted(tmp_path: Path) -> None:
    file = tmp_path / "games.txt"
    file.write_text("f5d6c3\n", encoding="utf-8")
    checked = replay(file, str(file))
    assert fields(checked) == {"games", "legal", "illegal"}
    assert str(checked) == "2 games, 2 legal, 0 illegal"
    assert export(file, "ggf", output=tmp_path / "games.ggf") == (tmp_path / "games.ggf").read_text(encoding="utf-8")
    assert export(tmp_path / "games.ggf", "moves") == "f5d6c3\n"


def test_what_is_warm_and_where_it_is_kept() -> None:
    assert fields(warm(GAME, "random", workers=0, progress=False)) == {"kernels", "seconds"}
    assert fields(starscout.cache()) == {"folder", "kernels", "bytes", "removed"}


def test_lists() -> None:
    assert fields(starscout.list_games()) == {"games"}
    assert fields(starscout.list_players("ewn")) == {"players"}
    assert fields(starscout.list_experiments()) == {"experiments"}


def test_judge_needs_a_board() -> None:
    with pytest.raises(starscout.GameError, match="boards: expected a whole number from 1 to 10000, got 0"):
        judge("ewn", 0, boards=0)


def test_a_judge_and_two_engines_in_python() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    told = {"connect": f"127.0.0.1:{port}", "token": "sesame"}
    engines = [
        threading.Thread(target=engine, args=("random",), kwargs={**told, "name": name}) for name in ("one", "two")
    ]
    for thread in engines:
        thread.start()
    result = judge(GAME, port, token="sesame", rounds=2, **QUIET)
    for thread in engines:
        thread.join(PATIENCE)
    assert isinstance(result, starscout.MatchResult)
    assert {result.a, result.b} == {"one", "two"}
    assert (result.games, result.forfeits) == (2, {"A": {}, "B": {}})


def test_documentation_names_the_function_of_every_command() -> None:
    """The table of docs/python.md names the function of every command and its options, or says why it has none."""
    page = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `starscout (\w+)[^`]*` \| (.*?) \|", page, re.MULTILINE))
    assert list(rows) == list(COMMANDS)
    without = {name for name, word in rows.items() if not word.startswith("`")}
    assert without == {"demo", "play", "ladder", "submit"}
    for name in set(COMMANDS) - without:
        word = re.findall(r"`(\w+)", rows[name])[0]
        assert word in starscout.__all__
        code = (ROOT / "starscout" / "cli" / f"{COMMANDS[name]}.py").read_text(encoding="utf-8")
        functions = {node.name: node for node in ast.parse(code).body if isinstance(node, ast.FunctionDef)}
        command = list(ast.walk(functions[name]))
        # The API function may be called by another function of the same file.
        helpers = {node.func.id for node in command if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
        for helper in helpers & functions.keys():
            command += ast.walk(functions[helper])
        called = {node.attr for node in command if isinstance(node, ast.Attribute)}
        assert word in called, f"{name} does not use starscout.{word}"


def test_serve_takes_the_options_of_its_command() -> None:
    assert set(inspect.signature(serve).parameters) == {"port", "host", "token", "game", "player", "store", "lazy"}
