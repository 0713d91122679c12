"""Threads of the Othello solver: several searches of one position, the first value counts.

The caller's own thread searches with the first memory; helpers search the same position in the same window with the
others, and leave it when any thread has the value. Searches are numbered. A helper waits for the next number, so none
is started for each search, and nobody waits for a helper that still leaves the one before.
"""

import threading
from typing import Any, NamedTuple

import numpy

from starscout.evaluation.weights import Weights
from starscout.games.othello import solver_search as disc_search
from starscout.kernels.bits import Word

IDLE_SECONDS = 0.5
"""A helper that has had nothing to search for so long ends; the next search starts another."""


class _Task(NamedTuple):
    """One search; `number` grows from search to search."""

    number: int
    own: Word
    enemy: Word
    empties: int
    alpha: int
    beta: int


class DiscThreads:
    """Searches positions with one thread for each memory."""

    def __init__(self, kernel: Any, memories: list[disc_search.Memory], table: numpy.ndarray, weights: Weights) -> None:
        self._kernel, self._memories, self._table, self._weights = kernel, memories, table, weights
        self._busy = numpy.zeros(disc_search.BUSY_SLOTS, dtype=Word)
        self._changed = threading.Condition()
        self._number = 0
        self._task = _Task(0, Word(0), Word(0), 0, 0, 0)
        """The last search that helpers were called to."""
        self._answer = 0
        """The value of the last search that a helper has finished first."""
        self._present = [False] * len(memories)
        """Whether the thread of a memory is running."""

    def begin(self) -> None:
        """Forget which moves were being searched."""
        self._busy[:] = 0

    def search(self, own: Word, enemy: Word, empties: int, alpha: int, beta: int) -> int:
        """The value in the window (alpha, beta); it means nothing once the first memory's flag is raised."""
        self._number += 1
        task = _Task(self._number, own, enemy, empties, alpha, beta)
        try:
            if empties >= disc_search.DIVIDED:
                self._call_helpers(task)
            value = self._run(task, self._memories[0])
        finally:
            with self._changed:
                answered = self._memories[0].released == task.number
                for memory in self._memories:
                    memory.released = task.number
        return self._answer if answered else value

    def _call_helpers(self, task: _Task) -> None:
        with self._changed:
            self._task = task
            self._changed.notify_all()
            for index in range(1, len(self._memories)):
                if not self._present[index]:
                    self._present[index] = True
                    threading.Thread(target=self._help, args=(index, task.number - 1), daemon=True).start()

    def _help(self, index: int, last: int) -> None:
        """Search every task after number `last` until none comes."""
        memory = self._memories[index]
        while (task := self._next_task(index, last)) is not None:
            last = task.number
            value = self._run(task, memory)
            with self._changed:
                if memory.flag[0] == 0 and memory.released < last:
                    self._answer = value
                    for other in self._memories:
                        other.released = last

    def _next_task(self, index: int, last: int) -> _Task | None:
        """The task after number `last`; None if the helper was idle for long: it ends."""
        with self._changed:
            if self._changed.wait_for(lambda: self._task.number > last, IDLE_SECONDS):
                return self._task
            self._present[index] = False
            return None

    def _run(self, task: _Task, memory: disc_search.Memory) -> int:
        memory.task, memory.empties, memory.leaving = task.number, task.empties, disc_search.NOT_LEAVING
        memory.rows["slot"] = disc_search.NO_SLOT
        return int(
            self._kernel(task.own, task.enemy, task.alpha, task.beta, memory, self._table, self._busy, self._weights)
        )
