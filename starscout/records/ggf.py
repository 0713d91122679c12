"""GGF, the format in which Othello programs and servers write games.

    (;GM[Othello]PC[starscout]PB[black]PW[white]RE[+4.00]TI[10:00]TY[8]
      BO[8 ---------------------------O*------*O--------------------------- *]B[F5//1.2]W[D6];)

`*` is black, `O` white. A move is the square, then an evaluation and seconds that may be missing; `PA` passes. The
result is black's margin; `:t` behind it is a loss on time, `:r` a resignation. On one line or on several.
"""

import re
from collections.abc import Iterator

from starscout.game import GameError, Outcome
from starscout.records.recorded import RecordedGame, RecordedPly, RecordError, replay

SIZES = {8: "othello", 6: "othello-6x6", 4: "othello-4x4"}
_SUFFIXES = {"t": "timeout", "r": "resigned"}
_TAG = re.compile(r"([A-Z]{1,2})\[((?:[^\]\\]|\\.)*)\]", re.DOTALL)


def read_ggf(text: str) -> Iterator[RecordedGame]:
    """The games of a file; raises RecordError."""
    place = 0
    while (begin := text.find("(;", place)) >= 0:
        end = text.find(";)", begin)
        line = text.count("\n", 0, begin) + 1
        if end < 0:
            raise RecordError(line, "the game has no end: ';)' is missing")
        yield _game(text[begin + 2 : end], line)
        place = end + 2


def write_ggf(recorded: RecordedGame, names: tuple[str, str], seconds: list[float] | None = None) -> str:
    """A game of Othello on one line; `names` are black's and white's, `seconds` the time of each ply if known."""
    size = next((size for size, name in SIZES.items() if name == recorded.game), None)
    if size is None:
        raise GameError(f"GGF is for Othello, not for {recorded.game}")
    board, mover = recorded.start.split()
    colour = 0 if mover.lower() == "x" else 1
    tags = [
        "GM[Othello]PC[starscout]",
        f"PB[{_escaped(names[0])}]PW[{_escaped(names[1])}]RE[{_result(recorded)}]TY[{size}]",
        f"BO[{size} {board.replace('X', '*')} {'*O'[colour]}]",
    ]
    for number, ply in enumerate(recorded.plies):
        move = "PA" if ply.move == "pass" else ply.move.upper()
        time = f"//{seconds[number]:.3f}" if seconds else ""
        tags.append(f"{'BW'[(colour + number) % 2]}[{move}{time}]")
    return f"(;{''.join(tags)};)"


def _game(text: str, line: int) -> RecordedGame:
    tags = [(match[1], match[2], line + text.count("\n", 0, match.start())) for match in _TAG.finditer(text)]
    single = {name: value for name, value, _ in tags}
    if single.get("GM", "").lower() != "othello":
        raise RecordError(line, f"this is no game of Othello: GM[{single.get('GM', '')}]")
    start, name, mover = _start(single.get("BO", ""), line)
    plies = []
    for tag, value, at in tags:
        if tag not in ("B", "W"):
            continue
        if tag != "BW"[(mover + len(plies)) % 2]:
            raise RecordError(at, f"ply {len(plies) + 1} is {'BW'[(mover + len(plies)) % 2]}'s, not {tag}'s")
        move = value.split("/")[0].strip().lower()
        plies.append(RecordedPly(None, "pass" if move in ("pa", "pass") else move, at))
    return RecordedGame(name, start, tuple(plies), _claim(single.get("RE", "?"), line), line)


def _start(text: str, line: int) -> tuple[str, str, int]:
    """The start position, the game's name and who moves."""
    words = text.split()
    if len(words) < 3 or not words[0].isdigit() or int(words[0]) not in SIZES:
        raise RecordError(line, f"BO[{text[:40]}] is no board: BO[8 64 squares of * O - and who moves]")
    size, squares, mover = int(words[0]), "".join(words[1:-1]), words[-1]
    if len(squares) != size * size or set(squares) - set("*O-") or mover not in ("*", "O"):
        raise RecordError(line, f"BO[{text[:40]}…] is no board of {size * size} squares * O - and who moves")
    return f"{squares.replace('*', 'X')} {'X' if mover == '*' else 'O'}", SIZES[size], "*O".index(mover)


def _claim(text: str, line: int) -> Outcome | None:
    match = re.fullmatch(r"([+-]?\d+(?:\.\d*)?)(?::([a-z]))?", text.strip())
    if text.strip() in ("", "?"):
        return None
    if match is None:
        raise RecordError(line, f"RE[{text[:40]}] is no result: black's margin, like RE[+4.00]")
    margin = float(match[1])
    return Outcome(None if margin == 0 else 0 if margin > 0 else 1, _SUFFIXES.get(match[2] or "", "discs"))


def _result(recorded: RecordedGame) -> str:
    claimed = recorded.claimed
    if claimed is None:
        return "?"
    if claimed.winner is None:
        return "+0.00"
    if claimed.reason == "discs":
        board = replay(recorded)[-1].text.split()[0]
        return f"{board.count('X') - board.count('O'):+.2f}"
    suffix = next((letter for letter, reason in _SUFFIXES.items() if reason == claimed.reason), "t")
    return f"{'+' if claimed.winner == 0 else '-'}64.00:{suffix}"


def _escaped(name: str) -> str:
    return re.sub(r"[\[\]\\;()\n]", "_", name)
