"""Move lists: a game of Othello from the usual start as `f5d6c3d3…`, a game a line. Passes are left out, or `pa`."""

import re
from collections.abc import Iterator

from starscout import games, state
from starscout.game import GameError
from starscout.games.othello import PASS
from starscout.records.recorded import RecordedGame, RecordedPly, RecordError

LINE = re.compile(r"\s*(?:(?:[a-h][1-8]|pa|ps|--)[\s,-]*)+", re.IGNORECASE)
_MOVE = re.compile(r"[a-h][1-8]|pa|ps|--", re.IGNORECASE)


def read_move_lists(text: str) -> Iterator[RecordedGame]:
    """The games of a file, forced passes filled in; raises RecordError."""
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if not LINE.fullmatch(line):
            raise RecordError(number, f"{line[:60]!r} is no list of moves like f5d6c3")
        yield _game(_MOVE.findall(line), number)


def write_move_list(recorded: RecordedGame) -> str:
    """The moves without the passes; GameError unless it is Othello from the usual start."""
    rules = games.load("othello")
    if recorded.game != "othello" or recorded.start != rules.format(rules.start_position(0), 1):
        raise GameError("a move list is for Othello from the usual start")
    return "".join(ply.move for ply in recorded.plies if ply.move != "pass")


def _game(moves: list[str], line: int) -> RecordedGame:
    """An illegal move stays in the list: finding it is the replay's work."""
    now = state.start(games.load("othello"))
    first = now.text
    plies: list[RecordedPly] = []
    for move in moves:
        text = now.game.move_spellings(move)
        if now.legal == [PASS] and text != "pass":
            plies.append(RecordedPly(None, "pass", line))
            now = now.play(PASS)
        plies.append(RecordedPly(None, text, line))
        try:
            now = now.play(text)
        except GameError:
            break
    return RecordedGame("othello", first, tuple(plies), None, line)
