"""Notation of plays: `24/18*,13/11(2)`, and the other spellings that people and programs write."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from starscout.games.backgammon.board import (
    BAR,
    DIE_SHIFT,
    HALF_MOVE_BITS,
    POINTS,
    SOURCE_MASK,
    Position,
    count_at,
)

OFF = -1
"""The index of borne-off checkers."""
_PATH = re.compile(r"(bar|[0-9]{1,2})((?:/(?:off|[0-9]{1,2})\*?)+)(?:\(([2-4])\))?")

Effect = tuple[dict[int, int], frozenset[int]]
"""Index → change in the number of the mover's checkers; the indices where enemy checkers are hit."""


def half_moves(move: int) -> list[tuple[int, int]]:
    """The index and the die of each checker moved, in order."""
    found = []
    while move:
        found.append((move & SOURCE_MASK, move >> DIE_SHIFT & 7))
        move >>= HALF_MOVE_BITS
    return found


def _steps(position: Position, move: int) -> list[tuple[int, int, bool]]:
    """The start and the end of each half-move, and whether it hits."""
    hit: set[int] = set()
    found = []
    for index, die in half_moves(move):
        target = max(index - die, OFF)
        hits = target >= 0 and target not in hit and _is_enemy_blot(position, target)
        hit |= {target} if hits else set()
        found.append((index, target, hits))
    return found


def _is_enemy_blot(position: Position, index: int) -> bool:
    return int(count_at(position.enemy_low, position.enemy_high, POINTS - 1 - index)) == 1


def format_play(position: Position, move: int) -> str:
    """The usual notation, as one word: `24/18*,13/11(2)`; `pass` if no checker can move."""
    paths: list[list[tuple[int, bool]]] = []
    for index, target, hits in _steps(position, move):
        path = next((path for path in paths if path[-1][0] == index), None)
        if path is None:
            path = [(index, False)]
            paths.append(path)
        path.append((target, hits))
    # Only the ends of a path and the points where it hits are written.
    texts = []
    for path in sorted(paths, key=lambda path: (-path[0][0], path[1:])):
        stops = [path[0], *(stop for stop in path[1:-1] if stop[1]), path[-1]]
        texts.append("/".join(_place(index) + "*" * hits for index, hits in stops))
    counts = Counter(texts)
    return ",".join(f"{text}({count})" if count > 1 else text for text, count in counts.items()) or "pass"


def _place(index: int) -> str:
    return "bar" if index == BAR else "off" if index == OFF else str(index + 1)


def spell_play(text: str) -> str:
    """Accept spaces between the checkers, and GNU Backgammon's `25` for the bar and `0` for off."""
    words = re.sub(r"[\s,]+", ",", text.strip().lower())
    return re.sub(r"/0\b", "/off", re.sub(r"\b25/", "bar/", words))


def find_play(position: Position, legal: Sequence[int], text: str) -> int | None:
    """The play with the effect that a text describes, regardless of the order and the grouping of its half-moves.

    Hits need not be marked; among plays that differ only by unmarked hits, the one with the fewest is meant.
    """
    wanted = _read_effect(spell_play(text))
    if wanted is None:
        return None
    changes, hits = wanted
    found = []
    for move in legal:
        steps = _steps(position, move)
        hitting = frozenset(target for _, target, hit in steps if hit)
        if _changes((index, target) for index, target, _ in steps) == changes and (not hits or hits == hitting):
            found.append((len(hitting), move))
    return min(found)[1] if found else None


def _read_effect(text: str) -> Effect | None:
    steps: list[tuple[int, int]] = []
    hits: set[int] = set()
    for word in text.split(","):
        match = _PATH.fullmatch(word)
        if match is None:
            return None
        stops = [match[1], *match[2][1:].split("/")]
        path = [_index(stop.removesuffix("*")) for stop in stops]
        if any(not OFF <= index <= BAR for index in path):
            return None
        hits |= {index for index, stop in zip(path, stops, strict=True) if stop.endswith("*")}
        steps += [(path[0], path[-1])] * int(match[3] or 1)
    return _changes(steps), frozenset(hits)


def _index(place: str) -> int:
    return BAR if place == "bar" else OFF if place == "off" else int(place) - 1


def _changes(steps: Iterable[tuple[int, int]]) -> dict[int, int]:
    """The change in the number of checkers of each index that changes."""
    counts: Counter[int] = Counter()
    for start, end in steps:
        counts[start] -= 1
        counts[end] += 1
    return {index: count for index, count in counts.items() if count}
