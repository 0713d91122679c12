"""`starscout.review`: win probability, luck of the rolls and loss of the moves of a recorded game.

A luck meter measures the luck of the rolls. It also measures the losses, unless a player with a deeper search judges
the moves. Both are classified with the default thresholds of GNU Backgammon, in expected results (−1 … 1).
"""

from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, Unpack

from starscout import games
from starscout.api.players import player_object
from starscout.api.progress import interruptible_kernels
from starscout.api.result import Board, Picture, PlottedResult, rich_table
from starscout.api.solve import solve
from starscout.arena.luck import OFF, LuckMeter, make_meter
from starscout.drawing import charts
from starscout.evaluation import knowledge_of
from starscout.game.state import State
from starscout.game.values import win_probability
from starscout.players.names import player_names
from starscout.players.player import Player
from starscout.players.python_class import PlayerLike
from starscout.records.record import GameRecord
from starscout.search.limits import Limit
from starscout.settings.arguments import checked
from starscout.settings.schema import Luck, SearchLimits, SettingError
from starscout.views.html import table as html_table

if TYPE_CHECKING:
    from rich.console import RenderableType

MISTAKES = ((0.16, "very bad"), (0.08, "bad"), (0.04, "doubtful"))
"""Minimum loss of a move in expected results → its name."""

MARKS = {"very bad": "??", "bad": "?", "doubtful": "?!"}
"""Name of a mistake → its mark after the move."""

LUCKY = ((0.6, "very lucky"), (0.3, "lucky"))
UNLUCKY = ((-0.6, "very unlucky"), (-0.3, "unlucky"))
"""Minimum (maximum) luck of a roll in expected results → its name."""

JUDGE_LIMIT = Limit(time=0.2)
"""Limit per ply of a judge, unless another is given."""
SOLVE_GAME_SECONDS = 4.0
"""Total time for solving the positions of a game."""
SOLVE_POSITION_SECONDS = 1.0
"""Time for one position; if one takes longer, earlier plies are not tried."""

HEADINGS = ("ply", "side", "roll", "move", "wins", "luck", "loss", "best", "")


@dataclass(frozen=True)
class ReviewedPly:
    """One ply. Luck and loss are the mover's, in win probability.

    >>> ply = ReviewedPly(0, 1, "A1B1", "A1B2", chance=0.5, luck=0.2, loss=0.1, reported=None, seconds=0.0)
    >>> ply.luck_name, ply.mistake
    ('lucky', 'very bad')
    """

    side: int
    roll: int | str
    """The number of a plain die, or the event in the game's notation; 0 or empty if there was none."""
    move: str
    best: str
    """The best move."""
    chance: float
    """Win probability of side 0 before the event."""
    luck: float
    loss: float
    reported: float | None
    """Win probability that the mover reported."""
    seconds: float
    forced: bool = False
    """Whether it was the only legal move."""

    @property
    def value(self) -> float:
        """Return the mover's expected result before the event, in [−1, 1]."""
        return (2 * self.chance - 1) * (1, -1)[self.side]

    @property
    def luck_name(self) -> str:
        """Return the classification of the roll; empty if it is ordinary."""
        return next((name for least, name in LUCKY if 2 * self.luck >= least), "") or next(
            (name for most, name in UNLUCKY if 2 * self.luck <= most), ""
        )

    @property
    def mistake(self) -> str:
        """Return the classification of the move; empty if it is good."""
        return next((name for least, name in MISTAKES if 2 * self.loss >= least), "")

    @property
    def marked_move(self) -> str:
        """Return the move with the mark of a mistake: `?!` doubtful, `?` bad, `??` very bad."""
        return self.move + MARKS.get(self.mistake, "")

    def json(self) -> dict[str, Any]:
        """Return the fields with both classifications."""
        named = {"event": str(self.roll or ""), "value": self.value, "lucky": self.luck_name, "mistake": self.mistake}
        return {**vars(self), **named}


@dataclass(frozen=True)
class SideReview:
    """Totals of one side: luck of its rolls, loss of its moves, number of mistakes.

    >>> SideReview(luck=0.0, loss=0.5, moves=2, mistakes={"bad": 1}).loss_per_move
    0.25
    """

    luck: float
    loss: float
    moves: int
    mistakes: dict[str, int]
    """Name of a mistake → count."""
    decisions: int = 0
    """Number of moves that were not forced."""

    @property
    def loss_per_move(self) -> float:
        """Return the mean loss per move."""
        return self.loss / max(1, self.moves)

    @property
    def error_rate(self) -> float:
        """Return the mean loss per decision: per move that was not forced, as GNU Backgammon counts."""
        return self.loss / max(1, self.decisions)

    def json(self) -> dict[str, Any]:
        """Return the fields with the loss per move and per decision."""
        return {**vars(self), "loss_per_move": self.loss_per_move, "error_rate": self.error_rate}


@dataclass(frozen=True)
class EquityReview:
    """Totals of one side in expected points, in the terms of GNU Backgammon.

    >>> EquityReview("mEMG", luck=0.5, error=0.12, error_rate=6.0, shared_error_rate=2.9, adjusted_result=0.38).error
    0.12
    """

    unit: str
    """The unit of the error rates: thousandths of a point."""
    luck: float
    """The sum of the luck of all rolls."""
    error: float
    """The sum of the losses of all moves."""
    error_rate: float
    """Error per unforced move."""
    shared_error_rate: float
    """Error per move of both sides, forced ones included: the Snowie error rate."""
    adjusted_result: float | None
    """The result minus the luck of both sides; None in an unfinished game."""

    def __str__(self) -> str:
        adjusted = "" if self.adjusted_result is None else f", luck-adjusted result {self.adjusted_result:+.3f}"
        return (
            f"luck {self.luck:+.3f}, error {self.error:.3f}, {self.error_rate:.2f} {self.unit} per unforced move "
            f"(Snowie error rate {self.shared_error_rate:.2f}){adjusted}"
        )


@dataclass(frozen=True, repr=False)
class ReviewResult(PlottedResult):
    """A reviewed game.

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp(), "games.txt")
    >>> _ = file.write_text("f5d6c3\\n")
    >>> reviewed = review(replay(file).records[0], luck="eval=positional depth=1")
    >>> reviewed.side(0).moves, [ply.move for ply in reviewed.plies]
    (2, ['f5', 'd6', 'c3'])
    """

    record: GameRecord
    meter: str
    """Description of the luck meter."""
    judge: str
    """The player that judged the moves; empty: the luck meter did."""
    plies: tuple[ReviewedPly, ...]
    end: float
    """Win probability of side 0 after the last ply; its score if the game is over."""
    final_luck: tuple[float, float] = (0.0, 0.0)
    """The luck of each side in the event that ended the game: that of the side to move, and 0."""

    def side(self, side: int) -> SideReview:
        """Return the totals of one side."""
        own = [ply for ply in self.plies if ply.side == side]
        names = [ply.mistake for ply in own if ply.mistake]
        return SideReview(
            sum(ply.luck for ply in own) + self.final_luck[side],
            sum(ply.loss for ply in own),
            len(own),
            {name: names.count(name) for _, name in MISTAKES},
            sum(not ply.forced for ply in own),
        )

    def equity(self, side: int) -> EquityReview | None:
        """Return the totals of one side in points; None in games that are reviewed in win probabilities."""
        game = games.find(self.record.game)
        unit = knowledge_of(game).equity_unit
        if not unit:
            return None
        own, other = self.side(side), self.side(1 - side)
        points = 2 * game.points
        result = self.record.points_of(side) if self.record.winner is not None else None
        return EquityReview(
            unit,
            points * own.luck,
            points * own.loss,
            1000 * points * own.error_rate,
            1000 * points * own.loss / max(1, own.moves + other.moves),
            None if result is None else result - points * (own.luck - other.luck),
        )

    def json(self) -> dict[str, Any]:
        """Return the fields of `starscout review --json`: game, players and result, plies, and totals per side."""
        record = self.record
        sides = [self.side(side) for side in (0, 1)]
        equities = [self.equity(side) for side in (0, 1)]
        return {
            "game": record.game, "players": list(record.players), "winner": record.winner, "reason": record.reason,
            "detail": record.detail, "meter": self.meter, "judge": self.judge, "plies": self.rows(),
            "moves": self.rows(), "end": self.end, "totals": [side.json() for side in sides],
            "summary": [
                {"player": player, "error_rate": side.error_rate, "luck": side.luck, "mistakes": side.mistakes}
                | ({} if equity is None else {"equity": vars(equity)})
                for player, side, equity in zip(record.players, sides, equities, strict=True)
            ],
        }  # fmt: skip

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per ply."""
        return [ply.json() for ply in self.plies]

    def plot(self) -> Picture:
        """Plot the win probability of the first side before every ply and at the end."""
        chances = charts.Band("", [*(ply.chance for ply in self.plies), self.end])
        side = games.find(self.record.game).sides[0]
        return Picture(charts.lines([chances], "ply", f"win probability of {side}", level=0.5, percent=True))

    def table(self) -> list[list[str]]:
        """Return the rows below HEADINGS as text."""
        game = games.find(self.record.game)
        in_points = 2 * game.points if knowledge_of(game).equity_unit else 0

        def amount(share: float, sign: str = "") -> str:
            return f"{in_points * share:{sign}.3f}" if in_points else f"{share:{sign}.1%}"

        return [
            [
                str(number), game.sides[ply.side], str(ply.roll or ""), ply.marked_move, f"{ply.chance:.1%}",
                amount(ply.luck, "+") if game.has_chance else "", amount(ply.loss) if ply.loss else "",
                ply.best if ply.mistake else "", ", ".join(filter(None, (ply.luck_name, ply.mistake))),
            ]
            for number, ply in enumerate(self.plies, 1)
        ]  # fmt: skip

    def summary(self) -> list[str]:
        """Return one line per side with its totals, and the value functions."""
        sides, players = games.find(self.record.game).sides, player_names(self.record.players)
        lines: list[str] = []
        for number, name in enumerate(sides):
            total = self.side(number)
            mistakes = ", ".join(f"{count} {mistake}" for mistake, count in total.mistakes.items() if count)
            counted = f"{total.decisions} decisions{f'; {mistakes}' if mistakes else ''}"
            equity = self.equity(number)
            if equity is not None:
                lines.append(f"{name} ({players[number]}): {equity}, in {counted}")
                continue
            luck = f"luck {total.luck:+.1%}, " if games.find(self.record.game).has_chance else ""
            lines.append(
                f"{name} ({players[number]}): {luck}loss {total.loss:.1%}, error rate "
                f"{total.error_rate:.2%} in {counted}"
            )
        return [*lines, f"luck by {self.meter}, losses by {self.judge or self.meter}"]

    def title(self) -> str:
        """Return players and result in one line."""
        record = self.record
        sides = games.find(record.game).sides
        winner = "no winner" if record.winner is None else f"{sides[record.winner]} wins"
        detail = f" ({record.detail})" if record.detail else ""
        return f"{record.game}: {' – '.join(player_names(record.players))}, {winner}: {record.reason}{detail}"

    def boards(self) -> "RenderableType":
        """Render the review with the board after every ply."""
        from rich.console import Group
        from rich.text import Text

        first, *states = self.record.states()
        parts: list[RenderableType] = [Text(self.title()), "", Board(first.before_event)]
        for row, state in zip(self.table(), states, strict=True):
            named = [f"{heading} {cell}".strip() for heading, cell in zip(HEADINGS[4:], row[4:], strict=True) if cell]
            parts += ["", Text(f"{row[0]}. {' '.join(filter(None, row[1:4]))}   {', '.join(named)}"), Board(state)]
        return Group(*parts, "", Text("\n".join(self.summary())))

    def __rich__(self) -> "RenderableType":
        from rich.console import Group
        from rich.text import Text

        listed = rich_table(HEADINGS, self.table(), left=("side", "move", "best", ""))
        return Group(Text(self.title()), "", listed, "", Text("\n".join(self.summary())))

    def _repr_html_(self) -> str:
        return f"{html_table(HEADINGS, self.table(), inline=True)}<p>{'<br>'.join(map(escape, self.summary()))}</p>"

    def __repr__(self) -> str:
        mistakes = sum(bool(ply.mistake) for ply in self.plies)
        return f"<review of a game of {self.record.game}: {len(self.plies)} plies, {mistakes} mistakes>"


MoveEvaluator = Callable[[State], dict[int, float]]
"""Rolled state → the mover's expected result after each move; moves may be missing."""


def move_evaluator(player: Player, limit: Limit) -> MoveEvaluator:
    """Return an evaluator that analyses each state with a player and a limit."""

    def evaluate(state: State) -> dict[int, float]:
        reports = player.analyse(state, limit).moves
        return {report.move: report.value for report in reports if report.value is not None}

    return evaluate


@checked
def review(
    record: GameRecord,
    judge: PlayerLike | Player | None = None,
    *,
    luck: Luck = "",
    **limits: Unpack[SearchLimits],
) -> ReviewResult:
    """Review a recorded game: win probability and luck at every ply, loss of every move and the best move.

    `luck` is the value function that measures luck, as in matches. It measures the losses, too, unless a player judges
    the moves: a SPEC, a class or a player object, with the limits `time`, `depth`, `nodes` and `simulations` per ply
    (default: 0.2 s). Raises GameError.

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp(), "games.txt")
    >>> _ = file.write_text("f5d6c3\\n")
    >>> reviewed = review(replay(file).records[0], "negascout eval=positional", depth=2)
    >>> [(ply.move, ply.luck) for ply in reviewed.plies]
    [('f5', 0.0), ('d6', 0.0), ('c3', 0.0)]
    """
    if luck == OFF:
        raise SettingError("{}: expected a value function such as `eval=race depth=3`, got off", ("luck",))
    game = games.find(record.game)
    meter = make_meter(game, luck)
    if judge is None:
        with interruptible_kernels():
            return review_by(record, meter)
    limit = Limit(**limits)
    judging = player_object(judge, game)
    try:
        judging.new_game(game, 0)
        with interruptible_kernels():
            evaluator = move_evaluator(judging, JUDGE_LIMIT if limit == Limit() else limit)
            return review_by(record, meter, evaluator, judging.name)
    finally:
        if judging is not judge:
            judging.close()


def review_by(
    record: GameRecord, meter: LuckMeter, evaluator: MoveEvaluator | None = None, judge: str = ""
) -> ReviewResult:
    """Review a game; losses come from the evaluator of the judge, if any."""
    *states, last = record.states()
    plies: list[ReviewedPly] = []
    *events, _ = record.event_texts()
    plain = last.game.has_plain_die
    # Luck is measured in points if a win can count several; a review shows win probabilities.
    points = last.game.points
    unit = 1.0 if points == 1 else 1.0 / (2 * points)
    # The luck of a final event has no ply.
    lucks = meter.annotate(record).luck
    for state, ply, event, luck in zip(states, record.plies, events, lucks, strict=False):
        values = meter.move_values(state) if evaluator is None else evaluator(state)
        if ply.move not in values:
            values = meter.move_values(state)
        # Of several best moves, prefer the one that was played.
        best = max(values, key=lambda move: (values[move], move == ply.move))
        chance = _side_0_chance(meter, state.before_event)
        if evaluator is not None and not state.game.has_chance:
            chance = win_probability(values[best] if state.mover == 0 else -values[best])
        plies.append(
            ReviewedPly(
                state.mover,
                ply.roll if plain else event,
                ply.text,
                state.game.format_move(state.position, best),
                chance,
                unit * luck,
                (values[best] - values[ply.move]) / 2,
                None if ply.value is None else win_probability(ply.value),
                ply.seconds,
                len(state.legal) == 1,
            )
        )
    final = unit * sum(lucks[len(plies) :])
    final_luck = (final, 0.0) if last.mover == 0 else (0.0, final)
    return ReviewResult(record, meter.text, judge, tuple(plies), _end(record, meter, last), final_luck)


def _side_0_chance(meter: LuckMeter, state: State) -> float:
    chance = win_probability(meter.value(state))
    return chance if state.mover == 0 else 1.0 - chance


def _end(record: GameRecord, meter: LuckMeter, last: State) -> float:
    return record.score(0) if record.winner is not None or last.over else _side_0_chance(meter, last)


def leads(record: GameRecord) -> list[int] | None:
    """The first side's lead before every ply and at the end; None in games without a score."""
    score = knowledge_of(games.find(record.game)).score
    if score is None:
        return None
    return [score.lead(state.game, state.position) * (1, -1)[state.mover] for state in record.states()]


def exact_scores(record: GameRecord, is_stopped: Callable[[], bool] = lambda: False) -> list[int | None] | None:
    """The first side's score after perfect play from every ply, None where unknown; None in games without a score.

    Positions are solved from the last one backwards: each is harder than the next one.
    """
    if knowledge_of(games.find(record.game)).score is None:
        return None
    states = list(record.states())
    scores: list[int | None] = [None] * len(states)
    left = SOLVE_GAME_SECONDS
    for ply in reversed(range(len(states))):
        state = states[ply]
        if is_stopped() or left <= 0:
            break
        solution = solve(state, time=min(SOLVE_POSITION_SECONDS, left))
        left -= solution.seconds
        if solution.score is None:
            break
        scores[ply] = solution.score * (1, -1)[state.mover]
    return scores
