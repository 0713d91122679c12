"""A running ladder: submissions, authorisation, pages, the final."""

import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from starscout.ladder.server import OPEN, PUBLIC, ROUTES, STUDENT, TEACHER
from starscout.ladder.store import LadderStore
from tests.ladder.running import CONFIGURATION, DECIDED, FIRST, GAME, LAST, PATIENCE, Running, running


@pytest.fixture(scope="module")
def ladder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(tmp_path_factory.mktemp("ladder")) as found:
        yield found


@pytest.fixture(scope="module")
def tokens(ladder: Running) -> dict[str, str]:
    return ladder.tokens()


@pytest.fixture(scope="module")
def anna(ladder: Running, tokens: dict[str, str]) -> dict[str, str]:
    """Anna's engine has been accepted and has played."""
    found = ladder.submit(tokens["anna"], "agent.py", FIRST.encode())
    assert found["status"] == "accepted", found
    ladder.until(lambda: ladder.standing("Anna <b>"), lambda row: row is not None and row["pairs"] >= 2)
    ladder.freeze(True)
    return tokens


def zipped(**files: str) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, text in files.items():
            archive.writestr(name.replace("__", "."), text)
    return content.getvalue()


def test_names_are_plain_text_and_pages_show_the_games(ladder: Running, anna: dict[str, str]) -> None:
    for path in ("/", "/games", "/live", "/teacher"):
        status, text = ladder.get(path, ladder.teacher)
        assert status == 200
        assert "<b>" not in re.sub(r"<b>.{0,60}?</b>", "", text)
        assert "Test &lt;ladder&gt;" in text
    row = ladder.standing("Anna <b>")
    assert row is not None
    status, text = ladder.get(f"/games?player={row['entrant']}")
    pair = re.search(r'href="(/pair/\d+)"', text)
    assert pair is not None
    status, text = ladder.get(pair[1])
    assert status == 200
    assert text.count("<svg") == 2
    status, text = ladder.get(pair[1] + "/0")
    assert (status, "Largest mistakes" in text) == (200, True)
    status, text = ladder.get(f"/badge/{row['entrant']}.svg")
    assert (status, "Anna &lt;b&gt;" in text) == (200, True)
    assert ladder.get(f"/entrant/{row['entrant']}")[0] == 200


def test_a_makefile_is_built_and_failures_have_a_transcript(ladder: Running, anna: dict[str, str]) -> None:
    files = {"Makefile": "agent.py:\n\tcp source.txt agent.py\n", "source__txt": LAST}
    found = ladder.submit(anna["bert"], "engine.zip", zipped(**files))
    assert found["status"] == "accepted", found
    failing = ladder.submit(anna["chen"], "engine.zip", zipped(Makefile="all:\n\techo sorry >&2; exit 3\n"))
    assert (failing["status"], "sorry" in failing["transcript"]) == ("rejected", True)
    # Only members of the team and the teacher see it.
    for token, status in ((anna["bert"], 200), (ladder.teacher, 200), (anna["anna"], 400), ("", 403)):
        assert ladder.get(f"/submission/{failing['id']}", token)[0] == status
        assert ladder.get(f"/api/submissions/{failing['id']}", token)[0] == status
    # The previous version still plays.
    assert ladder.standing("Team") is not None


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("gcc") is None, reason="no C compiler")
def test_a_program_in_c_is_built_and_its_crash_is_explained(ladder: Running, anna: dict[str, str]) -> None:
    source = 'int puts(const char *); int main(void) { puts("hello"); return 5; }\n'
    files = zipped(
        Makefile="engine: engine.c\n\tgcc -o engine engine.c\n", engine__c=source, engine__txt="lab:./engine\n"
    )
    found = ladder.submit(anna["kim"], "engine.zip", files)
    assert found["status"] == "rejected"
    assert "lab:./engine" in found["reason"]
    assert str(ladder.folder) not in json.dumps(found)


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("agent.py", b"class A:\n    def choose(self, state, limit):\n        return 'Z9'\n", "illegal move"),
        ("agent.py", b"x = (\n", "never closed"),
        ("notes.txt", b"hello", "no engine found"),
        ("evil.zip", zipped(**{"../evil": "x"}), "not accepted"),
        ("engine.zip", zipped(engine__txt="random"), "engine.txt: expected python:FILE:CLASS"),
        ("engine.zip", zipped(engine__txt="lab:/bin/sh"), "paths are relative"),
    ],
)
def test_a_rejected_submission_says_why(
    ladder: Running, tokens: dict[str, str], name: str, data: bytes, reason: str
) -> None:
    before = ladder.standing("Kim")
    found = ladder.submit(tokens["kim"], name, data)
    assert found["status"] == "rejected"
    assert reason in found["reason"]
    after = ladder.standing("Kim")
    assert (after and after["number"]) == (before and before["number"])


def test_an_engine_cannot_read_other_engines_and_the_store(ladder: Running, anna: dict[str, str]) -> None:
    assert list((ladder.folder / "versions").iterdir())
    source = f"""
import os

class Spy:
    def choose(self, state, limit):
        found = [os.path.dirname(os.path.dirname(__file__)), {str(ladder.folder)!r}]
        for name in ("ladder.sqlite", "teacher.token", "submissions/1.bin"):
            try:
                open(os.path.join(found[1], name)).read()
                return "read " + name
            except OSError:
                pass
        try:
            others = [name for name in os.listdir(found[0]) if os.listdir(os.path.join(found[0], name))]
        except OSError:
            others = []
        return state.moves[0] if len(others) <= 1 else "saw others"
"""
    found = ladder.submit(anna["kim"], "agent.py", source.encode())
    assert found["status"] == "accepted", found


def test_the_command_and_curl_submit(ladder: Running, anna: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text(FIRST)
    command = [sys.executable, "-m", "starscout", "submit", str(tmp_path / "agent.py"), "--to", ladder.address]
    environment = {**os.environ, "STARSCOUT_TOKEN": anna["anna"]}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=PATIENCE)
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, "accepted"), done.stderr
    wrong = subprocess.run(command, capture_output=True, text=True, env={**environment, "STARSCOUT_TOKEN": "x"})
    assert wrong.returncode == 2
    assert "this token is not known" in wrong.stderr
    nowhere = subprocess.run([*command[:-1], "localhost:8020"], capture_output=True, text=True, env=environment)
    assert nowhere.returncode == 2
    assert "--to: expected an address such as http://localhost:8020" in nowhere.stderr
    if shutil.which("curl"):
        words = ["curl", "-sS", "-H", f"Authorization: Bearer {anna['anna']}", "-T", str(tmp_path / "agent.py")]
        sent = subprocess.run([*words, f"{ladder.address}/submit/"], capture_output=True, text=True, check=True)
        assert json.loads(sent.stdout)["status"] == "waiting"


def test_the_inbox_is_watched(ladder: Running, tokens: dict[str, str]) -> None:
    inbox = ladder.folder / "inbox" / "kim"
    (inbox / "later.py.part").write_text(LAST)
    (inbox / "agent.py").write_text(LAST)
    ladder.until(lambda: [path.name for path in inbox.iterdir()], lambda names: names == ["later.py.part"])
    with LadderStore(ladder.folder / "ladder.sqlite") as store:
        (found,) = ladder.until(lambda: store.submissions(limit=1), lambda newest: newest[0].status in DECIDED)
    assert (found.status, found.channel) == ("accepted", "inbox")
    assert ladder.standing("Kim") is not None


def test_too_large_and_too_many_files_are_refused(ladder: Running, tokens: dict[str, str]) -> None:
    status, text = ladder.get("/submit/x.py", tokens["kim"], "PUT", bytes(1_100_000))
    assert (status, "larger than 1 MB" in text) == (400, True)
    assert ladder.get("/submit/x.py", tokens["kim"], "PUT", b"")[0] == 400
    assert ladder.get("/submit/x.py?game=chess", tokens["kim"], "PUT", b"x")[0] == 400


def example(path: str) -> str:
    return re.sub(r"\{\w+:int\}", "1", path)


def test_every_route_checks_the_token(ladder: Running, anna: dict[str, str]) -> None:
    for method, path, role, _ in ROUTES:
        assert (role == TEACHER) == path.startswith("/teacher")
        assert (role == STUDENT) == path.startswith(("/mine", "/submission/", "/api/submissions/", "/restore"))
        place = example(path)
        nobody, _ = ladder.get(place, "", method, b"" if method == "POST" else None)
        wrong, _ = ladder.get(place, "wrong" * 5, method, b"" if method == "POST" else None)
        student = 403 if role == TEACHER and method == "POST" else None
        if role in (STUDENT, TEACHER):
            assert (nobody, wrong) == (403, 403), path
        else:
            assert nobody < 400, path
        if student:
            assert ladder.get(place, anna["anna"], method, b"")[0] == student, path
    assert {role for _, _, role, _ in ROUTES} == {PUBLIC, STUDENT, TEACHER, OPEN}
    assert ladder.get("/submit/x.py", "", "PUT", b"x")[0] == 403
    assert ladder.get("/submit/x.py", ladder.teacher, "PUT", b"x")[0] == 403


def test_other_sites_cannot_use_the_cookie(ladder: Running, anna: dict[str, str]) -> None:
    form = b"token=" + anna["anna"].encode()
    kind: dict[str, Any] = {"Content-Type": "application/x-www-form-urlencoded"}
    status, _ = ladder.get("/login", "", "POST", form, **kind)
    assert status == 303
    cookie: dict[str, Any] = {"Cookie": f"starscout_ladder={anna['anna']}"}
    assert ladder.get("/mine", **cookie)[0] == 200
    for method, path in (("PUT", "/submit/x.py"), ("POST", "/restore"), ("POST", "/login")):
        assert ladder.get(path, "", method, b"x", Origin="http://evil.example", **cookie)[0] == 403
    assert ladder.get("/", Host="evil.example")[0] == 403


def test_last_words_are_for_the_owner(ladder: Running, anna: dict[str, str]) -> None:
    # A check allows at most one second per move, the ladder of this test two.
    source = (
        "class A:\n    def choose(self, state, limit):\n        if limit.time > 1.5:\n"
        "            raise ValueError('my secret')\n        return state.moves[0]\n"
    )
    found = ladder.submit(anna["kim"], "agent.py", source.encode())
    assert found["status"] == "accepted", found
    ladder.freeze(False)
    row = ladder.until(lambda: ladder.standing("Kim"), lambda row: row is not None)
    address = f"/games?player={row['entrant']}&kind=forfeits"
    text = ladder.until(lambda: ladder.get(address)[1], lambda text: "/pair/" in text)
    ladder.freeze(True)
    pair = re.findall(r'href="(/pair/\d+)"', text)[0]
    for token, shown in ((anna["kim"], True), (ladder.teacher, True), (anna["anna"], False), ("", False)):
        assert ("my secret" in ladder.get(pair, token)[1]) == shown
        assert ("Private log" in ladder.get(pair, token)[1]) == shown


def test_a_version_is_restored_by_its_owner_only(ladder: Running, anna: dict[str, str]) -> None:
    assert ladder.submit(anna["anna"], "agent.py", LAST.encode())["status"] == "accepted"
    row = ladder.standing("Anna <b>")
    assert row is not None
    assert row["number"] == 2
    with LadderStore(ladder.folder / "ladder.sqlite") as store:
        first = next(v for v in store.versions(entrant=row["entrant"]) if v.number == 1)
    kind: dict[str, Any] = {"Content-Type": "application/x-www-form-urlencoded"}
    assert ladder.get("/restore", anna["kim"], "POST", f"version={first.id}".encode(), **kind)[0] == 400
    assert ladder.get("/restore", anna["anna"], "POST", f"version={first.id}".encode(), **kind)[0] == 303
    row = ladder.standing("Anna <b>")
    assert row is not None
    assert row["number"] == 1


def test_the_teacher_controls_the_ladder(ladder: Running, anna: dict[str, str]) -> None:
    kind: dict[str, Any] = {"Content-Type": "application/x-www-form-urlencoded"}
    row = ladder.standing("Anna <b>")
    assert row is not None
    body = f"entrant={row['entrant']}".encode()
    assert ladder.get("/teacher/disqualify", ladder.teacher, "POST", body, **kind)[0] == 303
    assert ladder.standing("Anna <b>") is None
    assert ladder.get("/submit/a.py", anna["anna"], "PUT", FIRST.encode())[0] == 400
    assert ladder.get("/teacher/reinstate", ladder.teacher, "POST", body, **kind)[0] == 303
    assert ladder.standing("Anna <b>") is not None
    ladder.freeze(False)
    ladder.until(lambda: ladder.get("/live")[1], lambda text: "No games now." not in text)
    ladder.freeze(True)
    ladder.until(lambda: ladder.get("/live")[1], lambda text: "No games now." in text)
    status, text = ladder.get("/teacher/grades.csv?grades=A=50,F=0", ladder.teacher)
    assert (status, len(text.splitlines())) == (200, 5)
    assert ladder.get("/teacher/grades.csv?grades=A", ladder.teacher)[0] == 400


@pytest.mark.slow
def test_a_private_ladder_needs_a_token_for_every_page(tmp_path: Path) -> None:
    with running(tmp_path / "private", configuration="public = false\n" + CONFIGURATION) as ladder:
        tokens = ladder.tokens()
        assert ladder.get("/")[0] == 403
        assert ladder.get("/", Accept="text/html")[0] == 303
        assert ladder.get("/", tokens["anna"])[0] == 200
        second = [sys.executable, "-m", "starscout", "ladder", str(tmp_path / "private"), "--port", "0"]
        done = subprocess.run(second, capture_output=True, text=True)
        assert done.returncode == 2
        assert "another process runs this ladder" in done.stderr


def test_a_killed_ladder_goes_on_where_it_was(tmp_path: Path) -> None:
    folder = tmp_path / "killed"
    with running(folder) as ladder:
        ladder.until(lambda: ladder.standing("random"), lambda row: row["pairs"] >= 3)
        ladder.process.send_signal(signal.SIGKILL)
        ladder.process.wait()
    check(folder)
    with running(folder) as ladder:
        before = ladder.standing("random")
        assert before is not None
        assert before["pairs"] >= 3
        ladder.until(lambda: ladder.standing("random"), lambda row: row["pairs"] > before["pairs"] + 2)
    assert check(folder) > before["pairs"]


def check(folder: Path) -> int:
    """Compare pairs, sums and log of a store; returns the number of pairs."""
    with LadderStore(folder / "ladder.sqlite") as store:
        stored = sum(len(store.stored_pairs(match.id)) for match in store.matches())
        assert stored == store.pair_count() == sum(s.folds[0].n + s.folds[1].n for s in store.sums(GAME))
        for sums in store.sums(GAME):
            records = list(store.pairs(sums.match))
            assert sum(record.score for record in records) == pytest.approx(sums.folds[0].y + sums.folds[1].y)
        return stored


@pytest.mark.slow
def test_the_final_counts_its_own_games(tmp_path: Path) -> None:
    configuration = CONFIGURATION + "[final]\npairs = 1\n"
    with running(tmp_path / "final", configuration=configuration) as ladder:
        tokens = ladder.tokens()
        assert ladder.submit(tokens["anna"], "agent.py", FIRST.encode())["status"] == "accepted"
        kind: dict[str, Any] = {"Content-Type": "application/x-www-form-urlencoded"}
        assert ladder.get("/teacher/final", ladder.teacher, "POST", b"", **kind)[0] == 303
        assert ladder.get("/submit/a.py", tokens["kim"], "PUT", FIRST.encode())[0] == 400
        ladder.until(lambda: ladder.json("/api/standings")["phase"], lambda phase: phase == "finished")
        assert "<h2 data-t>Final</h2>" in ladder.get("/", ladder.teacher)[1]
        text = ladder.get("/teacher/grades.csv", ladder.teacher)[1]
        assert re.search(r"^anna,Anna <b>,Anna <b>,ewn-3x3-3,[123],[^,]*,[^,]*,4,", text, re.MULTILINE)
