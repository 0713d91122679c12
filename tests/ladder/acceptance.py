"""Honest and hostile players on one ladder that is killed again and again.

    python -m tests.ladder.acceptance FOLDER --honest 30 --hostile 30 --minutes 60 --kills 5

The honest engines are of different strength and language (honest.py), the hostile ones from the corpus of the isolation
(tests/hostile). Afterwards: nothing outside was reached, no stored game was lost, no honest player forfeited, and the
ratings agree with those of a tournament without clocks within the stated intervals. The report is
FOLDER/report.json. An interrupted run keeps the true ratings.
"""

import argparse
import csv
import json
import math
import os
import random
import signal
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from starscout.ladder.badge import rating_text
from starscout.ladder.run import enrol_class
from starscout.ladder.schema import ACCEPTED, REJECTED
from starscout.ladder.store import LadderStore
from starscout.protocols.process import own_command
from tests.hostile import test_behaviours
from tests.hostile.behaviours import BEHAVIOURS, ONLY_ISOLATED, VERDICTS
from tests.hostile.test_behaviours import SECRET, Outside
from tests.ladder.honest import GAME, honest_engines, true_ratings, zipped
from tests.ladder.running import Running, running

SECONDS = 2.0
"""Time per move: more than in a check, by which the hostile engines recognise rated games."""
CONFIGURATION = f"""
games = ["{GAME}"]
title = "Acceptance"
[limits]
time = {SECONDS}
[submission]
seconds_between = 0
[[baseline]]
name = "random"
player = "random"
[[baseline]]
name = "one ply"
player = "negascout depth=1"
"""
HOSTILE_SOURCE = """
from behaviours import act


class Agent:
    def choose(self, state, limit):
        done, self.done = getattr(self, "done", False), True
        if limit.time > 1.2 and not done:
            answer = act({name!r})
            if answer is not None:
                return answer
        return state.moves[0]
"""
CORPUS = Path(test_behaviours.__file__).parent
LATE = 3
"""Students who submit an honest engine during the games; the time until their first standing is measured."""
SUCCEEDED = "exit code 99"
"""Error output of a hostile engine whose attack has succeeded."""


@dataclass
class Report:
    """The observations of a run."""

    load: list[float] = field(default_factory=list)
    page_seconds: list[float] = field(default_factory=list)
    first_standing: list[float] = field(default_factory=list)
    """Seconds from an upload to a standing with a pair of games."""
    first_check: list[float] = field(default_factory=list)
    kills: int = 0
    void: int = 0
    """Pairs that were void because of a fault of the server."""
    findings: dict[str, Any] = field(default_factory=dict)


def hostile_names(count: int) -> list[str]:
    """Behaviours of all kinds."""
    names = list(BEHAVIOURS)
    return [names[number * len(names) // count] for number in range(count)]


def hostile(number: int, name: str, outside: Outside, folder: Path) -> bytes:
    """An engine with this behaviour in its rated games: a class or a program; every sixth also attacks in its build."""
    files = {path.name: path.read_text() for path in outside.engine.glob("*.py")}
    targets = json.loads((outside.engine / "targets.json").read_text())
    # The real files of the ladder, half of the time.
    if number % 2:
        targets |= {"store": str(folder / "ladder.sqlite"), "file": str(folder / "ladder.toml")}
        targets |= {"secret": str(folder / "teacher.token"), "opponent": str(folder / "submissions" / "1.bin")}
    files |= {"targets.json": json.dumps(targets), "agent.py": HOSTILE_SOURCE.format(name=name)}
    files["engine.txt"] = "python:agent.py:Agent\n"
    if number % 3 == 1:
        # Importing the corpus extended `sys.path`, but the engines must import their own copy.
        sys.path[:] = [path for path in sys.path if Path(path) != CORPUS]
        words = own_command("engine", "python:agent.py:Agent", "--protocol", "lab", "--game", GAME)
        files["player"] = "#!/bin/sh\nexec " + " ".join("'" + word.replace("'", "'\\''") + "'" for word in words) + "\n"
        files["engine.txt"] = "lab:./player\n"
    if number % 6 == 2 and name in ONLY_ISOLATED:
        files["attack.py"] = f"from behaviours import act\nact({name!r})\n"
        files["Makefile"] = f"all:\n\t-cp -r . /tmp/copy && cd /tmp/copy && timeout 20 {sys.executable} attack.py\n"
    return zipped(files)


class Acceptance:
    """One run in a folder."""

    def __init__(self, folder: Path, honest: int, hostile_count: int, minutes: float, kills: int, workers: int) -> None:
        self.folder, self.minutes, self.kills, self.workers = folder, minutes, kills, workers
        self.honest = honest_engines(honest)
        self.hostile = hostile_names(hostile_count)
        self.ladder_folder = folder / "ladder"
        self.report = Report()
        self._random = random.Random(1)
        self._tokens: dict[str, str] = {}
        self._rows: list[tuple[Any, ...]] = []
        """The log of the ladder at the last check."""
        self._looked_at = 0.0

    def run(self) -> dict[str, Any]:
        """Play, then judge; raises AssertionError for the first condition that does not hold."""
        self.ladder_folder.mkdir(parents=True)
        (self.ladder_folder / "ladder.toml").write_text(CONFIGURATION)
        # Hostile engines recognise this text.
        (self.ladder_folder / "teacher.token").write_text(f"{SECRET}\n")
        (self.ladder_folder / "teacher.token").chmod(0o600)
        outside = Outside(self.folder)
        try:
            self._play(outside)
            outside.check()
        finally:
            outside.close()
        assert (self.ladder_folder / "teacher.token").read_text() == f"{SECRET}\n"
        assert (self.ladder_folder / "ladder.toml").read_text() == CONFIGURATION
        assert processes_of(self.ladder_folder) == []
        return self.judge()

    def judge(self) -> dict[str, Any]:
        """Judge the stored games of a run."""
        with running(self.ladder_folder, "--workers", str(self.workers), compiled=True) as ladder:
            ladder.freeze(True)
            self.standings = ladder.json("/api/standings")["standings"]
        rows = self._judge_games()
        self.report.findings |= judge_ratings(rows, self.truth())
        return self.write()

    def truth(self) -> dict[str, tuple[float, float]]:
        """The true ratings, measured once per folder."""
        file = self.folder / "true.json"
        if not file.exists():
            file.write_text(json.dumps(true_ratings(self.honest, self.folder, self.workers)))
        return {name: (elo, error) for name, (elo, error) in json.loads(file.read_text()).items()}

    def write(self) -> dict[str, Any]:
        """Write the report."""
        found = vars(self.report)
        (self.folder / "report.json").write_text(json.dumps(found, indent=1))
        return found

    def _play(self, outside: Outside) -> None:
        """Run the ladder for the given time, with kills at random moments."""
        began = time.monotonic()
        end = began + 60 * self.minutes
        part = 60 * self.minutes / (self.kills + 1)
        moments = [began + part * (n + 1) * self._random.uniform(0.9, 1.0) for n in range(self.kills)]
        submitted = False
        for number, until in enumerate([*moments, end]):
            with running(self.ladder_folder, "--workers", str(self.workers), compiled=True) as ladder:
                self._compare(ladder)
                if not submitted:
                    self._submit_all(ladder, outside)
                    submitted = True
                elif 0 < number <= LATE:
                    self._submit_late(ladder, number)
                while time.monotonic() < until or (number == self.kills and not self._all_decided()):
                    self._look(ladder)
                    time.sleep(0.5)
                if number < self.kills:
                    self._compare(ladder)
                    ladder.process.send_signal(signal.SIGKILL)
                    ladder.process.wait()
                    self.report.kills += 1
                    print(f"kill {self.report.kills} after {len(self._rows)} pairs", file=sys.stderr, flush=True)
        with running(self.ladder_folder, "--workers", str(self.workers), compiled=True) as ladder:
            self._compare(ladder)

    def _submit_all(self, ladder: Running, outside: Outside) -> None:
        """Enrol everybody and submit all engines, by HTTP and by the inbox in turn."""
        engines = {engine.name: zipped(engine.files()) for engine in self.honest}
        for number, name in enumerate(self.hostile):
            engines[f"hostile {name}"] = hostile(number, name, outside, self.ladder_folder)
        codes = {name: f"s{number}" for number, name in enumerate(engines)}
        late = [f"late {number}" for number in range(1, LATE + 1)]
        with (self.folder / "class.csv").open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerows(
                [("id", "name"), *((code, name) for name, code in codes.items()), *((x[-1], x) for x in late)]
            )
        tokens, _ = enrol_class(self.ladder_folder, self.folder / "class.csv")
        with tokens.open(encoding="utf-8-sig", newline="") as file:
            self._tokens = {row["name"]: row["token"] for row in csv.DictReader(file)}
        for number, (name, data) in enumerate(engines.items()):
            if number % 2:
                path = self.ladder_folder / "inbox" / codes[name] / "engine.zip.part"
                path.write_bytes(data)
                path.rename(path.with_suffix(""))
            else:
                status, text = ladder.get("/submit/engine.zip", self._tokens[name], "PUT", data)
                assert status == 202, text

    def _all_decided(self) -> bool:
        with LadderStore(self.ladder_folder / "ladder.sqlite") as store:
            states = Counter(submission.status for submission in store.submissions(limit=1000))
        wanted = len(self.honest) + len(self.hostile)
        return states[ACCEPTED] + states[REJECTED] >= wanted

    def _submit_late(self, ladder: Running, number: int) -> None:
        """Submit an engine and wait for its first standing, if all others have been decided."""
        if not self._all_decided():
            return
        name, began = f"late {number}", time.monotonic()
        token = self._tokens[name]
        engine = self.honest[(7 * number) % len(self.honest)]
        status, text = ladder.get("/submit/engine.zip", token, "PUT", zipped(engine.files()))
        assert status == 202, text
        address = f"/api/submissions/{json.loads(text)['submission']}"
        found = ladder.until(lambda: ladder.json(address, token), lambda row: row["status"] in (ACCEPTED, REJECTED))
        assert found["status"] == ACCEPTED, found
        self.report.first_check.append(round(time.monotonic() - began, 1))
        ladder.until(lambda: ladder.json(address, token), lambda row: row["standing"] and row["standing"]["pairs"])
        self.report.first_standing.append(round(time.monotonic() - began, 1))

    def _look(self, ladder: Running) -> None:
        """Load the standings every ten seconds."""
        if time.monotonic() - self._looked_at < 10:
            return
        began = self._looked_at = time.monotonic()
        status, text = ladder.get("/", ladder.teacher)
        assert status == 200, text
        self.report.page_seconds.append(round(time.monotonic() - began, 3))
        self.report.load.append(round(os.getloadavg()[0], 1))
        assert ladder.process.poll() is None

    def _compare(self, ladder: Running) -> None:
        """No row of the log has disappeared or changed since the last check."""
        with LadderStore(self.ladder_folder / "ladder.sqlite") as store:
            rows = store._query(
                "SELECT id, match, pair, first, second, ended, score, forfeits FROM ladder_log ORDER BY id"
            )
        assert rows[: len(self._rows)] == self._rows, "stored games were lost or changed"
        self._rows = rows

    def _judge_games(self) -> dict[str, dict[str, Any]]:
        """Check submissions, stored games and forfeits; returns the standings of the honest players."""
        honest = {engine.name for engine in self.honest}
        with LadderStore(self.ladder_folder / "ladder.sqlite") as store:
            check_sums(store)
            names = {entrant.id: entrant.name for entrant in store.entrants()}
            for submission in store.submissions(limit=1000):
                if names[submission.entrant] in honest:
                    assert submission.status == ACCEPTED, (names[submission.entrant], submission.reason)
            rejected = {names[s.entrant]: s.reason for s in store.submissions(status=REJECTED, limit=1000)}
            events = [text for _, kind, text in store.events(10_000) if kind in ("void", "server", "suspended")]
            forfeits: dict[str, Counter[str]] = {}
            for row in store.forfeits(limit=100_000):
                record = store.pair(row.match, row.pair)
                for half, (reason, detail) in enumerate(zip(record.reasons, record.details(), strict=True)):
                    assert SUCCEEDED not in detail, f"an attack has succeeded: {detail}"
                    for loser in record.forfeiters(half):
                        name = names[row.first if loser == "A" else row.second]
                        forfeits.setdefault(name, Counter())[reason] += 1
                        assert name not in honest, (name, reason, detail)
            pairs = store.pair_count()
        expected = {
            name: VERDICTS[name.removeprefix("hostile ")] for name in names.values() if name.startswith("hostile ")
        }
        # On a busy machine any of them may be late.
        unexpected = {n: dict(c) for n, c in forfeits.items() if set(c) - {expected.get(n, ""), "timeout"}}
        assert not unexpected, unexpected
        acted = {row["player"] for row in self.standings if row["pairs"] and expected.get(row["player"])}
        assert acted <= set(forfeits), f"these did not misbehave: {sorted(acted - set(forfeits))}"
        self.report.void = len(events)
        self.report.findings |= {
            "pairs": pairs, "rejected": rejected, "events": events[:50],
            "forfeits": {name: dict(counts) for name, counts in forfeits.items()},
            "pairs per honest player": sorted(row["pairs"] for row in self.standings if row["player"] in honest),
        }  # fmt: skip
        return {row["player"]: row for row in self.standings if row["player"] in honest}


def check_sums(store: LadderStore) -> None:
    """Every stored pair is in the log and in the sums of its encounter, once."""
    stored = sum(len(store.stored_pairs(match.id)) for match in store.matches())
    assert stored == store.pair_count() == sum(sums.folds[0].n + sums.folds[1].n for sums in store.sums(GAME))
    for sums in store.sums(GAME):
        total = sum(record.score for record in store.pairs(sums.match))
        assert math.isclose(total, sums.folds[0].y + sums.folds[1].y, abs_tol=1e-9)


def processes_of(folder: Path) -> list[int]:
    """Processes with the folder in their command."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if str(folder).encode() in (entry / "cmdline").read_bytes() and int(entry.name) != os.getpid():
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def judge_ratings(rows: dict[str, dict[str, Any]], truth: dict[str, tuple[float, float]]) -> dict[str, Any]:
    """Compare ratings of the ladder with the true ones.

    Both have a zero of their own: they are aligned by the weighted mean of their differences.
    """
    names = sorted(truth, key=lambda name: -truth[name][0])
    weights = {name: 1 / (rows[name]["error"] ** 2 + truth[name][1] ** 2) for name in names}
    shift = sum(weights[n] * (rows[n]["elo"] - truth[n][0]) for n in names) / sum(weights.values())
    gaps = {name: rows[name]["elo"] - shift - truth[name][0] for name in names}
    outside = [name for name in names if abs(gaps[name]) * math.sqrt(weights[name]) > 1]
    # The probability of at least this many if every interval has a coverage of 95 %.
    chance = sum(
        math.comb(len(names), k) * 0.05**k * 0.95 ** (len(names) - k) for k in range(len(outside), len(names) + 1)
    )
    separated = wrong = discordant = 0
    for place, strong in enumerate(names):
        for weak in names[place + 1 :]:
            gap = rows[strong]["elo"] - rows[weak]["elo"]
            discordant += gap < 0
            if abs(gap) > rows[strong]["error"] + rows[weak]["error"]:
                separated += 1
                wrong += gap < 0
    total = len(names) * (len(names) - 1) // 2
    return {
        "ratings": {
            name: f"{rating_text(rows[name]['elo'] - shift, rows[name]['error'])}, true {rating_text(*truth[name])}"
            for name in names
        },
        "outside their intervals": outside, "probability of so many": round(chance, 4),
        "pairs of players": total, "in the true order": total - discordant,
        "with disjoint intervals": separated, "of these in the wrong order": wrong,
    }  # fmt: skip


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Run the acceptance test of the ladder.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--honest", type=int, default=30)
    parser.add_argument("--hostile", type=int, default=30)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--truth", action="store_true", help="only measure the true ratings")
    parser.add_argument("--judge", action="store_true", help="only judge the games that a run has stored")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    run = Acceptance(given.folder.resolve(), given.honest, given.hostile, given.minutes, given.kills, given.workers)
    if given.truth:
        print(json.dumps(run.truth(), indent=1))
        return
    if given.judge:
        run.report = Report(**json.loads((given.folder / "report.json").read_text()))
    try:
        _ = run.judge() if given.judge else run.run()
    finally:
        print(json.dumps(run.write(), indent=1))
    assert run.report.findings["of these in the wrong order"] == 0
    assert run.report.findings["probability of so many"] > 0.01


if __name__ == "__main__":
    main()
