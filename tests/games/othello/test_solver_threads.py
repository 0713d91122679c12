"""Solver threads: the first value counts, others leave, idle helpers end."""

import threading
import time
from typing import Any

import pytest

from starscout.evaluation.weights import NO_WEIGHTS
from starscout.games.othello import solver
from starscout.games.othello.solver import SolverThreads
from starscout.games.othello.solver_search import DIVIDED, SolverSwitches, new_solver_memory
from starscout.kernels.bits import WORD_ZERO
from starscout.search.transposition_table import new_table
from tests.patience import PATIENCE

HELPERS_VALUE, OWN_VALUE = 7, 5


class FakeSearch:
    """A search in which one side answers at once and the other continues until it is released."""

    def __init__(self, *, helper_answers: bool) -> None:
        self.helper_answers = helper_answers
        self.helpers: list[threading.Thread] = []
        self.left = threading.Semaphore(0)
        """Released whenever a thread leaves a search without a value of its own."""

    def __call__(self, own: Any, enemy: Any, alpha: int, beta: int, memory: Any, *rest: Any) -> int:
        helping = threading.current_thread() is not threading.main_thread()
        if helping:
            self.helpers.append(threading.current_thread())
        if helping == self.helper_answers:
            return HELPERS_VALUE if helping else OWN_VALUE
        end = time.monotonic() + PATIENCE
        while memory.released < memory.task and time.monotonic() < end:
            time.sleep(0.001)
        self.left.release()
        return 0


def threads_of(search: Any, count: int = 2) -> SolverThreads:
    memories = [new_solver_memory(SolverSwitches(), shared=True) for _ in range(count)]
    return SolverThreads(search, memories, new_table(0), NO_WEIGHTS)


def value(threads: SolverThreads, empties: int = DIVIDED) -> int:
    return threads.search(WORD_ZERO, WORD_ZERO, empties, -1, 1)


def test_first_value_of_a_helper_counts():
    search = FakeSearch(helper_answers=True)
    threads = threads_of(search)
    assert [value(threads) for _ in range(20)] == [HELPERS_VALUE] * 20
    assert len(set(search.helpers)) == 1


def test_helpers_leave_when_the_caller_is_first():
    search = FakeSearch(helper_answers=False)
    threads = threads_of(search, count=3)
    assert value(threads) == OWN_VALUE
    # A search may be over before a helper has seen it; those that saw one have left it.
    for _ in range(len(search.helpers)):
        assert search.left.acquire(timeout=PATIENCE)
    assert [value(threads) for _ in range(20)] == [OWN_VALUE] * 20
    assert len(set(search.helpers)) <= 2


def test_small_searches_call_no_helper():
    search = FakeSearch(helper_answers=False)
    assert value(threads_of(search), DIVIDED - 1) == OWN_VALUE
    assert search.helpers == []


def test_idle_helpers_end_and_others_come(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(solver, "IDLE_SECONDS", 0.001)
    search = FakeSearch(helper_answers=True)
    threads = threads_of(search)
    for _ in range(3):
        assert value(threads) == HELPERS_VALUE
        search.helpers[-1].join(PATIENCE)
        assert not search.helpers[-1].is_alive()
    assert len(set(search.helpers)) == 3


def test_helpers_leave_when_the_caller_is_interrupted():
    waiting = FakeSearch(helper_answers=False)
    searching = threading.Event()

    def interrupted(*arguments: Any) -> int:
        if threading.current_thread() is threading.main_thread():
            assert searching.wait(PATIENCE)
            raise KeyboardInterrupt
        searching.set()
        return waiting(*arguments)

    with pytest.raises(KeyboardInterrupt):
        value(threads_of(interrupted))
    assert waiting.left.acquire(timeout=PATIENCE)
