"""A game that was played, and the check that it was played by the rules."""

from dataclasses import dataclass

from starscout import games, state
from starscout.game import GameError, Outcome
from starscout.state import State


@dataclass(frozen=True)
class RecordedPly:
    """A roll (None in games without dice), the move that answered it, and the line of the file it stands on."""

    roll: int | None
    move: str
    line: int


@dataclass(frozen=True)
class RecordedGame:
    """A game as a file tells it. The claimed outcome is None where the file claims nothing."""

    game: str
    start: str
    plies: tuple[RecordedPly, ...]
    claimed: Outcome | None
    line: int


class RecordError(GameError):
    """A record that cannot be read or was not played by the rules: which line, and why."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(f"line {line}: {why}")
        self.line = line
        self.why = why


FORFEITS = ("timeout", "illegal move", "crash", "stalled", "disconnected", "resigned")
"""Reasons that end a game which the rules alone would let go on."""


def replay(recorded: RecordedGame) -> list[State]:
    """All states from the start to the end; raises RecordError where the record breaks the rules."""
    rules = games.load(recorded.game)
    try:
        states = [state.parse(rules, recorded.start)]
    except GameError as error:
        raise RecordError(recorded.line, str(error)) from error
    for number, ply in enumerate(recorded.plies, 1):
        now = states[-1]
        if now.over:
            raise RecordError(ply.line, f"ply {number} ({ply.move}) comes after the end of the game")
        try:
            if rules.has_dice:
                if ply.roll is None:
                    raise GameError("the roll is missing")
                now = now.rolled(ply.roll)
            states.append(now.play(ply.move))
        except GameError as error:
            raise RecordError(ply.line, f"ply {number}: {error}") from error
    _check_claim(recorded, states[-1])
    return states


def _check_claim(recorded: RecordedGame, final: State) -> None:
    claimed = recorded.claimed
    line = recorded.plies[-1].line if recorded.plies else recorded.line
    if claimed is None:
        return
    if claimed.reason in FORFEITS:
        if final.over:
            raise RecordError(line, f"the record says {claimed.reason}, but the game had ended by the rules")
        return
    actual = final.outcome
    if actual is None:
        raise RecordError(line, f"the record says {claimed.reason}, but the game is not over in {final.text!r}")
    if actual != claimed:
        raise RecordError(line, f"the record says {_sentence(claimed, final)}, but it was {_sentence(actual, final)}")


def _sentence(outcome: Outcome, final: State) -> str:
    winner = "a draw" if outcome.winner is None else f"{final.game.sides[outcome.winner]} won"
    return f"{winner} ({outcome.reason})"
