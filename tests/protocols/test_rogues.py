"""Misbehaving engines over pipes and TCP: outcomes, further games, and no remaining processes."""

import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import starscout
from starscout import games
from starscout.game import GameError
from starscout.game.state import State, parse
from starscout.players.player import Decision, Player
from starscout.players.spec import make_player
from starscout.protocols.channel import Channel
from starscout.protocols.judge import Listener
from starscout.protocols.lab import LabPlayer
from starscout.protocols.remote_player import ConnectedEngine
from starscout.records.record import GameRecord
from starscout.referee.game_in_progress import play_game
from starscout.search.limits import Limit
from tests.patience import PATIENCE

ROGUE = Path(__file__).parent / "rogue.py"
TOKEN = "open-sesame"
LIMIT = Limit(time=1.0)
"""Enough for a regular answer on a busy machine; a game against a silent engine takes this long."""
PATIENT = Limit(time=PATIENCE)
IN_TIME = ("illegal", "empty", "megabyte", "half", "crash", "closes-output", "early", "bytes", "leaves")
"""Faults that end the game at once, independent of the limit."""
ROGUES_SLEEP = 3600.0
"""Seconds that a hanging engine sleeps: no game may take that long."""

FATES = {
    "garbage": ("timeout", "timeout"),
    "illegal": ("illegal move", "illegal move"),
    "empty": ("illegal move", "illegal move"),
    "nothing": ("timeout", "timeout"),
    "late": ("timeout", "timeout"),
    "megabyte": ("stalled", "stalled"),
    "half": ("crash", "disconnected"),
    "crash": ("crash", "disconnected"),
    "fork": ("timeout", "timeout"),
    "escape": ("timeout", None),
    "babble": ("timeout", "timeout"),
    "drip": ("timeout", "timeout"),
    "early": ("illegal move", "illegal move"),
    "bytes": ("illegal move", "illegal move"),
    "leaves": ("crash", "disconnected"),
    "closes-output": ("disconnected", "disconnected"),
    "closes-input": ("disconnected", "timeout"),
}
"""Fault → the outcome over pipes, and over TCP (None: processes of a connected engine are not ours to kill)."""


class Climber(Player):
    """The opponent: its only cube moves up the right edge."""

    name = "climber"

    def choose(self, state: State, limit: Limit) -> Decision:
        return Decision(state.parse_move(next(move for move in state.moves if move[0] == move[2])))


def play(engine: LabPlayer, limit: Limit = LIMIT) -> GameRecord:
    start = parse(games.load("ewn"), "1..../...../...../...../....a r -")
    return play_game(start, (engine, Climber()), (limit, Limit()))


def processes_with(mark: str) -> list[int]:
    """The running processes with this text in their environment."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and int(folder.name) != os.getpid():
            try:
                environment = (folder / "environ").read_bytes()
            except OSError:
                continue
            if mark.encode() in environment:
                found.append(int(folder.name))
    return found


@pytest.fixture(autouse=True)
def nobody_left(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No process that a test started, directly or indirectly, survives it."""
    mark = f"rogue-{secrets.token_hex(8)}"
    monkeypatch.setenv("ROGUE_MARK", mark)
    yield
    until = time.monotonic() + PATIENCE
    while processes_with(mark) and time.monotonic() < until:
        time.sleep(0.02)
    assert processes_with(mark) == []


def over_pipes(fault: str) -> LabPlayer:
    player = make_player(f"lab:{sys.executable} {ROGUE} {fault}", games.load("ewn"))
    assert isinstance(player, LabPlayer)
    return player


class Visit:
    """A misbehaving engine that has connected over TCP."""

    def __init__(self, fault: str) -> None:
        listener = Listener(0)
        self._process = subprocess.Popen(
            [sys.executable, str(ROGUE), fault, str(listener.port), TOKEN], start_new_session=True
        )
        (channel,) = listener.accept_engines(1, 60.0, TOKEN)
        listener.close()
        self.channel: Channel = channel
        self.player = LabPlayer(channel.name, ConnectedEngine(channel))
        self.player.recovery = 0.2

    def end(self) -> None:
        self.player.close()
        os.killpg(self._process.pid, 9)
        self._process.wait()


@pytest.mark.parametrize("fault", FATES)
def test_faults_over_pipes(fault: str) -> None:
    engine = over_pipes(fault)
    limit = PATIENT if fault in IN_TIME else LIMIT
    began = time.monotonic()
    record = play(engine, limit)
    assert (record.winner, record.reason) == (1, FATES[fault][0]), record.detail
    assert record.plies[0].text == "A1B1"
    assert time.monotonic() - began < ROGUES_SLEEP / 4
    # The match continues: the next game starts a new process with the same outcome.
    again = play(engine, limit)
    engine.close()
    assert (again.winner, again.reason, again.plies[0].text) == (1, FATES[fault][0], "A1B1")


@pytest.mark.parametrize("fault", [fault for fault, (_, over_tcp) in FATES.items() if over_tcp])
def test_faults_over_tcp(fault: str) -> None:
    visit = Visit(fault)
    limit = PATIENT if fault in IN_TIME else LIMIT
    try:
        record = play(visit.player, limit)
        assert (record.winner, record.reason) == (1, FATES[fault][1]), record.detail
        again = play(visit.player, limit)
        assert again.winner == 1
        assert again.reason in (FATES[fault][1], "disconnected", "stalled")
    finally:
        visit.end()


@pytest.mark.parametrize("fault", ["stderr", "chatty"])
def test_noise_is_ignored(fault: str) -> None:
    engine = over_pipes(fault)
    record = play(engine, PATIENT)
    engine.close()
    assert not record.forfeit, record.detail
    if fault == "chatty":
        assert {ply.value for ply in record.plies[::2]} == {0.5}


def test_a_late_engine_over_tcp_plays_the_next_game() -> None:
    visit = Visit("late")
    visit.player.recovery = 60.0
    try:
        play(visit.player)
        again = play(visit.player)
        assert (again.reason, again.plies[0].text) == ("timeout", "A1B1")
    finally:
        visit.end()


def test_the_watchdog_ends_games_without_a_clock() -> None:
    engine = over_pipes("nothing")
    engine.watchdog = 1.0
    record = play(engine, Limit(nodes=100))
    engine.close()
    assert (record.winner, record.reason) == (1, "stalled")


def test_the_error_output_of_a_crash_is_recorded() -> None:
    engine = over_pipes("crash")
    record = play(engine)
    engine.close()
    assert "exit code 7" in record.detail
    assert "out of ideas" in record.detail


def test_a_memory_limit_stops_an_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STARSCOUT_ENGINE_MEMORY", "200")
    engine = make_player(f"lab:{sys.executable} -c 'bytes(10**9)'", games.load("ewn"))
    assert isinstance(engine, LabPlayer)
    record = play(engine)
    engine.close()
    assert record.reason == "crash"
    assert "MemoryError" in record.detail


def test_a_missing_program_raises() -> None:
    with pytest.raises(GameError, match="does not exist"):
        make_player("lab:./no-such-engine", games.load("ewn"))


def test_ctrl_c_leaves_no_process(tmp_path: Path) -> None:
    script = tmp_path / "match.py"
    script.write_text(
        f"""
import sys
sys.path[:0] = {[str(Path(__file__).parent), str(Path(starscout.__file__).parents[1])]!r}
from test_rogues import over_pipes, play, Limit
engine = over_pipes("fork")
print("playing", flush=True)
play(engine, Limit(time=60.0))
"""
    )
    referee = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert referee.stdout is not None
    assert referee.stdout.readline() == b"playing\n"
    time.sleep(0.8)
    referee.send_signal(signal.SIGINT)
    assert referee.wait(PATIENCE) != 0
    referee.stdout.close()
