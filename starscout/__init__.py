"""StarScout: a laboratory for board-game engines, with and without dice, in Python at the speed of C.

    >>> import starscout
    >>> state = starscout.parse("ewn", "123../45.../6...f/...ed/..cba r 4")
    >>> starscout.analyse(state, "negascout eval=race", depth=5).best
    'A2B2'

`help(starscout.match)` and its like explain each name below. Bad input raises `GameError`, a ValueError with a sentence
for people.
"""

# This file imports nothing before a name is used: `python -m starscout` reads it while the working directory is still
# first on the path, and the compiler takes a while to load. Type checkers know the names.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from starscout.api.analyse import AnalysisResult, MoveAnalysis, RollAnalysis, analyse
    from starscout.api.experiment import ExperimentResult, experiment
    from starscout.api.learn import LearnedGeneration, LearnResult, learn
    from starscout.api.match import LuckAdjusted, MatchResult, SprtState, match
    from starscout.api.players import player
    from starscout.api.positions import load, parse, start
    from starscout.api.result import Picture, Result
    from starscout.api.results import StoredResults, results
    from starscout.api.running import Interrupted, RunSettings
    from starscout.api.solve import SolveResult, solve
    from starscout.api.tournament import TournamentResult, TournamentRow, tournament
    from starscout.api.tune import TuneResult, tune
    from starscout.environments.pettingzoo_games import pettingzoo_env
    from starscout.environments.stepping import GameBatch, batch
    from starscout.environments.vector_games import vector_env
    from starscout.game import Game, GameError, WorkError
    from starscout.players.player import Decision, Player
    from starscout.records.record import GameRecord
    from starscout.search.limits import Limit
    from starscout.state import State

__version__ = "0.2.0"

__all__ = [
    "AnalysisResult",
    "Decision",
    "ExperimentResult",
    "Game",
    "GameBatch",
    "GameError",
    "GameRecord",
    "Interrupted",
    "LearnResult",
    "LearnedGeneration",
    "Limit",
    "LuckAdjusted",
    "MatchResult",
    "MoveAnalysis",
    "Picture",
    "Player",
    "Result",
    "RollAnalysis",
    "RunSettings",
    "SolveResult",
    "SprtState",
    "State",
    "StoredResults",
    "TournamentResult",
    "TournamentRow",
    "TuneResult",
    "WorkError",
    "analyse",
    "batch",
    "experiment",
    "learn",
    "load",
    "match",
    "parse",
    "pettingzoo_env",
    "player",
    "results",
    "solve",
    "start",
    "tournament",
    "tune",
    "vector_env",
]

_PLACES = {
    "api.analyse": ("AnalysisResult", "MoveAnalysis", "RollAnalysis", "analyse"),
    "api.experiment": ("ExperimentResult", "experiment"),
    "api.learn": ("LearnedGeneration", "LearnResult", "learn"),
    "api.match": ("LuckAdjusted", "MatchResult", "SprtState", "match"),
    "api.players": ("player",),
    "api.positions": ("load", "parse", "start"),
    "api.result": ("Picture", "Result"),
    "api.results": ("StoredResults", "results"),
    "api.running": ("Interrupted", "RunSettings"),
    "api.solve": ("SolveResult", "solve"),
    "api.tournament": ("TournamentResult", "TournamentRow", "tournament"),
    "api.tune": ("TuneResult", "tune"),
    "environments.pettingzoo_games": ("pettingzoo_env",),
    "environments.stepping": ("GameBatch", "batch"),
    "environments.vector_games": ("vector_env",),
    "game": ("Game", "GameError", "WorkError"),
    "players.player": ("Decision", "Player"),
    "records.record": ("GameRecord",),
    "search.limits": ("Limit",),
    "state": ("State",),
}
"""Module → the public names that it defines."""


def __getattr__(name: str) -> object:
    """A public name, loaded when it is first used."""
    for place, names in _PLACES.items():
        if name in names:
            import importlib

            found = getattr(importlib.import_module(f"starscout.{place}"), name)
            globals()[name] = found
            return found
    raise AttributeError(f"module 'starscout' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
