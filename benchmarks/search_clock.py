"""Time forfeits and clock usage of a player, in wall-clock time.

    python benchmarks/search_clock.py --clock 10 --games 20
    python benchmarks/search_clock.py --clock 6 --games 20 --opponent greedy
    python benchmarks/search_clock.py --games 1250 --clock 0.1 --move-time 0.01 --busy 1
    python benchmarks/search_clock.py --mix --busy 1
    python benchmarks/search_clock.py --cold 5 --clock 3 --move-time 0.1
    python benchmarks/search_clock.py --same 0.1

Games start from the openings of matches. Prints

- forfeits: moves that the referee does not accept. It allows a margin for a busy machine
- late: moves that exceeded the limit without the margin, and the largest excess
- used: the mean share of the clock that was used. When a search sees the end of the game, neither it nor later moves
  need more time, so the share is also given without the games that the player's first search solved
- unproven: searches whose move is not solved, their mean number per game, and how much of their shares of the clock
  they used. A move is solved when its value is proven or a search ends because deeper ones would find the same
- milliseconds per search, without solved and forced moves

`--move-time` adds a second series with this limit per move. `--busy` starts processes that occupy the CPU. `--cpu-time`
makes the clocks count the CPU time of the process, so that usage can be measured on a busy machine. `--mix` plays 2,500
games of each kind with clocks from 0.1 to 1 s. `--cold` plays pairs of games against `random` instead, each with an
empty kernel cache, and prints the forfeits of the player. `--same` compares a time limit in the player's options with
the same limit in the match.
"""

import argparse
import json
import multiprocessing
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from statistics import mean
from typing import Any

from starscout import games
from starscout.game import Game
from starscout.game.state import State, start
from starscout.players.player import Decision, Player
from starscout.players.spec import make_player
from starscout.referee.clock import Clock, time_allowed, time_withheld
from starscout.search.limits import Limit
from starscout.search.time_control import budget

MIX = {0.1: 2000, 0.2: 400, 0.5: 70, 1.0: 30}
"""Clock in seconds → games of each kind."""


@dataclass
class Usage:
    """What one player did with its time."""

    forfeits: int = 0
    late: int = 0
    excess: float = 0.0
    used: list[float] = field(default_factory=list)
    """Share of the clock, by game."""
    needed: list[float] = field(default_factory=list)
    """The same, without the games that the first search solved."""
    searches: list[float] = field(default_factory=list)
    """Seconds of each move that was neither forced nor solved."""
    shares: list[float] = field(default_factory=list)
    """Seconds that these moves should use on average, with a clock."""

    def __str__(self) -> str:
        text = f"{self.forfeits} forfeits, {self.late} late moves (largest excess {1000 * self.excess:.0f} ms)"
        if self.used:
            text += f", {mean(self.used):.1%} of the clock used ({min(self.used):.0%} to {max(self.used):.0%})"
        if self.needed:
            text += f", {mean(self.needed):.1%} in {len(self.needed)} games not solved by the first search"
        if self.shares:
            text += f", {len(self.searches) / len(self.used):.1f} unproven moves per game use "
            text += f"{sum(self.searches) / sum(self.shares):.0%} of their shares"
        return f"{text}, {1000 * mean(self.searches or [0.0]):.1f} ms per search"


class Observed:
    """A player whose searches are observed."""

    def __init__(self, spec: str, game: Game) -> None:
        self.player: Player = make_player(spec, game)
        self.player.new_game(game, 0)
        self.ended = False
        """Whether the last search ended because deeper ones would find the same."""
        searcher: Any = getattr(self.player, "_searcher", None)
        if searcher is None:
            return
        deepen = searcher.deepen

        def observed(*arguments: Any, **options: Any) -> Iterator[Any]:
            yield from deepen(*arguments, **options)
            self.ended = not searcher.stopped

        searcher.deepen = observed

    def choose(self, now: State, limit: Limit) -> tuple[Decision, bool]:
        """The decision, and whether a longer search could not change it."""
        self.ended = False
        decision = self.player.choose(now, limit)
        proven = decision.value in (1.0, -1.0) or any(report.proven for report in decision.moves)
        return decision, proven or self.ended


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clock", type=float, default=1.0, help="seconds per side")
    parser.add_argument("--move-time", type=float, default=None, help="seconds per move, for a second series of games")
    parser.add_argument("--games", type=int, default=20, help="games of each kind")
    parser.add_argument("--game", nargs="+", default=list(games.NAMES))
    parser.add_argument("--player", default="strong")
    parser.add_argument("--opponent", default=None, help="with the same limit (default: the player itself)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cold", type=int, default=0, help="pairs of games, each with an empty cache")
    parser.add_argument("--same", type=float, default=None, help="seconds per move, in the options and in the match")
    parser.add_argument("--mix", action="store_true", help="10,000 games with short clocks")
    parser.add_argument("--cpu-time", action="store_true", help="clocks run by the CPU time of this process")
    parser.add_argument("--busy", type=int, default=0, help="number of processes that occupy the CPU")
    arguments = parser.parse_args()
    load = [multiprocessing.Process(target=occupy, daemon=True) for _ in range(arguments.busy)]
    for process in load:
        process.start()
    if arguments.cpu_time:
        time.monotonic = time.process_time
    series = [(Limit(clock=arguments.clock), arguments.games)]
    if arguments.move_time is not None:
        series.append((Limit(time=arguments.move_time), arguments.games))
    if arguments.mix:
        series = [(Limit(clock=clock), number) for clock, number in MIX.items()]
    for name in arguments.game:
        if arguments.same is not None:
            print(
                f"{name}: {same(name, arguments.player, arguments.same, arguments.games, arguments.seed)}", flush=True
            )
            continue
        for limit, number in series:
            if arguments.cold:
                print(f"{name}: {cold(name, arguments.player, limit, arguments.cold, arguments.seed)}", flush=True)
                continue
            usage = measure(games.load(name), arguments.player, arguments.opponent, limit, number, arguments.seed)
            print(f"{name}: {number} games at {limit}: {usage}", flush=True)
    for process in load:
        process.terminate()


def measure(game: Game, spec: str, opponent: str | None, limit: Limit, count: int, seed: int) -> Usage:
    generator, usage = random.Random(seed), Usage()
    ours, theirs = Observed(spec, game), Observed(opponent or spec, game)
    measured = (True, opponent is None)
    for number in range(count):
        for observed in (ours, theirs):
            observed.player.new_game(game, number)
        if number % 2 == 0:
            play(game, (ours, theirs), measured, limit, generator, usage)
        else:
            play(game, (theirs, ours), measured[::-1], limit, generator, usage)
    for observed in (ours, theirs):
        observed.player.close()
    return usage


def play(
    game: Game,
    players: tuple[Observed, Observed],
    measured: tuple[bool, ...],
    limit: Limit,
    generator: random.Random,
    usage: Usage,
) -> None:
    clocks = Clock(limit), Clock(limit)
    first_solved: list[bool | None] = [None, None]
    now = opening(game, generator)
    while not now.over:
        now = now.rolled(generator) if now.needs_roll else now
        mover, clock = now.mover, clocks[now.mover]
        planned = budget(clock.limit(), game.plies_left(now.position, now.ply), game.deepening)
        allowed = time_allowed(clock.limit())
        assert allowed is not None
        withheld, began = time_withheld(), time.monotonic()
        decision, solved = players[mover].choose(now, clock.limit())
        seconds = time.monotonic() - began
        withheld = time_withheld() - withheld
        in_time = clock.charge(seconds, withheld)
        if measured[mover]:
            usage.forfeits += not in_time
            usage.late += seconds > allowed
            usage.excess = max(usage.excess, seconds - allowed)
            if len(now.legal) > 1:
                first_solved[mover] = solved if first_solved[mover] is None else first_solved[mover]
                if not solved:
                    usage.searches.append(seconds)
                    if limit.clock is not None:
                        usage.shares.append(planned.share(decision.depth or 0) or planned.hard or 0.0)
        if not in_time:
            print(
                f"{game.name}, ply {now.ply}: {seconds:.3f} s, {allowed:.3f} allowed, {withheld:.3f} withheld",
                flush=True,
            )
            break
        now = now.play(decision.move)
    for side in (0, 1):
        left = clocks[side].left
        if measured[side] and left is not None and limit.clock:
            usage.used.append(1.0 - left / limit.clock)
            if not first_solved[side]:
                usage.needed.append(usage.used[-1])


def opening(game: Game, generator: random.Random) -> State:
    """A start position after the random plies that a match plays before its games."""
    while True:
        now = start(game, generator.randrange(10**6))
        for _ in range(game.opening_plies):
            if not now.over:
                now = now.play(generator.choice(now.legal))
        if not now.over:
            return now


def same(name: str, spec: str, seconds: float, pairs: int, seed: int) -> str:
    """The time and depth per move of a player with a limit in its options, and with the same limit in the match."""
    ended = subprocess.run(
        [sys.executable, "-m", "starscout", "match", name, f"{spec} time={seconds}", spec, "--time", str(seconds),
         "--pairs", str(pairs), "--luck", "off", "--seed", str(seed), "--workers", "1", "--store", ":memory:",
         "--json"],
        stdout=subprocess.PIPE, check=True,
    )  # fmt: skip
    result = json.loads(ended.stdout)
    texts = [
        f"{1000 * used['seconds_per_move']:.1f} ms, depth {used['mean_depth']:.2f}, {sum(forfeits.values())} forfeits"
        for used, forfeits in ((result["used"][side], result["forfeits"][side]) for side in "AB")
    ]
    return f"{2 * pairs} games: options {texts[0]}; match {texts[1]}"


def cold(name: str, spec: str, limit: Limit, count: int, seed: int) -> str:
    """The forfeits and the mean depth of a player that starts with an empty cache."""
    option = ["--time", str(limit.time)] if limit.clock is None else ["--game-time", str(limit.clock)]
    forfeits: dict[str, int] = {}
    depths: list[float] = []
    for number in range(seed, seed + count):
        with tempfile.TemporaryDirectory() as folder:
            ended = subprocess.run(
                [sys.executable, "-m", "starscout", "match", name, spec, "random", "--pairs", "1", *option, "--luck",
                 "off", "--seed", str(number), "--workers", "1", "--store", ":memory:", "--json"],
                env={**os.environ, "STARSCOUT_CACHE": folder}, stdout=subprocess.PIPE, check=True,
            )  # fmt: skip
        result = json.loads(ended.stdout)
        depths.append(result["used"]["A"]["mean_depth"])
        for reason, times in result["forfeits"]["A"].items():
            print(result["first_forfeit"], flush=True)
            forfeits[reason] = forfeits.get(reason, 0) + times
    return f"{2 * count} games at {limit} with an empty cache: forfeits {forfeits}, mean depth {mean(depths):.1f}"


def occupy() -> None:
    while True:
        pass


if __name__ == "__main__":
    main()
