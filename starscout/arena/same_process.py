"""A runner without workers: batches are played in this process, one at a time, in the calling thread."""

from starscout.arena.batch import Batch, BatchResult, close_players, play_batch


class SameProcessRunner:
    """Plays a batch as soon as it is submitted: for classes of a notebook, and for debuggers."""

    def __init__(self) -> None:
        self._finished: list[BatchResult] = []

    def capacity(self) -> int:
        return 1 - len(self._finished)

    def workers(self) -> int:
        return 1

    def submit(self, batch: Batch) -> None:
        self._finished.append(play_batch(batch))

    def collect(self, seconds: float) -> list[BatchResult]:
        results, self._finished = self._finished, []
        return results

    def close(self) -> None:
        # The class behind a description may be another one at the next call.
        close_players()
