"""Move lists: Othello games such as `f5d6c3d3`, one per line; passes are optional."""

import re
from collections.abc import Iterator

from starscout import games
from starscout.game import GameError
from starscout.games.othello.rules import PASS
from starscout.records.record import GameRecord, RecordError, Replay

LINE = re.compile(r"\s*(?:[a-h][1-8]|pa|ps|--)(?:[a-h][1-8]|pa|ps|[\s,-])*", re.IGNORECASE)
"""A move, then moves and separators; dashes match in only one way, to avoid backtracking."""
_MOVE = re.compile(r"[a-h][1-8]|pa|ps|--", re.IGNORECASE)


def read_move_lists(text: str) -> Iterator[GameRecord | RecordError]:
    """Read games and insert forced passes; yields an error for each illegal line."""
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            if not LINE.fullmatch(line):
                raise RecordError(number, f"expected a list of moves such as f5d6c3, got {line[:60]!r}")
            yield _game(_MOVE.findall(line), number)
        except RecordError as error:
            yield error


def write_move_list(record: GameRecord) -> str:
    """The moves without passes; raises GameError unless it is Othello from the start."""
    if record.game != "othello" or record.start != _standard_start():
        raise GameError("move lists support only Othello from the standard start")
    return "".join(ply.text for ply in record.plies if ply.text != "pass")


def _standard_start() -> str:
    rules = games.load("othello")
    return rules.format(rules.start_position(0), 1)


def _game(moves: list[str], line: int) -> GameRecord:
    replay = Replay("othello", _standard_start(), line)
    for move in moves:
        text = replay.state.game.move_spellings(move)
        if replay.state.legal == [PASS] and text != "pass":
            replay.add(0, "pass", line)
        replay.add(0, text, line)
    return replay.finished(None)
