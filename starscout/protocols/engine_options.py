"""Options of external engines: what an engine announces, and the values that a SPEC sets.

The types are those of UCI: `spin` (a whole number in a range), `check` (on or off), `combo` (one of several words) and
`string`. Other types are treated as strings.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from starscout.errors import printable
from starscout.game import GameError
from starscout.settings.options import nearest, read_whole

MAX_OPTIONS = 1000
"""Maximum number of options per engine."""

_MAX_TEXT = 200
"""Maximum length of an announced name or value."""

_KEYWORDS = ("name", "type", "default", "min", "max", "var")
_LARGEST = 10**18 - 1
_TRUE, _FALSE = ("on", "true", "1"), ("off", "false", "0")


@dataclass(frozen=True)
class EngineOption:
    """An option that an engine announces.

    >>> EngineOption("own", "spin", low=0, high=20).read("7")
    '7'
    """

    name: str
    kind: str = "string"
    default: str = ""
    low: int | None = None
    high: int | None = None
    choices: tuple[str, ...] = ()
    """The values of a `combo`."""
    command: str = ""
    """The command that sets it, in protocols where engines choose it."""

    def read(self, text: str) -> str:
        """Return a value as the protocol spells it; raises GameError if the option does not accept it."""
        if "\n" in text or "\r" in text:
            raise GameError(f"{self.name}: expected one line, got {text[:60]!r}")
        if self.kind == "spin":
            low, high = -_LARGEST if self.low is None else self.low, _LARGEST if self.high is None else self.high
            if read_whole(text, low, high) is not None:
                return text
        elif self.kind == "check":
            if text.lower() in (*_TRUE, *_FALSE):
                return "true" if text.lower() in _TRUE else "false"
        elif self.kind == "combo":
            found = next((choice for choice in self.choices if choice.lower() == text.lower()), None)
            if found is not None:
                return found
        else:
            return text
        raise GameError(f"{self.name}: expected {self.expected}, got {text[:60]!r}")

    @property
    def expected(self) -> str:
        """A description of the accepted values."""
        if self.kind == "check":
            return "on or off"
        if self.kind == "combo":
            return f"one of {', '.join(self.choices)}"
        if self.kind != "spin":
            return "a text"
        if self.low is None or self.high is None:
            ends = "" if self.low is None else f" of at least {self.low}"
            return f"a whole number{ends if self.high is None else f' of at most {self.high}'}"
        return f"a whole number from {self.low} to {self.high}"


def parse_option(words: Sequence[str]) -> EngineOption | None:
    """Parse `name own type spin default 5 min 0 max 20`; None without a name.

    >>> parse_option("name own type spin default 5 min 0 max 20".split())
    EngineOption(name='own', kind='spin', default='5', low=0, high=20, choices=(), command='')
    """
    fields: dict[str, list[str]] = {}
    choices: list[list[str]] = []
    current: list[str] = []
    for word in words:
        # A name or a default may consist of several words.
        if word in _KEYWORDS and (word == "var" or word not in fields):
            current = []
            choices.append(current) if word == "var" else fields.update({word: current})
        else:
            current.append(word)
    texts = {name: printable(" ".join(value), _MAX_TEXT) for name, value in fields.items()}
    if not texts.get("name"):
        return None
    low, high = (read_whole(texts.get(bound, ""), -_LARGEST) for bound in ("min", "max"))
    return EngineOption(
        texts["name"],
        texts.get("type") or "string",
        texts.get("default", ""),
        low,
        high,
        tuple(printable(" ".join(choice), _MAX_TEXT) for choice in choices[:MAX_OPTIONS]),
    )


def read_options(
    values: Mapping[str, str], announced: Mapping[str, EngineOption], owner: str, other: Iterable[str] = ()
) -> dict[EngineOption, str]:
    """Validate option values against what the engine announced; names ignore case. Raises GameError.

    `other`: further names that are allowed in the same place, for suggestions.
    """
    known = {name.lower(): option for name, option in announced.items()}
    found: dict[EngineOption, str] = {}
    for name, text in values.items():
        option = known.get(name.lower())
        if option is None:
            names = ", ".join(announced) or "none"
            raise GameError(
                f"{owner}: no option {name!r}{nearest(name, (*announced, *other))} (options of the engine: {names})"
            )
        try:
            found[option] = option.read(text)
        except GameError as error:
            raise GameError(f"{owner}: {error}") from error
    return found
