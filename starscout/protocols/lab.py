"""`lab`: StarScout's line protocol between a referee and an engine, for any game.

    > lab 1                             < id name Foo · game ewn kari · option name seed … · labok
    > newgame ewn seat 1 · isready      < readyok
    > position start 123../45.../6...f/...ed/..cba r - moves 4 A2B3 6 E3D3
    > go die 4 movetime 1000            < info depth 5 nodes 120000 score 0.226 pv A2B3 · bestmove A2B3
    > result p1 reason corner

A chance event precedes its move in the game's own notation; `go die 4`, in general `go event TEXT`, gives the event of
this ply. Seats count from 1 in the order of the game's sides, so `p1` is red or black. The engine reads in a separate
thread, so that it handles `ping`, `stop` and `quit` during a search.
"""

import dataclasses
import itertools
import math
import os
import queue
import secrets
import threading
import time

from starscout import games
from starscout.errors import printable
from starscout.game import Game, GameError, WorkError
from starscout.game.state import State, parse
from starscout.players.player import Decision, Limits, Player, PlayerError
from starscout.protocols.channel import Channel, Deadline, deadline_in, deadline_of
from starscout.protocols.connection import RefereeConnection
from starscout.protocols.engine_options import MAX_OPTIONS, EngineOption, parse_option
from starscout.protocols.protocol import EngineSettings, Exchange, Protocol
from starscout.protocols.remote_player import REPLY, RemotePlayer, read_move
from starscout.search.limits import Limit
from starscout.search.time_control import stop_searches
from starscout.settings.options import read_decimal, read_whole

VERSION = 1
SEED_OPTION = "seed"

_MAX_NAMES = 1000
"""Maximum number of game names per engine."""

_INFO = ("score", "depth", "nodes", "simulations")
"""Fields of an info line that are used, besides `pv`."""

_MAX_LINE = 200
"""Maximum number of words in a line of play."""

_UNTIMED = Limit(time=1.0)
"""The limit of `go` without arguments."""

_QUIT_SECONDS = 1.0
"""Seconds that a search may continue after `quit` or the end of the connection."""


class LabPlayer(RemotePlayer):
    """A `lab` engine as a player; it survives illegal moves, and over TCP also late ones."""

    recovery = 2.0
    """Seconds to become ready after a missing answer."""

    def _greet(self, channel: Channel, game: Game) -> None:
        self.recoverable = ("illegal move", "timeout", "stalled") if self._transport.persistent else ("illegal move",)
        self.announced = {}
        self._games: set[str] = set()
        self._late = False
        channel.send_line(f"lab {VERSION}", deadline_in(REPLY))
        deadline = deadline_in(self.ready_timeout)
        while (line := _clean(channel.line(deadline))) != "labok":
            words = line.split()
            if words[:1] == ["game"] and len(self._games) < _MAX_NAMES:
                self._games.update(words[1:])
            elif words[:1] == ["option"] and len(self.announced) < MAX_OPTIONS:
                option = parse_option(words[1:])
                if option is not None:
                    self.announced[option.name] = option

    def _set_option(self, channel: Channel, option: EngineOption, value: str) -> None:
        channel.send_line(f"setoption name {option.name} value {value}", deadline_in(REPLY))

    def _begin(self, channel: Channel, start: State, side: int) -> None:
        self._start, self._moves = start.text, []
        game = start.game
        if self._games and not {game.name, game.family, "*"} & self._games:
            raise PlayerError(
                "crash", f"{self.name} does not play {game.name}: it plays {' '.join(sorted(self._games))}"
            )
        deadline = deadline_in(self.recovery if self._late else self.ready_timeout)
        try:
            if SEED_OPTION in self.announced and SEED_OPTION not in self.options:
                channel.send_line(f"setoption name {SEED_OPTION} value {self._seed % 2**32}", deadline)
            channel.send_line(f"newgame {game.name} seat {side + 1}", deadline)
            self._wait_until_ready(channel, deadline)
        except PlayerError:
            # An engine that does not become ready is not usable.
            self._drop()
            raise
        self._late = False

    def _wait_until_ready(self, channel: Channel, deadline: Deadline) -> None:
        if self._late:
            # A late answer may still arrive: skip it with a ping that the engine cannot guess.
            nonce = secrets.token_hex(8)
            channel.send_line(f"ping {nonce}", deadline)
            while _clean(channel.line(deadline)) != f"pong {nonce}":
                pass
        channel.send_line("isready", deadline)
        while _clean(channel.line(deadline)) != "readyok":
            pass

    def _answer(self, channel: Channel, state: State, limit: Limit) -> Decision:
        deadline = deadline_of(limit, self.watchdog)
        moves = f" moves {' '.join(self._moves)}" if self._moves else ""
        message = f"position start {self._start}{moves}\n{go_line(state, limit, self.limits)}\n"
        known: dict[str, str] = {}
        try:
            channel.send(message.encode(), deadline)
            while True:
                words = _clean(channel.line(deadline)).split()
                if words[:1] == ["info"]:
                    known |= _info_fields(words)
                elif words[:1] == ["bestmove"]:
                    break
        except PlayerError:
            self._late = True
            raise
        text = words[1] if len(words) > 1 else ""
        try:
            move = read_move(state, text, self.name)
        except PlayerError:
            channel.send_line(f"? illegal move {text}", deadline_in(REPLY))
            raise
        return Decision(
            move,
            value=_score(known.get("score")),
            depth=_count(known.get("depth")),
            nodes=_count(known.get("nodes")),
            simulations=_count(known.get("simulations")),
            line=tuple(known.get("pv", "").split()),
        )

    def _follow(self, channel: Channel, state: State, move: int) -> None:
        text, event = state.game.format_move(state.position, move), state.event_text
        self._moves.append(text if event is None else f"{event} {text}")

    def _finish(self, channel: Channel, winner: int | None, reason: str, complete: bool) -> None:
        result = "draw" if winner is None else f"p{winner + 1}"
        stop = "stop\n" if self._late else ""
        channel.send(f"{stop}result {result} reason {reason}\n".encode(), deadline_in(REPLY))

    def _leave(self, channel: Channel) -> None:
        channel.send_line("quit", deadline_in(REPLY))


def go_line(state: State, limit: Limit, limits: Limits) -> str:
    """The `go` line with the event of this ply and the limits; `limits` are those of both sides."""
    words = ["go"]
    if (event := state.event_text) is not None:
        words.append(f"{'die' if state.game.has_plain_die else 'event'} {event}")
    if limit.clock is not None:
        for name, value in (("time", lambda side: side.clock), ("inc", lambda side: side.increment)):
            words += [
                f"p{seat}{name} {_milliseconds(value(side))}"
                for seat, side in enumerate(limits, 1)
                if side.clock is not None
            ]
    if limit.time is not None:
        words.append(f"movetime {_milliseconds(limit.time)}")
    for name in ("depth", "nodes", "simulations"):
        if (number := getattr(limit, name)) is not None:
            words.append(f"{name} {number}")
    return " ".join(words)


def _clean(line: str) -> str:
    """Strip the comment of a line."""
    return line.partition("#")[0].strip()


def _info_fields(words: list[str]) -> dict[str, str]:
    """The known name-value pairs of an info line; `pv` takes the rest of the line."""
    found = {}
    index = 1
    while index + 1 < len(words):
        name = words[index]
        if name == "pv":
            found[name] = printable(" ".join(words[index + 1 : index + 1 + _MAX_LINE]), 40 * _MAX_LINE)
            break
        if name in _INFO:
            found[name] = words[index + 1][:40]
        index += 2
    return found


def _score(text: str | None) -> float | None:
    """Parse a value in [−1, 1]; None if invalid."""
    value = read_decimal(text or "")
    return value if value is not None and -1 <= value <= 1 else None


def _count(text: str | None) -> int | None:
    return read_whole(text or "")


def _milliseconds(seconds: float | None) -> int:
    return round((seconds or 0.0) * 1000)


class LabEngine:
    """Serves a player to one referee until `quit` or the end of the connection."""

    def __init__(self, player: Player, connection: RefereeConnection, settings: EngineSettings) -> None:
        self._player = player
        self._connection = connection
        self._settings = settings
        self._accepted = settings.token is None
        """Whether the judge has accepted the login."""
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._idle = threading.Event()
        self._idle.set()
        self._thinking_since = math.inf
        self._game: Game | None = None
        self._seed = 0
        self._answers = 0
        self._side = 0
        self._position: list[str] = []
        self._state: State | None = None

    def serve(self) -> None:
        """Answer until the end; with a token, log in first. Raises WorkError if rejected."""
        if self._settings.token is not None:
            self._connection.send(f"hello {self._settings.name} {self._settings.token}")
        threading.Thread(target=self._listen, daemon=True).start()
        while (line := self._lines.get()) is not None:
            words = line.partition("#")[0].split()
            if not words:
                continue
            if not self._accepted and (rejection := self._connection.rejection(line)) is not None:
                raise rejection
            self._accepted = self._accepted or words[0] == "lab"
            try:
                self._obey(words)
            except GameError as error:
                self._connection.send(f"? {error}")
            if words[0] == "go":
                self._idle.set()
        self._player.close()
        if not self._accepted:
            raise WorkError("the judge closed the connection before the first game")

    def _listen(self) -> None:
        """Read in a thread: answer urgent messages here and queue the others."""
        while (line := self._connection.line()) is not None:
            words = line.split()
            if words[:1] == ["ping"]:
                self._accepted = True
                self._connection.send(f"pong {' '.join(words[1:])}")
            elif words[:1] == ["stop"]:
                threading.Thread(target=self._stop, daemon=True).start()
            elif words[:1] == ["quit"]:
                break
            else:
                if words[:1] == ["go"]:
                    self._idle.clear()
                self._lines.put(line)
        while not self._idle.wait(0.05):
            if time.perf_counter() - self._thinking_since > _QUIT_SECONDS:
                # No referee waits for this move, so do not finish the search.
                self._player.close()
                os._exit(0)
        self._lines.put(None)

    def _stop(self) -> None:
        """Stop the search that is running or about to run."""
        while not self._idle.wait(0.005):
            stop_searches()

    def _obey(self, words: list[str]) -> None:
        match words[0]:
            case "lab":
                self._introduce()
            case "setoption":
                self._set_option(words[1:])
            case "newgame":
                self._new_game(words[1:])
            case "isready":
                self._connection.send("readyok")
            case "position":
                self._set_position(words[1:])
            case "go":
                self._go(words[1:])
            case "result":
                self._end(words[1:])

    def _introduce(self) -> None:
        self._connection.send(f"id name {self._settings.name}")
        self._connection.send("id author StarScout")
        own = self._settings.game
        names = games.NAMES if own is None or own.name in games.NAMES else (*games.NAMES, own.name)
        self._connection.send(f"game {' '.join(names)}")
        self._connection.send(f"option name {SEED_OPTION} type spin default 0 min 0 max {2**32 - 1}")
        self._connection.send("labok")

    def _set_option(self, words: list[str]) -> None:
        if len(words) == 4 and words[:2] == ["name", SEED_OPTION]:
            self._seed = read_whole(words[3]) or 0

    def _new_game(self, words: list[str]) -> None:
        if not words:
            raise GameError("newgame: the name of the game is missing")
        game = games.find(words[0])
        self._side = 1 if words[1:3] == ["seat", "2"] else 0
        self._player.new_game(game, self._seed)
        self._game, self._state, self._position, self._answers = game, None, [], 0

    def _set_position(self, words: list[str]) -> None:
        """Handle `start FIELDS… [moves …]`; a continuation only plays the new moves."""
        if self._game is None:
            raise GameError("position: expected newgame first")
        if words[:1] != ["start"]:
            raise GameError("position: expected start FIELDS moves …")
        known, state = self._position, self._state
        if state is None or words[: len(known)] != known:
            fields = words[1 : words.index("moves")] if "moves" in words else words[1:]
            state = parse(self._game, " ".join(fields))
            known = words[: len(fields) + 1]
            self._player.begin(state, self._side)
        rest = words[len(known) :]
        if rest[:1] == ["moves"]:
            rest = rest[1:]
        self._state, self._position = None, []
        state = _played(state, rest, self._player)
        self._state, self._position = state, words

    def _end(self, words: list[str]) -> None:
        if self._game is not None and words:
            self._player.end({"p1": 0, "p2": 1}.get(words[0]), " ".join(words[2:]), "")

    def _go(self, words: list[str]) -> None:
        if self._state is None:
            raise GameError("go: expected newgame and position first")
        numbers = _numbers(words)
        state = self._state
        if state.needs_roll:
            given = dict(itertools.pairwise(words))
            if "event" in given:
                state = state.rolled(given["event"])
            elif "die" in numbers:
                state = state.rolled(numbers["die"])
            else:
                raise GameError(f"go: the {'die' if state.game.has_plain_die else 'event'} is missing")
        if state.over:
            raise GameError(f"the game is over in {state.text!r}")
        if state.ply == 0:
            # The referee sends positions without moves: count plies by the answers.
            state = dataclasses.replace(state, ply=2 * self._answers)
        self._answers += 1
        self._thinking_since = time.perf_counter()
        decision = self._player.choose(state, _limit(numbers, state.mover))
        self._thinking_since = math.inf
        self._connection.send(f"{_info(decision)}bestmove {state.game.format_move(state.position, decision.move)}")


def _played(state: State, words: list[str], player: Player) -> State:
    """Play a list of moves; each follows its event, if there is one."""
    left = iter(words)
    event = "roll" if state.game.has_plain_die else "event"
    for word in left:
        if state.needs_roll:
            number = read_whole(word) if state.game.has_plain_die else word
            if number is None:
                raise GameError(f"moves: expected a roll, got {word[:20]!r}")
            state = state.rolled(number)
            word = next(left, None)
            if word is None:
                raise GameError(f"moves: the last {event} has no move")
        move = state.parse_move(word)
        player.observe(state, move)
        state = state.play(move)
    return state


def _numbers(words: list[str]) -> dict[str, int]:
    """Pairs of a name and an integer; other words are skipped."""
    pairs = ((name, read_whole(value, low=-(10**18))) for name, value in itertools.pairwise(words))
    return {name: number for name, number in pairs if number is not None}


def _limit(numbers: dict[str, int], mover: int) -> Limit:
    clock = numbers.get(f"p{mover + 1}time")
    movetime = numbers.get("movetime")
    limit = Limit(
        time=None if movetime is None else max(movetime, 0) / 1000,
        clock=None if clock is None else max(clock, 0) / 1000,
        increment=max(numbers.get(f"p{mover + 1}inc", 0), 0) / 1000,
        depth=_positive(numbers, "depth"),
        nodes=_positive(numbers, "nodes"),
        simulations=_positive(numbers, "simulations"),
    )
    return _UNTIMED if limit == Limit() else limit


def _positive(numbers: dict[str, int], name: str) -> int | None:
    return max(numbers[name], 1) if name in numbers else None


def _info(decision: Decision) -> str:
    """The info line of a decision; empty without a report."""
    known = {
        "depth": decision.depth,
        "nodes": decision.nodes,
        "simulations": decision.simulations,
        "score": None if decision.value is None else f"{decision.value:.6f}",
        "pv": " ".join(decision.line) or None,
    }
    words = [f"{name} {value}" for name, value in known.items() if value is not None]
    return f"info {' '.join(words)}\n" if words else ""


PROTOCOL = Protocol(
    "lab",
    LabPlayer,
    LabEngine,
    connects=True,
    token=True,
    options=None,
    exchanges=(
        Exchange(r"lab \d+", r"labok", "labok"),
        Exchange(r"isready", r"readyok", "readyok"),
        Exchange(r"ping \S+", r"pong \S+", "pong 7"),
        Exchange(r"go\b.*", r"bestmove \S+.*", "bestmove {}", move=r"\S+"),
    ),
    remarks=r"(id|game|option|info|pong|\?)\b.*|\?.*|#.*|",
)
