"""The fingerprint of the searches: node counts on fixed positions, which change when a search or an evaluation does.

A commit that changes the fingerprint says so; any other commit has not changed how the games are searched.
"""

from collections.abc import Callable

from starscout import games
from starscout.evaluation import knowledge_of, load_evaluation
from starscout.kernels.stop_flags import announced
from starscout.search.deepening import Searcher
from starscout.search.negascout import Switches

STARTS = (0, 123, 456)
TABLE_BITS = 12


def fingerprint(*, quick: bool = False, show: Callable[[float], None] = lambda share: None) -> dict[str, int]:
    """Game → nodes of iterative deepening from fixed starts; `quick` is small enough for plain Python."""
    counts = {}
    known = {name: (games.load(name), knowledge_of(games.load(name)).fingerprint) for name in games.NAMES}
    work = [(name, game, settings) for name, (game, settings) in known.items() if settings is not None]
    for number, (name, game, (evaluation, depth, quick_depth)) in enumerate(work):
        switches = Switches(scout=not game.has_dice)
        searcher = Searcher(game, load_evaluation(game, evaluation), switches, TABLE_BITS)
        for start in STARTS:
            searcher.begin()
            depths = range(1, (quick_depth if quick else depth) + 1)
            with announced(*searcher.flags):
                for _ in searcher.deepen(game.start_position(start), 1, depths):
                    pass
        counts[name] = searcher.counts["nodes"]
        show((number + 1) / len(work))
    return counts
