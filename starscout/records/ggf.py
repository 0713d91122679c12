"""GGF, the Generic Game Format of Othello programs and servers.

    (;GM[Othello]PC[starscout]PB[black]PW[white]RE[+4.00]TI[10:00]TY[8]
      BO[8 ---------------------------O*------*O--------------------------- *]B[F5//1.2]W[D6];)

`*` is black, `O` white. A move is the square, then optionally an evaluation and seconds; `PA` passes. The result is
black's margin; `:t` after it is a loss on time, `:r` a resignation. A game may span several lines.
"""

import re
from collections.abc import Iterator

from starscout.game import GameError, Outcome
from starscout.records.record import ADJOURNED, GameRecord, RecordError, Replay

SIZES = {8: "othello", 6: "othello-6x6", 4: "othello-4x4"}
_SUFFIXES = {"t": "timeout", "r": "resigned"}
_TAG = re.compile(r"([A-Z]{1,2})\[((?:[^\]\\]|\\.)*)\]", re.DOTALL)


def read_ggf(text: str) -> Iterator[GameRecord | RecordError]:
    """Read the games of a file; yields an error for each malformed or illegal game."""
    place = 0
    while (begin := text.find("(;", place)) >= 0:
        end = text.find(";)", begin)
        line = text.count("\n", 0, begin) + 1
        if end < 0:
            yield RecordError(line, "';)' is missing at the end of the game")
            return
        try:
            yield _game(text[begin + 2 : end], line)
        except RecordError as error:
            yield error
        place = end + 2


def write_ggf(record: GameRecord) -> str:
    """Format a game of Othello on one line."""
    size = next((size for size, name in SIZES.items() if name == record.game), None)
    if size is None:
        raise GameError(f"GGF supports Othello, not {record.game}")
    board, mover = record.start.split()
    colour = 0 if mover.lower() == "x" else 1
    black, white = map(_escaped, record.players)
    tags = [
        "GM[Othello]PC[starscout]",
        f"PB[{black}]PW[{white}]RE[{_result(record)}]TY[{size}]",
        f"BO[{size} {board.replace('X', '*')} {'*O'[colour]}]",
    ]
    for number, ply in enumerate(record.plies):
        move = "PA" if ply.text == "pass" else ply.text.upper()
        tags.append(f"{'BW'[(colour + number) % 2]}[{move}//{ply.seconds:.3f}]")
    return f"(;{''.join(tags)};)"


def _game(text: str, line: int) -> GameRecord:
    tags = [(match[1], match[2], line + text.count("\n", 0, match.start())) for match in _TAG.finditer(text)]
    single = {name: value for name, value, _ in tags}
    if single.get("GM", "").lower() != "othello":
        raise RecordError(line, f"GM: expected Othello, got {single.get('GM', '')!r}")
    start, name, mover = _start(single.get("BO", ""), line)
    replay, plies = Replay(name, start, line), 0
    for tag, value, at in tags:
        if tag not in ("B", "W"):
            continue
        if tag != "BW"[(mover + plies) % 2]:
            raise RecordError(at, f"ply {plies + 1} is {'BW'[(mover + plies) % 2]}'s, not {tag}'s")
        move, *numbers = (part.strip().lower() for part in value.split("/"))
        replay.add(0, "pass" if move in ("pa", "pass") else move, at, seconds=_seconds(numbers))
        plies += 1
    players = (single["PB"], single["PW"]) if {"PB", "PW"} <= set(single) else None
    return replay.finished(_claim(single.get("RE", "?"), line), players)


def _seconds(numbers: list[str]) -> float:
    """The time of a move, the second number after it; 0 if missing."""
    match = re.fullmatch(r"[0-9]{1,6}(\.[0-9]{0,9})?", numbers[1]) if len(numbers) > 1 else None
    return float(match[0]) if match else 0.0


def _start(text: str, line: int) -> tuple[str, str, int]:
    """The start position, the name of the game and the side to move."""
    words = text.split()
    sizes = {str(size): size for size in SIZES}
    if len(words) < 3 or words[0] not in sizes:
        raise RecordError(line, f"BO: expected a size (8, 6, 4), the squares (* O -) and the mover, got {text[:40]!r}")
    size, squares, mover = sizes[words[0]], "".join(words[1:-1]), words[-1]
    if len(squares) != size * size or set(squares) - set("*O-") or mover not in ("*", "O"):
        raise RecordError(line, f"BO: expected {size * size} squares (* O -) and the mover, got {text[:40]!r}")
    return f"{squares.replace('*', 'X')} {'X' if mover == '*' else 'O'}", SIZES[size], "*O".index(mover)


def _claim(text: str, line: int) -> Outcome | None:
    match = re.fullmatch(r"([+-]?[0-9]{1,6}(?:\.[0-9]{0,6})?)(?::([a-z]))?", text.strip())
    if text.strip() in ("", "?"):
        return None
    if match is None:
        raise RecordError(line, f"RE: expected black's margin, such as +4.00, got {text[:40]!r}")
    margin = float(match[1])
    return Outcome(None if margin == 0 else 0 if margin > 0 else 1, _SUFFIXES.get(match[2] or "", "discs"))


def _result(record: GameRecord) -> str:
    if record.reason == ADJOURNED:
        return "?"
    if record.winner is None:
        return "+0.00"
    if record.reason == "discs":
        *_, last = record.states()
        board = last.text.split()[0]
        return f"{board.count('X') - board.count('O'):+.2f}"
    suffix = next((letter for letter, reason in _SUFFIXES.items() if reason == record.reason), "t")
    return f"{'+' if record.winner == 0 else '-'}64.00:{suffix}"


def _escaped(name: str) -> str:
    return re.sub(r"[\[\]\\;()\n]", "_", name)
