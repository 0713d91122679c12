"""Python classes in separate processes: a class cannot reach its opponent, the referee or its worker.

The referee starts a host process per class and sends one line per call. Calls are pickled, because the host trusts the
referee; answers are JSON objects with checked fields, because the referee does not trust the class.

    > choose BASE64                 < {"answer": {"move": 17, "value": 0.25}}
    > observe BASE64                < {"answer": null}
    > begin BASE64                  < {"failure": ["crash", "ValueError: no (begin, line 7 of agent.py)"]}

A host that does not answer in time is killed, and the next game starts a new one.
"""

import base64
import contextlib
import json
import math
import os
import pickle
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import starscout
from starscout.errors import exception_text, printable
from starscout.game import Game, GameError
from starscout.game.state import State
from starscout.players.names import short_name
from starscout.players.player import Decision, Player, PlayerError
from starscout.players.python_class import METHODS, ClassOptions, make_class_player, place_digest
from starscout.protocols.channel import Channel, Deadline, deadline_in, deadline_of, start_seconds, watchdog_seconds
from starscout.protocols.process import start_program
from starscout.protocols.remote_player import READY, REPLY
from starscout.records.record import FORFEITS
from starscout.search.limits import Limit

_BOOT = """
import os, sys
sys.path[:0] = [path for path in sys.argv.pop(1).split(os.pathsep) if path not in sys.path]
from starscout.players.class_host import serve
serve(*sys.argv[1:])
"""

_MAX_LINE = 200
"""Maximum number of moves in a reported line of play."""

_MAX_COUNT = 10**18 - 1

_CLOSE_SECONDS = 2.0
"""Seconds that the method `close` may take."""


_problems: dict[tuple[str, str, str], str] = {}
"""FILE:CLASS, arguments and digest of a class → why it cannot be created; empty if it can."""


class HostedPlayer(Player):
    """A Python class that plays in a separate process."""

    local = False

    def __init__(
        self, place: str, options: ClassOptions, name: str, arguments: Mapping[str, str], label: str = ""
    ) -> None:
        self.name, self.limit = name, options.limit
        self._label = label or short_name(name)
        self._place, self._arguments = place, json.dumps(dict(arguments))
        self._watchdog = watchdog_seconds()
        self._channel: Channel | None = None
        self._methods: set[str] = set()

    def check(self, game: Game) -> None:
        """Start the host and create the object, once per content; raises GameError if that is not possible."""
        key = self._place, self._arguments, place_digest(self._place)
        if key not in _problems:
            try:
                self._open(game)
                _problems[key] = ""
            except PlayerError as failure:
                # A crash forfeits the games; a class with an error is reported before the first game.
                _problems[key] = failure.detail if failure.reason == _INVALID else ""
        if _problems[key]:
            raise GameError(_problems[key])

    def new_game(self, game: Game, seed: int) -> None:
        try:
            self._open(game)
        except PlayerError as failure:
            raise PlayerError("crash", failure.detail) if failure.reason == _INVALID else failure from failure
        # A class may compile kernels here.
        self._ask("new_game", deadline_in(start_seconds(READY), "timeout"), game, seed)

    def begin(self, start: State, side: int) -> None:
        self._ask("begin", self._patience(), start, side)
        if self._channel is not None:
            self._channel.waiting_within(math.inf)

    def choose(self, state: State, limit: Limit) -> Decision:
        allowed = deadline_of(self.bound(limit), self._watchdog)._replace(reason="timeout")
        answer = self._ask("choose", allowed, state, limit)
        self.withheld = 0.0 if self._channel is None else self._channel.withheld
        return _decision(answer, self.name)

    def observe(self, state: State, move: int) -> None:
        began = time.perf_counter()
        self._ask("observe", self._patience(), state, move)
        self.withheld = 0.0 if self._channel is None else self._channel.waiting_within(time.perf_counter() - began)

    def end(self, winner: int | None, reason: str, detail: str) -> None:
        if self._channel is not None:
            self._ask("end", deadline_in(REPLY, "timeout"), winner, reason, detail)
            # If the answer arrived without a wait, the output of the class has not been read yet.
            self._channel.take_errors()

    def close(self) -> None:
        if self._channel is None:
            return
        with contextlib.suppress(PlayerError):
            self._ask("close", deadline_in(_CLOSE_SECONDS))
        self._drop()

    def _patience(self) -> Deadline:
        """The deadline of a call without a clock."""
        return deadline_in(self._watchdog, "timeout")

    def _open(self, game: Game) -> None:
        """Start the host if it is not running; raises PlayerError."""
        if self._channel is not None:
            return
        package = str(Path(starscout.__file__).parents[1])
        here = {"", os.getcwd(), _script_folder()} - {package}
        paths = [path for path in (*sys.path, package) if path not in here]
        command = [sys.executable, "-I", "-c", _BOOT, os.pathsep.join(paths), self._place, self._arguments]
        file = os.path.realpath(self._place.rpartition(":")[0])
        rules = [os.path.dirname(game.file)] if game.file else []
        readable = [os.path.dirname(file), *rules, *(path for path in paths if path != package)]
        self._channel = start_program(self.name, command, readable=readable, echo=self._label)
        with self._ending_with_failures():
            methods = _answer(self._channel.line(deadline_in(start_seconds(READY), "timeout")), self.name)
            self._methods = set(methods) if isinstance(methods, list) else set()

    def _ask(self, method: str, deadline: Deadline, *arguments: Any) -> Any:
        """Call a method if the class has it, and return the answer; raises PlayerError."""
        if self._channel is None:
            raise PlayerError("disconnected", f"the process of {self.name} has ended")
        if method not in self._methods:
            return None
        with self._ending_with_failures():
            call = pickle.dumps((self.limits, arguments))
            self._channel.send(method.encode() + b" " + base64.b64encode(call) + b"\n", deadline)
            return _answer(self._channel.line(deadline), self.name)

    @contextlib.contextmanager
    def _ending_with_failures(self) -> Iterator[None]:
        """End the process if it dies or does not answer; an exception of the class does not end it."""
        try:
            yield
        except _ClassError:
            raise
        except PlayerError:
            self._drop()
            raise

    def _drop(self) -> None:
        if self._channel is not None:
            self._channel.close(at_once=True)
            self._channel = None


class _ClassError(PlayerError):
    """The class raised an exception or gave an invalid answer; its process is intact."""


_INVALID = "invalid"
"""Reason for a failure to create the object; not a forfeit."""


def _script_folder() -> str:
    """The folder of the script that runs, which Python adds to its path."""
    return os.path.dirname(os.path.abspath(getattr(sys.modules.get("__main__"), "__file__", None) or "x"))


def _answer(line: str, name: str) -> Any:
    """The content of an answer; raises PlayerError."""
    try:
        content = json.loads(line)
    except (ValueError, RecursionError):
        content = None
    if isinstance(content, dict) and "answer" in content:
        return content["answer"]
    failure = content.get("failure") if isinstance(content, dict) else None
    if isinstance(failure, list) and len(failure) == 2 and all(isinstance(part, str) for part in failure):
        reason = failure[0] if failure[0] in (*FORFEITS, _INVALID) else "crash"
        raise _ClassError(reason, failure[1])
    raise PlayerError("crash", f"the process of {name} sent {printable(line, 60)!r} instead of an answer")


def _decision(answer: Any, name: str) -> Decision:
    """Check the fields of a decision: a class could send anything."""
    if not isinstance(answer, dict) or not isinstance(answer.get("move"), int):
        raise PlayerError("crash", f"the process of {name} sent no move")
    value, line = answer.get("value"), answer.get("line")
    counts = [answer.get(count) for count in ("depth", "nodes", "simulations")]
    return Decision(
        answer["move"],
        float(value) if isinstance(value, int | float) and -1 <= value <= 1 else None,
        *(count if isinstance(count, int) and 0 <= count <= _MAX_COUNT else None for count in counts),
        line=tuple(str(move)[:40] for move in line[:_MAX_LINE]) if isinstance(line, list) else (),
    )


def serve(place: str, arguments: str) -> None:
    """Serve the class FILE:CLASS with its arguments (JSON) over standard input and output until the input ends."""
    questions, answers = os.fdopen(os.dup(0), "rb"), os.dup(1)
    # Redirect output of the class to standard error; its standard input is empty.
    sys.stdout = sys.stderr
    os.dup2(2, 1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    try:
        player = make_class_player(place, ClassOptions(), place, json.loads(arguments))
    except GameError as error:
        _send(answers, {"failure": [_INVALID, str(error)]})
        return
    # Methods may import modules from the folder, too.
    sys.path.append(os.path.dirname(os.path.realpath(place.rpartition(":")[0])))
    written = getattr(player, "_written", player)
    inherited = {method for method in METHODS if getattr(type(written), method, None) is getattr(Player, method)}
    own = [method for method in METHODS if method not in inherited and callable(getattr(written, method, None))]
    _send(answers, {"answer": own})
    for line in questions:
        method, _, call = line.partition(b" ")
        _send(answers, _called(player, method.decode(), pickle.loads(base64.b64decode(call))))


def _called(player: Player, method: str, call: tuple[Any, tuple[Any, ...]]) -> dict[str, Any]:
    """The answer to a call, whatever the class raises."""
    player.limits, arguments = call
    try:
        return {"answer": _plain(getattr(player, method)(*arguments))}
    except PlayerError as failure:
        return {"failure": [failure.reason, printable(failure.detail, 2000)]}
    except BaseException as error:
        return {"failure": ["crash", exception_text(error)]}


def _plain(answer: Any) -> Any:
    """A decision as a dictionary of plain numbers; None for other answers, which the referee does not use."""
    if not isinstance(answer, Decision):
        return None
    try:
        move = int(answer.move)
    except (TypeError, ValueError, OverflowError) as error:
        raise PlayerError("crash", f"choose returned {answer.move!r:.60}: expected a move or a Decision") from error
    if move != answer.move:
        raise PlayerError("illegal move", f"choose returned {answer.move!r:.60}: expected an integer from state.legal")
    found: dict[str, Any] = {"move": move, "line": [str(text)[:40] for text in tuple(answer.line)[:_MAX_LINE]]}
    for name in ("value", "depth", "nodes", "simulations"):
        number = getattr(answer, name)
        with contextlib.suppress(TypeError, ValueError, OverflowError):
            found[name] = None if number is None else float(number) if name == "value" else int(number)
    return found


def _send(descriptor: int, content: dict[str, Any]) -> None:
    data = json.dumps(content).encode() + b"\n"
    while data:
        data = data[os.write(descriptor, data) :]
