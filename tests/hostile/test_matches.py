"""Matches and tournaments with hostile engines: they lose their games, and the other games do not change."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import starscout
from starscout.protocols.channel import Channel
from starscout.protocols.lab import LabPlayer
from tests.hostile.behaviours import BEHAVIOURS
from tests.hostile.test_behaviours import Outside, spec_of
from tests.patience import PATIENCE

GAME = "ewn-3x3-3"
HONEST = """
import random

class Honest:
    def new_game(self, game, seed):
        self.random = random.Random(seed)

    def choose(self, state, limit):
        return self.random.choice(state.moves)

class Slow(Honest):
    pass

class Loops(Honest):
    def choose(self, state, limit):
        while True:
            pass

class Segfaults(Honest):
    def choose(self, state, limit):
        import ctypes
        ctypes.string_at(0)

class Patches(Honest):
    def choose(self, state, limit):
        import gc, os, signal
        for found in gc.get_objects():
            if type(found).__name__ in ("Honest", "Slow", "RandomPlayer"):
                type(found).choose = lambda self, state, limit: state.moves[-1]
        os.kill(os.getppid(), signal.SIGTERM)
        return super().choose(state, limit)
"""


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")


@pytest.fixture
def outside(tmp_path: Path) -> Iterator[Outside]:
    made = Outside(tmp_path)
    yield made
    made.close()


def spec(folder: Path, name: str) -> str:
    (folder / "agents.py").write_text(HONEST)
    return f"python:{folder}/agents.py:{name}"


@pytest.mark.parametrize(("name", "reason"), [("Loops", "timeout"), ("Segfaults", "crash")])
def test_a_class_that_fails_loses_and_the_match_goes_on(tmp_path: Path, name: str, reason: str) -> None:
    limit = 0.1 if reason == "timeout" else 60.0
    result = starscout.match(
        GAME, spec(tmp_path, name), "random", pairs=2, time=limit, workers=1, store=":memory:", progress=False
    )
    assert result.forfeits == {"A": {reason: 4}, "B": {}}


def test_a_class_that_loops_without_a_clock_is_late(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STARSCOUT_ENGINE_WATCHDOG", "2")
    result = starscout.match(
        GAME, "random", spec(tmp_path, "Loops"), pairs=1, workers=1, store=":memory:", progress=False
    )
    assert result.forfeits == {"A": {}, "B": {"timeout": 2}}


@pytest.mark.parametrize("name", ["Patches", pytest.param("Segfaults", marks=pytest.mark.slow)])
def test_hostile_players_do_not_change_the_games_of_others(tmp_path: Path, name: str) -> None:
    """Regression: a class that patched its opponent won 10-0, because all players shared a process."""
    undisturbed = games_beside(tmp_path, "random")
    assert len(undisturbed) == 2
    assert games_beside(tmp_path, spec(tmp_path, name)) == undisturbed


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["program", "class"])
@pytest.mark.parametrize("name", BEHAVIOURS)
def test_no_behaviour_changes_the_games_of_others(tmp_path: Path, outside: Outside, name: str, kind: str) -> None:
    """Every behaviour of the corpus meets both honest players in one tournament."""
    file = outside.engine / "one_class.py"
    # A tournament looks for the class in the text of the file.
    file.write_text(f"import behaviours\n\nclass {name}(behaviours.{name}): ...\n")
    hostile = f"python:{file}:{name}" if kind == "class" else spec_of(kind, name, outside)
    undisturbed = games_beside(tmp_path, "random")
    assert games_beside(tmp_path, hostile, time=1.0) == undisturbed
    file.unlink()
    outside.check()


def games_beside(folder: Path, third: str, *, time: float = 5.0) -> list[tuple[object, ...]]:
    """Return the games of two honest players in a tournament with a third."""
    players = [spec(folder, name) for name in ("Honest", "Slow")]
    played = starscout.tournament(
        GAME, [*players, third], pairs=1, seed=3, time=time, workers=1, store=":memory:", progress=False
    )
    return [
        (record.winner, record.reason, *(ply.text for ply in record.plies))
        for _, plan, pairs in played.matches
        if third not in (plan.first, plan.second)
        for pair in pairs
        for record, *_ in pair.games(GAME, (plan.first, plan.second), plan.seed)
    ]


KILLER = """
import os, signal, sys
for line in sys.stdin:
    word = line.split()[0]
    if word == "lab":
        print("labok", flush=True)
    elif word == "isready":
        print("readyok", flush=True)
    elif word == "go":
        # The parent is a part of the launcher, and so is its parent.
        process = os.getppid()
        for _ in range(2):
            process = int(open(f"/proc/{process}/stat").read().rpartition(")")[2].split()[1])
        os.kill(process, signal.SIGKILL)
        signal.pause()
"""


def test_a_program_that_kills_its_worker_loses(tmp_path: Path) -> None:
    """Only possible without isolation. Regression: it ended the whole match."""
    (tmp_path / "killer.py").write_text(KILLER)
    killer = f"lab:{sys.executable} {tmp_path}/killer.py"
    result = starscout.match(
        GAME, "random", killer, pairs=2, workers=2, trust=True, store=":memory:", progress=False, luck="off"
    )
    assert result.forfeits == {"A": {}, "B": {"crash": 4}}
    assert "ended the referee's process (exit code -9)" in (result.first_forfeit or "")


def test_trust_and_isolate_exclude_each_other() -> None:
    with pytest.raises(starscout.GameError, match="pass only one of trust, isolate"):
        starscout.match(GAME, "random", "random", trust=True, isolate=True)


@pytest.mark.parametrize(
    ("number", "sandbox"),
    [
        (signal.SIGKILL, ""),
        (signal.SIGTERM, "off"),
        pytest.param(signal.SIGKILL, "off", marks=pytest.mark.slow),
        pytest.param(signal.SIGTERM, "", marks=pytest.mark.slow),
    ],
)
def test_no_descendant_outlives_a_killed_director_and_its_workers(
    outside: Outside, sandbox: str, number: signal.Signals
) -> None:
    engine = spec_of("program", "forks_and_waits", outside)
    words = [
        "match",
        "ewn",
        engine,
        "random",
        "--pairs",
        "50",
        "--workers",
        "1",
        "--store",
        ":memory:",
        "--time",
        "600",
    ]
    environment = {**os.environ, "STARSCOUT_SANDBOX": sandbox}
    director = subprocess.Popen(
        [sys.executable, "-m", "starscout", *words],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_for(lambda: bool(outside.naps()))
        workers = [int(word) for word in Path(f"/proc/{director.pid}/task/{director.pid}/children").read_text().split()]
        if number is signal.SIGKILL:
            # The director dies first, so that it cannot clean up after its workers.
            director.kill()
            for worker in workers:
                os.kill(worker, signal.SIGKILL)
        else:
            director.terminate()
        director.wait(PATIENCE)
        wait_for(lambda: not outside.naps())
    finally:
        director.kill()
        director.wait()
    outside.check()


def wait_for(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.02)


def test_info_lines_do_not_grow_the_referee(tmp_path: Path) -> None:
    """Endless new keys, long values and long lines are dropped."""
    read, write = os.pipe()
    channel = Channel("engine", read, os.open(os.devnull, os.O_WRONLY))
    player = LabPlayer("engine", None)  # pyright: ignore[reportArgumentType]
    player._start, player._moves = "", []
    state = starscout.start(GAME).rolled(1)
    lines = [f"info key{number} {'v' * 1000} depth 3 pv {'x ' * 2000}\n" for number in range(10)]
    os.write(write, "".join(lines).encode() + f"bestmove {state.moves[0]}\n".encode())
    decision = player._answer(channel, state, starscout.Limit(time=10.0))
    assert (decision.depth, len(decision.line)) == (3, 200)
    channel.close()
    os.close(write)
