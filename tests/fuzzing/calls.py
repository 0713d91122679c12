"""Targets of calls: arguments of the Python API and of the command line, and messages of pages."""

import asyncio
import contextlib
import decimal
import fractions
import functools
import inspect
import io
import json
import os
import random
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy

import starscout
from starscout.game import GameError, WorkError, state
from starscout.web.catalogue import Catalogue
from starscout.web.searches import Client
from starscout.web.server import ACTIONS
from starscout.web.session import Server, Session
from starscout.web.worker import StoppedError
from tests.fuzzing.target import Target
from tests.fuzzing.texts import changed_json, mutated

GAME = starscout.load("ewn-3x3-3")
STATE = starscout.parse("ewn-3x3-3", "1../.../..a r 1")
OVER = starscout.parse("othello-4x4", "X" * 16 + " O")

RUN = {"workers": 0, "store": ":memory:", "luck": "off", "progress": False, "nodes": 1}

CALLS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "analyse": (starscout.analyse, {"state": STATE, "player": "random", "nodes": 1}),
    "batch": (starscout.batch, {"game": "ewn-3x3-3", "n": 2}),
    "course_match": (starscout.course_match, {"game": "ewn-3x3-3", "a": "random", "b": "random", "store": ":memory:"}),
    "experiment": (starscout.experiment, {"name": "nowhere", "workers": 0, "store": ":memory:"}),
    "export": (starscout.export, {"file": "nowhere.json"}),
    "laws": (starscout.laws, {"game": "ewn-3x3-3", "games": 1}),
    "list_players": (starscout.list_players, {"game": "ewn-3x3-3"}),
    "load": (starscout.load, {"name": "ewn-3x3-3"}),
    "match": (starscout.match, {"game": "ewn-3x3-3", "a": "random", "b": "random", "pairs": 1, **RUN}),
    "parse": (starscout.parse, {"game": "ewn-3x3-3", "text": STATE.text}),
    "perft": (starscout.perft, {"state": STATE, "depth": 1, "progress": False}),
    "player": (starscout.player, {"spec": "random", "game": "ewn-3x3-3"}),
    "playouts": (starscout.playouts, {"game": "ewn-3x3-3", "seconds": 0.0, "progress": False}),
    "puzzle": (starscout.puzzle, {"file": "nowhere.txt"}),
    "replay": (lambda file, game=(): starscout.replay(file, game=game), {"file": "nowhere.json"}),
    "results": (lambda number, **named: starscout.results(number, **named), {"number": 1, "store": "nowhere.sqlite"}),
    "review": (starscout.review, {"record": "nowhere.json", "player": "random", "progress": False}),
    "show": (starscout.show, {"state": STATE}),
    "solve": (starscout.solve, {"state": STATE, "time": 0.0, "progress": False}),
    "start": (starscout.start, {"game": "ewn-3x3-3", "seed": 0}),
    "tables": (starscout.tables, {"action": "check", "game": "ewn-3x3-2", "progress": False}),
    "tournament": (starscout.tournament, {"game": "ewn-3x3-3", "players": ["random", "random"], "pairs": 1, **RUN}),
    "tune": (
        starscout.tune,
        {"game": "ewn-3x3-3", "player": "random", "parameters": "a=1:0:2", "steps": 1, "pairs": 1, **RUN},
    ),
    "vector_env": (starscout.vector_env, {"game": "ewn-3x3-3", "n": 2}),
    "pettingzoo_env": (starscout.pettingzoo_env, {"game": "ewn-3x3-3"}),
    "play": (STATE.play, {"move": 0}),
    "rolled": (starscout.start(GAME).rolled, {"die": 1}),
    "parse_move": (STATE.parse_move, {"text": "A1B1"}),
}
"""Name → function and valid arguments. Functions that serve, listen, learn or clear the cache are left out."""

KEPT = ("workers", "store", "cluster", "output", "tree", "progress", "time", "clock", "threads", "log")
"""Arguments that keep their value: others write files, start processes or take long."""

VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 2.5, float("nan"), float("inf"), 10**30, -(10**30), 1e300, 1 + 2j),
    *("", " ", "x", "ewn-3x3-3", "othello-4x4", "random", "\0", "\ud800", "x" * 3_000, "a=1:0:2", "off", "../x"),
    *(b"", b"x", [], ["random", "random"], [1, 2], [None], {}, {"a": 1}, (), (0, 5), ("a", "b"), {1, 2}),
    *(object(), Path("nowhere.py"), Path(), numpy.int64(2), numpy.float32(0.5), numpy.array([1, 2]), numpy.array(None)),
    *(STATE, OVER, GAME, starscout.load("ewn-2x2-1"), random.Random, int, len, range(3), decimal.Decimal(1)),
    *(fractions.Fraction(1, 2), starscout.Limit(nodes=1), starscout.player("random", GAME), state, iter("ab")),
)  # fmt: skip
"""Replacement values of arguments; an input gives their numbers."""

COMMANDS = [
    "show ewn-3x3-3", "show othello --seed 3 --json", "games --json", "players ewn-3x3-3", "perft ewn-3x3-3 2 --json",
    "solve ewn-3x3-3 '1../.../..a r 1' --time 0 --json", "laws ewn-3x3-3 --games 1", "replay nowhere.json --game x.py",
    "export nowhere.json --format ggf", "puzzle nowhere.txt", "results --store nowhere.sqlite 3 --json",
    "match ewn random random --pairs 3 --time 0.1 --seed 7 --luck off", "tournament ewn random easy --swiss 3",
    "experiment uct --quick", "analyse ewn '1../.../..a r 1' --nodes 10 --player random", "--version", "match --help",
    "tune ewn 'mcts c={c}' --parameters c=1:0:2 --steps 3", "judge ewn 8000 --engines 3 --token x --wait 3", "--hocus",
    "game ewn random random --rounds 2", "learn ewn --minutes 3 --out x.weights", "engine random --protocol gtp",
    "serve --port 80 --host ::1", "tables check ewn --cubes 3", "playouts ewn --seconds 0", "warm ewn random", "cache",
]  # fmt: skip

STUBBED = (
    *("match", "tournament", "experiment", "analyse", "tune", "judge", "course_match", "learn", "engine", "serve"),
    *("tables", "playouts", "warm", "cache", "bench", "export", "perft", "solve", "laws"),
)
"""API functions that commands call after they have parsed their arguments; they take long or have side effects."""

MESSAGES = [
    {"id": 1, "do": "catalogue"},
    {
        "id": 2,
        "do": "new",
        "game": "ewn-3x3-3",
        "opponent": None,
        "side": 0,
        "level": 1.0,
        "clock": None,
        "place": True,
    },
    {"id": 3, "do": "move", "table": "x", "ply": 1, "move": "A1B1"},
    {"id": 4, "do": "position", "game": "ewn-3x3-3", "position": STATE.text, "turned": False},
    {"id": 5, "do": "advance", "game": "ewn-3x3-3", "position": STATE.text, "move": "A1B1", "roll": 2},
    {"id": 6, "do": "analyse", "name": "a", "game": "ewn", "position": STATE.text, "player": "random", "seconds": 1},
    {"id": 7, "do": "solve", "game": "ewn-3x3-3", "position": STATE.text},
    {"id": 8, "do": "tree", "game": "ewn-3x3-3", "position": STATE.text, "search": "alpha-beta", "depth": 2},
    {"id": 9, "do": "watch", "key": "match/1"},
    {"id": 10, "do": "upload", "name": "x", "text": "f5d6c3", "game": "othello"},
    {"id": 11, "do": "new", "game": "kari", "opponent": "random", "side": 1, "clock": 60, "increment": 1, "first": 0},
    {"id": 12, "do": "match", "game": "ewn", "first": "random", "second": "strong", "pairs": 10, "level": 0.1},
    {"id": 13, "do": "tournament", "game": "kari", "players": ["random", "strong"], "kind": "swiss", "rounds": 3},
    {"id": 14, "do": "place", "table": "x", "first": 1, "second": 2},
    {"id": 15, "do": "step", "key": "game/1", "ply": 3, "best": "A1B1", "turned": True},
    {"id": 16, "do": "review", "key": "game/1"},
    {"id": 17, "do": "stop-run", "run": 1},
    *({"id": 20, "do": action, "table": "x", "turned": True} for action in ("join", "leave", "begin", "back", "save")),
    *({"id": 21, "do": action, "name": "a", "key": "a"} for action in ("stop", "unwatch", "runs", "hint", "hurry")),
]


def targets() -> list[Target]:
    """Return the targets of all calls."""
    return [
        Target("api-arguments", _random_call, _call, (GameError, WorkError, OSError), 4),
        Target("cli-arguments", lambda generator: mutated(generator, COMMANDS), _command(), (GameError,), 3),
        Target("web-messages", lambda generator: changed_json(generator, _messages()), _answer(), (GameError,), 4),
    ]


def _random_call(generator: Random) -> str:
    name = generator.choice(list(CALLS))
    function, given = CALLS[name]
    names = [name for name in {**given, **_parameters(function)} if name not in KEPT]
    chosen = generator.sample(names, min(len(names), generator.choice((1, 1, 1, 2, 3))))
    return json.dumps([name, {argument: generator.randrange(len(VALUES)) for argument in chosen}])


def _parameters(function: Callable[..., Any]) -> Mapping[str, Any]:
    found = inspect.signature(function).parameters
    return {name: p for name, p in found.items() if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}


def _call(text: str) -> None:
    try:
        name, chosen = json.loads(text)
        function, given = CALLS[name]
        arguments = {**given, **{argument: VALUES[number] for argument, number in chosen.items()}}
        inspect.signature(function).bind(**arguments)
    except (ValueError, TypeError, KeyError, IndexError, AttributeError) as error:
        raise GameError("no call") from error
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        result = function(**arguments)
        assert repr(result) is not str(result) is not None


def _command() -> Callable[[str], None]:
    import typer.main

    from starscout.cli import interrupt, main

    def refuse(*arguments: Any, **options: Any) -> Any:
        raise GameError("the fuzzer does not call this function")

    # Building the parser of a command takes much longer than parsing its words.
    main._application = functools.cache(main._application)
    typer.main.get_command = functools.cache(typer.main.get_command)
    main.COMMANDS.pop("demo", None)
    for name in ("play", "ladder", "submit"):
        main.COMMANDS.pop(name, None)
    main.interrupt.exit_on_interrupt = lambda: None
    interrupt.ignore = lambda: None
    for name in STUBBED:
        setattr(starscout, name, refuse)

    def feed(text: str) -> None:
        words = _words(text)
        before = sys.argv, sys.stdin, sys.stdout, sys.stderr
        sys.argv = ["starscout", *words]
        sys.stdin, sys.stdout, sys.stderr = (_Stream(io.BytesIO(), "utf-8") for _ in range(3))
        try:
            main.main()
        except SystemExit as end:
            if end.code not in (None, 0, 1, 2):
                raise ValueError(f"exit code {end.code}") from end
        finally:
            sys.argv, sys.stdin, sys.stdout, sys.stderr = before

    return feed


class _Stream(io.TextIOWrapper):
    """A standard stream in memory."""

    @property
    def name(self) -> str:
        return "memory"


def _words(text: str) -> list[str]:
    """Split a command line; arguments of a program contain no zero byte."""
    import shlex

    try:
        words = shlex.split(text.replace("\0", ""))
    except ValueError:
        words = text.replace("\0", "").split()
    return [os.fsdecode(word.encode("utf-8", "surrogateescape" if word.isascii() else "replace")) for word in words]


def _messages() -> Sequence[str]:
    return [json.dumps(message) for message in MESSAGES]


class _StoppedJob:
    """A search that was stopped before it began."""

    done = stopped = True

    async def result(self) -> Any:
        raise StoppedError

    async def stop(self) -> None:
        pass

    hurry = stop


class _NoPool:
    """A pool that stops all searches."""

    busy = 0

    def start(self, task: str, *arguments: Any, **options: Any) -> Any:
        return _StoppedJob()

    async def run(self, task: str, *arguments: Any, **options: Any) -> Any:
        raise StoppedError


def _answer() -> Callable[[str], None]:
    failures: list[Exception] = []
    unused: Any = None
    server: Any = Server(Catalogue([], []), ":memory:", threads=True)
    server.pool = server.tables._pool = server.library._pool = _NoPool()
    server.log_error = failures.append

    async def refuse(*arguments: Any) -> Any:
        raise GameError("the fuzzer starts no processes")

    server.runs.start = refuse

    async def serve(text: str) -> dict[str, Any]:
        session = Session(unused, server, Client("fuzzer"))
        await session._answer(text, ACTIONS)
        answer = json.loads(session._outgoing.get_nowait())
        await session._leave()
        await asyncio.gather(*server._tasks, return_exceptions=True)
        return answer

    def feed(text: str) -> None:
        failures.clear()
        answer = asyncio.run(serve(text))
        if failures:
            raise failures[0]
        assert isinstance(answer["id"], int | None)
        if "error" in answer:
            raise GameError(answer["error"])

    return feed
