"""Cost of isolation, and games beside busy processes.

    python benchmarks/isolation.py
    python benchmarks/isolation.py --starts 0 --games 1000 --busy 20    # forfeits of our own players, 0.05 s per move

Prints for each level that this system supports

- milliseconds of CPU time for starting and ending a program, and the difference to a plain child process
- milliseconds from the start of a program to its first answer
- microseconds per question and answer of a program that answers at once, and the difference to a plain child process
- the difference in per cent of a move of 1 ms, the shortest limit

Runs alternate between the levels. Starts are compared by CPU time, which other processes do not change much, and moves
by their median.
"""

import argparse
import multiprocessing
import os
import resource
import shlex
import statistics
import subprocess
import time

import starscout
from starscout.protocols import sandbox
from starscout.protocols.channel import Channel, deadline_in
from starscout.protocols.process import Program

ECHO = "sh -c 'while read line; do echo $line; done'"
PLAIN = "plain"
SHORTEST_MOVE = 0.001
"""Seconds of the shortest move that a limit allows."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--starts", type=int, default=40, help="starts per level; 0: do not measure the overhead")
    parser.add_argument("--moves", type=int, default=4000, help="questions per level")
    parser.add_argument("--games", type=int, default=0, help="games of our own players at 0.05 s per move")
    parser.add_argument("--busy", type=int, default=20, help="processes that occupy the CPU during these games")
    parser.add_argument("--seed", type=int, default=1, help="seed of these games")
    arguments = parser.parse_args()
    if arguments.starts:
        overhead(arguments.starts, arguments.moves)
    if arguments.games:
        forfeits(arguments.games, arguments.busy, arguments.seed)


def overhead(starts: int, moves: int) -> None:
    """Print the cost of each level."""
    levels = [level for level in sandbox.LEVELS if sandbox.probe((level,)).level == level]
    started: dict[str, list[float]] = {level: [] for level in (*levels, PLAIN)}
    answered: dict[str, list[float]] = {level: [] for level in (*levels, PLAIN)}
    used: dict[str, list[float]] = {level: [] for level in (*levels, PLAIN)}
    for _ in range(starts):
        for level in (*levels, PLAIN):
            os.environ[sandbox.VARIABLE] = level
            began, before = time.perf_counter(), cpu_seconds()
            channel = plain() if level == PLAIN else Program("echo", ECHO).open()
            channel.send_line("x", deadline_in(60.0))
            channel.line(deadline_in(60.0))
            started[level].append(time.perf_counter() - began)
            for _ in range(moves // starts):
                began = time.perf_counter()
                channel.send_line("x", deadline_in(60.0))
                channel.line(deadline_in(60.0))
                answered[level].append(time.perf_counter() - began)
            channel.close()
            # The program itself uses the same time at every level.
            used[level].append(cpu_seconds() - before)
    del os.environ[sandbox.VARIABLE]
    start, answer = statistics.median(used[PLAIN]), statistics.median(answered[PLAIN])
    for level in (*levels, PLAIN):
        more_start = statistics.median(used[level]) - start
        more_answer = statistics.median(answered[level]) - answer
        print(
            f"{level:10}  start {1e3 * statistics.median(used[level]):5.1f} ms CPU ({1e3 * more_start:+.1f} ms), "
            f"{1e3 * statistics.median(started[level]):5.1f} ms elapsed   "
            f"move {1e6 * statistics.median(answered[level]):6.1f} us ({1e6 * more_answer:+.1f} us, "
            f"{100 * more_answer / SHORTEST_MOVE:+.2f} % of a move of 1 ms)"
        )


def cpu_seconds(*which: int) -> float:
    """CPU time of this process and of the children that have ended, or of one of both."""
    return sum(sum(resource.getrusage(who)[:2]) for who in which or (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def plain() -> Channel:
    """The program as a child process without a launcher."""
    process = subprocess.Popen(shlex.split(ECHO), stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
    assert process.stdin is not None
    assert process.stdout is not None
    read, write = os.dup(process.stdout.fileno()), os.dup(process.stdin.fileno())
    process.stdin.close()
    process.stdout.close()
    return Channel("echo", read, write, on_close=lambda at_once: process.__exit__(None, None, None))


def forfeits(games: int, busy: int, seed: int) -> None:
    """Play a match between our own players beside busy processes; print forfeits and the load."""
    settings = {"time": 0.05, "luck": "off", "store": ":memory:", "progress": False}
    starscout.match("ewn", "negascout", "mcts", pairs=1, **settings)
    processes = [multiprocessing.Process(target=_occupy, daemon=True) for _ in range(busy)]
    for process in processes:
        process.start()
    before = cpu_seconds(resource.RUSAGE_CHILDREN)
    try:
        result = starscout.match("ewn", "negascout", "mcts", pairs=games // 2, seed=seed, **settings)
        load = os.getloadavg()[1]
    finally:
        for process in processes:
            process.kill()
    for process in processes:
        process.join()
    used = cpu_seconds(resource.RUSAGE_CHILDREN) - before
    print(f"{result.games} games at 0.05 s per move beside {busy} busy processes: forfeits {result.forfeits}")
    print(f"{result.seconds:.0f} s, load of 5 minutes {load:.1f}, first forfeit: {result.first_forfeit}")
    print(f"{used:.0f} s of CPU time of the busy processes and of the players")


def _occupy() -> None:
    while True:
        pass


if __name__ == "__main__":
    main()
