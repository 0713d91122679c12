"""Compilation in a background process that outlives the game.

A player is warm when a marker file in the cache folder shows that its kernels were compiled from the current sources.
The background process has its own session, so a referee that kills an engine does not kill the compilation.
"""

import hashlib
import math
import os
import subprocess
import time
from pathlib import Path

import starscout
from starscout import games
from starscout.game import Game
from starscout.kernels import notices
from starscout.kernels.cache import cache_folder, make_cache_folder
from starscout.kernels.kernel import PLAIN
from starscout.protocols.process import compiled_environment, own_command

_POLL = 0.05


def marker(spec: str, game: Game) -> Path:
    """The marker file of a player; its name depends on the sources and the game file."""
    root = Path(starscout.__file__).parent
    newest = max(file.stat().st_mtime_ns for file in root.rglob("*") if file.suffix in (".py", ".toml", ".csv"))
    parts = (starscout.__version__, str(root), str(newest), spec, game.name, games.source_digest(game))
    digest = hashlib.blake2b("\0".join(parts).encode(), digest_size=12).hexdigest()
    return cache_folder() / f"{digest}.warm"


def mark_warm(spec: str, game: Game) -> None:
    """Mark a player as warm: its kernels are in the cache."""
    make_cache_folder()
    marker(spec, game).touch()


class BackgroundCompilation:
    """Compile the kernels of a player in a separate process, unless the player is warm."""

    def __init__(self, spec: str, game: Game) -> None:
        self._marker = marker(spec, game)
        self._process: subprocess.Popen[bytes] | None = None
        if not self.done and not _is_running(self._marker):
            name = game.file or game.name
            self._process = subprocess.Popen(
                own_command("warm", name, spec, "--json"),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                env=compiled_environment(),
            )
            _write_owner(self._marker, self._process.pid)

    @property
    def done(self) -> bool:
        """Whether the player is warm or its compilation has failed."""
        ended = self._process is not None and self._process.poll() is not None
        return ended or self._marker.exists()

    def wait(self, seconds: float) -> bool:
        """Wait for at most this many seconds; return whether it is done."""
        until = time.monotonic() + seconds
        while not self.done:
            if self._process is None and not _is_running(self._marker):
                return True
            if time.monotonic() >= until:
                return False
            time.sleep(_POLL)
        return True


def warm_up(spec: str, game: Game) -> None:
    """Wait until a player is warm; the compilation continues if this process is killed."""
    if PLAIN:
        return
    compilation = BackgroundCompilation(spec, game)
    if not compilation.wait(notices.COMPILING_SECONDS):
        if notices.compiling is not None:
            notices.compiling()
        compilation.wait(math.inf)


def _owner(file: Path) -> Path:
    return file.with_suffix(".warming")


def _write_owner(file: Path, process: int) -> None:
    try:
        make_cache_folder()
        _owner(file).write_text(str(process))
    except OSError:
        # Without a cache folder the engine compiles in its own process.
        return


def _is_running(file: Path) -> bool:
    """Whether another process is already compiling this player."""
    try:
        process = int(_owner(file).read_text())
        os.kill(process, 0)
        return b"warm" in Path(f"/proc/{process}/cmdline").read_bytes()
    except (OSError, OverflowError, ValueError):
        return False
