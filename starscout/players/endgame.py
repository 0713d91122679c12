"""Exact endgames of a player: by table lookup, or by a solver within the time limit."""

import random
import time
from abc import ABC, abstractmethod
from dataclasses import replace

from starscout.evaluation.evaluation import Evaluation
from starscout.game import ONGOING, Game
from starscout.game.state import State
from starscout.games.ewn.endgame_table import EwnTable, best_table_move, find_table, table_moves
from starscout.games.ewn.table_check import random_position
from starscout.games.ewn.table_evaluation import with_table
from starscout.games.othello.disc_counts import empty_squares
from starscout.games.othello.rules import Position
from starscout.games.othello.solve_forecast import SolveForecast
from starscout.games.othello.solver import DiscSolution, OthelloSolver
from starscout.players.player import Decision, MoveReport
from starscout.search.limits import Limit
from starscout.search.time_control import Budget, stop_after

TRIAL_SHARE = 0.6
"""The part of a move's time that a solver may use; the rest is for a search if the solver fails."""
WLD_SHARE = 0.25
"""What it costs to find out who wins, as a part of what the discs cost."""
NODES_PER_SECOND = 5e6
"""Turns a forecast of seconds into nodes where nodes are the limit, so that a game can be repeated."""
WARMING_EMPTIES = (10, 12, 14)


class ExactEndgame(ABC):
    """What one player knows about the endings of one game."""

    def evaluation(self, evaluation: Evaluation) -> Evaluation:
        """The evaluation that a search uses, with what is known at its leaves."""
        return evaluation

    @abstractmethod
    def warm(self) -> None:
        """Compile or load whatever is needed, and measure this machine. No clock runs."""

    @abstractmethod
    def decide(
        self, state: State, limit: Limit, seconds: Budget, *, every_move: bool
    ) -> tuple[Decision | None, Budget]:
        """The exact decision, or None and what is left of the time for a search."""

    def finish(self, state: State, limit: Limit, seconds: Budget) -> Decision | None:
        """A move that wins for sure, found in what a search to the end of the game has left; None if there is none."""
        return None


class TableEndgame(ExactEndgame):
    """The endings of a table."""

    def __init__(self, table: EwnTable) -> None:
        self._table = table

    def evaluation(self, evaluation: Evaluation) -> Evaluation:
        return with_table(evaluation, self._table)

    def warm(self) -> None:
        position = random_position(self._table, random.Random(0))
        self._table.covers(position)
        self._table.value(position)
        best_table_move(self._table, position, 1)

    def decide(
        self, state: State, limit: Limit, seconds: Budget, *, every_move: bool
    ) -> tuple[Decision | None, Budget]:
        if not self._table.covers(state.position):
            return None, seconds
        values = table_moves(self._table, state.position, state.roll)
        best = best_table_move(self._table, state.position, state.roll)
        reports = tuple(MoveReport(move, value, proven=True) for move, value in values.items())
        name = state.game.format_move(state.position, best)
        return Decision(best, values[best], 1, len(values), None, (name,), reports), seconds


class SolverEndgame(ExactEndgame):
    """Exact play by the Othello solver, started when the clock allows for the solving time seen so far."""

    def __init__(self, game: Game, threads: int) -> None:
        self._game = game
        self._solver = OthelloSolver(game, threads=threads)
        self._forecast = SolveForecast()

    def warm(self) -> None:
        self._solver.compile()
        for empties in WARMING_EMPTIES:
            position = _late_position(self._game, empties)
            if position is not None:
                self._solve(position, None, None, wld=False, every_move=False)

    def decide(
        self, state: State, limit: Limit, seconds: Budget, *, every_move: bool
    ) -> tuple[Decision | None, Budget]:
        position = Position(*state.position)
        empties = empty_squares(self._game, position)
        began = time.monotonic()
        wld = self._affordable(empties, limit, seconds, len(state.legal) if every_move else 1)
        if wld is None:
            return None, seconds
        hard = None if seconds.hard is None else TRIAL_SHARE * seconds.hard
        found = self._solve(position, hard, limit.nodes, wld=wld, every_move=every_move)
        # A game that is lost anyway is better played by a search, which hopes for mistakes, unless the discs are known.
        if found is not None and (found.exact or (found.outcome or 0) > 0):
            return self._decision(state, position, found, empties), seconds
        spent = time.monotonic() - began
        return None, replace(seconds, hard=None if seconds.hard is None else max(seconds.hard - spent, 0.0))

    def finish(self, state: State, limit: Limit, seconds: Budget) -> Decision | None:
        position = Position(*state.position)
        found = self._solve(position, seconds.hard, limit.nodes, wld=True, every_move=False)
        if found is None or (found.outcome or 0) <= 0:
            return None
        return self._decision(state, position, found, empty_squares(self._game, position))

    def _affordable(self, empties: int, limit: Limit, seconds: Budget, parts: int) -> bool | None:
        """Whether only the winner can be found (True), the discs too (False), or neither (None)."""
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
    ) -> DiscSolution | None:
        """The solution; None when it was stopped."""
        solver = self._solver
        solver.begin(nodes)
        began = time.perf_counter()
        with stop_after(seconds, *solver.flags):
            *_, found = solver.solve(position, wld=wld, every_move=every_move)
        if solver.stopped:
            return None
        if not wld and not every_move:
            self._forecast.observe(empty_squares(self._game, position), time.perf_counter() - began)
        return found

    def _decision(self, state: State, position: Position, found: DiscSolution, empties: int) -> Decision:
        best = found.best
        assert best is not None
        reports = tuple(
            MoveReport(solved.move, float((solved.lower > 0) - (solved.upper < 0)), proven=True)
            for solved in found.moves
            if solved.lower == solved.upper or solved.move == best
        )
        line = [best]
        if found.exact:
            line = list(self._solver.line(position, found.lower)) or line
        names = []
        current = state.position
        for move in line:
            names.append(state.game.format_move(current, move))
            current = state.game.play_position(current, move)
        return Decision(best, float(found.outcome or 0), empties, found.nodes, None, tuple(names), reports)


def find_exact_endgame(game: Game, threads: int) -> ExactEndgame | None:
    """What is known about the endings of a game; None if nothing is."""
    if game.family == "othello":
        return SolverEndgame(game, threads)
    table = find_table(game)
    return None if table is None else TableEndgame(table)


def _late_position(game: Game, empties: int) -> Position | None:
    """A position of a random game with this many empty squares; None if the game ends before it has so few."""
    generator = random.Random(empties)
    position = Position(*game.start_position(0))
    while empty_squares(game, position) > empties and game.outcome(position) == ONGOING:
        position = Position(*game.play_position(position, generator.choice(game.legal(position, 1))))
    return position if game.outcome(position) == ONGOING else None
