"""Helpers: whole games over a protocol with a transcript of every byte."""

import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import starscout
from starscout import games
from starscout.game.state import State, start
from starscout.players.spec import make_player
from starscout.protocols.connection import RefereeConnection
from starscout.protocols.engine import PlayerEngine
from starscout.protocols.protocol import EngineSettings
from starscout.protocols.registry import find_protocol
from starscout.records.record import GameRecord
from starscout.referee.game_in_progress import play_game
from starscout.search.limits import Limit
from tests.patience import PATIENCE
from tests.starts import any_start

GOLDEN = Path(__file__).parent / "golden"
TAP = Path(__file__).parent / "tap.py"
ENGINE = f"{sys.executable} -m starscout engine random --name Foo --nodes 100"

Transcript = Callable[..., tuple[list[GameRecord], str]]


@pytest.fixture(autouse=True)
def quick_engines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run engines in plain Python: they start faster, and random players need no kernels."""
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")


@pytest.fixture
def transcript(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trusted: None) -> Transcript:
    """Play games between an engine and `random`, exchanging sides; return the records and the transcript."""
    monkeypatch.setenv("PYTHONPATH", str(Path(starscout.__file__).parents[1]))
    log = tmp_path / "talk.txt"

    def run(
        protocol: str, command: str, game_name: str, count: int = 2, limit: Limit | None = None
    ) -> tuple[list[GameRecord], str]:
        game = games.load(game_name)
        engine = make_player(f"{protocol}:{sys.executable} {TAP} {log} {command}", game)
        other = make_player("random", game)
        limits = (limit or Limit(time=10.0), limit or Limit(time=10.0))
        records = []
        for number in range(count):
            players = (engine, other) if number % 2 == 0 else (other, engine)
            records.append(play_game(any_start(game, 5, 0), players, limits, seed=5, half=number % 2))
        engine.close()
        return records, readable(log.read_text())

    return run


def readable(log: str) -> str:
    """The log of the tap with one line per protocol line, or per turn for protocols without newlines."""
    turns: list[tuple[str, bytes]] = []
    for line in log.splitlines():
        arrow, data = line.split()
        if turns and turns[-1][0] == arrow:
            turns[-1] = arrow, turns[-1][1] + bytes.fromhex(data)
        else:
            turns.append((arrow, bytes.fromhex(data)))
    lines = []
    for arrow, data in turns:
        *finished, rest = data.decode("ascii").split("\n")
        lines += [f"{arrow} {line}\n" for line in finished]
        lines += [f"{arrow} {rest} (no line end)\n"] if rest else []
    return "".join(lines)


def check_golden(name: str, text: str) -> None:
    """Compare with a file in golden/; STARSCOUT_GOLDEN=write updates it."""
    path = GOLDEN / name
    if os.environ.get("STARSCOUT_GOLDEN") == "write":
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    assert text == path.read_text()


def converse(protocol: str, *lines: str) -> list[str]:
    """The answers of our engine to these lines."""
    done = subprocess.run(
        [*ENGINE.split(), "--protocol", protocol],
        input="".join(f"{line}\n" for line in lines),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
        cwd=Path(starscout.__file__).parents[1],
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


def converse_here(protocol: str, sent: str, game: str | None = None) -> str:
    """The answers of our engine, in this process, to a complete input."""
    spoken = find_protocol(protocol)
    engine_reads, we_write = os.pipe()
    we_read, engine_writes = os.pipe()
    os.write(we_write, sent.encode())
    os.close(we_write)
    connection = RefereeConnection(engine_reads, engine_writes, newlines=spoken.newlines)
    seat = EngineSettings("Foo", Limit(nodes=100), None if game is None else games.load(game))
    spoken.engine(PlayerEngine("random", make_player), connection, seat).serve()
    os.close(engine_writes)
    os.close(engine_reads)
    with open(we_read, "rb") as answers:
        return answers.read().decode()


def walk(name: str, seed: int) -> list[State]:
    """The rolled states of a random game, without the last."""
    generator = random.Random(seed)
    state = start(games.load(name), seed).rolled(generator)
    states = []
    while not state.over:
        states.append(state)
        state = state.play(generator.choice(state.legal)).rolled(generator)
    return states
