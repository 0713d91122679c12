"""Compiling ahead, in a process that outlives a game: short games never keep an engine from being compiled.

A player is warm when a marker in the cache folder says that everything it needs was compiled from these sources. The
process that compiles has a session of its own, so that a referee which ends an engine does not end it too.
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
from starscout.kernels.cache import cache_folder
from starscout.kernels.kernel import PLAIN
from starscout.protocols.process import compiled_environment, own_command

_POLL = 0.05


def marker(spec: str, game: Game) -> Path:
    """The file that says that a player is warm: its name changes with our sources and with the game's file."""
    root = Path(starscout.__file__).parent
    newest = max(file.stat().st_mtime_ns for file in root.rglob("*") if file.suffix in (".py", ".toml", ".csv"))
    words = (starscout.__version__, str(root), str(newest), spec, game.name, games.source_digest(game))
    digest = hashlib.blake2b("\0".join(words).encode(), digest_size=12).hexdigest()
    return cache_folder() / f"{digest}.warm"


def mark_warm(spec: str, game: Game) -> None:
    """Everything that the player needs is in the cache now."""
    file = marker(spec, game)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.touch()


class Warming:
    """The compilation of what one player needs, in a process of its own; none is started for a warm player."""

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
        """Whether the player is warm, or the compilation has failed: then the engine says why."""
        ended = self._process is not None and self._process.poll() is not None
        return ended or self._marker.exists()

    def wait(self, seconds: float) -> bool:
        """Wait at most this many seconds; returns whether it is done."""
        until = time.monotonic() + seconds
        while not self.done:
            if self._process is None and not _is_running(self._marker):
                return True
            if time.monotonic() >= until:
                return False
            time.sleep(_POLL)
        return True


def warm_up(spec: str, game: Game) -> None:
    """Wait until a player is warm; a process that is ended meanwhile leaves the compilation running."""
    if PLAIN:
        return
    warming = Warming(spec, game)
    if not warming.wait(notices.COMPILING_SECONDS):
        if notices.compiling is not None:
            notices.compiling()
        warming.wait(math.inf)


def _owner(file: Path) -> Path:
    return file.with_suffix(".warming")


def _write_owner(file: Path, process: int) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        _owner(file).write_text(str(process))
    except OSError:
        # Without a cache nothing can be compiled ahead: the engine compiles for itself.
        return


def _is_running(file: Path) -> bool:
    """Whether another process compiles this player already."""
    try:
        process = int(_owner(file).read_text())
        os.kill(process, 0)
        return b"warm" in Path(f"/proc/{process}/cmdline").read_bytes()
    except (OSError, ValueError):
        return False
