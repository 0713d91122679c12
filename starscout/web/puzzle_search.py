"""Puzzles: positions of stored games in which a player made a large mistake and one move is clearly the best.

The grade of a puzzle is the smallest depth from which a search finds the solution: 1 (a search of one ply) to 5 (not
even a search of four plies).
"""

import heapq
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from starscout.api.analyse import AnalysisResult, analyse
from starscout.arena.store import Store, StoredMatch
from starscout.game import GameError
from starscout.game.state import State
from starscout.game.values import win_probability
from starscout.players.spec import default_player
from starscout.records.record import GameRecord
from starscout.web.worker import Context

MIN_LOSS = 0.08
"""Minimum loss in win probability of the move played, by both the game's annotation and the analysis."""
MIN_GAP = 0.05
"""Minimum difference between the best and the second best move, in win probability."""
MAX_PAIRS, MAX_CANDIDATES, MAX_FOUND = 2_000, 60, 12
"""Maximum number of pairs to read, of positions to analyse, and of puzzles per search."""
ANALYSIS_SECONDS = 0.6
GRADE_DEPTHS = (1, 2, 3, 4)
SOLUTION_LENGTH = 8


class Mistake(NamedTuple):
    """A move of a stored game: the key of the game and the ply identify it."""

    loss: float
    key: str
    ply: int
    record: GameRecord

    @property
    def name(self) -> str:
        """The key of the puzzle."""
        return f"{self.key}@{self.ply}"


def find_puzzles(
    context: Context, path: str, tried: frozenset[str], reviewed: Sequence[tuple[str, GameRecord, list[float]]]
) -> int:
    """Search the largest mistakes that were not tried before for puzzles, send each result, and return their number.

    `reviewed` are games with the loss of each move.
    """
    found, seen = 0, set[str]()
    mistakes = heapq.nlargest(
        MAX_CANDIDATES,
        (mistake for mistake in (*_reviewed(reviewed), *_stored(context, path)) if mistake.name not in tried),
        key=lambda mistake: mistake.loss,
    )
    for mistake in mistakes:
        if context.stopped or found == MAX_FOUND:
            break
        state = next(state for number, state in enumerate(mistake.record.states()) if number == mistake.ply)
        puzzle = None if state.text in seen else make_puzzle(state, mistake)
        seen.add(state.text)
        found += puzzle is not None
        context.progress({"key": mistake.name, "puzzle": puzzle})
    return found


def _reviewed(reviewed: Iterable[tuple[str, GameRecord, list[float]]]) -> Iterator[Mistake]:
    for key, record, losses in reviewed:
        yield from _mistakes(key, record, losses)


def _mistakes(key: str, record: GameRecord, losses: Sequence[float]) -> Iterator[Mistake]:
    """At most one mistake per game, because positions of one game are similar."""
    ply = max(range(len(losses)), key=losses.__getitem__, default=None)
    if ply is not None and losses[ply] >= MIN_LOSS:
        yield Mistake(losses[ply], key, ply, record)


def _stored(context: Context, path: str) -> Iterator[Mistake]:
    """The mistakes in the annotated games of the store, newest matches first."""
    read = 0
    with Store(path) as store:
        for match in reversed(store.matches()):
            for pair in store.counted_pairs(match):
                if context.stopped or read == MAX_PAIRS:
                    return
                read += 1
                try:
                    yield from _of_pair(match, pair)
                except GameError:
                    # A game file that this process has not loaded cannot be replayed.
                    break


def _of_pair(match: StoredMatch, pair: Any) -> Iterator[Mistake]:
    annotations = pair.annotations()
    if not any(annotation is not None and annotation.loss for annotation in annotations):
        return
    plan = match.plan
    played = pair.games(plan.game, (plan.first, plan.second), plan.seed)
    for half, (game, annotation) in enumerate(zip(played, annotations, strict=True)):
        if annotation is not None:
            losses = [pair.in_probability(loss) for loss in annotation.loss]
            yield from _mistakes(f"match/{match.id}/{pair.pair}/{half}", game.record, losses)


def make_puzzle(state: State, mistake: Mistake) -> dict[str, Any] | None:
    """The puzzle of a position; None if no move is clearly the best, or if the move was no mistake after all."""
    played = mistake.record.plies[mistake.ply].text
    if len(state.legal) < 2:
        return None
    best = analyse(state, time=ANALYSIS_SECONDS)
    values = {move.move: win_probability(move.value) for move in best.moves if move.value is not None}
    if best.best is None or played not in values or len(values) < 2:
        return None
    first, second = heapq.nlargest(2, values.values())
    loss = values[best.best] - values[played]
    if values[best.best] < first or first - second < MIN_GAP or loss < MIN_LOSS:
        return None
    return {
        "game": state.game.name, "position": state.text, "best": best.best, "played": played, "loss": loss,
        "values": values, "line": list(best.pv or [best.best])[:SOLUTION_LENGTH], "grade": grade(state, best),
        "source": mistake.key, "ply": mistake.ply, "players": list(mistake.record.players),
    }  # fmt: skip


def grade(state: State, best: AnalysisResult) -> int:
    """1 plus the number of plies up to which a search does not find the solution."""
    name, missed = default_player(state.game), 0
    for depth in GRADE_DEPTHS:
        if analyse(state, f"{name} depth={depth}").best != best.best:
            missed = depth
    return 1 + missed
