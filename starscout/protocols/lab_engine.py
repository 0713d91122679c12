"""`lab`, the engine's side: our player answers a referee. The protocol is described in `lab.py`.

A thread reads, so that `ping`, `stop` and `quit` are heard while the player thinks.
"""

import dataclasses
import itertools
import math
import os
import queue
import threading
import time

from starscout import games
from starscout.game import Game, GameError
from starscout.players.player import Decision, Follower
from starscout.protocols.lab import SEED_OPTION
from starscout.protocols.thinker import Thinker
from starscout.protocols.wire import Wire
from starscout.search.limits import Limit
from starscout.search.stop import stop_searches
from starscout.state import State, parse

_UNTIMED = Limit(time=1.0)
"""What a bare `go` means."""

_LAST_THOUGHT = 1.0
"""Seconds that a thought may go on after the referee has said `quit` or has gone."""


class LabEngine:
    """Serves one referee until it says `quit` or goes away."""

    def __init__(self, thinker: Thinker, wire: Wire, extra: Game | None = None) -> None:
        self._thinker = thinker
        self._wire = wire
        self._extra = extra
        """A game of the user's own that we know besides ours."""
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

    def serve(self, name: str | None = None, token: str | None = None) -> None:
        """Answer until the end; with a name and a token, introduce ourselves first, as a visitor does."""
        if token is not None:
            self._wire.send(f"hello {name} {token}")
        threading.Thread(target=self._listen, daemon=True).start()
        while (line := self._lines.get()) is not None:
            words = line.partition("#")[0].split()
            if not words:
                continue
            try:
                self._obey(words)
            except GameError as error:
                self._wire.send(f"? {error}")
            if words[0] == "go":
                self._idle.set()
        self._thinker.close()

    def _listen(self) -> None:
        """The reading thread: what cannot wait is done here, the rest is put in line."""
        while (line := self._wire.line()) is not None:
            words = line.split()
            if words[:1] == ["ping"]:
                self._wire.send(f"pong {' '.join(words[1:])}")
            elif words[:1] == ["stop"]:
                threading.Thread(target=self._stop, daemon=True).start()
            elif words[:1] == ["quit"]:
                break
            else:
                if words[:1] == ["go"]:
                    self._idle.clear()
                self._lines.put(line)
        while not self._idle.wait(0.05):
            if time.perf_counter() - self._thinking_since > _LAST_THOUGHT:
                # Nobody waits for this move any more, and a search may take its time.
                self._thinker.close()
                os._exit(0)
        self._lines.put(None)

    def _stop(self) -> None:
        """End the thought that is under way; one that is only about to begin, too."""
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
                self._wire.send("readyok")
            case "position":
                self._set_position(words[1:])
            case "go":
                self._go(words[1:])
            case "result":
                self._end(words[1:])

    def _introduce(self) -> None:
        self._wire.send(f"id name {self._thinker.spec}")
        self._wire.send("id author StarScout")
        names = (*games.NAMES, self._extra.name) if self._extra else games.NAMES
        self._wire.send(f"game {' '.join(names)}")
        self._wire.send(f"option name {SEED_OPTION} type spin default 0 min 0 max {2**32 - 1}")
        self._wire.send("labok")

    def _set_option(self, words: list[str]) -> None:
        if len(words) == 4 and words[:2] == ["name", SEED_OPTION] and words[3].isdigit():
            self._seed = int(words[3])

    def _new_game(self, words: list[str]) -> None:
        if not words:
            raise GameError("newgame wants the name of a game")
        game = self._extra if self._extra and words[0] == self._extra.name else games.load(words[0])
        self._side = 1 if words[1:3] == ["seat", "2"] else 0
        self._thinker.new_game(game, self._seed)
        self._game, self._state, self._position, self._answers = game, None, [], 0

    def _set_position(self, words: list[str]) -> None:
        """`start FIELDS… [moves …]`; a line that continues the last one is not played from the start again."""
        if self._game is None:
            raise GameError("position comes after newgame")
        if words[:1] != ["start"]:
            raise GameError("write: position start FIELDS moves …")
        known, state = self._position, self._state
        if state is None or words[: len(known)] != known:
            fields = words[1 : words.index("moves")] if "moves" in words else words[1:]
            state = parse(self._game, " ".join(fields))
            known = words[: len(fields) + 1]
            if self._thinker.follower is not None:
                self._thinker.follower.begin(state, self._side)
        rest = words[len(known) :]
        if rest[:1] == ["moves"]:
            rest = rest[1:]
        self._state, self._position = None, []
        state = _played(state, rest, self._thinker.follower)
        self._state, self._position = state, words

    def _end(self, words: list[str]) -> None:
        if self._thinker.follower is not None and words:
            winner = {"p1": 0, "p2": 1}.get(words[0])
            self._thinker.follower.end(winner, " ".join(words[2:]), "")

    def _go(self, words: list[str]) -> None:
        if self._state is None:
            raise GameError("go comes after newgame and position")
        numbers = _numbers(words)
        state = self._state
        if state.needs_roll:
            if "die" not in numbers:
                raise GameError("go lacks the die")
            state = state.rolled(numbers["die"])
        if state.over:
            raise GameError(f"the game is over in {state.text!r}")
        if state.ply == 0:
            # A referee that sends positions without their moves: count the plies by our own answers.
            state = dataclasses.replace(state, ply=2 * self._answers)
        self._answers += 1
        self._thinking_since = time.perf_counter()
        decision = self._thinker.choose(state, _limit(numbers, state.mover))
        self._thinking_since = math.inf
        self._wire.send(f"{_info(decision)}bestmove {state.game.format_move(state.position, decision.move)}")


def _played(state: State, words: list[str], follower: Follower | None) -> State:
    """The state after moves; in games with dice each stands behind its roll."""
    dice = state.game.has_dice
    if dice and len(words) % 2:
        raise GameError("the move list has a roll without a move")
    rolls = words[::2] if dice else [""] * len(words)
    for roll, word in zip(rolls, words[1::2] if dice else words, strict=True):
        if dice:
            if not roll.isdigit():
                raise GameError(f"{roll!r} in the move list is no roll")
            state = state.rolled(int(roll))
        move = state.parse_move(word)
        if follower is not None:
            follower.observe(state, move)
        state = state.play(move)
    return state


def _numbers(words: list[str]) -> dict[str, int]:
    """Names and whole numbers; a word that is not followed by one is skipped."""
    found = {}
    for name, value in itertools.pairwise(words):
        if value.lstrip("-").isdigit():
            found[name] = int(value)
    return found


def _limit(numbers: dict[str, int], mover: int) -> Limit:
    clock = numbers.get(f"p{mover + 1}time")
    time = numbers.get("movetime")
    limit = Limit(
        time=None if time is None else time / 1000,
        clock=None if clock is None else max(clock, 0) / 1000,
        increment=numbers.get(f"p{mover + 1}inc", 0) / 1000,
        depth=numbers.get("depth"),
        nodes=numbers.get("nodes"),
        simulations=numbers.get("simulations"),
    )
    return _UNTIMED if limit == Limit() else limit


def _info(decision: Decision) -> str:
    """What is known about the decision as an info line, or nothing."""
    known = {
        "depth": decision.depth,
        "nodes": decision.nodes,
        "simulations": decision.simulations,
        "score": None if decision.value is None else f"{decision.value:.6f}",
        "pv": " ".join(decision.line) or None,
    }
    words = [f"{name} {value}" for name, value in known.items() if value is not None]
    return f"info {' '.join(words)}\n" if words else ""
