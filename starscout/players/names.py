"""Names of players in tables: short forms of their SPECs."""

import os
import re
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence

CLASS = "python"
"""Prefix of the SPEC of a Python class."""

KINDS = re.compile(r"python|gtp|lab|nboard|otp|tcg-[a-z]+")
"""What may precede the colon of a SPEC."""

_PROGRAM = re.compile(rf"({KINDS.pattern})(?:\[([^\]]*)\])?:(.*)", re.DOTALL)
_CLASS = re.compile(r".*:(\w+)((?:\s.*)?)", re.DOTALL)
_HIDDEN = ("cwd=", "files=", "version=")
"""Bracketed options that do not change how a program plays."""
_INTERPRETER = re.compile(r"(?:python|pypy|node|ruby|perl|bash|sh)[\d.]*")


def short_name(spec: str) -> str:
    """The name of a player: a program or class without protocol, folders and interpreter; any other text as it is.

    >>> short_name("python:/home/anna/agent.py:Agent own=7")
    'Agent own=7'
    >>> short_name("lab[own=5 cwd=/home]:python3 ./build/engine.py -q")
    'engine.py -q own=5'
    >>> short_name("negascout depth=2 eval=race")
    'negascout depth=2 eval=race'
    """
    found = _PROGRAM.fullmatch(spec.strip())
    if found is None:
        return spec
    try:
        options = [word for word in shlex.split(found[2] or "") if not word.startswith(_HIDDEN)]
        words = shlex.split(found[3])
    except ValueError:
        return spec
    if found[1] == CLASS:
        place = _CLASS.fullmatch(found[3].strip())
        return spec if place is None else " ".join((place[1] + place[2], *options))
    if len(words) > 1 and _INTERPRETER.fullmatch(os.path.basename(words[0])) and not words[1].startswith("-"):
        del words[0]
    return spec if not words else " ".join((os.path.basename(words[0]), *words[1:], *options))


def with_names(text: str, specs: Sequence[str], names: Sequence[str]) -> str:
    """Replace the SPECs of players in a text by their names.

    >>> with_names("lab:./engine exited with exit code 1", ["lab:./engine"], ["engine"])
    'engine exited with exit code 1'
    """
    for spec, name in sorted(zip(specs, names, strict=True), key=lambda pair: -len(pair[0])):
        text = text.replace(spec, name) if ":" in spec else text
    return text


def player_names(specs: Sequence[str], known: Mapping[str, str] | None = None) -> list[str]:
    """The names of the players of a table; different players with the same short name keep their SPECs.

    `known`: SPEC → name that the user has given.

    >>> player_names(["lab:./old/engine", "lab:./new/engine", "python:agent.py:Agent", "random"])
    ['lab:./old/engine', 'lab:./new/engine', 'Agent', 'random']
    """
    named = {spec: (known or {}).get(spec) or short_name(spec) for spec in specs}
    uses = Counter(named.values())
    return [named[spec] if uses[named[spec]] == 1 else spec for spec in specs]
