"""Mutation of valid texts with fragments that have broken parsers before."""

import json
from collections.abc import Sequence
from random import Random

MAX_LENGTH = 20_000
"""Maximum number of characters in an input."""

DIGITS = "1234567890" * 500
"""A number with more digits than `int` accepts."""

PIECES = (
    *("\0", "²", "٣", "½", "é", "ß", "İ", "\u2028", "\x85", "\x1c", "\ufeff", "\ud800", "\udcff", "🎲"),
    *(
        "\n",
        "\r\n",
        "\t",
        " ",
        "  ",
        "\x0b",
        ":",
        ";",
        "|",
        "#",
        "*",
        ",",
        ".",
        "_",
        "~",
        "%",
        "$",
        "\\",
        '"',
        "'",
        "`",
    ),
    *("-", "--", "--4", "-1", "+1", "0", "00", "1", "2", "7", "9", "10", "63", "64", "99", "100", "-0", "0x10", "1_0"),
    *("1e999", "-1e999", "1e-999", "nan", "inf", "-inf", "1e308", "0.5", ".5", "5.", "1,5", "1e18", "1e19"),
    *(str(2**31), str(2**63), str(2**63 - 1), str(2**64), str(-(2**63)), "9" * 18, "9" * 19, "9" * 400, DIGITS),
    *(
        "x" * 300,
        "y" * 5_000,
        "a/" * 2_100,
        "[" * 2_000,
        "{" * 2_000,
        '{"a":' * 1_500,
        "(" * 500,
        "-" * 60,
        " " * 500,
        "\n" * 1_500,
    ),
    *("[", "]", "{", "}", "(", ")", "(;", ";)", "[]", "{}", '""', "null", "true", "false", "None", "NaN", "Infinity"),
    *("ewn", "kari", "othello", "ewn-cyclic", "ewn-9x9-9", "ewn-0x0-0", "ewn-2x7-6", "othello-9x9", "ewn-٣x٣-٣"),
    *("~", "~nobody/x", "/", "//", "./", "../", "/\0", ".py", "/dev/null", "/proc/self/mem", "=", "=1", "a=", "name="),
    *("A1", "E5", "a1", "h8", "f5", "A0", "Z9", "A10", "pass", "pa", "PA", "??", "-", "r", "b", "X", "O", "R", "B"),
    *("die", "moves", "start", "seat", "position", "go", "quit", "info", "bestmove", "value", "go die --4"),
)
"""Fragments to insert."""


def mutated(generator: Random, texts: Sequence[str]) -> str:
    """Return one of the texts with one or more mutations, occasionally unchanged."""
    text = _one(generator, texts)
    if generator.random() < 0.02:
        return text
    while True:
        text = _MUTATIONS[int(generator.random() * len(_MUTATIONS))](generator, text, texts)
        if generator.random() < 0.5:
            return text[:MAX_LENGTH]


def conversation(generator: Random, script: Sequence[str]) -> str:
    """Return a conversation with some lines mutated, dropped, repeated or out of order."""
    lines = []
    for line in script:
        chance = generator.random()
        if chance < 0.08:
            continue
        lines.append(mutated(generator, script) if chance < 0.35 else line)
        if chance > 0.92:
            lines.append(_one(generator, script))
    return "\n".join(lines)[: 3 * MAX_LENGTH]


def _one(generator: Random, items: Sequence[str]) -> str:
    return items[int(generator.random() * len(items))]


def _span(generator: Random, text: str) -> tuple[int, int]:
    """Return a random span of a text, usually short."""
    first = int(generator.random() * (len(text) + 1))
    width = int(generator.random() ** 3 * (len(text) - first + 1))
    return first, first + width


def _insert(generator: Random, text: str, texts: Sequence[str]) -> str:
    place = int(generator.random() * (len(text) + 1))
    return text[:place] + _one(generator, PIECES) + text[place:]


def _replace(generator: Random, text: str, texts: Sequence[str]) -> str:
    first, last = _span(generator, text)
    return text[:first] + _one(generator, PIECES) + text[last:]


def _replace_word(generator: Random, text: str, texts: Sequence[str]) -> str:
    words = text.split(" ")
    words[int(generator.random() * len(words))] = _one(generator, PIECES)
    return " ".join(words)


def _borrow_word(generator: Random, text: str, texts: Sequence[str]) -> str:
    words = text.split(" ")
    words[int(generator.random() * len(words))] = _one(generator, _one(generator, texts).split(" "))
    return " ".join(words)


def _delete(generator: Random, text: str, texts: Sequence[str]) -> str:
    first, last = _span(generator, text)
    return text[:first] + text[max(last, first + 1) :]


def _repeat(generator: Random, text: str, texts: Sequence[str]) -> str:
    first, last = _span(generator, text)
    return text[:last] + text[first:]


def _splice(generator: Random, text: str, texts: Sequence[str]) -> str:
    other = _one(generator, texts)
    return text[: _span(generator, text)[0]] + other[_span(generator, other)[0] :]


def _other_character(generator: Random, text: str, texts: Sequence[str]) -> str:
    place = int(generator.random() * max(len(text), 1))
    source = text or "0"
    return text[:place] + source[int(generator.random() * len(source))] + text[place + 1 :]


_MUTATIONS = (
    _insert, _replace, _replace_word, _replace_word, _borrow_word, _delete, _repeat, _splice, _other_character,
)  # fmt: skip


def changed_json(generator: Random, texts: Sequence[str]) -> str:
    """Return a JSON text with one value replaced or deleted, or mutated as plain text."""
    if generator.random() < 0.4:
        return mutated(generator, texts)
    value = json.loads(_one(generator, texts))
    place = value
    while True:
        keys = list(place) if isinstance(place, dict) else range(len(place)) if isinstance(place, list) else ()
        if not keys:
            return mutated(generator, texts)
        key = keys[int(generator.random() * len(keys))]
        if not isinstance(place[key], dict | list) or not place[key] or generator.random() < 0.3:
            if isinstance(place, dict) and generator.random() < 0.1:
                del place[key]
            else:
                place[key] = _VALUES[int(generator.random() * len(_VALUES))]
            return json.dumps(value)
        place = place[key]


_VALUES = (
    *(None, True, False, 0, 1, -1, 2, 7, 0.5, 1.0, 1e308, float("inf"), float("nan"), 10**18, 2**63, 2**64, 10**400),
    *("", "0", "1", "²", "\0", "\ud800", "x" * 5_000, DIGITS, "ewn", "othello", "draw", "timeout", "adjourned", "A1B1"),
    *([], {}, [[]], [0], [1, 2], ["a", "b"], {"a": 1}, [None, None], [[[[[[1]]]]]]),
)  # fmt: skip
"""Replacement values."""
