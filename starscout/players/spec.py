"""SPEC: the description of a player in one line of text.

    star-determinacy                                       a preset
    negascout depth=8 eval=distance+determinacy table=18   a kind of player and its options
    lab:./engine --fast                                    an external program and its protocol
    nboard[depth=4 cwd=./ntest]:./ntest                    the same with its own limits and folder
    lab[own=5 time=0.1]:./engine                           an option of the engine (protocols/engine_options.py)
    python:./greedy.py:Greedy own=5                        a class of a Python file and its parameters

A kind is a module of `players/`, or one that a game names in `Knowledge.kinds`. It has a frozen dataclass `Options` and
`make(game, options, name) -> Player`; optionally `check(game, options)`, which raises GameError for options that do not
suit the game, and `own_limit(options)`, the player's limit for every move. Options after a preset's name override its
defaults.
"""

import dataclasses
import functools
import os
import re
import shlex
import shutil
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from starscout import games
from starscout.evaluation import knowledge_of
from starscout.evaluation.knowledge import Preset
from starscout.game import Game, GameError
from starscout.game.state import start
from starscout.players import mcts, negascout
from starscout.players import random_player as random_mover
from starscout.players.class_arguments import arguments_text
from starscout.players.class_host import HostedPlayer
from starscout.players.names import short_name
from starscout.players.player import Player
from starscout.players.python_class import (
    PREFIX,
    ClassOptions,
    check_place,
    is_portable,
    make_class_player,
    split_place,
)
from starscout.protocols.engine_options import read_options
from starscout.protocols.process import is_program
from starscout.protocols.registry import PROTOCOLS, ProgramOptions, check_game, program_player
from starscout.protocols.remote_player import RemotePlayer
from starscout.search.limits import Limit
from starscout.settings.options import nearest, parse_options, split_options

GENERAL_KINDS: dict[str, ModuleType] = {"mcts": mcts, "random": random_mover, "negascout": negascout}
"""Kinds of players for every game → module."""

PROGRAM_OPTIONS = frozenset(option.name for option in dataclasses.fields(ProgramOptions))
"""Names of bracketed options that StarScout uses itself."""

ESCAPE = "option."
"""Prefix of an engine option whose name StarScout uses itself: `lab[option.depth=5]:./engine`."""

_PROGRAM = re.compile(r"([\w-]+)(?:\[([^\]]*)\])?:(.*)", re.DOTALL)


@dataclass(frozen=True)
class Description:
    """A parsed SPEC: kind or protocol, options, the command of a program, FILE:CLASS of a class."""

    text: str
    kind: str
    options: Any
    command: str | None = None
    place: str | None = None
    module: Any = None
    """The module of the kind; None for programs and classes."""
    arguments: Mapping[str, str] = field(default_factory=dict)
    """Options of an external engine, or arguments of a class."""

    @property
    def limit(self) -> Limit:
        """The player's own limit."""
        if self.command is not None or self.place is not None:
            return self.options.limit
        return self.module.own_limit(self.options) if hasattr(self.module, "own_limit") else Limit()

    @property
    def placement(self) -> str:
        """The set-up of its pieces; empty: that of the start."""
        return getattr(self.options, "placement", "")

    @property
    def starts_anywhere(self) -> bool:
        """Whether its games may begin at any position."""
        return self.command is None or PROTOCOLS[self.kind].starts_anywhere

    @property
    def portable(self) -> bool:
        """Whether a worker can create the player from the SPEC."""
        return self.place is None or is_portable(self.place)

    @property
    def threads(self) -> int:
        """Number of threads in the options."""
        return max(1, getattr(self.options, "threads", 1))


@functools.cache
def general_presets() -> tuple[Preset, ...]:
    """The presets for every game."""
    text = (Path(__file__).parent / "presets.toml").read_text(encoding="utf-8")
    return tuple(Preset(**entry) for entry in tomllib.loads(text)["preset"])


def all_kinds(game: Game | None = None) -> dict[str, Any]:
    """Kind of player → its module: those of all built-in games, of every game, and of the given game."""
    known = [knowledge_of(games.load(name)) for name in games.NAMES]
    known += [] if game is None else [knowledge_of(game)]
    return {kind: module for knowledge in known for kind, module in knowledge.kinds.items()} | GENERAL_KINDS


def presets_of(game: Game) -> tuple[Preset, ...]:
    """The presets for a game: its own, then the general ones."""
    return (*knowledge_of(game).players, *general_presets())


def all_presets() -> list[tuple[str, Preset]]:
    """Every preset with its game; `*` means every game."""
    own = [(name, preset) for name in games.NAMES for preset in knowledge_of(games.load(name)).players]
    return own + [("*", preset) for preset in general_presets()]


def default_player(game: Game) -> str:
    """The default player: the preset `strong` if the game has one, else `negascout`."""
    return "strong" if any(preset.name == "strong" for preset in presets_of(game)) else "negascout"


def describe(spec: str, game: Game, *, check: bool = True) -> Description:
    """Parse a SPEC for a game; raises GameError. `check`: load what the player needs and check that it fits."""
    words = spec.split()
    if not words:
        raise GameError("player: expected a preset, a search with options, or PROTOCOL:COMMAND, got an empty text")
    preset = next((preset for preset in presets_of(game) if preset.name == words[0]), None)
    program = _PROGRAM.fullmatch(spec.strip())
    if program is not None and preset is None:
        return _describe_program(spec, program, game)
    if preset is None and is_program(spec):
        raise _unknown(spec.strip(), game)
    name, options = words[0], split_options(words[1:])
    kind = name
    if preset is not None:
        kind, *own = preset.spec.split()
        options = split_options(own) | options
    module = (GENERAL_KINDS | dict(knowledge_of(game).kinds)).get(kind) or all_kinds().get(kind)
    if module is None:
        raise _unknown(name, game)
    read = parse_options(module.Options, options, kind)
    described = Description(spec, kind, read, module=module)
    if check and hasattr(module, "check"):
        module.check(game, read)
    if check and described.placement:
        set_up = knowledge_of(game).set_up
        if set_up is None:
            raise GameError(f"placement: players of {game.name} cannot choose where their pieces start")
        set_up(start(game), 0, described.placement)
    return described


def make_player(spec: str, game: Game, name: str = "", *, hosted: bool = False, label: str = "") -> Player:
    """Create the player of a SPEC; its name is `name` or the SPEC. Raises GameError.

    `hosted`: a Python class of a file plays in a separate process. `label`: the beginning of every line that a class
    prints; default: its short name.
    """
    described = describe(spec, game)
    label = label or short_name(spec)
    if described.place is not None:
        if hosted and described.portable:
            return HostedPlayer(described.place, described.options, spec.strip(), described.arguments, label)
        return make_class_player(described.place, described.options, spec.strip(), described.arguments, label=label)
    if described.command is not None:
        player = program_player(described.kind, described.command, described.options, spec.strip())
        player.configure(described.arguments)
        return player
    player = described.module.make(game, described.options, name or spec)
    player.placement = described.placement
    return player


def check_class(spec: str, game: Game, *, hosted: bool = True) -> None:
    """Create the object of a Python class where it will play; raises GameError if it cannot play.

    `hosted`: classes of files play in separate processes.
    """
    described = describe(spec, game)
    if described.place is None or (hosted and not described.portable):
        return
    if not hosted:
        label = short_name(spec)
        make_class_player(described.place, described.options, spec.strip(), described.arguments, label=label)
        return
    player = HostedPlayer(described.place, described.options, spec.strip(), described.arguments)
    try:
        player.check(game)
    finally:
        player.close()


def _describe_program(spec: str, program: re.Match[str], game: Game) -> Description:
    protocol, options, command = program[1], program[2] or "", program[3].strip()
    given = split_options(_words(options))
    if protocol == PREFIX:
        place, arguments = split_place(command)
        check_place(place)
        return Description(spec, protocol, _class_options(given), place=place, arguments=arguments)
    if protocol not in PROTOCOLS:
        raise GameError(f"there is no protocol {protocol!r}{nearest(protocol, (*PROTOCOLS, PREFIX))}")
    check_game(protocol, game)
    own, arguments = _divided(protocol, given)
    read = parse_options(ProgramOptions, own, protocol)
    read.check_command(command)
    return Description(spec, protocol, read, command, arguments=arguments)


def _divided(protocol: str, given: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """Divide bracketed options into StarScout's and those of the engine, written `option.NAME` if both have the name.

    Raises GameError for names and values that engines of the protocol cannot have.
    """
    own = {name: text for name, text in given.items() if name in PROGRAM_OPTIONS}
    arguments = {name.removeprefix(ESCAPE): text for name, text in given.items() if name not in PROGRAM_OPTIONS}
    known = PROTOCOLS[protocol].options
    if known is not None and arguments:
        if not known and any(name.startswith(ESCAPE) for name in given):
            raise GameError(f"{protocol}: engines of this protocol have no options; pass arguments in the command")
        if unknown := {name: text for name, text in arguments.items() if name not in {item.name for item in known}}:
            # The error names the options of StarScout.
            parse_options(ProgramOptions, unknown, protocol)
        read_options(arguments, {option.name: option for option in known}, protocol)
    return own, arguments


def _class_options(given: dict[str, str]) -> ClassOptions:
    names = {option.name for option in dataclasses.fields(ClassOptions)}
    if unknown := next((name for name in given if name not in names), None):
        raise GameError(
            f"{PREFIX}: no limit {unknown!r} (limits: {', '.join(sorted(names))}); "
            f"parameters of the class follow it: python:FILE:CLASS {unknown}={given[unknown]}"
        )
    return parse_options(ClassOptions, given, PREFIX)


def with_options(spec: str, options: Mapping[str, str]) -> str:
    """Add options to a SPEC: those of a search, bracketed options of a program, parameters and limits of a class."""
    program = _PROGRAM.fullmatch(spec.strip())
    if not options:
        return spec
    if program is None:
        return f"{spec.strip()} {' '.join(f'{name}={text}' for name, text in options.items())}"
    names = {option.name for option in dataclasses.fields(ClassOptions)}
    bracketed = {name: text for name, text in options.items() if program[1] != PREFIX or name in names}
    words = [shlex.quote(f"{name}={text}") for name, text in bracketed.items()]
    inside = " ".join(filter(None, (program[2], *words)))
    rest = {name: text for name, text in options.items() if name not in bracketed}
    return f"{program[1]}{f'[{inside}]' if inside else ''}:{program[3].strip()}{arguments_text(rest)}"


def with_defaults(spec: str, defaults: str) -> str:
    """Add the options of a text such as `own=5 time=0.1` to a SPEC, except those that it sets; raises GameError."""
    program = _PROGRAM.fullmatch(spec.strip())
    if program is None:
        own = split_options(spec.split()[1:])
    else:
        arguments = split_place(program[3])[1] if program[1] == PREFIX else {}
        own = split_options(_words(program[2] or "")) | arguments
    given = split_options(_words(defaults))
    return with_options(spec, {name: text for name, text in given.items() if name not in own})


def check_arguments(spec: str, game: Game, *others: Mapping[str, str]) -> None:
    """Start a player whose SPEC has engine options or class parameters, to validate them; raises GameError.

    `others`: further values of the engine's options to validate.
    """
    described = describe(spec, game)
    if not described.arguments and not others:
        return
    player = make_player(spec, game, hosted=True)
    try:
        if isinstance(player, HostedPlayer):
            player.check(game)
        elif isinstance(player, RemotePlayer):
            player.check(game)
            for values in others if player.announced else ():
                player.check_options(values)
    finally:
        player.close()


def _words(options: str) -> list[str]:
    """Split the options in brackets; paths with spaces are quoted."""
    try:
        return shlex.split(options)
    except ValueError as error:
        raise GameError(f"[{options}] cannot be read: {error}") from error


def in_folder(spec: str, folder: str) -> str:
    """The SPEC with a folder as the working directory of a program or the location of a class; raises GameError."""
    program = _PROGRAM.fullmatch(spec.strip())
    if program is None:
        raise GameError(f"expected PROTOCOL:COMMAND or python:FILE:CLASS, got {spec!r}")
    if program[1] == PREFIX:
        options = "" if program[2] is None else f"[{program[2]}]"
        place, arguments = split_place(program[3])
        return f"{PREFIX}{options}:{os.path.normpath(os.path.join(folder, place))}{arguments_text(arguments)}"
    return f"{program[1]}[{' '.join(filter(None, (program[2], 'cwd=' + shlex.quote(folder))))}]:{program[3]}"


def _unknown(name: str, game: Game) -> GameError:
    file, colon, rest = name.partition(":")
    if file.endswith(".py") and os.path.isfile(file) and b"def choose(" in Path(file).read_bytes():
        written = f"{PREFIX}:{name}" if colon and rest.isidentifier() else f"{PREFIX}:{file}:CLASS"
        return GameError(f"{name!r} is a file with a Python class: write {written}")
    first = name.partition(" ")[0]
    if is_program(name) or os.path.isfile(first):
        command = name
        if "/" not in first and shutil.which(first) is None:
            command = f"python3 {name}" if first.endswith(".py") and not os.access(first, os.X_OK) else f"./{name}"
        fitting = [protocol for protocol in PROTOCOLS.values() if not protocol.games or game.name in protocol.games]
        specs = " or ".join(shlex.quote(f"{protocol.name}:{command}") for protocol in fitting)
        check = f"starscout check {game.name} {shlex.quote(command)}"
        return GameError(f"{name!r} is a program without a protocol: write {specs} (`{check}` finds out)")
    elsewhere = sorted({other for other, preset in all_presets() if preset.name == name})
    if elsewhere:
        return GameError(f"the player {name!r} is for {', '.join(elsewhere)}, not for {game.name}")
    known = [*all_kinds(game), *(preset.name for preset in presets_of(game))]
    return GameError(f"there is no player {name!r}{nearest(name, known)} (see: starscout players {game.name})")
