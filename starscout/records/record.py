"""The record of a game: start, plies, result and the players' reports.

Build a record from text, checking every ply against the rules.

replay = Replay("ewn", "123../45.../6...f/...ed/..cba r -", line=1)
replay.add(4, "A2B3", line=2)
record = replay.finished(Outcome(0, "corner"), ("Anna", "Bert"))
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from starscout import games
from starscout.game import NOT_ROLLED, GameError, Outcome, state
from starscout.game.state import State, parse
from starscout.game.values import win_probability
from starscout.players.names import player_names, with_names

ADJOURNED = "adjourned"
"""The end reason of an unfinished game, which has no winner."""

AGREED_VALUE, PLY_LIMIT = ADJUDICATIONS = ("agreed value", "ply limit")
"""End reasons of games that the referee ended before the rules did."""

FORFEITS = ("timeout", "illegal move", "crash", "stalled", "disconnected", "resigned")
"""Reasons for which the referee ends a game before its rules do."""


class RecordError(GameError):
    """A record that is malformed or breaks the rules, with the line number and the reason."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(f"line {line}: {why}")
        self.line = line
        self.why = why


class Ply(NamedTuple):
    """An event, the move that followed it, and the mover's report."""

    roll: int
    """The chance event, such as the roll of a die; 0 if there was none."""
    text: str
    """The move as text."""
    move: int
    """The move as an integer."""
    seconds: float = 0.0
    value: float | None = None
    """The mover's expected result in [−1, 1], reported by the mover."""
    depth: int | None = None
    nodes: int | None = None
    simulations: int | None = None


@dataclass(frozen=True)
class GameRecord:
    """One game. The players are in the order of the game's sides.

    >>> import starscout
    >>> record, _ = starscout.match("ewn-3x3-3", "random", "random", pairs=1, workers=0, store=":memory:").records
    >>> record.check()
    >>> len(list(record.states())) == len(record.plies) + 1
    True
    """

    game: str
    start: str
    players: tuple[str, str]
    plies: tuple[Ply, ...]
    winner: int | None
    """The side that won; None for a draw or an unfinished game."""
    reason: str
    detail: str = ""
    """An explanation of the reason, if it needs one."""
    seed: int = 0
    pair: int = 0
    half: int = 0
    """0 or 1: the index of the game in its pair."""
    source: str = ""
    """The digest of the game file of a user-defined game, because a game with changed rules is a different game."""
    left: tuple[float | None, float | None] = (None, None)
    """Seconds left on the clock of each side; None without a clock for the whole game."""
    points: int = 1
    """The points of the winner."""
    final_event: int = NOT_ROLLED
    """The chance event after the last ply that ended the game; 0 if a move ended it."""

    @property
    def forfeit(self) -> bool:
        """Whether the game ended by a forfeit."""
        return self.reason in FORFEITS

    def score(self, side: int) -> float:
        """The score of a side: 1, ½ or 0."""
        return 0.5 if self.winner is None else float(self.winner == side)

    def points_of(self, side: int) -> int:
        """The points of a side: positive for the winner, negative for the loser."""
        return 0 if self.winner is None else self.points if self.winner == side else -self.points

    @property
    def outcome(self) -> Outcome | None:
        """The result; None for an unfinished game."""
        return None if self.reason == ADJOURNED else Outcome(self.winner, self.reason, self.points)

    def states(self) -> Iterator[State]:
        """Yield every state with its event, from the start to the end; raises GameError if illegal.

        There is one state for each ply, and the last one.
        """
        state = parse(games.find(self.game), self.start)
        for number, ply in enumerate(self.plies, 1):
            try:
                state = with_event(state, ply.roll)
                yield state
                state = state.play(ply.move)
            except GameError as error:
                raise GameError(f"ply {number}: {error}") from error
        try:
            last = with_event(state, self.final_event) if self.final_event else state
        except GameError as error:
            raise GameError(f"final event: {error}") from error
        yield last

    def movers(self) -> list[int]:
        """The side to move at each ply, then at the end."""
        return [state.mover for state in self.states()]

    def event_texts(self) -> list[str]:
        """The event of each ply in the game's notation, then the final event; empty if there is none."""
        if all(ply.roll == NOT_ROLLED for ply in self.plies) and self.final_event == NOT_ROLLED:
            return [""] * (len(self.plies) + 1)
        if games.find(self.game).has_plain_die:
            return [str(event or "") for event in (*(ply.roll for ply in self.plies), self.final_event)]
        return [state.event_text or "" for state in self.states()]

    def _repr_html_(self) -> str:
        """An interactive board for notebooks and exported pages."""
        from starscout.drawing.svg import replay_html

        *events, final = self.event_texts()
        captions = [f"{event} {ply.text}".strip() for event, ply in zip(events, self.plies, strict=True)]
        ended = f"{final} {' – '.join(player_names(self.players))}: {self.reason}".strip()
        return replay_html(list(self.states()), [*captions, ended])

    def __str__(self) -> str:
        """The game as readable text."""
        return record_text(self).rstrip()

    def check(self) -> None:
        """Raise GameError if a ply is illegal or the result contradicts the last position."""
        *_, last = self.states()
        problem = claim_problem(self.outcome, last)
        if problem is not None:
            raise GameError(problem)


def with_event(state: State, event: int | str) -> State:
    """The state after the event of a record, a number or its text (0 or empty: none); raises GameError."""
    if state.needs_roll:
        if not event:
            raise GameError(f"the {'roll' if state.game.has_plain_die else 'event'} is missing")
        return state.rolled(event)
    if event and state.game.has_chance:
        raise GameError(f"there is no event in {state.text!r}, but the record says {event!r}")
    return state


class Annotation(NamedTuple):
    """Luck and losses of the movers by a value function, in win probability; in points if a win can count several."""

    luck: tuple[float, ...]
    """The luck of the event of each ply for the side that moves next, and of the final event if there is one.

    After the final event, it is the luck of the side to move in the last position.
    """
    loss: tuple[float, ...]
    """The loss of each move."""


def claim_problem(claimed: Outcome | None, last: State) -> str | None:
    """Explain why a game that ended in `last` cannot have this outcome; None if it can."""
    if claimed is None:
        return None
    if claimed.reason in (*FORFEITS, *ADJUDICATIONS):
        return f"the record says {claimed.reason}, but the game had ended by the rules" if last.over else None
    actual = last.outcome
    if actual is None:
        return f"the record says {claimed.reason}, but the game is not over in {last.text!r}"
    if actual != claimed:
        return f"the record says {_outcome_text(claimed, last)}, but it was {_outcome_text(actual, last)}"
    return None


def _outcome_text(outcome: Outcome, last: State) -> str:
    winner = "a draw" if outcome.winner is None else f"{last.game.sides[outcome.winner]} won"
    points = f" {points_text(outcome.points)}" if last.game.points > 1 and outcome.winner is not None else ""
    return f"{winner}{points} ({outcome.reason})"


def record_text(record: GameRecord) -> str:
    """A game as readable text: players, each ply with its event, time and value, and the result."""
    *states, last = record.states()
    *events, final = record.event_texts()
    die = "die " if last.game.has_plain_die else ""
    sides = last.game.sides
    names = player_names(record.players)
    lines = [f"{record.game}: {names[0]} ({sides[0]}) – {names[1]} ({sides[1]})", record.start]
    for number, (before, event, ply) in enumerate(zip(states, events, record.plies, strict=True), 1):
        event = f"  {die}{event}" if event else ""
        value = "" if ply.value is None else f"  {win_probability(ply.value):4.0%}"
        time = f"  {ply.seconds:.2f} s" if ply.seconds else ""
        lines.append(f"{number:3}. {sides[before.mover]:5}{event}  {ply.text}{value}{time}".rstrip())
    if final:
        lines.append(f"     {final}")
    points = f" {points_text(record.points)}" if last.game.points > 1 else ""
    winner = "no winner" if record.winner is None else f"{sides[record.winner]} wins{points}"
    detail = f" ({with_names(record.detail, record.players, names)})" if record.detail else ""
    return "\n".join([*lines, f"{winner}: {record.reason}{detail}", ""]) + "\n"


def points_text(points: int) -> str:
    """`1 point`, `2 points`."""
    return f"{points} point{'' if points == 1 else 's'}"


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
        if self.state.game.has_chance and self.state.roll != NOT_ROLLED:
            raise RecordError(line, f"a record starts before the first roll, but {start!r} has a roll")
        self._start = self.state.text
        self._plies: list[Ply] = []

    def add(self, roll: int | str, text: str, line: int, **reported: Any) -> None:
        """Add an event (0 or empty: none) and its move; `reported` are optional fields of the ply."""
        number, now = len(self._plies) + 1, self.state
        if now.over:
            raise RecordError(line, f"ply {number} ({text}) comes after the end of the game")
        try:
            if now.game.has_chance:
                now = with_event(now, roll)
            move = now.parse_move(text)
        except GameError as error:
            raise RecordError(line, f"ply {number}: {error}") from error
        spelled = now.game.format_move(now.position, move)
        self._plies.append(Ply(now.event, spelled, move, **reported))
        self.state, self._line = now.play(move), line

    def add_final_event(self, event: int | str, line: int) -> None:
        """Add the event that ended the game."""
        try:
            self.state, self._line = with_event(self.state, event), line
        except GameError as error:
            raise RecordError(line, f"final event: {error}") from error
        if not self.state.over:
            raise RecordError(line, f"final event: the game is not over in {self.state.text!r}")

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
            points=outcome.points,
            final_event=self.state.event if self.state.over else NOT_ROLLED,
            **fields,
        )
