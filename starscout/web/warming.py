"""Readiness of the engines: kernels are compiled in the background; until they are ready, plain Python chooses moves.

From the start of the server, the default player of each game is compiled in a separate process, the most played game
first; a game that somebody opens comes next. A player is ready when its compiled kernels are loaded.
"""

import asyncio
import contextlib
import os
import time
from collections.abc import Callable
from typing import Any

from starscout.evaluation import knowledge_of, load_evaluation
from starscout.evaluation.evaluation import Evaluation, zero
from starscout.game import Game
from starscout.game.state import State
from starscout.kernels.kernel import PLAIN
from starscout.players.player import Decision
from starscout.players.spec import default_player, describe
from starscout.protocols.compile_ahead import marker
from starscout.protocols.process import compiled_environment, own_command
from starscout.referee.game_in_progress import Answer
from starscout.search.exact import exact_moves
from starscout.web.searches import SearchPool
from starscout.web.worker import StoppedError

NICENESS = 10
MAX_COMPILATIONS = 2
"""Concurrent compilations: one in the background, and one for a game that is being played."""
QUICK_SECONDS = 0.6
"""Maximum seconds that a move in plain Python should take."""
DEEPER_COST = 4.0
"""Factor by which a node costs more in a search of two plies."""

WAITING, COMPILING, LOADING, READY, FAILED = "waiting", "compiling", "loading", "ready", "failed"

Engine = tuple[str, str]
"""The name of a game and the kind of search, or the preset, of a player."""


class Warming:
    """The readiness of the engines of a server."""

    def __init__(self, pool: SearchPool, changed: Callable[[], None], *, needed: bool = PLAIN) -> None:
        self._pool, self._changed, self._needed = pool, changed, needed
        self._states: dict[Engine, str] = {}
        self._games: dict[str, Game] = {}
        self._tasks: dict[Engine, asyncio.Task[None]] = {}
        self._slots = asyncio.Semaphore(MAX_COMPILATIONS - 1)
        self._quick = asyncio.Semaphore(2)
        self._evaluations: dict[str, asyncio.Future[Evaluation]] = {}

    def to_json(self) -> dict[str, str]:
        """Game → the state of its default player; omits players that are ready or were not requested."""
        return {game: state for (game, _), state in self._states.items() if state in (WAITING, COMPILING, LOADING)}

    def compile_all(self, games: list[Game]) -> None:
        """Compile the default player of each game in this order."""
        if self._needed:
            for game in games:
                self._begin(game, default_player(game), wanted=False)
            self._preloading = asyncio.ensure_future(self._preload(games))

    async def _preload(self, games: list[Game]) -> None:
        """Load the evaluations of quick answers one by one."""
        for game in games:
            await self._evaluation(game)

    def _evaluation(self, game: Game) -> "asyncio.Future[Evaluation]":
        if game.name not in self._evaluations:
            self._evaluations[game.name] = asyncio.ensure_future(asyncio.to_thread(_quick_evaluation, game))
        return self._evaluations[game.name]

    def is_ready(self, game: Game, spec: str) -> bool:
        """Whether a player can move immediately; if not, its preparation begins."""
        if not self._needed:
            return True
        engine = self._engine(game, spec)
        if self._states.get(engine) not in (READY, FAILED):
            self._begin(game, engine[1], wanted=True)
        return self._states.get(engine) in (READY, FAILED)

    def _engine(self, game: Game, spec: str) -> Engine:
        """A player is prepared without its options, which rarely need other kernels."""
        described = describe(spec, game, check=False)
        # Of a program or a class, only the rules are compiled here.
        local = described.command is None and described.place is None
        return game.name, spec.split()[0] if local else "random"

    def _begin(self, game: Game, spec: str, *, wanted: bool) -> None:
        engine = game.name, spec
        if engine in self._tasks and (not wanted or self._states[engine] != WAITING):
            return
        if engine in self._tasks:
            # It is queued in the background: start it now.
            self._tasks[engine].cancel()
        self._set(engine, WAITING)
        self._tasks[engine] = asyncio.ensure_future(self._prepare(game, spec, wanted=wanted))

    async def _prepare(self, game: Game, spec: str, *, wanted: bool) -> None:
        engine = game.name, spec
        try:
            compiled = await asyncio.to_thread(_is_compiled, game, spec)
            if not compiled:
                async with contextlib.AsyncExitStack() as stack:
                    if not wanted:
                        await stack.enter_async_context(self._slots)
                    self._set(engine, COMPILING)
                    await _compile(game, spec)
            elif not wanted:
                # It is loaded when somebody opens the game.
                del self._states[engine]
                self._tasks.pop(engine, None)
                self._changed()
                return
            self._set(engine, LOADING)
            await self._pool.run("load", game.name, spec, lane="load")
            self._set(engine, READY)
        except asyncio.CancelledError:
            raise
        except StoppedError:
            pass
        except Exception:
            # The player reports the error when it moves.
            self._set(engine, FAILED)

    def _set(self, engine: Engine, state: str) -> None:
        self._states[engine] = state
        self._changed()

    def quick_answer(self, state: State) -> "QuickJob":
        """A move by a shallow search in plain Python."""
        return QuickJob(state, self._evaluation(state.game), self._quick)

    async def close(self) -> None:
        """Stop preparing engines; compilations that have begun continue for the next start."""
        for task in self._tasks.values():
            task.cancel()


def _is_compiled(game: Game, spec: str) -> bool:
    return marker(spec, game).exists()


async def _compile(game: Game, spec: str) -> None:
    process = await asyncio.create_subprocess_exec(
        *own_command("warm", game.file or game.name, spec, "--workers", "0", "--json"),
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL,
        env=compiled_environment(), start_new_session=True,
    )  # fmt: skip
    with contextlib.suppress(AttributeError, OSError):
        os.setpriority(os.PRIO_PROCESS, process.pid, NICENESS)
    await process.wait()


class QuickJob:
    """A search in plain Python, with the interface of `Job`."""

    def __init__(self, state: State, evaluation: "asyncio.Future[Evaluation]", slots: asyncio.Semaphore) -> None:
        self.stopped = False
        self._task = asyncio.ensure_future(self._run(state, evaluation, slots))

    async def _run(
        self, state: State, evaluation: "asyncio.Future[Evaluation]", slots: asyncio.Semaphore
    ) -> Answer:  # fmt: skip
        async with slots:
            await asyncio.wait([evaluation], timeout=QUICK_SECONDS)
            known = evaluation.result() if evaluation.done() else zero()
            return await asyncio.to_thread(_quick_answer, state, known)

    @property
    def done(self) -> bool:
        """Whether the job has ended."""
        return self._task.done()

    async def result(self) -> Answer:
        """Wait for the move."""
        return await asyncio.shield(self._task)

    async def stop(self) -> None:
        """Ignore the result; the search ends by itself soon."""
        self.stopped = True
        await self.hurry()

    async def hurry(self) -> None:
        """Wait for the move."""
        with contextlib.suppress(Exception):
            await asyncio.shield(self._task)


def _quick_evaluation(game: Game) -> Evaluation:
    """The first evaluation of a game, which is written by hand: no weights have to be loaded."""
    return load_evaluation(game, next(iter(knowledge_of(game).evaluations)))


def _quick_answer(state: State, evaluation: Evaluation) -> Answer:
    began = time.perf_counter()
    return Decision(quick_move(state, evaluation)), time.perf_counter() - began, 0.0


def quick_move(state: State, evaluation: Evaluation) -> int:
    """The best move of an unpruned search of one ply, and of two plies if that takes little time."""
    if len(state.legal) == 1:
        return state.legal[0]
    game = state.game
    values: dict[int, Any] = {}
    began = time.perf_counter()
    for depth in (1, 2):
        following = DEEPER_COST * len(state.legal) * game.max_events
        if depth > 1 and (time.perf_counter() - began) * following > QUICK_SECONDS:
            break
        values = exact_moves(game, evaluation, state.position, state.roll, depth, state.history)
    return max(values, key=values.__getitem__)
