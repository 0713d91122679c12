"""SPEC: how a player is described in a line of text.

    star-determinacy                                       a preset, of the game or of every game
    negascout depth=8 eval=distance+determinacy table=18   a kind of player and its options
    lab:./engine --fast                                    another program, behind a protocol

A kind is a module of this package with a frozen dataclass `Options` and `make(game, options, name) -> Player`.
"""

import dataclasses
import difflib
import functools
import importlib
import tomllib
import types
import typing
from pathlib import Path
from typing import Any

from starscout import evaluate
from starscout.evaluate import Preset
from starscout.game import Game, GameError
from starscout.players.player import Player

KINDS = {
    "cyclic-baseline": "starscout.players.cyclic_baselines",
    "kari-baseline": "starscout.players.kari_baselines",
    "mcts": "starscout.players.mcts",
    "random": "starscout.players.random_mover",
    "negascout": "starscout.players.negascout",
}
"""Kind → module. The modules are imported when a player of that kind is made."""

PROTOCOLS = ("lab", "tcg-ewn", "tcg-raw", "otp", "nboard")


EVERY_GAME = "*"


@functools.cache
def general_presets() -> tuple[Preset, ...]:
    """The presets that every game has."""
    text = (Path(__file__).parent / "presets.toml").read_text(encoding="utf-8")
    return tuple(Preset(**entry) for entry in tomllib.loads(text)["preset"])


def presets_of(game: Game) -> tuple[Preset, ...]:
    """The presets of a game: its own, then those that every game has."""
    return evaluate.presets(game) + general_presets()


@functools.cache
def all_presets() -> tuple[tuple[str, Preset], ...]:
    """The presets of the built-in games, each with its game, "*" for every game."""
    own = [(family, preset) for family in evaluate.FAMILIES for preset in evaluate.family_knowledge(family).players]
    return (*((EVERY_GAME, preset) for preset in general_presets()), *own)


def default_player(game: Game) -> str:
    """The player that thinks when nobody is named: the preset `strong` where a game has one, else a plain search."""
    return "strong" if any(preset.name == "strong" for preset in presets_of(game)) else "negascout"


def make_player(spec: str, game: Game) -> Player:
    """The player that `spec` describes; raises GameError with a sentence that names what is wrong."""
    words = spec.split()
    if not words:
        raise GameError("a player is missing: write a preset, a search with options, or PROTOCOL:COMMAND")
    protocol, colon, command = spec.strip().partition(":")
    if colon and "=" not in protocol and " " not in protocol:
        return _program_player(protocol, command, game)
    name = words[0]
    preset = next((p for p in presets_of(game) if p.name == name), None)
    if preset is not None:
        inner = preset.spec.split()
        # Options behind a preset's name override the preset's own.
        return _kind_player(inner[0], {**_options(inner[1:]), **_options(words[1:])}, game, spec)
    if name in KINDS:
        return _kind_player(name, _options(words[1:]), game, spec)
    elsewhere = sorted({owner for owner, p in all_presets() if p.name == name})
    if elsewhere:
        raise GameError(f"the player {name!r} is for {', '.join(elsewhere)}, not for {game.name}")
    known = [*KINDS, *(p.name for p in presets_of(game))]
    raise GameError(f"there is no player {name!r}{_nearest(name, known)} (see: starscout players {game.name})")


def _kind_player(kind: str, options: dict[str, str], game: Game, spec: str) -> Player:
    module = importlib.import_module(KINDS[kind])
    return module.make(game, parse_options(module.Options, options, kind), spec)


def _program_player(protocol: str, command: str, game: Game) -> Player:
    if protocol not in PROTOCOLS:
        raise GameError(f"there is no protocol {protocol!r}{_nearest(protocol, PROTOCOLS)}")
    module = importlib.import_module("starscout.protocols.programs")
    return module.make(protocol, command, game)


def _options(words: list[str]) -> dict[str, str]:
    options = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or not key or not value:
            raise GameError(f"{word!r} is no option: options are written name=value")
        options[key] = value
    return options


def parse_options(kind: type, options: dict[str, str], owner: str) -> Any:
    """An instance of the frozen dataclass `kind`; unknown names and bad values raise GameError."""
    fields = {f.name.replace("_", "-"): f for f in dataclasses.fields(kind)}
    hints = typing.get_type_hints(kind)
    values = {}
    for name, text in options.items():
        if name not in fields:
            raise GameError(
                f"{owner} has no option {name!r}{_nearest(name, fields)} (it has {', '.join(fields) or 'none'})"
            )
        values[fields[name].name] = _value(text, hints[fields[name].name], f"{owner} {name}")
    try:
        return kind(**values)
    except ValueError as error:
        raise GameError(f"{owner}: {error}") from error


def _value(text: str, hint: Any, where: str) -> Any:
    kinds = [k for k in (typing.get_args(hint) or (hint,)) if k is not types.NoneType]
    if bool in kinds:
        if text not in ("on", "off"):
            raise GameError(f"{where} is on or off, not {text!r}")
        return text == "on"
    for kind in kinds:
        try:
            return kind(text)
        except ValueError:
            continue
    raise GameError(f"{where}={text} is no {' or '.join(k.__name__ for k in kinds)}")


def _nearest(name: str, known: Any) -> str:
    near = difflib.get_close_matches(name, list(known), 1)
    return f"; did you mean {near[0]!r}?" if near else ""
