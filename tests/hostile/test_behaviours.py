"""Hostile engines: correct verdicts, no remaining processes, and nothing changed outside.

Every behaviour of `behaviours.py` runs as a program and as a class, at every level of isolation that this system
supports, and over TCP. By default only the best level runs; the others are slow tests.
"""

import contextlib
import functools
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import starscout
from starscout import games
from starscout.game.state import State, parse
from starscout.kernels.cache import cache_folder
from starscout.players.player import Decision, Player
from starscout.players.spec import make_player
from starscout.protocols import sandbox
from starscout.protocols.judge import Listener
from starscout.protocols.lab import LabPlayer
from starscout.protocols.process import Program
from starscout.protocols.remote_player import ConnectedEngine
from starscout.records.record import GameRecord
from starscout.referee import game_in_progress
from starscout.referee.game_in_progress import play_game
from starscout.search.limits import Limit
from tests.hostile.behaviours import BEHAVIOURS, ONLY_ISOLATED, ONLY_PID_NAMESPACE, ONLY_ROOT, VERDICTS
from tests.patience import PATIENCE

FILE = Path(__file__).with_name("behaviours.py")
FILES = [FILE, *(FILE.with_name(f"{name}.py") for name in ("attacks", "behaviour_registry", "failures"))]
TOKEN = "open-sesame"
SECRET = "the-secret-of-the-teacher"
SHORT, LONG = Limit(time=0.5), Limit(time=PATIENCE)
MOVES = ["A1B1", "B1C1", "C1D1", "D1E1", "E1E2", "E2E3", "E3E4", "E4E5"]
LEVELS = {"bubblewrap": sandbox.Support("bubblewrap"), "landlock": sandbox.Support("landlock", True)}


def test_the_corpus_is_large_enough() -> None:
    assert len(BEHAVIOURS) >= 60
    assert set(VERDICTS.values()) == {"", "crash", "timeout", "illegal move"}


class Climber(Player):
    """The opponent: its only cube moves up the right edge."""

    name = "climber"

    def choose(self, state: State, limit: Limit) -> Decision:
        return Decision(state.parse_move(next(move for move in state.moves if move[0] == move[2])))


def process_state(process: int) -> str:
    """The state of a process as in `ps`: S sleeping, T stopped, t traced."""
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]


class Outside:
    """Everything that an engine must not reach.

    `decoys`: copies instead of the package, the kernel cache and the process of the test, for engines that reach them.
    """

    def __init__(self, folder: Path, *, decoys: bool = False) -> None:
        self.engine, self.folder = folder / "engine", folder / "outside"
        for made in (self.engine, self.folder):
            made.mkdir()
        for name, text in (("file", "intact"), ("secret", SECRET), ("opponent.py", "class Honest: ..."), ("store", "")):
            (self.folder / name).write_text(text)
        for file in FILES:
            shutil.copy(file, self.engine / file.name)
        # An engine may find the store by the open files of other processes.
        self.opened = (self.folder / "store").open()
        self.nap = f"{3600 + secrets.randbelow(10**6)}.{secrets.randbelow(10**9)}"
        # Longer than any run of the tests; `close` ends them.
        # In sessions of their own: the kernel continues stopped processes of a group whose shell ends.
        self.stranger, self.stopped = (subprocess.Popen(["sleep", "1d"], start_new_session=True) for _ in range(2))
        self.stopped.send_signal(signal.SIGSTOP)
        self.package, self.cache = Path(starscout.__file__).parent, cache_folder()
        if decoys:
            self.package, self.cache = self.folder / "package", self.folder / "cache"
            self.package.mkdir()
            self.cache.mkdir()
            (self.package / "py.typed").touch()
        self.tcp = socket.create_server(("127.0.0.1", 0))
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind(("127.0.0.1", 0))
        self.local = socket.socket(socket.AF_UNIX)
        # The path of a local socket has at most 107 bytes.
        self.local_path = f"/tmp/starscout-{secrets.token_hex(8)}"
        self.local.bind(self.local_path)
        self.local.listen()
        self.abstract = socket.socket(socket.AF_UNIX)
        self.abstract.bind(f"\0{self.nap}")
        self.abstract.listen()
        targets: dict[str, Any] = {
            "file": str(self.folder / "file"),
            "secret": str(self.folder / "secret"),
            "opponent": str(self.folder / "opponent.py"),
            "store": str(self.folder / "store"),
            "package": str(self.package),
            "cache": str(self.cache),
            "process": self.stranger.pid,
            "referee": self.stranger.pid if decoys else os.getpid(),
            "port": self.tcp.getsockname()[1],
            "udp": self.udp.getsockname()[1],
            "socket": self.local_path,
            "nap": self.nap,
            "moves": MOVES,
        }
        (self.engine / "targets.json").write_text(json.dumps(targets))
        self._before, self._process = self._snapshot(), self._process_state()

    def _snapshot(self) -> list[tuple[str, int, bytes]]:
        """Names, modes and contents of all files."""
        files = sorted(path for folder in (self.engine, self.folder) for path in folder.rglob("*") if path.is_file())
        return [(str(path), path.stat().st_mode, path.read_bytes()) for path in files if "__pycache__" not in str(path)]

    def _process_state(self) -> list[Any]:
        """State that a class could change if it ran in this process."""
        functions = Climber.choose, game_in_progress.play_game, os.getpid, time.perf_counter, json.loads
        # pytest and this test change some variables themselves.
        own = ("PYTEST_CURRENT_TEST", sandbox.VARIABLE, sandbox._FOUND_VARIABLE)
        variables = {name: value for name, value in os.environ.items() if name not in own}
        return [*functions, sys.getprofile(), os.getcwd(), variables]

    def naps(self) -> list[int]:
        """The processes that the engine has left."""
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if self.nap.encode() in (folder / "cmdline").read_bytes():
                    found.append(int(folder.name))
            except OSError:
                continue
        return found

    def check(self) -> None:
        """Fail if the engine has changed or reached anything."""
        assert self.naps() == []
        assert self._snapshot() == self._before
        assert self._process_state() == self._process
        assert [process_state(process.pid) for process in (self.stranger, self.stopped)] == ["S", "T"]
        for listener in (self.tcp, self.udp, self.local, self.abstract):
            listener.setblocking(False)
        with pytest.raises(BlockingIOError):
            self.tcp.accept()
        with pytest.raises(BlockingIOError):
            self.local.accept()
        with pytest.raises(BlockingIOError):
            self.abstract.accept()
        with pytest.raises(BlockingIOError):
            self.udp.recv(100)
        assert (self.package / "py.typed").exists()
        assert not (self.package / "planted.py").exists()
        assert not (self.cache / "planted.kernel").exists()
        assert not any(Path(folder, self.nap).exists() for folder in ("/var/tmp", "/dev/shm"))
        assert "0x5c007" not in self._shared_memory()
        assert self._control_groups() == []

    def _control_groups(self) -> list[Path]:
        """The control groups that the engine has made."""
        return [*Path("/sys/fs/cgroup").glob(self.nap), *Path("/sys/fs/cgroup").glob(f"*/{self.nap}")]

    @staticmethod
    def _shared_memory() -> set[str]:
        """The keys of all segments of shared memory."""
        return {hex(int(line.split()[0])) for line in Path("/proc/sysvipc/shm").read_text().splitlines()[1:]}

    def close(self) -> None:
        for process in self.naps():
            os.kill(process, signal.SIGKILL)
        for listener in (self.tcp, self.udp, self.local, self.abstract):
            listener.close()
        for group in self._control_groups():
            group.rmdir()
        for folder in ("/var/tmp", "/dev/shm"):
            Path(folder, self.nap).unlink(missing_ok=True)
        if "0x5c007" in self._shared_memory():
            subprocess.run(["ipcrm", "-M", "0x5c007"], check=True)
        self.opened.close()
        Path(self.local_path).unlink()
        for process in (self.stranger, self.stopped):
            process.kill()
            process.wait()


@pytest.fixture
def outside(tmp_path: Path) -> Iterator[Outside]:
    made = Outside(tmp_path)
    yield made
    made.close()


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    monkeypatch.setenv("STARSCOUT_ENGINE_MEMORY", "1024")
    monkeypatch.setenv("SECRET_OF_THE_TEACHER", SECRET)


def play(player: Player, verdict: str) -> GameRecord:
    start = parse(games.load("ewn"), "1..../...../...../...../....a r -")
    try:
        return play_game(start, (player, Climber()), (SHORT if verdict == "timeout" else LONG, Limit()))
    finally:
        player.close()


def judged(record: GameRecord, verdict: str) -> None:
    """Check the verdict, and that the detail is a short printable line."""
    if verdict:
        assert (record.winner, record.reason) == (1, verdict), record.detail
    else:
        assert not record.forfeit, record.detail
    assert record.detail.isprintable()
    assert len(record.detail) <= 1100


def spec_of(kind: str, name: str, outside: Outside) -> str:
    file = outside.engine / FILE.name
    return f"python:{file}:{name}" if kind == "class" else f"lab:{sys.executable} {file} {name}"


def runs() -> Iterator[Any]:
    """Kind, level and behaviour; only a sample at the best level is in the default suite."""
    for level in (*LEVELS, "off"):
        for kind in ("program", "class"):
            for name in BEHAVIOURS:
                if level == "off" and name in ONLY_ISOLATED:
                    continue
                # Programs crash in many ways; a few examples are enough.
                program = kind == "program" and (name in ONLY_ISOLATED or VERDICTS[name] != "crash")
                quick = level == "landlock" and (program or name in SAMPLE)
                yield pytest.param(kind, level, name, marks=[] if quick else [pytest.mark.slow])


SAMPLE = (
    "loops", "segfaults", "exits_at_once", "kills_its_parent", "patches_other_players", "starts_a_daemon",
    "changes_the_store", "raises_control_characters", "computes_without_signals", "forks_without_end",
)  # fmt: skip
"""Behaviours of programs and classes in the default suite."""


@pytest.mark.parametrize(("kind", "level", "name"), list(runs()))
def test_behaviour(
    kind: str, level: str, name: str, outside: Outside, monkeypatch: pytest.MonkeyPatch, capfd: Any
) -> None:
    if level in LEVELS:
        require(level)
    monkeypatch.setenv(sandbox.VARIABLE, level)
    player = make_player(spec_of(kind, name, outside), games.load("ewn"), hosted=True)
    judged(play(player, VERDICTS[name]), VERDICTS[name])
    outside.check()
    if level != "off":
        printed = capfd.readouterr().err
        assert SECRET not in printed
        assert "\x1b" not in printed


@functools.cache
def _probe(level: str) -> sandbox.Support:
    return sandbox.probe((level,))


def require(level: str) -> None:
    """Skip the test if a level does not work here."""
    found = _probe(level)
    if (found.level, found.namespaces) != (level, LEVELS[level].namespaces):
        pytest.skip(f"{level} does not work here: {found.problem}")


PATCHES = {name for name in BEHAVIOURS if name.startswith("patches_")} | {
    "traces_every_call",
    "moves_to_another_folder",
}
"""Behaviours of classes that change the process in which they run."""


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(ONLY_ISOLATED if os.geteuid() == 0 else ONLY_ISOLATED - ONLY_ROOT))
def test_behaviour_does_harm_without_isolation(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Any
) -> None:
    """The corpus detects a failure of the isolation."""
    monkeypatch.setenv(sandbox.VARIABLE, "off")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.delenv("STARSCOUT_ENGINE_MEMORY")
    made = Outside(tmp_path, decoys=True)

    def play_and_check() -> None:
        judged(play(make_player(spec_of("program", name, made), games.load("ewn")), VERDICTS[name]), VERDICTS[name])
        made.check()

    try:
        with pytest.raises((AssertionError, pytest.fail.Exception)):
            play_and_check()
    finally:
        made.close()


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(PATCHES))
def test_class_does_harm_without_a_process_of_its_own(name: str, outside: Outside) -> None:
    """The corpus detects a class that runs in the process of the referee."""
    child = os.fork()
    if child == 0:
        failed = False
        try:
            judged(play(make_player(spec_of("class", name, outside), games.load("ewn")), ""), "")
            outside.check()
        except BaseException:
            failed = True
        os._exit(failed)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1


ONLY_LOCAL = {name for name in BEHAVIOURS if name.startswith("starts_")} | {
    "kills_its_parent",
    "forks_and_waits",
    "becomes_the_parent_of_orphans",
}
"""Behaviours that concern processes: those of a connected engine are not ours."""

OVER_TCP = {"program": {"crash": "disconnected"}, "class": {"crash": "disconnected", "illegal move": "disconnected"}}
"""Verdicts of a connected engine: the referee does not see its process; `starscout engine` sends no illegal moves."""


@pytest.mark.slow
@pytest.mark.parametrize("kind", OVER_TCP)
@pytest.mark.parametrize("name", [name for name in BEHAVIOURS if name not in ONLY_ISOLATED | ONLY_LOCAL])
def test_behaviour_over_tcp(kind: str, name: str, outside: Outside) -> None:
    listener = Listener(0)
    file, port = str(outside.engine / FILE.name), str(listener.port)
    command = [sys.executable, file, name, port, TOKEN]
    if kind == "class":
        connected = ["--connect", f"127.0.0.1:{port}", "--name", name, "--token", TOKEN]
        command = [sys.executable, "-m", "starscout", "engine", f"python:{file}:{name}", *connected]
    process = subprocess.Popen(command, start_new_session=True, stderr=subprocess.DEVNULL)
    try:
        (channel,) = listener.accept_engines(1, 60.0, TOKEN)
        listener.close()
        player = LabPlayer(channel.name, ConnectedEngine(channel))
        player.recovery = 0.2
        judged(play(player, VERDICTS[name]), OVER_TCP[kind].get(VERDICTS[name], VERDICTS[name]))
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    outside.check()


@pytest.mark.slow
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", [name for name in BEHAVIOURS if name != "listens"])
def test_behaviour_over_tcp_in_the_sandbox(
    level: str, name: str, outside: Outside, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program that the referee starts and that connects to its port; it shares the network, so it may listen."""
    require(level)
    monkeypatch.setenv(sandbox.VARIABLE, level)
    command = f"{sys.executable} {outside.engine / FILE.name} {name} {{port}} {TOKEN}"
    judged(play(LabPlayer(name, Program(name, command)), VERDICTS[name]), VERDICTS[name])
    outside.check()


def test_pid_namespaces_are_required_where_a_signal_could_reach_others() -> None:
    """The landlock level of this corpus has a PID namespace; without one the broadcast is not tried."""
    assert all(LEVELS[level].namespaces or level == "bubblewrap" for level in LEVELS)
    assert ONLY_PID_NAMESPACE <= ONLY_ISOLATED


def test_the_engine_log_has_no_control_characters(
    outside: Outside, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STARSCOUT_LOG", str(tmp_path / "log"))
    play(make_player(spec_of("program", "floods_standard_error", outside), games.load("ewn")), "")
    text = (tmp_path / "log").read_text()
    assert "noise" in text
    assert text.replace("\n", "").isprintable()
