"""Analyse our games with the program GNU Backgammon: error rates, luck, and luck-adjusted results beside ours.

    python benchmarks/backgammon_gnubg.py --pairs 100 --seed 61             # analysis without search
    python benchmarks/backgammon_gnubg.py --pairs 100 --seed 61 --luck "depth=2 filter=1 endgame=on"
    python benchmarks/backgammon_gnubg.py --pairs 100 --seed 61 --plies 2   # slow: 12 s per game

Plays `backgammon-dmp`, exports every game as .mat, and lets `gnubg` analyse it. Intervals are 95 %. An error rate is
the sum of errors divided by the number of unforced plays, in thousandths of a point; its interval is that of a ratio of
sums over pairs of games.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy
from scipy.stats import t as student

import starscout
from starscout import games
from starscout.arena.luck import make_meter
from starscout.arena.luck_adjustment import LuckTally
from starscout.arena.statistics import confidence_interval, shrunk_prior
from starscout.records.mat import write_mat
from starscout.records.record import GameRecord

PROGRAM = shutil.which("gnubg") or shutil.which("gnubg", path="/usr/games")
SCRIPT = """
import json
for command in ("set automatic game off", "set output matchpc off", "set confirm new off", "set analysis cube off",
                "set analysis chequerplay evaluation plies {plies}", "set analysis luck on"):
    gnubg.command(command)
with open({out!r}, "w") as out:
    for number in range({count}):
        gnubg.command("import mat {folder}/%d.mat" % number)
        gnubg.command("analyse match")
        found = gnubg.match(analysis=0, boards=0, statistics=1, verbose=0)
        sides = {{found["match-info"][side]["name"]: found["games"][0]["stats"][side] for side in "XO"}}
        out.write(json.dumps(sides) + "\\n")
        out.flush()
"""


def analysed(records: list[GameRecord], plies: int) -> list[dict[str, Any]]:
    """GNU Backgammon's statistics of each game, by player name."""
    with tempfile.TemporaryDirectory() as folder:
        for number, record in enumerate(records):
            Path(folder, f"{number}.mat").write_text(write_mat(record))
        out, script = Path(folder, "out"), Path(folder, "script.py")
        script.write_text(SCRIPT.format(plies=plies, out=str(out), count=len(records), folder=folder))
        subprocess.run(
            [str(PROGRAM), "-t", "-q", "-p", str(script)], env={**os.environ, "HOME": folder},
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
        )  # fmt: skip
        return [json.loads(line) for line in out.read_text().splitlines()]


def ratio_with_error(parts: list[float], wholes: list[float]) -> tuple[float, float]:
    """Σ parts / Σ wholes, and the half-width of its interval."""
    above, below = numpy.array(parts), numpy.array(wholes)
    ratio = above.sum() / below.sum()
    spread = numpy.std(above - ratio * below, ddof=1) / below.mean() / len(above) ** 0.5
    return float(ratio), float(student.ppf(0.975, len(above) - 1) * spread)


def mean_with_error(values: numpy.ndarray) -> tuple[float, float]:
    """The mean and the half-width of its interval."""
    error = student.ppf(0.975, len(values) - 1) * numpy.std(values, ddof=1) / len(values) ** 0.5
    return float(values.mean()), float(error)


def match_interval(luck: list[float], scores: list[float]) -> tuple[float, float]:
    """The luck-adjusted interval that `starscout match` reports, from sums over pairs of games."""
    tally = LuckTally()
    for number, (found, score) in enumerate(zip(luck, scores, strict=True)):
        tally.add(number, found / 2, score / 2)
    adjusted = tally.adjusted()
    return confidence_interval(adjusted, shrunk_prior(adjusted, tally.raw()))


def by_pair(values: list[float]) -> list[float]:
    return [sum(values[first : first + 2]) for first in range(0, len(values), 2)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--player", default="quick", help="our player")
    parser.add_argument("--opponent", default="gnubg:0ply", help="its opponent")
    parser.add_argument("--pairs", type=int, default=100, help="pairs of games")
    parser.add_argument("--seed", type=int, default=61, help="seed of the dice")
    parser.add_argument("--plies", type=int, default=0, help="GNU Backgammon's search depth in the analysis")
    parser.add_argument("--luck", default="", help="the value function that measures our luck")
    parser.add_argument("--block", type=int, default=5, help="pairs of a block whose interval is checked")
    options = parser.parse_args()
    played = list(
        starscout.match(
            "backgammon-dmp", options.player, options.opponent, pairs=options.pairs, seed=options.seed, workers=0,
            luck="off", store=":memory:", progress=False,
        ).records
    )  # fmt: skip
    found = analysed(played, options.plies)
    if len(found) != len(played):
        raise SystemExit(f"GNU Backgammon analysed {len(found)} of {len(played)} games")
    meter = make_meter(games.load("backgammon-dmp"), options.luck)
    errors: dict[str, tuple[list[float], list[float]]] = {}
    results, ours, theirs = [], [], []
    for record, sides in zip(played, found, strict=True):
        movers = record.movers()
        names = sorted(sides, key=lambda name: name.startswith("gnubg"))
        for name in names:
            moves = sides[name]["moves"]
            errors.setdefault(name, ([], []))[0].append(moves["error-skill"])
            errors[name][1].append(moves["unforced-moves"])
        side = record.players.index(next(name for name in record.players if not name.startswith("gnubg")))
        luck = meter.annotate(record).luck
        results.append(record.score(side))
        ours.append(sum(value if mover == side else -value for value, mover in zip(luck, movers, strict=False)))
        theirs.append(sides[names[0]]["dice"]["luck-cost"] - sides[names[1]]["dice"]["luck-cost"])
    print(f"{len(played)} games, seed {options.seed}, analysis at {options.plies} plies")
    for name, (skill, unforced) in errors.items():
        rate, margin = ratio_with_error(by_pair(skill), by_pair(unforced))
        print(f"{name}: error rate {1000 * abs(rate):.2f} ± {1000 * margin:.2f} mEMG per unforced play")
    print(f"luck per game: correlation {numpy.corrcoef(ours, theirs)[0, 1]:.4f}")
    pairs = {
        "raw": numpy.array(by_pair(results)) / 2,
        "our luck": (numpy.array(by_pair(results)) - by_pair(ours)) / 2,
        "GNU Backgammon's luck": (numpy.array(by_pair(results)) - by_pair(theirs)) / 2,
    }
    raw = statistics.variance(pairs["raw"])
    for name, scores in pairs.items():
        score, margin = mean_with_error(scores)
        ratio = statistics.variance(scores) / raw
        print(f"score by {name}: {100 * score:.1f} % ± {100 * margin:.1f}, variance × {ratio:.3f}")
    blocks = options.pairs // options.block
    covered = 0
    for block in range(blocks):
        here = slice(block * options.block, (block + 1) * options.block)
        low, high = match_interval(by_pair(ours)[here], by_pair(results)[here])
        covered += low <= pairs["GNU Backgammon's luck"][here].mean() <= high
    print(f"intervals of {2 * options.block} games that contain GNU Backgammon's own result: {covered} of {blocks}")


if __name__ == "__main__":
    main()
