"""Speed of the rules: `python benchmarks/games_speed.py [--rounds N] [--json]`.

    random games   open_spiel's rules in a Python loop; rust-reversi's board in a Python loop, and the random games that
                   its tree search plays natively (a tree that never grows); the C++ yardstick
    perft          the C++ yardstick: the same algorithm and data layout (benchmarks/yardstick), g++ -O3 -march=native
    threads        two against one

Contenders alternate on one thread; the best round of each counts, in CPU time (threads: wall-clock time). StarScout and
the yardstick must count the same leaves and play the same random games.
"""

import argparse
import ctypes
import json
import random
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from starscout import games
from starscout.game import Game
from starscout.search.perft import perft
from starscout.search.playouts import GameTotals, play_random, play_random_for

YARDSTICK = Path(__file__).parent / "yardstick"


class Comparison(NamedTuple):
    """Our rate and a peer's rate of one benchmark."""

    what: str
    peer: str
    unit: str
    ours: float
    theirs: float
    promised: float

    @property
    def ratio(self) -> float:
        return self.ours / self.theirs


class Contender(NamedTuple):
    """A program to measure; `run` returns the amount of work done and its result."""

    name: str
    run: Callable[[], tuple[int, Any]]
    promised: float = 0.0


class CGameTotals(ctypes.Structure):
    """GameTotals of the yardstick."""

    _fields_ = tuple((name, ctypes.c_int64) for name in GameTotals._fields)


def compiled_yardstick(name: str, folder: Path) -> ctypes.CDLL:
    """Load the yardstick of a game as a shared library."""
    library = folder / f"{name}.so"
    source = YARDSTICK / f"{name}.cpp"
    subprocess.run(["g++", "-O3", "-march=native", "-shared", "-fPIC", "-o", library, source], check=True)
    loaded = ctypes.CDLL(str(library))
    loaded.perft.restype = ctypes.c_int64
    return loaded


def yardstick_games(library: ctypes.CDLL, count: int) -> tuple[int, GameTotals]:
    """Play the same random games as `play_random` with seed 1."""
    totals = CGameTotals()
    library.random_games(ctypes.c_uint64(1), ctypes.c_uint64(0), ctypes.c_int64(count), ctypes.byref(totals))
    return count, GameTotals(*(getattr(totals, name) for name in GameTotals._fields))


def open_spiel_games(name: str, count: int) -> tuple[int, None]:
    """Play random games with open_spiel in a typical Python loop."""
    import pyspiel  # pyright: ignore[reportMissingImports]

    game = pyspiel.load_game(name)
    for _ in range(count):
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(random.choice(state.chance_outcomes())[0])
            else:
                state.apply_action(random.choice(state.legal_actions()))
    return count, None


def open_spiel_rollouts(name: str, count: int) -> tuple[int, None]:
    """Play native random games of open_spiel: its tree search with one simulation of many rollouts."""
    import pyspiel  # pyright: ignore[reportMissingImports]

    game = pyspiel.load_game(name)
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.chance_outcomes()[0][0])
    evaluator = pyspiel.RandomRolloutEvaluator(count, 1)
    pyspiel.MCTSBot(game, evaluator, 1.0, 1, 10, False, 1, False).step(state)
    return count, None


def rust_reversi_games(count: int) -> tuple[int, None]:
    """Play random games on rust-reversi's board."""
    import rust_reversi  # pyright: ignore[reportMissingImports]

    for _ in range(count):
        board = rust_reversi.Board()
        while not board.is_game_over():
            if board.is_pass():
                board.do_pass()
            else:
                board.do_move(board.get_random_move())
    return count, None


def rust_reversi_playouts(count: int) -> tuple[int, None]:
    """Play native random games of rust-reversi: its tree search with an unexpanded root."""
    import rust_reversi  # pyright: ignore[reportMissingImports]

    rust_reversi.MctsSearch(count, 1.0, 10**9).get_move(rust_reversi.Board())
    return count, None


def take_turns(contenders: list[Contender], rounds: int) -> list[float]:
    """Return the best rate of each contender, in work per CPU second."""
    best = [0.0] * len(contenders)
    found: dict[str, Any] = {}
    for _ in range(rounds):
        for index, contender in enumerate(contenders):
            began = time.thread_time()
            work, found[contender.name] = contender.run()
            best[index] = max(best[index], work / (time.thread_time() - began))
        if "C++" in found and found["C++"] != found["starscout"]:
            raise SystemExit(f"the yardstick disagrees: {found}")
    return best


def compare(what: str, unit: str, contenders: list[Contender], rounds: int) -> list[Comparison]:
    """Compare the first contender, ours, with each of the others."""
    contenders[0].run()  # compiles or loads before the clock starts
    ours, *others = take_turns(contenders, rounds)
    return [
        Comparison(what, contender.name, unit, ours, theirs, contender.promised)
        for contender, theirs in zip(contenders[1:], others, strict=True)
    ]


def compare_threads(game: Game, rounds: int) -> Comparison:
    """Compare two threads with one."""
    best = {1: 0.0, 2: 0.0}
    for _ in range(rounds):
        for threads in best:
            totals, seconds = play_random_for(game, 1, 0.5, threads)
            best[threads] = max(best[threads], totals.games / seconds)
    return Comparison(f"{game.name} random games", "2 threads beside 1", "games/s", best[2], best[1], 1.8)


def perft_contenders(game: Game, depth: int, library: ctypes.CDLL) -> list[Contender]:
    def ours() -> tuple[int, int]:
        leaves = perft(game, game.start_position(0), depth)
        return leaves, leaves

    def theirs() -> tuple[int, int]:
        leaves = library.perft(depth)
        return leaves, leaves

    return [Contender("starscout", ours), Contender("C++", theirs, 0.9)]


def random_contenders(game: Game, count: int, library: ctypes.CDLL, peers: list[Contender]) -> list[Contender]:
    ours = Contender("starscout", lambda: (count, play_random(game, 1, 0, count)))
    return [ours, Contender("C++", lambda: yardstick_games(library, count), 0.9), *peers]


def dark_chess_contenders() -> list[Contender]:
    game, banqi = games.load("dark-chess"), "banqi(max_no_progress=30)"
    ours = Contender("starscout", lambda: (5_000, play_random(game, 1, 0, 5_000)))
    return [ours, Contender("open_spiel, Python loop", lambda: open_spiel_games(banqi, 50), 50)]


def measure(rounds: int) -> list[Comparison]:
    """Run all comparisons."""
    ewn, othello, backgammon = games.load("ewn"), games.load("othello"), games.load("backgammon-dmp")
    with tempfile.TemporaryDirectory() as folder:
        ewn_yardstick = compiled_yardstick("ewn", Path(folder))
        othello_yardstick = compiled_yardstick("othello", Path(folder))
        ewn_peers = [
            Contender("open_spiel, Python loop", lambda: open_spiel_games("einstein_wurfelt_nicht", 1000), 200)
        ]
        othello_peers = [
            Contender("open_spiel, Python loop", lambda: open_spiel_games("othello", 300), 140),
            Contender("rust-reversi, Python loop", lambda: rust_reversi_games(2000), 5),
            Contender("rust-reversi, native playouts", lambda: rust_reversi_playouts(5000), 5),
        ]
        backgammon_yardstick = compiled_yardstick("backgammon", Path(folder))
        backgammon_peers = [
            Contender("open_spiel, native rollouts", lambda: open_spiel_rollouts("backgammon", 100), 10)
        ]
        return [
            *compare("ewn perft 7", "leaves/s", perft_contenders(ewn, 7, ewn_yardstick), rounds),
            *compare("othello perft 11", "leaves/s", perft_contenders(othello, 11, othello_yardstick), rounds),
            *compare("ewn random games", "games/s", random_contenders(ewn, 200_000, ewn_yardstick, ewn_peers), rounds),
            *compare(
                "othello random games",
                "games/s",
                random_contenders(othello, 50_000, othello_yardstick, othello_peers),
                rounds,
            ),
            *compare(
                "backgammon random games",
                "games/s",
                random_contenders(backgammon, 5_000, backgammon_yardstick, backgammon_peers),
                rounds,
            ),
            *compare("dark-chess random games", "games/s", dark_chess_contenders(), rounds),
            compare_threads(ewn, rounds),
            compare_threads(othello, rounds),
        ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help="number of rounds")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    comparisons = measure(options.rounds)
    if options.json:
        print(json.dumps({"rows": [{**row._asdict(), "ratio": row.ratio} for row in comparisons]}))
        return
    print(f"{'what':22} {'beside':30} {'ours':>13} {'theirs':>13} {'ratio':>8} {'promised':>9}")
    for row in comparisons:
        print(f"{row.what:22} {row.peer:30} {row.ours:13,.0f} {row.theirs:13,.0f} {row.ratio:8.2f} {row.promised:9.2f}")


if __name__ == "__main__":
    main()
