"""Fallback moves: answer in time while the engine still loads or compiles.

Some protocols have no "ready" message: the clock of the first move runs from the start of the program. For these, the
program runs the rules in plain Python (NUMBA_DISABLE_JIT=1), which needs no compiler, and forwards positions to the
engine, a second process that uses the `lab` protocol. If the engine is not ready in time, a shallow search in plain
Python chooses the move.
"""

import dataclasses
import os
import sys
import time
from pathlib import Path

from starscout.evaluation import knowledge_of, load_evaluation
from starscout.game import Game, GameError
from starscout.game.state import State
from starscout.players.player import Decision, Player, PlayerError
from starscout.protocols.channel import Channel, deadline_in
from starscout.protocols.compile_ahead import BackgroundCompilation
from starscout.protocols.lab import go_line
from starscout.protocols.process import compiled_environment, own_command, start_program
from starscout.protocols.remote_player import READY, REPLY, read_move
from starscout.search.exact import exact_moves
from starscout.search.limits import Limit

PATIENCE = 0.75
"""Fraction of the allowed time to wait for the engine to become ready."""

ANSWERING = 0.15
"""Seconds reserved for sending the answer."""

FALLBACK_DEPTH = 2

SLACK = 5.0
"""Seconds that the engine may exceed its limit; it manages its own time."""


class FallbackEngine(Player):
    """Plays like the player of `spec`, with fallback moves until that player is ready.

    `allowed`: seconds per move that the referee allows.
    """

    def __init__(self, spec: str, allowed: float) -> None:
        self.name = spec
        self._allowed = allowed
        self._channel: Channel | None = None
        self._compilation: BackgroundCompilation | None = None
        self._greeting = b""
        self._ready = False
        self._answered = False

    def new_game(self, game: Game, seed: int) -> None:
        """Start preparing the engine; do not wait for it."""
        self._ready = False
        self._greeting = f"setoption name seed value {seed % 2**32}\nnewgame {game.name} seat 1\nisready\n".encode()
        self._game = game
        self._compilation = self._compilation or BackgroundCompilation(self.name, game)
        if not self._compilation.done:
            _report(f"compiling {self.name} for {game.name}, once; until then moves come from a two-ply search")
        elif self._channel is not None:
            self._channel.send(self._greeting, deadline_in(REPLY))

    def choose(self, state: State, limit: Limit) -> Decision:
        """Return the engine's move, or a fallback move."""
        # The clock of the first move has been running since this process was started.
        began = time.perf_counter() - (0.0 if self._answered else _age())
        self._answered = True
        patience = READY if limit.time is None else PATIENCE * self._allowed
        if not self._becomes_ready(began + patience):
            _report(f"fallback move played: {self.name} is not ready after {time.perf_counter() - began:.1f} s")
            return Decision(fallback_move(state))
        if limit.time is not None:
            left = self._allowed - ANSWERING - (time.perf_counter() - began)
            limit = dataclasses.replace(limit, time=max(min(limit.time, left), 0.01))
        channel = self._open_channel()
        question = f"position start {state.before_event.text}\n{go_line(state, limit, (limit, limit))}\n"
        channel.send(question.encode(), deadline_in(REPLY))
        deadline = deadline_in(READY if limit.time is None else limit.time + SLACK)
        while not (line := channel.line(deadline)).startswith("bestmove "):
            _check(line)
        return Decision(read_move(state, line.split()[1], self.name))

    def close(self) -> None:
        if self._channel is not None:
            self._channel.close(at_once=True)
            self._channel = None

    def _open_channel(self) -> Channel:
        if self._channel is None:
            game = ("--game", self._game.file) if self._game.file else ()
            command = own_command("engine", self.name, "--protocol", "lab", *game)
            self._channel = start_program(self.name, command, compiled_environment())
            self._channel.send(b"lab 1\n" + self._greeting, deadline_in(REPLY))
        return self._channel

    def _becomes_ready(self, until: float) -> bool:
        """Wait until the engine reports that it is ready, at most until this time."""
        if self._ready:
            return True
        if self._compilation is not None and not self._compilation.wait(until - time.perf_counter()):
            return False
        channel = self._open_channel()
        while not self._ready:
            try:
                line = channel.line(deadline_in(until - time.perf_counter()))
            except PlayerError as error:
                if error.reason == "stalled":
                    return False
                raise GameError(f"the engine process of {self.name!r} failed: {error.detail}") from error
            _check(line)
            self._ready = line == "readyok"
        return True


def _report(message: str) -> None:
    """Print a message to standard error."""
    print(f"starscout: {message}", file=sys.stderr, flush=True)


def fallback_move(state: State) -> int:
    """The best move of an unpruned two-ply search in plain Python."""
    # The first evaluation is written by hand: no weights file has to be loaded.
    evaluation = load_evaluation(state.game, next(iter(knowledge_of(state.game).evaluations)))
    values = exact_moves(state.game, evaluation, state.position, state.roll, FALLBACK_DEPTH, state.history)
    return max(values, key=values.__getitem__)


def _age() -> float:
    """Seconds since this process was started; 0 if unknown."""
    try:
        began = int(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19]) / os.sysconf("SC_CLK_TCK")
        return max(time.clock_gettime(time.CLOCK_BOOTTIME) - began, 0.0)
    except (OSError, AttributeError):
        return 0.0


def _check(line: str) -> None:
    """Raise an error message of the engine as GameError."""
    if line.startswith("? "):
        raise GameError(line[2:])
