"""The server: static files, error codes, translations."""

import ast
import gzip
import os
import re
import subprocess
import sys
import urllib.request
from pathlib import Path
from urllib.error import HTTPError

import pytest
from websockets.exceptions import ConnectionClosed

from starscout.game.state import REPETITION
from starscout.records.record import ADJOURNED, ADJUDICATIONS, FORFEITS
from starscout.views.store import ASSETS
from starscout.web.bundle import bundle
from starscout.web.catalogue import Catalogue
from starscout.web.server import STATIC
from tests.web.client import PATIENCE, ROOT, Page, serving

PAGE_WEIGHT = 300_000


def get(url: str, **headers: str) -> tuple[int, bytes]:
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=PATIENCE) as answer:
            return answer.status, answer.read()
    except HTTPError as error:
        return error.code, error.read()


def test_page_and_static_files(address: str) -> None:
    status, page = get(address)
    assert status == 200
    for name in re.findall(rb'(?:src|href)="(/static/[^"]+)"', page):
        assert get(address.rstrip("/") + name.decode())[0] == 200


@pytest.mark.parametrize("path", ["static/../server.py", "static/%2e%2e/server.py", "static//etc/passwd", "etc/passwd"])
def test_other_files_are_not_served(address: str, path: str) -> None:
    assert get(address + path)[0] == 404


def test_page_is_small_and_loads_no_external_files() -> None:
    files = [path for folder in (STATIC, ASSETS) for path in folder.iterdir() if path.is_file()]
    assert sum(path.stat().st_size for path in files) < PAGE_WEIGHT
    assert all(len(gzip.compress(path.read_bytes())) < PAGE_WEIGHT for path in files)
    for path in files:
        text = path.read_text(encoding="utf-8").replace("http://www.w3.org", "")
        assert not re.search(r"https?://|//cdn|@import", text.replace("ws://", "").replace("wss://", "")), path


def test_imports_of_scripts_exist() -> None:
    for path in (*STATIC.glob("*.js"), *ASSETS.glob("*.js")):
        for name in re.findall(r'(?:from|import)\s*\(?"\./([^"]+)"', path.read_text(encoding="utf-8")):
            assert (STATIC / name).is_file() or (ASSETS / name).is_file(), f"{path.name} imports {name}"


@pytest.mark.slow
def test_token_is_required_on_other_addresses(tmp_path: Path) -> None:
    with serving("--host", "0.0.0.0", store=tmp_path / "arena.sqlite") as address:
        token = address.partition("?token=")[2]
        assert len(token) > 16
        local = re.sub(r"//0\.0\.0\.0:(\d+)/.*", r"//127.0.0.1:\1", address)
        assert get(local + "/")[0] == 403
        assert get(local + "/static/main.js")[0] == 403
        assert get(local + "/", Cookie=f"starscout_token={token}")[0] == 200
        with Page(local, cookie=f"starscout_token={token}") as page:
            assert page.ask("catalogue")["games"]


WITHOUT_CODE = {
    "access.py": "listen",
    "catalogue.py": "__init__",
    "message.py": "read_message",
    "worker.py": "portable",
}
"""Errors that no page shows: those of the command line, and malformed messages; and one that copies others."""


class Raised(ast.NodeVisitor):
    """Collects the GameErrors that a file raises, with their function."""

    def __init__(self, path: Path) -> None:
        self.function = ""
        self.calls: list[tuple[str, ast.Call]] = []
        self.visit(ast.parse(path.read_text(encoding="utf-8")))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self.function = node.name
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Name) and node.func.id == "GameError":
            self.calls.append((self.function, node))
        self.generic_visit(node)


def error_arguments(call: ast.Call) -> tuple[str, set[str]]:
    """The code of a GameError, and the names of its arguments."""
    named = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg is not None}
    code = named.pop("code", None)
    return (str(code.value) if isinstance(code, ast.Constant) else "", set(named))


def translations() -> dict[str, str]:
    script = (STATIC / "errors.js").read_text(encoding="utf-8")
    return dict(re.findall(r'^  (\w+): "(.+)",$', script, re.MULTILINE))


def test_every_error_code_is_translated() -> None:
    known = translations()
    codes = {code: set[str]() for code in ("stopped", "internal", "engine_restarted")}
    for path in STATIC.parents[1].rglob("*.py"):
        for _, call in Raised(path).calls:
            code, arguments = error_arguments(call)
            if code:
                codes[code] = arguments
    assert set(codes) == set(known)
    for code, arguments in codes.items():
        assert set(re.findall(r"\{(\w+)\}", known[code])) <= arguments, code


def test_every_error_of_a_page_has_a_code() -> None:
    without = [
        f"{path.name}:{call.lineno}"
        for path in sorted(STATIC.parent.glob("*.py"))
        for function, call in Raised(path).calls
        if not error_arguments(call)[0] and WITHOUT_CODE.get(path.name) != function
    ]
    assert without == []


def _texts(language: str) -> dict[str, str]:
    rows = []
    for name in (f"games_{language}.js", f"{language}.js"):
        table = (ASSETS / name).read_text(encoding="utf-8")
        found = re.findall(r'^  (\w+): "((?:[^"\\]|\\.)+)",$', table, re.MULTILINE)
        assert found == sorted(found)
        assert len(found) == table.count('": "') + table.count(': "')
        rows += found
    assert len(rows) == len(dict(rows))
    return dict(rows)


def _scripts() -> str:
    """The scripts and the page itself, without the tables of texts."""
    folders = STATIC, ASSETS, ROOT / "starscout" / "ladder" / "static"
    files = [file for folder in folders for file in (*folder.glob("*.js"), *folder.glob("*.html"))]
    return "".join(file.read_text(encoding="utf-8") for file in files if not file.stem.endswith(("english", "chinese")))


def test_the_languages_have_the_same_keys() -> None:
    english, chinese = _texts("english"), _texts("chinese")
    assert list(english) == list(chinese)
    fields = {key: re.findall(r"\{\w+\}", text) for key, text in english.items()}
    assert {key: sorted(found) for key, found in fields.items()} == {
        key: sorted(re.findall(r"\{\w+\}", text)) for key, text in chinese.items()
    }
    assert len(set(english.values())) == len(english)


def test_every_key_of_the_page_exists() -> None:
    patterns = (
        r'(?<![\w.])t\("(\w+)"',
        r'(?<![\w.])t\([^"()]*(?:"chance" )?\? "(\w+)"',
        r'(?<![\w.])t\([^"()]*(?:"chance" )?\? "\w+" : "(\w+)"',
        r'data-t(?:-label)?="(\w+)"',
        r'button\("[\w-]+", "(\w+)"',
        r'\["[\w-]+", "(\w+)"\]',
    )
    asked = {key for pattern in patterns for key in re.findall(pattern, _scripts())}
    # Not keys: the sides of an unknown game.
    assert asked - set(_texts("english")) - {"second"} == set()


def _offered() -> set[str]:
    """The texts of the built-in games and of their players."""
    found = set()
    for game in Catalogue().to_json():
        described = (*game["levels"], *game["players"])
        found |= {game["title"], game["description"], *game["sides"], *(one["description"] for one in described)}
    return found


def test_every_text_of_the_games_is_translated() -> None:
    assert _offered() - set(_texts("english").values()) == set()


def test_every_text_of_the_page_is_used() -> None:
    """By its key in a script, or in English by the server."""
    quoted = set(re.findall(r'"(\w+)"', _scripts()))
    files = [*(ROOT / "starscout").rglob("*.py"), *(ROOT / "examples").glob("*.py")]
    sources = re.sub(r'"\s+"', "", "".join(path.read_text(encoding="utf-8") for path in files)).lower()
    offered = _offered()

    def is_used(key: str, text: str) -> bool:
        if key.startswith("end_"):
            # The end of a game: the key has the reason that the rules give.
            reason = key.removeprefix("end_").removesuffix("_draw").replace("_", "[^a-z0-9]")
            return re.search(f'"{reason}"', sources) is not None
        return key in quoted or text.lower() in sources or text in offered

    assert [key for key, text in _texts("english").items() if not is_used(key, text)] == []


def test_every_end_by_the_referee_is_explained() -> None:
    reasons = *FORFEITS, *ADJUDICATIONS, ADJOURNED, REPETITION
    assert {f"end_{reason.replace(' ', '_')}" for reason in reasons} - set(_texts("english")) == set()


def test_every_text_of_the_views_is_translated() -> None:
    views = "".join((ASSETS.parent / name).read_text(encoding="utf-8") for name in ("match.py", "store.py"))
    said = set(re.findall(r'(?:label|heading)\("([^"{]+)"', views))
    columns = {name for row in re.findall(r"table\(\s*\(([^()]+)\)", views) for name in re.findall(r'"([^"]+)"', row)}
    assert (said | columns) - set(_texts("english").values()) - {", "} == set()


def test_invalid_utf_8_closes_only_its_connection() -> None:
    command = [sys.executable, "-m", "starscout", "serve", "--port", "0", "--store", ":memory:"]
    plain = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=ROOT, env=plain) as server:
        assert server.stderr is not None
        try:
            found = re.search(r"http://\S+", server.stderr.readline())
            assert found is not None
            with Page(found[0]) as page, Page(found[0]) as neighbour:
                page.socket.send(b"\xff\xfe", text=True)
                with pytest.raises(ConnectionClosed) as closed:
                    # The server may have sent messages before.
                    list(iter(lambda: page.socket.recv(PATIENCE), None))
                assert closed.value.rcvd is not None
                assert closed.value.rcvd.code == 1007
                assert "games" in neighbour.ask("catalogue")
        finally:
            server.terminate()
        assert server.stderr.read() == ""


def test_all_scripts_are_one_file_and_small() -> None:
    """Imports that are discovered one after the other cost a round trip each."""
    script = bundle("main", (STATIC, ASSETS))
    names = {file.stem for folder in (STATIC, ASSETS) for file in folder.glob("*.js")} - {"saved"}
    assert set(re.findall(r"^const \$(\w+) = ", script, re.MULTILINE)) == names
    assert not re.search(r"^(import|export) |import\(", script, re.MULTILINE)
    files = [*STATIC.iterdir(), *ASSETS.iterdir()]
    assert sum(file.stat().st_size for file in files) < 400_000
    assert all(len(file.read_text().splitlines()) < 500 for file in files)
