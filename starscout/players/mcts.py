"""`mcts`: Monte-Carlo tree search with the rules that its options name."""

import time
from dataclasses import dataclass
from typing import Any

from starscout.evaluation import load_evaluation, move_classes
from starscout.game import Game
from starscout.game.state import State, start
from starscout.players.player import Decision, MoveReport, Player, keep_loaded, warm_texts
from starscout.search.limits import Limit
from starscout.search.mcts import MctsSearch, Settings
from starscout.search.mcts.playout import MctsKnowledge, all_ordinary
from starscout.search.mcts.result import TreeResult, tree_as_dictionary
from starscout.search.time_control import Lag, budget
from starscout.settings.schema import Placement, Simulations, Time

DEFAULT_SIMULATIONS = 20_000


@dataclass(frozen=True)
class Options(Settings):
    """The settings of the search, and its own limits; without any limit it runs DEFAULT_SIMULATIONS."""

    simulations: Simulations | None = None
    time: Time | None = None
    eval: str = "default"
    """The evaluation of a playout that is cut off."""
    classes: str = "default"
    """How moves are sorted into classes: the game's own way, or another by its name."""
    placement: Placement = ""


class MctsPlayer(Player):
    """Keeps the tree of one game between its moves."""

    trusted = True

    def __init__(self, game: Game, options: Options, name: str) -> None:
        self.name = name
        self.search = MctsSearch(game, options, _knowledge(game, options))
        self.limit = own_limit(options)
        self._lag = Lag()
        self._warm = False

    def new_game(self, game: Game, seed: int) -> None:
        self.search.warm()
        if not self._warm:
            warm_texts(start(game))
            keep_loaded()
            self._warm = True
        self.search.reset(seed)

    def choose(self, state: State, limit: Limit) -> Decision:
        result = self._run(state, limit)
        chosen = self.search.choose(result)
        return Decision(
            chosen.move,
            value=chosen.value,
            depth=result.depth,
            nodes=result.nodes,
            simulations=result.simulations,
            line=_line(state, result),
            moves=tuple(
                MoveReport(
                    branch.move, branch.value, branch.visits, (branch.low, branch.high), branch.pruned or None,
                    branch.lower == branch.upper,
                )
                for branch in sorted(result.branches, key=lambda branch: -branch.visits)
            ),
        )  # fmt: skip

    def tree(self, depth: int) -> dict[str, Any]:
        """The tree of the last search down to `depth` plies, the first thread's if there are several."""
        position, roll = self.search.root
        return tree_as_dictionary(self.search.game, self.search.trees[0], position, roll, depth)

    def _run(self, state: State, limit: Limit) -> TreeResult:
        began = time.monotonic()
        limit = self.bound(limit)
        plies_left = state.game.plies_left(state.position, state.ply)
        planned = budget(limit, plies_left, state.game.deepening, self._lag.seconds)
        share = planned.share()
        seconds = planned.hard if share is None else share
        if seconds is not None and len(state.legal) == 1:
            # A forced move: one iteration saves the time.
            seconds = 0.0
        simulations = DEFAULT_SIMULATIONS if limit.simulations is None and seconds is None else limit.simulations
        result = self.search.run(state.position, state.roll, simulations, seconds, state.history)
        if seconds:
            self._lag.observe(time.monotonic() - began - seconds)
        return result


def own_limit(options: Options) -> Limit:
    """The limit that the options set for every move."""
    return Limit(time=options.time, simulations=options.simulations)


def check(game: Game, options: Options) -> None:
    """Raise GameError if the options name something that the game does not have."""
    _knowledge(game, options)


def make(game: Game, options: Options, name: str) -> MctsPlayer:
    """A Monte-Carlo player."""
    return MctsPlayer(game, options, name)


def _knowledge(game: Game, options: Options) -> MctsKnowledge:
    classify = move_classes(game, None if options.classes == "default" else options.classes) or all_ordinary
    if options.cutoff == 0:
        return MctsKnowledge(classify)
    evaluation = load_evaluation(game, None if options.eval == "default" else options.eval)
    return MctsKnowledge(classify, evaluation.kernels.evaluate, evaluation.weights)


def _line(state: State, result: TreeResult) -> tuple[str, ...]:
    """The principal variation as text, moves and events."""
    words = []
    for number in result.line:
        if state.needs_roll:
            words.append(state.game.format_event(state.position, number))
            state = state.rolled(number)
        else:
            words.append(state.game.format_move(state.position, number))
            state = state.play(number)
    return tuple(words)
