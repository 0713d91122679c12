"""StarScout: build, test and understand engines for board games with and without chance.

    >>> import starscout
    >>> state = starscout.parse("ewn", "123../45.../6...f/...ed/..cba r 4")
    >>> starscout.analyse(state, "negascout eval=race", depth=5).best
    'A2B2'

`help(starscout.match)` explains a function. Invalid input raises `GameError`, a ValueError.
"""

# Names are imported on first use: `python -m starscout` executes this file while the working directory is still first
# on the path, and Numba takes long to import. Type checkers read the block below.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from starscout.api.analyse import (
        AnalysisLine,
        AnalysisResult,
        AnalysisStream,
        MoveAnalysis,
        RollAnalysis,
        analyse,
        analysis,
    )
    from starscout.api.bench import BenchResult, BenchRow, bench
    from starscout.api.check import CheckResult, check
    from starscout.api.engine import course_referee, engine
    from starscout.api.experiment import ExperimentList, ExperimentResult, experiment, list_experiments
    from starscout.api.games import (
        GameList,
        LawsResult,
        PerftResult,
        PlayoutsResult,
        PuzzleResult,
        laws,
        list_games,
        load,
        parse,
        perft,
        playouts,
        puzzle,
        start,
    )
    from starscout.api.judge import course_match, judge
    from starscout.api.learn import LearnedGeneration, LearnResult, learn
    from starscout.api.match import LuckAdjusted, MatchResult, SprtState, match
    from starscout.api.players import PlayerList, list_players, player
    from starscout.api.progress import Interrupted
    from starscout.api.records import ReplayResult, export, replay
    from starscout.api.result import Picture, PlottedResult, Result
    from starscout.api.results import StoredResults, results
    from starscout.api.review import EquityReview, ReviewedPly, ReviewResult, SideReview, review
    from starscout.api.rollout import RolledOutMove, RolloutResult, rollout
    from starscout.api.show import ShowResult, show
    from starscout.api.solve import SolveResult, TablesResult, solve, tables
    from starscout.api.tournament import TournamentResult, TournamentRow, tournament
    from starscout.api.tune import TuneResult, tune
    from starscout.api.warm import CacheResult, WarmResult, cache, warm
    from starscout.environments.batch import GameBatch, batch
    from starscout.environments.gymnasium import vector_env
    from starscout.environments.pettingzoo import pettingzoo_env
    from starscout.errors import GameError, WorkError
    from starscout.game.contract import Game
    from starscout.game.state import State
    from starscout.players.player import Decision, Player
    from starscout.records.game_tree import GameNode, GameTree
    from starscout.records.record import GameRecord
    from starscout.search.limits import Limit
    from starscout.settings.schema import RoundSettings, RunSettings
    from starscout.web.server import serve

__version__ = "0.2.0"

__all__ = [
    "AnalysisLine",
    "AnalysisResult",
    "AnalysisStream",
    "BenchResult",
    "BenchRow",
    "CacheResult",
    "CheckResult",
    "Decision",
    "EquityReview",
    "ExperimentList",
    "ExperimentResult",
    "Game",
    "GameBatch",
    "GameError",
    "GameList",
    "GameNode",
    "GameRecord",
    "GameTree",
    "Interrupted",
    "LawsResult",
    "LearnResult",
    "LearnedGeneration",
    "Limit",
    "LuckAdjusted",
    "MatchResult",
    "MoveAnalysis",
    "PerftResult",
    "Picture",
    "Player",
    "PlayerList",
    "PlayoutsResult",
    "PlottedResult",
    "PuzzleResult",
    "ReplayResult",
    "Result",
    "ReviewResult",
    "ReviewedPly",
    "RollAnalysis",
    "RolledOutMove",
    "RolloutResult",
    "RoundSettings",
    "RunSettings",
    "ShowResult",
    "SideReview",
    "SolveResult",
    "SprtState",
    "State",
    "StoredResults",
    "TablesResult",
    "TournamentResult",
    "TournamentRow",
    "TuneResult",
    "WarmResult",
    "WorkError",
    "analyse",
    "analysis",
    "batch",
    "bench",
    "cache",
    "check",
    "course_match",
    "course_referee",
    "engine",
    "experiment",
    "export",
    "judge",
    "laws",
    "learn",
    "list_experiments",
    "list_games",
    "list_players",
    "load",
    "match",
    "parse",
    "perft",
    "pettingzoo_env",
    "player",
    "playouts",
    "puzzle",
    "replay",
    "results",
    "review",
    "rollout",
    "serve",
    "show",
    "solve",
    "start",
    "tables",
    "tournament",
    "tune",
    "vector_env",
    "warm",
]

_MODULES = {
    "api.analyse": (
        "AnalysisLine",
        "AnalysisResult",
        "AnalysisStream",
        "MoveAnalysis",
        "RollAnalysis",
        "analyse",
        "analysis",
    ),
    "api.bench": ("BenchResult", "BenchRow", "bench"),
    "api.check": ("CheckResult", "check"),
    "api.engine": ("course_referee", "engine"),
    "api.experiment": ("ExperimentList", "ExperimentResult", "experiment", "list_experiments"),
    "api.games": (
        "GameList",
        "LawsResult",
        "PerftResult",
        "PlayoutsResult",
        "PuzzleResult",
        "laws",
        "list_games",
        "load",
        "parse",
        "perft",
        "playouts",
        "puzzle",
        "start",
    ),
    "api.judge": ("course_match", "judge"),
    "api.learn": ("LearnResult", "LearnedGeneration", "learn"),
    "api.match": ("LuckAdjusted", "MatchResult", "SprtState", "match"),
    "api.players": ("PlayerList", "list_players", "player"),
    "api.progress": ("Interrupted",),
    "api.records": ("ReplayResult", "export", "replay"),
    "api.result": ("Picture", "PlottedResult", "Result"),
    "api.results": ("StoredResults", "results"),
    "api.review": ("EquityReview", "ReviewResult", "ReviewedPly", "SideReview", "review"),
    "api.rollout": ("RolledOutMove", "RolloutResult", "rollout"),
    "api.show": ("ShowResult", "show"),
    "api.solve": ("SolveResult", "TablesResult", "solve", "tables"),
    "api.tournament": ("TournamentResult", "TournamentRow", "tournament"),
    "api.tune": ("TuneResult", "tune"),
    "api.warm": ("CacheResult", "WarmResult", "cache", "warm"),
    "environments.batch": ("GameBatch", "batch"),
    "environments.gymnasium": ("vector_env",),
    "environments.pettingzoo": ("pettingzoo_env",),
    "errors": ("GameError", "WorkError"),
    "game.contract": ("Game",),
    "game.state": ("State",),
    "players.player": ("Decision", "Player"),
    "records.game_tree": ("GameNode", "GameTree"),
    "records.record": ("GameRecord",),
    "search.limits": ("Limit",),
    "settings.schema": ("RoundSettings", "RunSettings"),
    "web.server": ("serve",),
}
"""Module → public names that it defines."""


def __getattr__(name: str) -> object:
    """Import a public name on first use."""
    for module, names in _MODULES.items():
        if name in names:
            import importlib

            found = getattr(importlib.import_module(f"starscout.{module}"), name)
            globals()[name] = found
            return found
    raise AttributeError(f"module 'starscout' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
