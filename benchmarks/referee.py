"""What the referee costs: microseconds per ply for players in the process, milliseconds for programs.

    python benchmarks/referee.py

For players in the process their own time is subtracted. For programs the whole answer of a random mover counts:
question, pipe, the engine's own parsing, answer.
"""

import statistics
import sys
import time

from starscout import games
from starscout.game.state import State
from starscout.players.player import Decision, Player
from starscout.players.spec import make_player
from starscout.referee.game_in_progress import play_game
from starscout.referee.openings import series_start
from starscout.search.limits import Limit

GAMES = 300
LIMITS = Limit(clock=60.0), Limit(clock=60.0)


class First(Player):
    """Chooses the first legal move."""

    name = "first"

    def choose(self, state: State, limit: Limit) -> Decision:
        return Decision(state.legal[0])


def in_process(name: str) -> float:
    """Seconds per ply that the referee takes, without the players."""
    game = games.load(name)
    players = First(), First()
    best = float("inf")
    for _ in range(4):
        plies, thinking = 0, 0.0
        began = time.perf_counter()
        for pair in range(GAMES):
            record = play_game(series_start(game, 1, pair), players, LIMITS, seed=1, pair=pair)
            plies += len(record.plies)
            thinking += sum(ply.seconds for ply in record.plies)
        best = min(best, (time.perf_counter() - began - thinking) / plies)
    return best


def through(protocol: str, name: str) -> float:
    """The median of the seconds that a random mover behind a protocol takes to answer."""
    game = games.load(name)
    option = f" --game {name}" if protocol == "tcg-raw" else ""
    command = f"{protocol}:{sys.executable} -m starscout engine random --nodes 1 --protocol {protocol}{option}"
    players = make_player(command, game), make_player("random", game)
    seconds = []
    for pair in range(10 if protocol != "tcg-ewn" else 2):
        record = play_game(series_start(game, 1, pair), players, LIMITS, seed=1, pair=pair)
        assert not record.forfeit, record.detail
        # The first answer of a process may load what later ones have ready.
        seconds += [ply.seconds for ply in record.plies[2::2]]
    players[0].close()
    return statistics.median(seconds)


def main() -> None:
    for name in games.NAMES:
        print(f"in the process   {name:12} {in_process(name) * 1e6:8.1f} µs per ply")
    for protocol, name in (
        ("lab", "ewn"), ("lab", "othello"), ("tcg-ewn", "ewn"), ("tcg-raw", "ewn-cyclic"), ("tcg-raw", "kari"),
        ("otp", "othello"), ("nboard", "othello"),
    ):  # fmt: skip
        print(f"{protocol:16} {name:12} {through(protocol, name) * 1e3:8.3f} ms per ply")


if __name__ == "__main__":
    main()
