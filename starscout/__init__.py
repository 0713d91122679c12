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
    from starscout.api.bench import BenchResult, BenchRow, bench
    from starscout.api.cache import CacheResult, cache
    from starscout.api.course_match import course_match
    from starscout.api.endgame_tables import TablesResult, tables
    from starscout.api.engine import engine
    from starscout.api.experiment import ExperimentList, ExperimentResult, experiment, list_experiments
    from starscout.api.export import export
    from starscout.api.games import GameList, list_games
    from starscout.api.judge import judge
    from starscout.api.laws import LawsResult, laws
    from starscout.api.learn import LearnedGeneration, LearnResult, learn
    from starscout.api.match import LuckAdjusted, MatchResult, SprtState, match
    from starscout.api.perft import PerftResult, perft
    from starscout.api.players import PlayerList, list_players, player
    from starscout.api.playouts import PlayoutsResult, playouts
    from starscout.api.positions import load, parse, start
    from starscout.api.puzzle import PuzzleResult, puzzle
    from starscout.api.replay import ReplayResult, replay
    from starscout.api.result import Picture, PlottedResult, Result
    from starscout.api.results import StoredResults, results
    from starscout.api.rounds import RoundSettings
    from starscout.api.running import Interrupted, RunSettings
    from starscout.api.show import ShowResult, show
    from starscout.api.solve import SolveResult, solve
    from starscout.api.tournament import TournamentResult, TournamentRow, tournament
    from starscout.api.tune import TuneResult, tune
    from starscout.api.warm import WarmResult, warm
    from starscout.environments.batch import GameBatch, batch
    from starscout.environments.gymnasium import vector_env
    from starscout.environments.pettingzoo import pettingzoo_env
    from starscout.game import Game, GameError, WorkError
    from starscout.game.state import State
    from starscout.players.player import Decision, Player
    from starscout.records.record import GameRecord
    from starscout.search.limits import Limit
    from starscout.web.server import serve

__version__ = "0.2.0"

__all__ = [
    "AnalysisResult",
    "BenchResult",
    "BenchRow",
    "CacheResult",
    "Decision",
    "ExperimentList",
    "ExperimentResult",
    "Game",
    "GameBatch",
    "GameError",
    "GameList",
    "GameRecord",
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
    "RollAnalysis",
    "RoundSettings",
    "RunSettings",
    "ShowResult",
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
    "batch",
    "bench",
    "cache",
    "course_match",
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

_PLACES = {
    "api.analyse": ("AnalysisResult", "MoveAnalysis", "RollAnalysis", "analyse"),
    "api.bench": ("BenchResult", "BenchRow", "bench"),
    "api.cache": ("CacheResult", "cache"),
    "api.course_match": ("course_match",),
    "api.endgame_tables": ("TablesResult", "tables"),
    "api.engine": ("engine",),
    "api.experiment": ("ExperimentList", "ExperimentResult", "experiment", "list_experiments"),
    "api.export": ("export",),
    "api.games": ("GameList", "list_games"),
    "api.judge": ("judge",),
    "api.laws": ("LawsResult", "laws"),
    "api.learn": ("LearnResult", "LearnedGeneration", "learn"),
    "api.match": ("LuckAdjusted", "MatchResult", "SprtState", "match"),
    "api.perft": ("PerftResult", "perft"),
    "api.players": ("PlayerList", "list_players", "player"),
    "api.playouts": ("PlayoutsResult", "playouts"),
    "api.positions": ("load", "parse", "start"),
    "api.puzzle": ("PuzzleResult", "puzzle"),
    "api.replay": ("ReplayResult", "replay"),
    "api.result": ("Picture", "PlottedResult", "Result"),
    "api.results": ("StoredResults", "results"),
    "api.rounds": ("RoundSettings",),
    "api.running": ("Interrupted", "RunSettings"),
    "api.show": ("ShowResult", "show"),
    "api.solve": ("SolveResult", "solve"),
    "api.tournament": ("TournamentResult", "TournamentRow", "tournament"),
    "api.tune": ("TuneResult", "tune"),
    "api.warm": ("WarmResult", "warm"),
    "environments.pettingzoo": ("pettingzoo_env",),
    "environments.batch": ("GameBatch", "batch"),
    "environments.gymnasium": ("vector_env",),
    "game": ("Game", "GameError", "WorkError"),
    "players.player": ("Decision", "Player"),
    "records.record": ("GameRecord",),
    "search.limits": ("Limit",),
    "game.state": ("State",),
    "web.server": ("serve",),
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
