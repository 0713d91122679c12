"""Exact Othello endgames of a player: the solver is started when its expected solving time fits the limit."""

import math
import random
import time
from dataclasses import replace

from starscout.game import ONGOING, Game
from starscout.game.state import State
from starscout.games.othello.rules import Position, empty_squares
from starscout.games.othello.solver import OthelloSolver
from starscout.search.endgame import ExactEndgame, ExactMove, ScoreSolution
from starscout.search.limits import Limit
from starscout.search.time_control import Budget, stop_after

TRIAL_SHARE = 0.6
"""The share of a move's time that the solver may use; the rest is for a search if the solver fails."""
WLD_SHARE = 0.25
"""The cost of proving win, loss or draw, relative to the exact difference."""
NODES_PER_SECOND = 5e6
"""Converts forecast seconds into nodes where nodes are the limit, so that games are reproducible."""
WARMING_EMPTIES = (10, 12, 14)

SAME_GAME = 4
"""Maximum decrease in empty squares between two decisions of one game, including passes."""

FIRST_SECONDS = 2e-6
FIRST_GROWTH = 2.0
"""Initial estimates: seconds for a full board, and the factor per empty square."""

LEAST_SECONDS = 1e-4
"""Shorter solving times are not used for the forecast."""


class SolveForecast:
    """Predicts solving times from their exponential growth, by smoothing in logarithms."""

    def __init__(self, smoothing: float = 0.3) -> None:
        self._smoothing = smoothing
        self._growth = math.log(FIRST_GROWTH)
        self._scale = math.log(FIRST_SECONDS)
        self._last: tuple[int, float] | None = None

    @property
    def growth(self) -> float:
        """The growth factor per empty square."""
        return math.exp(self._growth)

    def observe(self, empties: int, seconds: float) -> None:
        """Record the solving time of a position with this many empty squares."""
        if seconds < LEAST_SECONDS:
            return
        taken = math.log(seconds)
        if self._last is not None and abs(self._last[0] - empties) > 1:
            growth = (self._last[1] - taken) / (self._last[0] - empties)
            self._growth += self._smoothing * (min(max(growth, math.log(1.4)), math.log(4.0)) - self._growth)
        self._last = empties, taken
        self._scale += self._smoothing * (taken - empties * self._growth - self._scale)

    def observe_stop(self, empties: int, seconds: float) -> None:
        """Record a solution that was stopped after `seconds`: it is expected to take at least twice as long."""
        least = math.log(2.0 * max(seconds, LEAST_SECONDS)) - empties * self._growth
        self._scale += max(least - self._scale, 0.0)

    def seconds(self, empties: int) -> float:
        """The expected solving time for this many empty squares."""
        return math.exp(self._scale + empties * self._growth)


class SolverEndgame(ExactEndgame):
    """Exact play by the Othello solver, when the forecast solving time fits the limit."""

    def __init__(self, game: Game, threads: int) -> None:
        self._game = game
        self._solver = OthelloSolver(game, threads=threads)
        self._forecast = SolveForecast()
        self._last_solved: int | None = None
        """Empty squares of the last solved position."""

    def warm(self) -> None:
        self._solver.compile()
        for empties in WARMING_EMPTIES:
            position = _late_position(self._game, empties)
            if position is not None:
                self._solve(position, None, None, wld=False, every_move=False)

    def decide(
        self, state: State, limit: Limit, seconds: Budget, *, every_move: bool
    ) -> tuple[ExactMove | None, Budget]:
        position = Position(*state.position)
        empties = empty_squares(self._game, position)
        began = time.monotonic()
        wld = self._affordable(empties, limit, seconds, len(state.legal) if every_move else 1)
        if wld is None:
            return None, seconds
        hard = None if seconds.hard is None else TRIAL_SHARE * seconds.hard
        found = self._solve(position, hard, limit.nodes, wld=wld, every_move=every_move)
        # In a game that is not won, a search exploits mistakes better than a solver that has proven only the outcome.
        if found is not None and (found.exact or (found.outcome or 0) > 0):
            return self._decision(position, found, empties, _left(seconds, began)), seconds
        return None, replace(seconds, hard=_left(seconds, began))

    def finish(self, state: State, limit: Limit, seconds: Budget) -> ExactMove | None:
        position = Position(*state.position)
        began = time.monotonic()
        found = self._solve(position, seconds.hard, limit.nodes, wld=True, every_move=False)
        if found is None or (found.outcome or 0) <= 0:
            return None
        return self._decision(position, found, empty_squares(self._game, position), _left(seconds, began))

    def _affordable(self, empties: int, limit: Limit, seconds: Budget, parts: int) -> bool | None:
        """What can be solved in the time: only win, loss or draw (True), the exact score (False), or neither (None)."""
        if limit.depth is not None:
            return False if empties <= limit.depth else None
        times = [] if seconds.hard is None else [seconds.hard]
        if limit.nodes is not None:
            expected, available = SolveForecast().seconds(empties), [limit.nodes / NODES_PER_SECOND, *times]
        else:
            expected, available = self._forecast.seconds(empties), times
        most = TRIAL_SHARE * min(available, default=0.0) / parts
        if expected <= most:
            return False
        return True if expected * WLD_SHARE <= most and parts == 1 else None

    def _solve(
        self, position: Position, seconds: float | None, nodes: int | None, *, wld: bool, every_move: bool
    ) -> ScoreSolution | None:
        """The solution; None if the solver was stopped."""
        solver = self._solver
        solver.begin(nodes)
        empties, last = empty_squares(self._game, position), self._last_solved
        began = time.perf_counter()
        with stop_after(seconds, *solver.flags):
            *_, found = solver.solve(position, wld=wld, every_move=every_move)
        taken = time.perf_counter() - began
        self._last_solved = None if solver.stopped else empties
        if solver.stopped:
            if nodes is None and not every_move:
                self._forecast.observe_stop(empties, taken / WLD_SHARE if wld else taken)
            return None
        # After a solved position, the table contains most of the search of the next one.
        follows = last is not None and empties <= last <= empties + SAME_GAME
        if not wld and not every_move and not follows:
            self._forecast.observe(empties, taken)
        return found

    def _decision(self, position: Position, found: ScoreSolution, empties: int, seconds: float | None) -> ExactMove:
        """The proven move, with the part of its line that is found within `seconds`."""
        best = found.best
        assert best is not None
        values = {
            solved.move: float((solved.lower > 0) - (solved.upper < 0))
            for solved in found.moves
            if solved.lower == solved.upper or solved.move == best
        }
        line = (best,)
        if found.exact:
            with stop_after(seconds, *self._solver.flags):
                line = tuple(self._solver.line(position, found.lower)) or line
        return ExactMove(best, float(found.outcome or 0), values, line, empties, found.nodes)


def _left(seconds: Budget, began: float) -> float | None:
    """The seconds before the hard stop; None: unlimited."""
    return None if seconds.hard is None else max(seconds.hard - (time.monotonic() - began), 0.0)


def _late_position(game: Game, empties: int) -> Position | None:
    """A position of a random game with this many empty squares; None if the game ends earlier."""
    generator = random.Random(empties)
    position = Position(*game.start_position(0))
    while empty_squares(game, position) > empties and game.outcome(position) == ONGOING:
        position = Position(*game.play_position(position, generator.choice(game.legal(position, 1))))
    return position if game.outcome(position) == ONGOING else None
