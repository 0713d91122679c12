"""Synthetic pair records for tests."""

from starscout.arena.pair import PairRecord
from starscout.arena.tally import Tally


def pair(
    number: int, *scores: float, reasons: tuple[str, ...] = (), luck: tuple[float, ...] | None = None
) -> PairRecord:
    """Return a pair, or a single game, with 10 plies per game and one second of thinking time."""
    reasons = reasons or ("corner",) * len(scores)
    return PairRecord(number, scores, (10,) * len(scores), reasons, luck, 1.0, b"", b"")


def tally_of(*pairs: tuple[float, ...]) -> Tally:
    """Return the tally of pairs with these scores."""
    tally = Tally()
    for number, scores in enumerate(pairs):
        tally.add(pair(number, *scores))
    return tally
