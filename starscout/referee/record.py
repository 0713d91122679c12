"""The record of a game: everything that is needed to replay it, and how it ended."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from starscout import games
from starscout.game import GameError
from starscout.records.recorded import FORFEITS
from starscout.state import State, parse

FORMAT = "starscout game 1"

ADJOURNED = "adjourned"
"""The reason of a game that somebody means to go on with; it has no winner."""


class Ply(NamedTuple):
    """A roll (0 in games without dice), the move that answered it, and what the mover told about it."""

    roll: int
    move: str
    seconds: float = 0.0
    value: float | None = None
    """The mover's expected result in [−1, 1], as the mover sees it."""


@dataclass(frozen=True)
class GameRecord:
    """One finished game. Players stand in the order of the game's sides, not in the order in which they moved."""

    game: str
    start: str
    players: tuple[str, str]
    plies: tuple[Ply, ...]
    winner: int | None
    """The side that won, None for a draw."""
    reason: str
    detail: str = ""
    """A sentence for people where the reason alone leaves a question open."""
    seed: int = 0
    pair: int = 0
    half: int = 0
    """0 or 1: which of the two games of the pair this is."""

    @property
    def forfeit(self) -> bool:
        """Whether the loser broke a rule, a limit or down, so that the game was not played to its end."""
        return self.reason in FORFEITS

    def states(self) -> Iterator[State]:
        """Every moment of the game, dice rolled, from the start to the last position; GameError at an illegal ply."""
        state = parse(games.load(self.game), self.start)
        for number, ply in enumerate(self.plies, 1):
            try:
                state = state.rolled(ply.roll) if state.needs_roll else state
                yield state
                state = state.play(ply.move)
            except GameError as error:
                raise GameError(f"ply {number}: {error}") from error
        yield state

    def check(self) -> None:
        """Raise GameError when a ply is illegal or the result is not that of the last position."""
        *_, last = self.states()
        outcome = last.outcome
        if outcome is None and not self.forfeit and self.reason != ADJOURNED:
            raise GameError(f"the game is not over after {len(self.plies)} plies, in {last.text!r}")
        if outcome is not None and not self.forfeit and outcome.winner != self.winner:
            names = [*last.game.sides, "nobody"]
            stated, true = (names[2 if winner is None else winner] for winner in (self.winner, outcome.winner))
            raise GameError(f"the record says {stated} won, but {true} did, in {last.text!r}")

    def to_json(self) -> dict[str, Any]:
        """The record as a JSON object; `from_json` is the inverse."""
        plies = [
            {"roll": ply.roll, "move": ply.move, "seconds": round(ply.seconds, 6), "value": ply.value}
            for ply in self.plies
        ]
        return {
            "format": FORMAT,
            "game": self.game,
            "start": self.start,
            "players": list(self.players),
            "seed": self.seed,
            "pair": self.pair,
            "half": self.half,
            "plies": plies,
            "winner": self.winner,
            "reason": self.reason,
            "detail": self.detail,
        }


def from_json(value: Any) -> GameRecord:
    """The record that `to_json` wrote; raises GameError that names what is missing or wrong."""
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise GameError(f'this is no game record: it has no "format": "{FORMAT}"')
    try:
        plies = tuple(
            Ply(int(ply["roll"]), str(ply["move"]), float(ply.get("seconds", 0.0)), _value(ply.get("value")))
            for ply in value["plies"]
        )
        first, second = map(str, value["players"])
        winner = value["winner"]
        if winner not in (None, 0, 1):
            raise GameError(f"the winner of a game record is 0, 1 or null, not {winner!r}")
        return GameRecord(
            str(value["game"]),
            str(value["start"]),
            (first, second),
            plies,
            winner,
            str(value["reason"]),
            str(value.get("detail", "")),
            int(value.get("seed", 0)),
            int(value.get("pair", 0)),
            int(value.get("half", 0)),
        )
    except KeyError as error:
        raise GameError(f"the game record lacks {error}") from error
    except (TypeError, ValueError) as error:
        if isinstance(error, GameError):
            raise
        raise GameError(f"the game record is malformed: {error}") from error


def _value(value: Any) -> float | None:
    return None if value is None else float(value)
