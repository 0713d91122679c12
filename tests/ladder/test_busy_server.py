"""A busy server: pages that take seconds, submissions that it cannot handle or that were late once."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from starscout.api.check import CheckResult
from starscout.ladder import build, submissions
from starscout.ladder.build import BuildError, check_engine
from starscout.ladder.configuration import Folder, Ladder, open_folder
from starscout.ladder.pages import Call
from starscout.ladder.server import MAX_WAITING, PUBLIC, THREADS, LadderServer
from starscout.ladder.store import LadderStore
from starscout.ladder.submissions import Submissions, receive
from starscout.ladder.views import SlowError, Views
from starscout.protocols.diagnosis import Problem
from starscout.search.limits import Limit
from tests.ladder.running import CONFIGURATION, GAME
from tests.patience import PATIENCE


@pytest.fixture
def ladder(tmp_path: Path) -> tuple[Folder, Ladder]:
    (tmp_path / "ladder.toml").write_text(CONFIGURATION)
    return open_folder(tmp_path)


@pytest.fixture
def server(ladder: tuple[Folder, Ladder]) -> Iterator[LadderServer]:
    unused: Any = SimpleNamespace()
    made = LadderServer(*ladder, unused, unused, "token")
    yield made
    made.close()


def request(path: str) -> Request:
    async def receive_nothing() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    scope = {"type": "http", "method": "GET", "path": path, "query_string": b"", "headers": [], "server": ("here", 80)}
    return Request({**scope, "path_params": {}, "scheme": "http"}, receive_nothing)


def test_other_pages_do_not_wait_for_slow_ones(server: LadderServer) -> None:
    """Regression: ten reviews delayed the standings by a minute."""
    go_on = threading.Event()

    def slow(shown: Views, call: Call) -> Response:
        if not shown.slow:
            raise SlowError
        go_on.wait(PATIENCE)
        return PlainTextResponse("slow")

    def quick(shown: Views, call: Call) -> Response:
        return PlainTextResponse("quick")

    async def ask() -> list[int]:
        review, standings = server.endpoint(PUBLIC, slow), server.endpoint(PUBLIC, quick)
        count = max(THREADS, MAX_WAITING) + 2
        waiting = [asyncio.ensure_future(review(request(f"/slow/{number}"))) for number in range(count)]
        try:
            for number in range(2):
                answer = await asyncio.wait_for(standings(request(f"/quick/{number}")), PATIENCE / 4)
                assert answer.status_code == 200
            while sum(task.done() for task in waiting) < 2:
                await asyncio.sleep(0.01)
        finally:
            go_on.set()
        return sorted(answer.status_code for answer in await asyncio.gather(*waiting))

    assert asyncio.run(asyncio.wait_for(ask(), 2 * PATIENCE)) == [200] * MAX_WAITING + [503] * 2


def test_a_submission_that_the_server_cannot_handle_is_rejected(
    ladder: tuple[Folder, Ladder], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Regression: it was built again and again, and its student's page always showed `building`."""
    folder, configuration = ladder

    def fail(*arguments: object) -> None:
        raise KeyError("unexpected")

    monkeypatch.setattr(submissions, "unpack", fail)
    with LadderStore(folder.store) as store:
        store.enrol("anna", "Anna", "", "", "hash")
        (student,) = store.students()
        number = receive(store, folder, configuration, student, GAME, "agent.py", b"x", "upload")
        thread = Submissions(folder, configuration, lambda *_: 0, nullcontext)
        thread._process(store, store.submission(number))
        found = store.submission(number)
        assert (found.status, found.reason) == ("rejected", "the server failed; please tell your teacher")
        assert any("KeyError" in text for _, _, text in store.events())


@pytest.mark.parametrize("late", [1, 2])
def test_an_engine_that_was_late_is_checked_once_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, late: int
) -> None:
    """Regression: on a busy machine, engines that answer at once were rejected."""
    (tmp_path / "agent.py").write_text("class A:\n    def choose(self, state, limit):\n        return state.moves[0]\n")
    wrong = CheckResult(False, "python", 1, (Problem("late answer", "answered after 0.55 s"),))
    results = [wrong] * late + [CheckResult(True, "python", 2, ())]
    monkeypatch.setattr(build, "examine", lambda *_: results.pop(0))
    if late == 1:
        assert check_engine(GAME, tmp_path, Limit(time=0.5), 0) == "python:agent.py:A"
    else:
        with pytest.raises(BuildError, match=r"late answer: answered after 0\.55 s"):
            check_engine(GAME, tmp_path, Limit(time=0.5), 0)
