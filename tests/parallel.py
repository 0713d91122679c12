"""pytest plugin: run the tests in forked processes, `pytest -p tests.parallel --processes 3`.

The tests are collected once, and every process is a fork with all test files imported. With pytest-xdist each process
would import all test files itself, which takes 14 CPU-seconds in a fresh clone.
"""

import atexit
import contextlib
import os
import signal
from collections import deque
from multiprocessing.connection import Connection, Pipe, wait
from typing import Any, NoReturn

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--processes", type=int, default=1, help="number of processes that run tests")


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    processes = min(int(session.config.getoption("processes") or 1), len(session.items))
    if processes < 2 or session.testsfailed or session.config.option.collectonly:
        return None
    _run(session, processes)
    return True


SHARED = ("tests/web/",)
"""Folders whose files share servers: one process runs them. They take longest, so they come first."""


class _Queue:
    """Tests in the order of collection: one file per process, and parts of unfinished files at the end.

    Every process runs its tests of a file in the order of collection: they may share a server that later ones change.
    """

    def __init__(self, items: list[pytest.Item]) -> None:
        files: dict[str, deque[int]] = {folder: deque() for folder in SHARED}
        self._file_of: list[str] = []
        """Test → its file, or the folder of several files."""
        for index, item in enumerate(items):
            file = item.nodeid.partition("::")[0]
            self._file_of.append(next(filter(file.startswith, SHARED), file))
            files.setdefault(self._file_of[-1], deque()).append(index)
        self._waiting = deque(tests for tests in files.values() if tests)
        self._started: list[deque[int]] = []

    def next(self, part: deque[int], latest: dict[str, int]) -> tuple[int | None, deque[int]]:
        """The next test of a process, and what follows it.

        `part` is what is left of its current file, `latest` has the latest test of each file that it has run.
        """
        if not part:
            part = self._waiting.popleft() if self._waiting else self._second_half(latest)
            self._started.append(part)
        if not part:
            return None, part
        latest[self._file_of[part[0]]] = part[0]
        return part.popleft(), part

    def _second_half(self, latest: dict[str, int]) -> deque[int]:
        """Take the second half of what is left of the longest part that a process may continue."""
        parts = [
            part for part in self._started if part and latest.get(self._file_of[part[0]], -1) < part[len(part) // 2]
        ]
        longest = max(parts, key=len, default=deque[int]())
        return deque(reversed([longest.pop() for _ in range((len(longest) + 1) // 2)]))

    def put_back(self, index: int) -> None:
        """Run a test again that was assigned to a process that has ended."""
        self._waiting.appendleft(deque([index]))


class _Worker:
    """A forked process. It knows the test after the current one, to tear down fixtures that are no longer needed."""

    def __init__(self, session: pytest.Session, queue: _Queue, others: list["_Worker"]) -> None:
        self._queue = queue
        self._part: deque[int] = deque()
        self._latest: dict[str, int] = {}
        self.assigned: deque[int] = deque()
        """The current test and the next one."""
        self.connection, child = Pipe()
        self.pid = os.fork()
        if self.pid == 0:
            # A process must notice the end of the parent process: no other one may hold its connection.
            for connection in (self.connection, *(worker.connection for worker in others)):
                connection.close()
            _work(session, child)
        child.close()
        for _ in range(2):
            self.assign()

    def assign(self) -> None:
        """Send the number of the next test; None if there is none."""
        index, self._part = self._queue.next(self._part, self._latest)
        if index is not None:
            self.assigned.append(index)
        # A process that has ended is noticed when its answer is read.
        with contextlib.suppress(OSError):
            self.connection.send(index)


def _run(session: pytest.Session, processes: int) -> None:
    queue = _Queue(session.items)
    workers: list[_Worker] = []
    for _ in range(processes):
        workers.append(_Worker(session, queue, workers))
    try:
        while workers:
            ready = wait([worker.connection for worker in workers])
            for worker in [worker for worker in workers if worker.connection in ready]:
                try:
                    reports = worker.connection.recv()
                except (EOFError, OSError):
                    workers.remove(worker)
                    _, status = os.waitpid(worker.pid, 0)
                    if worker.assigned:
                        crashed = worker.assigned.popleft()
                        for index in worker.assigned:
                            queue.put_back(index)
                        workers.append(_Worker(session, queue, workers))
                        _log(session, crashed, [_crash(session, crashed, status)])
                else:
                    _log(session, worker.assigned.popleft(), reports)
                    worker.assign()
    finally:
        for worker in workers:
            os.kill(worker.pid, signal.SIGKILL)
            os.waitpid(worker.pid, 0)


def _log(session: pytest.Session, index: int, reports: list[Any]) -> None:
    item, hook = session.items[index], session.config.hook
    hook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for data in reports:
        report = hook.pytest_report_from_serializable(config=session.config, data=data)
        hook.pytest_runtest_logreport(report=report)
    hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    if session.shouldfail:
        raise session.Failed(session.shouldfail)


def _crash(session: pytest.Session, index: int, status: int) -> dict[str, Any]:
    item = session.items[index]
    message = f"the process of this test ended with exit code {os.waitstatus_to_exitcode(status)}"
    report = pytest.TestReport(item.nodeid, item.location, {}, "failed", message, "call")
    return session.config.hook.pytest_report_to_serializable(config=session.config, report=report)


class _Reports:
    """Collects the reports of one test."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self.found: list[dict[str, Any]] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        data = self._config.hook.pytest_report_to_serializable(config=self._config, report=report)
        self.found.append(data)


def _work(session: pytest.Session, connection: Connection) -> NoReturn:
    """Run the tests whose numbers arrive, until None arrives or the parent process ends."""
    config, code = session.config, 1
    atexit._clear()
    try:
        plugins: Any = config.pluginmanager
        # All processes would share the parent's file of captured output.
        capture = plugins.getplugin("capturemanager")
        capture.stop_global_capturing()
        capture.start_global_capturing()
        plugins.unregister(name="terminalreporter")
        reports = _Reports(config)
        plugins.register(reports)
        current = connection.recv()
        while current is not None:
            following = connection.recv()
            after = None if following is None else session.items[following]
            reports.found = []
            config.hook.pytest_runtest_protocol(item=session.items[current], nextitem=after)
            connection.send(reports.found)
            current = following
        capture.stop_global_capturing()
        atexit._run_exitfuncs()
        code = 0
    finally:
        os._exit(code)
