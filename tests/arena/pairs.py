"""Pairs for tests of what counts them: only the scores matter, or what is given beside them."""

from starscout.arena.pair import PairRecord
from starscout.arena.tally import Tally


def pair(
    number: int, *scores: float, reasons: tuple[str, ...] = (), luck: tuple[float, ...] | None = None
) -> PairRecord:
    """A pair (or a single game) of 10 plies a game that took a second."""
    reasons = reasons or ("corner",) * len(scores)
    return PairRecord(number, scores, (10,) * len(scores), reasons, luck, 1.0, b"", b"")


def tally_of(*pairs: tuple[float, ...]) -> Tally:
    """The tally of pairs with these scores."""
    tally = Tally()
    for number, scores in enumerate(pairs):
        tally.add(pair(number, *scores))
    return tally
