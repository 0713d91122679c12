"""Build a record from text, checking every ply against the rules.

replay = Replay("ewn", "123../45.../6...f/...ed/..cba r -", line=1)
replay.add(4, "A2B3", line=2)
record = replay.finished(Outcome(0, "corner"), ("Anna", "Bert"))
"""

from typing import Any

from starscout import games
from starscout.game import NOT_ROLLED, GameError, Outcome, state
from starscout.records.record import ADJOURNED, GameRecord, Ply, RecordError, claim_problem


class Replay:
    """A game that is being read; illegal plies raise RecordError with the line number."""

    def __init__(self, game: str, start: str, line: int, source: str = "") -> None:
        self._line = line
        try:
            rules = games.find(game)
            if source and source != games.source_digest(rules):
                raise GameError(f"the record was played with another version of {game}: pass its file with --game")
            self.state = state.parse(rules, start)
        except GameError as error:
            raise RecordError(line, str(error)) from error
        if self.state.game.has_dice and self.state.roll != NOT_ROLLED:
            raise RecordError(line, f"a record starts before the first roll, but {start!r} has a roll")
        self._start = self.state.text
        self._plies: list[Ply] = []

    def add(self, roll: int, text: str, line: int, **reported: Any) -> None:
        """Add a roll (0 without dice) and its move; `reported` are optional fields of the ply."""
        number, now = len(self._plies) + 1, self.state
        if now.over:
            raise RecordError(line, f"ply {number} ({text}) comes after the end of the game")
        try:
            if now.game.has_dice:
                if roll == NOT_ROLLED:
                    raise GameError("the roll is missing")
                now = now.rolled(roll)
            move = now.parse_move(text)
        except GameError as error:
            raise RecordError(line, f"ply {number}: {error}") from error
        spelled = now.game.format_move(now.position, move)
        self._plies.append(Ply(now.roll if now.game.has_dice else 0, spelled, move, **reported))
        self.state, self._line = now.play(move), line

    def finished(self, claimed: Outcome | None, players: tuple[str, str] | None = None, **fields: Any) -> GameRecord:
        """Build the record; the default outcome is that of the last position, or adjourned."""
        problem = claim_problem(claimed, self.state)
        if problem is not None:
            raise RecordError(self._line, problem)
        game = self.state.game
        outcome = claimed or self.state.outcome or Outcome(None, ADJOURNED)
        return GameRecord(
            game.name,
            self._start,
            players or game.sides,
            tuple(self._plies),
            outcome.winner,
            outcome.reason,
            source=games.source_digest(game),
            **fields,
        )
