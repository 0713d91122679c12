"""`lab`, the engine's side: our player answers a referee. The protocol is described in `lab.py`.

A thread reads, so that `ping`, `stop` and `quit` are heard while the player thinks.
"""

import dataclasses
import itertools
import os
import queue
import threading

from starscout import games
from starscout.game import Game, GameError
from starscout.players.player import Decision
from starscout.protocols.lab import SEED_OPTION
from starscout.protocols.thinker import Chooser
from starscout.protocols.wire import Wire
from starscout.search.limits import Limit
from starscout.state import State, parse

_UNTIMED = Limit(time=1.0)
"""What a bare `go` means."""

_LAST_THOUGHT = 1.0
"""Seconds that a thought may go on after the referee has said `quit` or has gone."""


class LabEngine:
    """Serves one referee until it says `quit` or goes away."""

    def __init__(self, thinker: Chooser, wire: Wire) -> None:
        self._thinker = thinker
        self._wire = wire
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._idle = threading.Event()
        self._idle.set()
        self._game: Game | None = None
        self._seed = 0
        self._answers = 0
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
            elif words[:1] == ["quit"]:
                break
            else:
                if words[:1] == ["go"]:
                    self._idle.clear()
                self._lines.put(line)
        if not self._idle.wait(_LAST_THOUGHT):
            # Nobody waits for this move any more, and a search may take its time.
            self._thinker.close()
            os._exit(0)
        self._lines.put(None)

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

    def _introduce(self) -> None:
        self._wire.send(f"id name {self._thinker.spec}")
        self._wire.send("id author StarScout")
        self._wire.send(f"game {' '.join(games.NAMES)}")
        self._wire.send(f"option name {SEED_OPTION} type spin default 0 min 0 max {2**32 - 1}")
        self._wire.send("labok")

    def _set_option(self, words: list[str]) -> None:
        if len(words) == 4 and words[:2] == ["name", SEED_OPTION] and words[3].isdigit():
            self._seed = int(words[3])

    def _new_game(self, words: list[str]) -> None:
        if not words:
            raise GameError("newgame wants the name of a game")
        game = games.load(words[0])
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
        rest = words[len(known) :]
        if rest[:1] == ["moves"]:
            rest = rest[1:]
        self._state, self._position = None, []
        state = _played(state, rest)
        self._state, self._position = state, words

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
        decision = self._thinker.choose(state, _limit(numbers, state.mover))
        self._wire.send(f"{_info(decision)}bestmove {state.game.format_move(state.position, decision.move)}")


def _played(state: State, words: list[str]) -> State:
    """The state after moves; in games with dice each stands behind its roll."""
    if not state.game.has_dice:
        for word in words:
            state = state.play(word)
        return state
    if len(words) % 2:
        raise GameError("the move list has a roll without a move")
    for roll, move in zip(words[::2], words[1::2], strict=True):
        if not roll.isdigit():
            raise GameError(f"{roll!r} in the move list is no roll")
        state = state.rolled(int(roll)).play(move)
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
