"""Whole games through a protocol, with every byte written down."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import starscout
from starscout import games
from starscout.records.record import GameRecord
from starscout.referee.play import play_game
from starscout.search.limits import Limit
from starscout.spec import make_player
from tests.starts import any_start

GOLDEN = Path(__file__).parent / "golden"
TAP = Path(__file__).parent / "tap.py"

Transcript = Callable[..., tuple[list[GameRecord], str]]


@pytest.fixture(autouse=True)
def quick_engines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Engines that tests start run as plain Python: they start sooner, and random movers have nothing to compile."""
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")


@pytest.fixture
def transcript(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Transcript:
    """Play games between an engine behind a protocol and `random`, changing sides; the records and the transcript."""
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
    """The tap's log with a line for each line of the protocol; where it has no line ends, one for each turn."""
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
    """Compare with a file of golden/; STARSCOUT_GOLDEN=write writes it anew."""
    path = GOLDEN / name
    if os.environ.get("STARSCOUT_GOLDEN") == "write":
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    assert text == path.read_text()
