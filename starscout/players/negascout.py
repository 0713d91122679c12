"""The player kind `negascout`: iterative deepening with NegaScout, Star1 and Star2."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated

from starscout.evaluation import exact_table, knowledge_of, load_evaluation
from starscout.evaluation.evaluation import Evaluation
from starscout.evaluation.knowledge import SelectiveSearcher
from starscout.game import NOT_ROLLED, Game, GameError
from starscout.game.state import State, start
from starscout.players.player import Decision, MoveReport, Player, keep_loaded, warm_texts
from starscout.search.deepening import Iteration, Searcher
from starscout.search.endgame import ExactEndgame, ExactMove, TableEndgame
from starscout.search.filtered import FilteredSearcher
from starscout.search.limits import Limit
from starscout.search.negascout import MAX_DEPTH, Switches
from starscout.search.time_control import Budget, Forecast, Lag, budget, stop_after, within
from starscout.settings.arguments import check_fields
from starscout.settings.schema import Depth, Nodes, Placement, Samples, Setting, Threads, Time

DEFAULT_DEPTH = 5
"""Depth if neither the options nor the match set a limit."""

NO_LIMIT = Limit()
WARM_UP = Limit(nodes=100)
WARM_UP_SECONDS = 3600.0
"""A time limit that is never reached; it makes the search start the thread of the hard stop."""
WARM_UP_PLIES = 2

SearchDepth = Annotated[Depth, Setting(high=MAX_DEPTH)]
SETTLE_DEPTH = 3
"""Depth below which report 000 does not re-search."""


@dataclass(frozen=True)
class Options:
    """`depth`, `nodes` and `time` bound each move, `table` is in bits (2^bits slots of 64 bytes; 0: no table).

    `scout` is on by default in games without dice. With dice, means over rolls rarely repeat, so null windows fail too
    often. `start` and `step` set the sequence of depths. `raw` is the search of report 000 on an evaluation in raw
    points: scores times this number, null windows one point wide, no re-search below 3 plies. `endgame` plays exactly
    where a solver or a table allows it. `samples` is Monte-Carlo *-minimax; its draws follow the seed of the game.
    `probcut` is the margin of forward pruning in standard deviations. `filter` and `margin` select the search with move
    filters (search/filtered.py): how many moves are searched two plies deep, and how much worse they may be.

    Depths are plies: a roll and its move are one ply, and two layers of report 002.
    """

    eval: str = "default"
    depth: SearchDepth | None = None
    nodes: Nodes | None = None
    time: Time | None = None
    star: float = 2
    probes: int = 2
    samples: Samples = 0
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
    filter: Annotated[int, Setting("Moves that a search of two plies keeps; 0: no filter.", 0, 1024, "moves")] = 0
    margin: Annotated[float, Setting("Maximum gap between these and the best move.", 0.0, 10.0, "points")] = 0.08
    placement: Placement = ""

    def __post_init__(self) -> None:
        check_fields(self)
        self.switches(dice=True)

    def switches(self, *, dice: bool, point: int = 0) -> Switches:
        """The switches of the search; raises ValueError for unknown values.

        `point` is the value of a raw point of the evaluation.
        """
        store = self.store if self.table else "nothing"
        scout = not dice if self.scout is None else self.scout
        exact = Switches(self.star, self.probes, scout, store, merge=self.merge, order=self.order, samples=self.samples)
        if not (self.raw and point):
            return exact
        return replace(exact, scout=True, window=point // self.raw, settle_depth=SETTLE_DEPTH)


class NegascoutPlayer(Player):
    """Iterative deepening until the limit. A stopped iteration counts: its first move is the best one so far."""

    def __init__(self, game: Game, options: Options, name: str) -> None:
        self.name = name
        self.limit = own_limit(options)
        evaluation = load_evaluation(game, None if options.eval == "default" else options.eval)
        self._endgame = exact_endgame(game, options.threads) if options.endgame else None
        if self._endgame is not None:
            evaluation = self._endgame.evaluation(evaluation)
        selective = _selective_search(game, evaluation) if options.probcut else None
        self._selective = None if selective is None else selective(options.probcut, options.table)
        switches = options.switches(dice=game.has_chance, point=evaluation.point)
        self._searcher = (
            FilteredSearcher(game, evaluation, options.filter, options.margin)
            if options.filter
            else self._selective or Searcher(game, evaluation, switches, options.table, options.threads)
        )
        self._warm = False
        self._forecast = Forecast()
        self._lag = Lag()
        self._start, self._step = options.start, options.step

    def new_game(self, game: Game, seed: int) -> None:
        if not self._warm:
            self._warm_up(game)
            self._warm = True
        # Iterations hardly grow at the end of a game: do not use its forecast for the next game.
        self._forecast = Forecast()
        self._searcher.clear()
        if isinstance(self._searcher, Searcher):
            self._searcher.set_seed(seed)
        self._searcher.begin()

    def _warm_up(self, game: Game) -> None:
        """Compile or load every kernel that a move calls, with no clock running and without recording lag."""
        # Warm up the solver first: if a search called its kernel before Python does, it would be compiled twice.
        if self._endgame is not None:
            self._endgame.warm()
        state = start(game)
        for _ in range(WARM_UP_PLIES):
            warm_texts(state)
            state = state.rolled(next(iter(state.chance))) if state.needs_roll else state
            if state.over:
                break
            decision = self._think(state, WARM_UP, Budget(hard=WARM_UP_SECONDS), every_move=False, deepest=MAX_DEPTH)
            state = state.play(decision.move)
        keep_loaded()

    def choose(self, state: State, limit: Limit) -> Decision:
        began = time.monotonic()
        limit = self._limited(limit)
        plies_left = state.game.plies_left(state.position, state.ply)
        seconds = budget(limit, plies_left, state.game.deepening, self._lag.seconds, sees_end=self._selective is None)
        hard, share = seconds.hard, seconds.share()
        forced = len(state.legal) == 1 and seconds.hard is not None
        deepest = 1 if forced else MAX_DEPTH
        decision = None
        endgame = None if forced else self._endgame
        if endgame is not None and (endgame.covers is None or endgame.covers(state.position)):
            exact, seconds = endgame.decide(state, limit, seconds, every_move=False)
            decision = None if exact is None else _exact_decision(state, exact)
        if decision is None:
            decision = self._think(state, limit, seconds, every_move=False, deepest=deepest)
            if not forced and self._selective_to_the_end(state, decision):
                most = hard if share is None else share
                decision = self._proven_win(state, limit, decision, began, most) or decision
        if hard is not None:
            self._lag.observe(time.monotonic() - began - hard)
        return decision

    def analyse(self, state: State, limit: Limit) -> Decision:
        """Like `choose`, with the value of every move."""
        limit = self._limited(limit)
        seconds = budget(limit, plies_left=1.0)
        endgame = self._endgame
        if endgame is not None and (endgame.covers is None or endgame.covers(state.position)):
            exact, seconds = endgame.decide(state, limit, seconds, every_move=True)
            if exact is not None:
                return _exact_decision(state, exact)
        return self._think(state, limit, seconds, every_move=True, deepest=MAX_DEPTH)

    def _selective_to_the_end(self, state: State, decision: Decision) -> bool:
        """Whether a search with forward pruning has gone to the end of the game, so that no deeper one follows."""
        if self._endgame is None or self._selective is None or decision.depth is None:
            return False
        return self._selective.reaches_end(state.position, decision.depth)

    def _proven_win(
        self, state: State, limit: Limit, decision: Decision, began: float, most: float | None
    ) -> Decision | None:
        """A proven win, searched for with the remaining nodes of the search, or the rest of `most` seconds."""
        assert self._endgame is not None
        nodes = None if limit.nodes is None else max(limit.nodes - (decision.nodes or 0), 0)
        left = None if most is None else max(most - (time.monotonic() - began), 0.0)
        if nodes == 0 or left == 0.0 or (nodes is None and left is None):
            return None
        found = self._endgame.finish(state, replace(limit, nodes=nodes), Budget(hard=left))
        if found is None:
            return None
        return _exact_decision(state, replace(found, nodes=found.nodes + (decision.nodes or 0)))

    def _limited(self, limit: Limit) -> Limit:
        """The effective limit; DEFAULT_DEPTH if there is none."""
        limit = limit if self.limit == NO_LIMIT else self.bound(limit)
        bounds = limit.time, limit.clock, limit.depth, limit.nodes
        return limit if any(bound is not None for bound in bounds) else Limit(depth=DEFAULT_DEPTH)

    def _think(self, state: State, limit: Limit, seconds: Budget, *, every_move: bool, deepest: int) -> Decision:
        searcher, last = self._searcher, None
        nodes = 0
        searcher.begin(limit.nodes)
        if state.game.repetition and isinstance(searcher, Searcher):
            searcher.set_history(state.history)
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
        game, position = state.game, state.position
        pairs = self._searcher.line(state.position, state.roll, best.move, iteration.depth)
        for number, (event, move) in enumerate(pairs):
            if number > 0 and game.has_chance and event != NOT_ROLLED:
                line.append(game.format_event(position, event))
                position = game.resolve_position(position, event)
            line.append(game.format_move(position, move))
            position = game.play_position(position, move)
        return Decision(best.move, best.value, iteration.depth, nodes, None, tuple(line), reports)


def exact_endgame(game: Game, threads: int) -> ExactEndgame | None:
    """The exact endgame of a game; None if it has none."""
    knowledge = knowledge_of(game)
    if knowledge.endgame is not None:
        return knowledge.endgame(game, threads)
    table = exact_table(game)
    return None if table is None else TableEndgame(table)


def _exact_decision(state: State, exact: ExactMove) -> Decision:
    reports = tuple(MoveReport(move, value, proven=exact.proven) for move, value in exact.moves.items())
    names, position = [], state.position
    for move in exact.line:
        names.append(state.game.format_move(position, move))
        position = state.game.play_position(position, move)
    return Decision(exact.move, exact.value, exact.depth, exact.nodes, None, tuple(names), reports)


def _selective_search(game: Game, evaluation: Evaluation) -> Callable[[float, int], SelectiveSearcher] | None:
    """The constructor of the game's selective search on an evaluation; None if there is none."""
    selective = knowledge_of(game).selective_search
    return selective(game, evaluation) if selective else None


def own_limit(options: Options) -> Limit:
    """The limit per move that the options set."""
    return Limit(time=options.time, depth=options.depth, nodes=options.nodes)


def check(game: Game, options: Options) -> None:
    """Raise GameError if the game lacks the evaluation or it does not suit the other options."""
    evaluation = load_evaluation(game, None if options.eval == "default" else options.eval)
    if options.raw and not evaluation.point:
        raise GameError(f"raw: expected an evaluation in raw points, got {evaluation.name}")
    if options.filter and (not game.has_chance or game.repetition):
        raise GameError(f"filter: expected a game with chance events and without repetitions, got {game.name}")
    if options.filter and options.probcut:
        raise GameError("filter: cannot be combined with probcut")
    if options.probcut and options.eval != "default" and _selective_search(game, evaluation) is None:
        raise GameError(f"probcut: {game.name} has no selective search on the evaluation {evaluation.name}")


def make(game: Game, options: Options, name: str) -> NegascoutPlayer:
    """A NegaScout player."""
    return NegascoutPlayer(game, options, name)
