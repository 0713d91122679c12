"""`negascout`: iterative deepening with NegaScout and Star."""

import time
from dataclasses import dataclass, replace
from typing import Annotated

from starscout.evaluation import load_evaluation
from starscout.game import Game, GameError
from starscout.game.state import State, start
from starscout.games.othello.disc_counts import empty_squares
from starscout.games.othello.patterns import is_pattern_evaluation
from starscout.games.othello.selective import SelectiveSearcher
from starscout.players.endgame import find_exact_endgame
from starscout.players.player import Decision, MoveReport, Player
from starscout.search.deepening import Iteration, Searcher
from starscout.search.limits import Budget, Forecast, Lag, Limit, budget, within
from starscout.search.negascout import MAX_DEPTH, Switches
from starscout.search.stop import stop_after
from starscout.settings.arguments import check_fields
from starscout.settings.schema import Depth, Nodes, Setting, Threads, Time

DEFAULT_DEPTH = 5
"""The depth when neither the options nor the match set a limit."""

LEAST_MOVES_LEFT = 4.0

SearchDepth = Annotated[Depth, Setting(high=MAX_DEPTH)]
SETTLE_DEPTH = 3
"""Report 000 does not search again below this depth."""


@dataclass(frozen=True)
class Options:
    """`depth`, `nodes` and `time` bound each move, `table` is in bits (2^bits slots of 64 bytes; 0: no table).

    `scout` is on by default in games without dice. With dice, means over rolls rarely repeat, so null windows fail too
    often. `start` and `step` say which depths are searched one after the other. `raw` is the search of report 000 on an
    evaluation in raw points: scores times this number, null windows one point wide, no second search below 3 plies.
    `endgame` finishes games exactly where a solver or a table can.

    Depths are plies: a roll and its move are one ply, and two layers of report 002.
    """

    eval: str = "default"
    depth: SearchDepth | None = None
    nodes: Nodes | None = None
    time: Time | None = None
    star: float = 2
    probes: int = 2
    scout: bool | None = None
    store: str = "chance"
    merge: bool = True
    order: bool = True
    table: Annotated[int, Setting("Size of the transposition table.", 0, 26, "bits")] = 18
    threads: Annotated[Threads, Setting(high=64)] = 1
    start: Annotated[int, Setting("First depth to search.", 1, MAX_DEPTH, "plies")] = 1
    step: Annotated[int, Setting("Difference between searched depths.", 1, MAX_DEPTH, "plies")] = 1
    raw: Annotated[int, Setting("Scale of raw points.", 0, 1000)] = 0
    endgame: bool = False
    probcut: Annotated[float, Setting("Width of the cut.", 0.0, 10.0, "standard deviations")] = 0.0

    def __post_init__(self) -> None:
        check_fields(self)
        self.switches(dice=True)

    def switches(self, *, dice: bool, point: int = 0) -> Switches:
        """The switches of the search; raises ValueError for values that it does not know.

        `point` is the value of a raw point of the evaluation.
        """
        store = self.store if self.table else "nothing"
        scout = not dice if self.scout is None else self.scout
        exact = Switches(self.star, self.probes, scout, store, merge=self.merge, order=self.order)
        if not (self.raw and point):
            return exact
        return replace(exact, scout=True, window=point // self.raw, settle_depth=SETTLE_DEPTH)


class NegascoutPlayer(Player):
    """Deepens until the limit. A stopped iteration still counts: its first move is the best one so far."""

    def __init__(self, game: Game, options: Options, name: str) -> None:
        self.name = name
        self.limit = own_limit(options)
        evaluation = load_evaluation(game, None if options.eval == "default" else options.eval)
        self._endgame = find_exact_endgame(game, options.threads) if options.endgame else None
        if self._endgame is not None:
            evaluation = self._endgame.evaluation(evaluation)
        if options.probcut and is_pattern_evaluation(evaluation):
            self._searcher = SelectiveSearcher(game, evaluation, options.probcut, options.table)
        else:
            switches = options.switches(dice=game.has_dice, point=evaluation.point)
            self._searcher = Searcher(game, evaluation, switches, options.table, options.threads)
        self._warm = False
        self._forecast = Forecast()
        self._lag = Lag()
        self._typical = game.typical_plies
        self._start, self._step = options.start, options.step

    def new_game(self, game: Game, seed: int) -> None:
        if not self._warm:
            # Whatever a first move calls is compiled or loaded here, where no clock runs.
            # The solver first: a search calls its kernel too, and without a door for Python it would be compiled twice.
            if self._endgame is not None:
                self._endgame.warm()
            state = start(game)
            self.choose(state.rolled(1) if state.needs_roll else state, Limit(nodes=100))
            self._warm = True
        self._searcher.clear()
        self._searcher.begin()

    def choose(self, state: State, limit: Limit) -> Decision:
        began = time.monotonic()
        limit = self._limited(limit)
        moves_left = max(LEAST_MOVES_LEFT, (self._typical - state.ply) / 2)
        seconds = budget(limit, moves_left, self._lag.seconds)
        hard = seconds.hard
        forced = len(state.legal) == 1 and seconds.hard is not None
        deepest = 1 if forced else MAX_DEPTH
        decision = None
        if self._endgame is not None and not forced:
            decision, seconds = self._endgame.decide(state, limit, seconds, every_move=False)
        if decision is None:
            decision = self._think(state, limit, seconds, every_move=False, deepest=deepest)
            if not forced and self._selective_to_the_end(state, decision):
                decision = self._proven_win(state, limit, decision, began, hard) or decision
        if hard is not None:
            self._lag.observe(time.monotonic() - began - hard)
        return decision

    def analyse(self, state: State, limit: Limit) -> Decision:
        """Like `choose`, with the value of every move."""
        limit = self._limited(limit)
        seconds = budget(limit, 1.0)
        if self._endgame is not None:
            decision, seconds = self._endgame.decide(state, limit, seconds, every_move=True)
            if decision is not None:
                return decision
        return self._think(state, limit, seconds, every_move=True, deepest=MAX_DEPTH)

    def _selective_to_the_end(self, state: State, decision: Decision) -> bool:
        """Whether a search that may be wrong has gone to the end of the game, so that no deeper one follows."""
        if self._endgame is None or not isinstance(self._searcher, SelectiveSearcher):
            return False
        return decision.depth is not None and decision.depth >= empty_squares(state.game, state.position)

    def _proven_win(
        self, state: State, limit: Limit, decision: Decision, began: float, hard: float | None
    ) -> Decision | None:
        """A move that wins for sure, found in the time or with the nodes that the search has left."""
        assert self._endgame is not None
        nodes = None if limit.nodes is None else max(limit.nodes - (decision.nodes or 0), 0)
        left = None if hard is None else max(hard - (time.monotonic() - began), 0.0)
        if nodes == 0 or left == 0.0 or (nodes is None and left is None):
            return None
        found = self._endgame.finish(state, replace(limit, nodes=nodes), Budget(hard=left))
        return None if found is None else replace(found, nodes=(found.nodes or 0) + (decision.nodes or 0))

    def _limited(self, limit: Limit) -> Limit:
        """The limit in force; DEFAULT_DEPTH where nothing bounds the search."""
        limit = self.bound(limit)
        bounds = limit.time, limit.clock, limit.depth, limit.nodes
        return limit if any(bound is not None for bound in bounds) else Limit(depth=DEFAULT_DEPTH)

    def _think(self, state: State, limit: Limit, seconds: Budget, *, every_move: bool, deepest: int) -> Decision:
        searcher, last = self._searcher, None
        nodes = 0
        searcher.begin(limit.nodes)
        deepest = min(limit.depth or MAX_DEPTH, deepest)
        depths = range(min(self._start, deepest), deepest + 1, self._step)
        with stop_after(seconds.hard, *searcher.flags):
            deepening = searcher.deepen(state.position, state.roll, depths, every_move=every_move)
            for iteration in within(deepening, seconds, self._forecast):
                nodes += iteration.nodes
                if iteration.complete or last is None or not every_move:
                    last = iteration
        if last is None:
            return Decision(state.legal[0], nodes=nodes)
        return self._decision(state, last, nodes)

    def _decision(self, state: State, iteration: Iteration, nodes: int) -> Decision:
        best = iteration.best
        reports = tuple(MoveReport(root.move, root.value) for root in iteration.moves if root.exact)
        line: list[str] = []
        position = state.position
        pairs = self._searcher.line(state.position, state.roll, best.move, iteration.depth)
        for number, (roll, move) in enumerate(pairs):
            if number > 0 and state.game.has_dice:
                line.append(str(roll))
            line.append(state.game.format_move(position, move))
            position = state.game.play_position(position, move)
        return Decision(best.move, best.value, iteration.depth, nodes, None, tuple(line), reports)


def own_limit(options: Options) -> Limit:
    """The limit that the options set for every move."""
    return Limit(time=options.time, depth=options.depth, nodes=options.nodes)


def check(game: Game, options: Options) -> None:
    """Raise GameError when the game has no such evaluation, or it does not suit the other options."""
    evaluation = load_evaluation(game, None if options.eval == "default" else options.eval)
    if options.raw and not evaluation.point:
        raise GameError(f"raw={options.raw} needs an evaluation in raw points, and {evaluation.name} is none")
    if options.probcut and options.eval != "default" and not is_pattern_evaluation(evaluation):
        raise GameError(f"probcut needs learned patterns of othello, like eval=learned, and {evaluation.name} has none")


def make(game: Game, options: Options, name: str) -> NegascoutPlayer:
    """A NegaScout player."""
    return NegascoutPlayer(game, options, name)
