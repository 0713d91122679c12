"""Replay files of the dark-chess course's online client: JSON with a list of boards.

    {"players": {"Red": {"username": "anna", …}, "Black": {…}}, "result": …, "boards": ["???…/???????? r", …], …}

The moves and the revealed pieces follow from the differences between successive boards.
"""

import itertools
import json
from collections.abc import Iterator
from typing import Any

from starscout.game import GameError
from starscout.games.dark_chess.rules import parse_board, square_text
from starscout.records.record import GameRecord, RecordError, Replay


def is_replay(text: str) -> bool:
    """Whether a text is a replay file."""
    return text.lstrip().startswith("{") and '"boards"' in text and '"format"' not in text


def read_replay(text: str) -> Iterator[GameRecord | RecordError]:
    """Read the game of a replay file; yields an error if it is malformed or illegal."""
    try:
        yield _read(json.loads(text))
    except RecordError as error:
        yield error
    except (ValueError, RecursionError) as error:
        yield RecordError(1, f"not a replay file: {error}")


def _read(content: Any) -> GameRecord:
    boards = content.get("boards") if isinstance(content, dict) else None
    if not isinstance(boards, list) or not boards or not all(isinstance(board, str) for board in boards):
        raise RecordError(1, "boards: expected a list of boards such as '????????/????????/????????/???????? r'")
    hidden = "?" in boards[0]
    replay = Replay("dark-chess" if hidden else "dark-chess-open", " ".join(boards[0].split()[:2]), 1)
    event = ""
    for number, (before, after) in enumerate(itertools.pairwise(boards), 1):
        try:
            squares, following = (parse_board(board.split(maxsplit=1)[0]) for board in (before, after))
        except (GameError, IndexError) as error:
            raise RecordError(number, f"board {number + 1}: {error}") from error
        if squares == following:
            continue  # a board that was stored twice
        text, revealed = _move(squares, following, number)
        replay.add(event, text, number)
        event = revealed
    if event and replay.state.needs_roll and replay.state.rolled(event).over:
        replay.add_final_event(event, len(boards))
    players = content.get("players")
    names = [_name(players, colour) for colour in ("Red", "Black")]
    first_is_black = replay.state.position.colours == 2
    return replay.finished(None, (names[1], names[0]) if first_is_black else (names[0], names[1]))


def _name(players: Any, colour: str) -> str:
    entry = players.get(colour) if isinstance(players, dict) else None
    name = entry.get("nickname") or entry.get("username") if isinstance(entry, dict) else None
    return str(name)[:100] if name else colour.lower()


def _move(before: str, after: str, number: int) -> tuple[str, str]:
    """The move between two boards, and the piece that it revealed."""
    changed = [square for square in range(len(before)) if before[square] != after[square]]
    if len(changed) == 1 and before[changed[0]] == "?" and after[changed[0]].isalpha():
        return square_text(changed[0]), after[changed[0]]
    left = [square for square in changed if after[square] == "."]
    if len(changed) == 2 and len(left) == 1:
        (target,) = (square for square in changed if square != left[0])
        if after[target] == before[left[0]]:
            return square_text(left[0]) + square_text(target), ""
    raise RecordError(number, f"boards {number} and {number + 1} differ by more than one action")
