"""Referee overhead per ply for in-process players and external engines.

    python benchmarks/referee.py

For in-process players, their own time is subtracted. For external engines, the round trip of a random mover counts.
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
    """Return seconds per ply of the referee, without the players."""
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
    """Return the median round-trip time of a random mover over a protocol, in seconds."""
    game = games.load(name)
    option = f" --game {name}" if protocol == "tcg-raw" else ""
    command = f"{protocol}:{sys.executable} -m starscout engine random --nodes 1 --protocol {protocol}{option}"
    players = make_player(command, game), make_player("random", game)
    seconds = []
    for pair in range(10 if protocol != "tcg-ewn" else 2):
        record = play_game(series_start(game, 1, pair), players, LIMITS, seed=1, pair=pair)
        assert not record.forfeit, record.detail
        # The first answer of a process may include loading.
        seconds += [ply.seconds for ply in record.plies[2::2]]
    players[0].close()
    return statistics.median(seconds)


def main() -> None:
    for name in games.NAMES:
        print(f"in process       {name:12} {in_process(name) * 1e6:8.1f} µs per ply")
    for protocol, name in (
        ("lab", "ewn"), ("lab", "othello"), ("tcg-ewn", "ewn"), ("tcg-raw", "ewn-cyclic"), ("tcg-raw", "kari"),
        ("otp", "othello"), ("nboard", "othello"),
    ):  # fmt: skip
        print(f"{protocol:16} {name:12} {through(protocol, name) * 1e3:8.3f} ms per ply")


if __name__ == "__main__":
    main()
