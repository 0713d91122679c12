"""`starscout.check`: find out whether an engine works, and what is wrong with it."""

import ast
import os
import random
import time as clock
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from starscout.api.games import given_game
from starscout.api.result import Result
from starscout.api.running import isolated, logged
from starscout.game import Game, GameError
from starscout.game.state import State, start
from starscout.players.player import Player, PlayerError
from starscout.players.python_class import PREFIX, class_spec
from starscout.players.random_player import RandomPlayer
from starscout.players.spec import describe, in_folder, make_player
from starscout.protocols.diagnosis import Conversation, Problem
from starscout.protocols.process import PORT, check_command
from starscout.protocols.protocol import Protocol
from starscout.protocols.registry import PROTOCOLS
from starscout.protocols.remote_player import READY, RemotePlayer
from starscout.records.record import GameRecord
from starscout.referee.game_in_progress import GameInProgress
from starscout.search.limits import Limit
from starscout.settings.arguments import checked
from starscout.settings.schema import Depth, GameTime, Isolate, Log, Seed, Time, Trust

if TYPE_CHECKING:
    from rich.console import RenderableType

PATIENCE = (2.5, 30.0, READY)
"""Timeouts for the handshake in seconds; an engine that is still busy gets the next one."""

MOVE_SECONDS = 1.0
"""Time per move, unless the game's course sets another limit."""

FIRST_MOVE_SECONDS = 8.0
"""Maximum seconds for the first move under the game clock of a course, to find hung engines early."""

MEBIBYTE = 1 << 20


@dataclass(frozen=True)
class CheckResult(Result):
    """Whether an engine works, and what is wrong with it.

    >>> CheckResult(True, "lab", 2, ()).ok
    True
    """

    ok: bool
    protocol: str
    """The protocol of the engine; `python` for a class; empty if none was recognised."""
    games: int
    """Number of finished games."""
    problems: tuple[Problem, ...]
    engine: str = ""
    """The SPEC of the engine."""
    score: float = 0.0
    """Score of the engine in these games against random moves."""
    slowest: float = 0.0
    """Time of its slowest move, in seconds."""
    memory: int = 0
    """Its peak memory, in bytes; 0 if unknown."""
    seconds: float = 0.0

    def json(self) -> dict[str, Any]:
        """Return the fields of `starscout check --json`."""
        return {**vars(self), "problems": self.rows()}

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per problem."""
        return [{**vars(problem), "transcript": list(problem.transcript)} for problem in self.problems]

    def __rich__(self) -> "RenderableType":
        from rich.text import Text

        lines: list[str] = []
        for problem in self.problems:
            lines += [f"{problem.kind}: {problem.message}"]
            width = max((line.index(" ") for line in problem.transcript), default=0)
            for line in problem.transcript:
                number, _, text = line.partition(" ")
                mark = "→" if int(number) == problem.line else " "
                lines.append(f"  {mark} {number:>{width}} {text}")
        memory = f", at most {max(1, round(self.memory / MEBIBYTE))} MiB of memory" if self.memory else ""
        played = (
            f"{self.games} games, {self.score:g} won against random moves, slowest move {self.slowest:.2f} s{memory}"
        )
        lines.append(f"{self.engine} works: {played}" if self.ok else f"{self.engine} does not work")
        return Text("\n".join(lines))


@checked
@isolated
def check(
    game: str | Game,
    engine: str | type[Any],
    *,
    time: Time | None = None,
    game_time: GameTime | None = None,
    depth: Depth | None = None,
    seed: Seed = 0,
    log: Log | None = None,
    trust: Trust = False,
    isolate: Isolate = False,
) -> CheckResult:
    """Check an engine: its handshake, then a game on each side against random moves, with legality, time and memory.

    `engine` is a SPEC, a class, or a command without a protocol, whose protocol is found by trial. Each problem has a
    diagnosis and the lines of the conversation around it. The default limit is that of the game's course, or 1 s per
    move. Raises GameError if the program does not exist.

    >>> check("ewn-3x3-3", "random").ok
    True
    """
    text = engine if isinstance(engine, str) else class_spec(engine)
    with logged(log):
        return examine(given_game(game), text, Limit(time, game_time, depth=depth), seed)


def examine(rules: Game, text: str, limit: Limit, seed: int, folder: str = "") -> CheckResult:
    """Check an engine as `check` does; `folder`: the working directory of a command without a protocol."""
    began = clock.perf_counter()
    examined = _Examination(rules, limit, seed, folder)
    spec = examined.find_spec(text.strip())
    if spec is not None:
        examined.play(spec)
    return CheckResult(
        not examined.problems, examined.protocol, len(examined.records), tuple(examined.problems), spec or text,
        examined.score, examined.slowest, examined.memory, clock.perf_counter() - began,
    )  # fmt: skip


class _Examination:
    """The check of one engine."""

    def __init__(self, game: Game, limit: Limit, seed: int, folder: str) -> None:
        self.game, self._limit, self._seed, self._folder = game, limit, seed, folder
        self.protocol = ""
        self.problems: list[Problem] = []
        self.records: list[GameRecord] = []
        self.score, self.slowest, self.memory = 0.0, 0.0, 0

    def find_spec(self, text: str) -> str | None:
        """The SPEC of the engine; for a command without a protocol it is found by trial. None: see `problems`."""
        try:
            describe(text, self.game)
        except GameError:
            if not self._folder and not _is_command(text):
                raise
        else:
            return text
        if not self._folder and text.endswith(".py") and os.path.isfile(text) and not os.access(text, os.X_OK):
            spec = class_in(text)
            if spec is None:
                raise GameError(f"{text!r} is not executable and does not have exactly one class with a method choose")
            return spec
        check_command(text, self._folder or None)
        return self._find_protocol(text)

    def _find_protocol(self, command: str) -> str | None:
        """Try the handshakes of all protocols of the game concurrently, and return the SPEC of one that works."""
        protocols = _protocols_of(self.game, connects=PORT in command)
        specs = [f"{protocol.name}:{command}" for protocol in protocols]
        if self._folder:
            specs = [in_folder(spec, self._folder) for spec in specs]
        with ThreadPoolExecutor(len(specs)) as threads:
            trials = list(threads.map(self._try, specs, protocols))
        working = [spec for spec, (_, problem) in zip(specs, trials, strict=True) if problem is None]
        if working:
            return working[0]
        conversation, problem = max(trials, key=lambda trial: trial[0].score())
        assert problem is not None
        crashed = all(other is not None and other.kind in ("crash", "memory") for _, other in trials)
        if conversation.score()[0] > 0:
            self.protocol = conversation.protocol.name
        elif not crashed:
            names = ", ".join(protocol.name for protocol in protocols)
            message = f"no handshake of {self.game.name} was answered (tried {names}): {problem.message}"
            problem = Problem("wrong handshake", message, problem.line, problem.transcript)
        self.problems.append(problem)
        return None

    def _try(self, spec: str, protocol: Protocol) -> tuple[Conversation, Problem | None]:
        """Start an engine and begin a game; if the protocol has no handshake, ask for a move."""
        conversation, player = self._player(spec, protocol)
        state = start(self.game, self._seed).rolled(random.Random(self._seed))
        limit = self._limit_of(protocol)
        player.limits = (limit, limit)
        try:
            self._get_ready(player, conversation, state)
            if not protocol.says_ready:
                player.choose(state, Limit(time=PATIENCE[0]))
        except (PlayerError, GameError) as error:
            reason = error.reason if isinstance(error, PlayerError) else "crash"
            detail = error.detail if isinstance(error, PlayerError) else str(error)
            return conversation, conversation.diagnose(reason, detail, state.moves)
        finally:
            player.close()
        return conversation, None

    def _get_ready(self, player: Player, conversation: Conversation, state: State) -> None:
        """Begin a game; an engine that is still busy gets more time."""
        for seconds in PATIENCE:
            if isinstance(player, RemotePlayer):
                player.ready_timeout = seconds
            try:
                player.new_game(self.game, self._seed)
                player.begin(state.before_event, state.mover)
                return
            except PlayerError:
                if not conversation.busy or seconds == PATIENCE[-1]:
                    raise

    def _player(self, spec: str, protocol: Protocol) -> tuple[Conversation, Player]:
        conversation = Conversation(protocol)
        player = make_player(spec, self.game, hosted=True)
        if isinstance(player, RemotePlayer):
            player.on_open = conversation.attach
        return conversation, player

    def _limit_of(self, protocol: Protocol | None) -> Limit:
        if self._limit != Limit():
            return self._limit
        if protocol is not None and self.game.name in protocol.courses:
            return protocol.courses[self.game.name].limit
        return Limit(time=MOVE_SECONDS)

    def play(self, spec: str) -> None:
        """Play a game on each side; stop at the first failure."""
        described = describe(spec, self.game)
        protocol = PROTOCOLS.get(described.kind) if described.command is not None else None
        self.protocol = described.kind
        conversation, player = self._player(spec, protocol or PROTOCOLS["lab"])
        limit = self._limit_of(protocol)
        try:
            for side in (0, 1):
                if not self._finishes_game(player, side, limit, conversation, protocol):
                    return
        finally:
            player.close()
            self.memory = conversation.memory
        if protocol is not None:
            self.problems += conversation.remarks()

    def _finishes_game(
        self, player: Player, side: int, limit: Limit, conversation: Conversation, protocol: Protocol | None
    ) -> bool:
        """Play one game; return whether the engine finished it."""
        patience = iter(PATIENCE)
        while True:
            seconds = next(patience)
            if isinstance(player, RemotePlayer):
                player.ready_timeout = seconds
            game = self._played(player, side, limit, conversation)
            record = game.record()
            # An engine that is busy before the first game is still loading.
            if record.reason != "stalled" or record.plies or not conversation.busy or seconds == PATIENCE[-1]:
                break
        own = [ply.seconds for ply, mover in zip(record.plies, game.movers, strict=True) if mover == side]
        self.slowest = max([self.slowest, *own])
        if not record.forfeit or record.winner == side:
            self.records.append(record)
            self.score += record.score(side)
            return True
        if protocol is None:
            kind = {"timeout": "late answer", "stalled": "late answer"}.get(record.reason, record.reason)
            self.problems.append(Problem(kind, record.detail))
        else:
            self.problems.append(conversation.diagnose(record.reason, record.detail, game.state.moves))
            self.problems += [problem for problem in conversation.remarks() if problem.kind == "CRLF"]
        return False

    def _played(self, player: Player, side: int, limit: Limit, conversation: Conversation) -> GameInProgress:
        """Play a game against random moves to its end."""
        opponent = RandomPlayer("random moves")
        seats = (player, opponent) if side == 0 else (opponent, player)
        game = GameInProgress(start(self.game, self._seed + side), seats, (limit, limit), seed=self._seed, pair=side)
        game.begin()
        impatient = self._limit == Limit() and limit.clock is not None
        while not game.over:
            conversation.patience = FIRST_MOVE_SECONDS if impatient and side not in game.movers else None
            game.play_turn()
        game.finish()
        return game


def _protocols_of(game: Game, *, connects: bool) -> list[Protocol]:
    """The protocols that support a game; those of its course first, because its engines are the most common.

    `connects`: only protocols whose engines connect over TCP.
    """
    fitting = [protocol for protocol in PROTOCOLS.values() if not protocol.games or game.name in protocol.games]
    fitting = [protocol for protocol in fitting if protocol.connects or not connects]
    return sorted(fitting, key=lambda protocol: (game.name not in protocol.games, not protocol.says_ready))


def _is_command(text: str) -> bool:
    """Whether a text may be a command: the path of a program, or a program with arguments."""
    try:
        check_command(text)
    except GameError:
        return "/" in text or os.path.exists(text.split()[0] if text.split() else "")
    return True


def class_in(file: str) -> str | None:
    """The SPEC of the only class with a method `choose` in a Python file that is not a program; None otherwise."""
    if not file.endswith(".py") or not os.path.isfile(file) or os.access(file, os.X_OK):
        return None
    try:
        with open(file, encoding="utf-8") as source:
            tree = ast.parse(source.read())
    except (SyntaxError, ValueError) as error:
        raise GameError(f"{file}: {error}") from error
    found = [
        node.name
        for node in tree.body
        if isinstance(node, ast.ClassDef)
        and any(isinstance(item, ast.FunctionDef) and item.name == "choose" for item in node.body)
    ]
    return f"{PREFIX}:{file}:{found[0]}" if len(found) == 1 else None
