"""Monte-Carlo tree search that keeps its tree between the moves of a game.

    search = MctsSearch(game, Settings(rule="ucb-variance", leaf=20))
    result = search.run(position, roll, simulations=100_000)

Values are the mover's expected result in [−1, 1].
"""

import dataclasses
import math
import threading
import time
from collections.abc import Sequence

import numpy

from starscout.game import NOT_ROLLED, ONGOING, Game, GameError, Position
from starscout.game.chance import ONLY_EVENT
from starscout.kernels.bits import Word, random_word
from starscout.search.mcts.loop import (
    DEEPEST,
    EARLIER,
    LAST_NODE,
    NEXT_NODE,
    PLAYOUTS,
    SIMULATIONS,
    Workspace,
    build_loop,
    new_workspace,
)
from starscout.search.mcts.playout import NO_KNOWLEDGE, MctsKnowledge
from starscout.search.mcts.pruning import Rules
from starscout.search.mcts.result import (
    RootBranch,
    TreeResult,
    children,
    final_choice,
    merged_branch,
    most_visited,
    principal_line,
)
from starscout.search.mcts.selection import RULES, rules_compiled_with
from starscout.search.mcts.settings import Settings
from starscout.search.mcts.tree import (
    ROOT,
    Tree,
    copy_subtree,
    is_proven,
    make_node,
    new_tree,
    tree_bytes,
)
from starscout.search.time_control import RAISED, stop_after

UNLIMITED = 1 << 62
MOST_ANSWERS = 4096
"""Maximum number of nodes below the chosen move that are searched for the next position."""
_SHARES = (10 / 15, 11 / 15, 12 / 15, 13 / 15, 14 / 15, 1.0)
"""When the robust maximum is checked, in shares of the limit: after two thirds, then in equal steps to the end."""


class MctsSearch:
    """A search that keeps its tree between the moves of a game. Not shared by threads."""

    def __init__(self, game: Game, settings: Settings, knowledge: MctsKnowledge = NO_KNOWLEDGE) -> None:
        self.game = game
        if knowledge.prior is not None and not RULES[settings.rule].prior:
            settings = dataclasses.replace(settings, rule="puct")
        self.settings = settings
        registered = rules_compiled_with(settings.rule)
        self._loop = build_loop(game, settings.playout, knowledge, registered, settings.fastmath)
        rules = settings.rules(leaf_share=knowledge.leaf_share)
        # Limit lines and playouts to the maximum length of a game: with cycles they could be longer.
        depth, longest = min(rules.depth, game.max_depth), min(rules.longest, game.max_depth)
        self._rules = rules._replace(depth=depth, longest=longest)
        self._weights = knowledge.weights
        shared = settings.scheme == "tree"
        self._kept = [_KeptTree(settings, self._rules, knowledge) for _ in range(1 if shared else settings.threads)]
        self._threads = [_ThreadMemory(game, self._kept[0 if shared else n]) for n in range(settings.threads)]
        self._root: tuple[Position, int] | None = None
        self._history: tuple[Position, ...] = ()
        self._chosen: int | None = None
        self.reset(0)

    @property
    def memory(self) -> int:
        """The bytes that all trees can fill, including the spare trees that `reuse` copies into."""
        return sum(tree_bytes(kept.tree) for kept in self._kept) * (2 if self.settings.reuse else 1)

    @property
    def trees(self) -> tuple[Tree, ...]:
        """The tree that all threads share, or one per thread, each with the root of the last search."""
        return tuple(kept.tree for kept in self._kept)

    @property
    def root(self) -> tuple[Position, int]:
        """The position and the roll of the last search."""
        if self._root is None:
            raise GameError("no position has been searched yet")
        return self._root

    def reset(self, seed: int) -> None:
        """Clear the tree and restart the random numbers from `seed`."""
        self._root, self._history = None, ()
        for number, thread in enumerate(self._threads):
            thread.work = thread.work._replace(seed=Word(random_word(Word(seed), Word(number))))
            thread.progress[:] = 0

    def warm(self) -> None:
        """Compile or load every kernel that a search calls, before any clock runs; clears the tree."""
        game = self.game
        position, roll = game.start_position(0), NOT_ROLLED if game.has_chance else ONLY_EVENT
        if game.has_chance and game.events(position) > 0:
            event = next(iter(game.event_weights(position)))
            position, roll = game.resolve_position(position, event), NOT_ROLLED if game.resolves else event
        if game.outcome(position) == ONGOING:
            move = self.choose(self.run(position, roll, simulations=1)).move
            game.legal(game.play_position(position, move), roll)
        if self.settings.reuse:
            for kept in self._kept:
                kept.keep(ROOT)
        self._root = None

    def run(
        self,
        position: Position,
        roll: int,
        simulations: int | None = None,
        seconds: float | None = None,
        history: Sequence[Position] = (),
    ) -> TreeResult:
        """Search a position that is not over; a roll of 0 means that its event is not drawn yet, or that it has none.

        `history` are the earlier positions of the game, for a repetition rule. The search ends after `simulations` or
        `seconds`, whichever comes first, or when the value is proven. The seconds count from the call and include the
        time to keep a part of the last tree.
        """
        began = time.monotonic()
        if simulations is None and seconds is None:
            raise GameError("Monte-Carlo search: expected a limit, simulations or time")
        self._set_root(position, roll, tuple(history) if self.game.repetition else ())
        for thread in self._threads:
            # One iteration even when the time is up: the root gets its children, so there is a move to choose.
            thread.flag[0] = 0
            self._run_thread(thread, position, roll, 1)
        for share in _SHARES if self.settings.choose == "robust" else (1.0,):
            self._run_stage(
                position,
                roll,
                UNLIMITED if simulations is None else math.ceil(simulations * share),
                None if seconds is None else began + seconds * share - time.monotonic(),
            )
            if share < 1.0 and self._is_settled():
                break
        self._root = position, roll
        self._chosen = None
        return self._result()

    def _is_settled(self) -> bool:
        """Whether the root is proven or the choice by visits is also the choice by value."""
        root, branches = self._branches()
        return root.proven or final_choice(branches, False, True) is final_choice(branches, False, False)

    def choose(self, result: TreeResult) -> RootBranch:
        """The final choice among the moves of a decision node."""
        chosen = final_choice(result.branches, result.proven, self.settings.choose == "value")
        self._chosen = chosen.move
        return chosen

    def _run_stage(self, position: Position, roll: int, simulations: int, seconds: float | None) -> None:
        """Search with all threads until they count `simulations` together or the time is up."""
        flags = [thread.flag for thread in self._threads]
        for flag in flags:
            flag[0] = 0
        with stop_after(seconds, *flags):
            if len(self._threads) == 1:
                self._run_thread(self._threads[0], position, roll, simulations)
                return
            share = -(-simulations // len(self._threads))
            running = [
                threading.Thread(target=self._run_thread, args=(thread, position, roll, share))
                for thread in self._threads
            ]
            for thread in running:
                thread.start()
            for thread in running:
                thread.join()

    def _run_thread(self, thread: "_ThreadMemory", position: Position, roll: int, simulations: int) -> None:
        self._loop(thread.kept.tree, thread.work, position, roll, self._rules, self._weights, simulations)
        if is_proven(thread.kept.tree, ROOT):
            # One proof is enough: stop the other threads.
            for other in self._threads:
                other.flag[0] = RAISED

    def _set_root(self, position: Position, roll: int, history: tuple[Position, ...]) -> None:
        """Make the position the root of every tree and keep its subtree."""
        reused = self.settings.reuse and history[: len(self._history)] == self._history
        for kept in self._kept:
            node = self._find(kept.tree, position, roll, history) if reused else None
            if node is None:
                make_node(kept.tree, ROOT, 0, 1, -1.0, 1.0)
                kept.nodes = 1
            elif node != ROOT:
                kept.nodes = kept.keep(node)
            else:
                kept.nodes = max(int(thread.progress[NEXT_NODE]) for thread in self._threads if thread.kept is kept)
            self._divide(kept)
        for thread in self._threads:
            for field in (SIMULATIONS, PLAYOUTS, DEEPEST):
                thread.progress[field] = 0
            thread.work.stamps[:] = 0
            thread.progress[EARLIER] = 0
            # Keep as many positions as fit besides the keys of the deepest path.
            for earlier in history[-self.game.max_plies :]:
                thread.work.keys[thread.progress[EARLIER]] = self.game.repetition_key(earlier)
                thread.progress[EARLIER] += 1
        self._history = history

    def _divide(self, kept: "_KeptTree") -> None:
        """Divide the free nodes of a tree among its threads."""
        threads = [thread for thread in self._threads if thread.kept is kept]
        free = self.settings.nodes - kept.nodes
        for number, thread in enumerate(threads):
            thread.progress[NEXT_NODE] = kept.nodes + free * number // len(threads)
            thread.progress[LAST_NODE] = kept.nodes + free * (number + 1) // len(threads)
            thread.first_node = int(thread.progress[NEXT_NODE])

    def _find(self, tree: Tree, position: Position, roll: int, history: tuple[Position, ...]) -> int | None:
        """The node of a position that the game has reached since the last search.

        It is the root or the next decision of its mover, with the event of that decision or before it.
        """
        if self._root is None:
            return None
        before = self._root[0]
        new_moves = len(history) - len(self._history)
        if (position, roll) == self._root and new_moves == 0:
            return ROOT
        if tree.chance[ROOT] != 0 or self._chosen is None:
            return None
        chosen = next((child for child in children(tree, ROOT) if tree.move[child] == self._chosen), None)
        if chosen is None:
            return None
        game = self.game
        # Nodes after the chosen move and answers of the other side, with the number of moves since the root.
        pending = [(chosen, game.play_position(before, self._chosen), 1)]
        for node, here, moves in pending:
            # The number of moves before the position equals the number of positions added to the history.
            if here == position and (not game.repetition or moves == new_moves):
                return self._rolled(tree, node, position, roll)
            if tree.chance[node] != 0:
                for child in children(tree, node):
                    event = int(tree.move[child])
                    pending.append((child, game.resolve_position(here, event), moves))
            elif here.mover != before.mover and len(pending) < MOST_ANSWERS:
                for child in children(tree, node):
                    pending.append((child, game.play_position(here, int(tree.move[child])), moves + 1))
        return None

    def _rolled(self, tree: Tree, node: int, position: Position, roll: int) -> int | None:
        """The child of a chance node whose group includes `roll`; the node itself if no event is to be drawn."""
        if tree.chance[node] == 0 or roll == NOT_ROLLED:
            return node
        legal = self.game.legal(position, roll)
        groups = children(tree, node)
        return next((child for child in groups if self.game.legal(position, int(tree.move[child])) == legal), None)

    def _branches(self) -> tuple[RootBranch, tuple[RootBranch, ...]]:
        """The root and its branches, merged over all trees."""
        trees = self.trees
        rows = [children(tree, ROOT) for tree in trees]
        branches = tuple(merged_branch(trees, nodes, int(trees[0].sign[nodes[0]])) for nodes in zip(*rows, strict=True))
        return merged_branch(trees, [ROOT] * len(trees), 1), branches

    def _result(self) -> TreeResult:
        root, branches = self._branches()
        decision = self.trees[0].chance[ROOT] == 0
        by_value = self.settings.choose == "value"
        first = final_choice(branches, root.proven, by_value) if decision else most_visited(branches)
        first_node = children(self.trees[0], ROOT)[branches.index(first)]
        return TreeResult(
            value=root.value,
            proven=root.proven,
            branches=branches,
            simulations=sum(int(thread.progress[SIMULATIONS]) for thread in self._threads),
            playouts=sum(int(thread.progress[PLAYOUTS]) for thread in self._threads),
            nodes=sum(kept.nodes for kept in self._kept) + sum(thread.made for thread in self._threads),
            depth=max(int(thread.progress[DEEPEST]) for thread in self._threads),
            line=principal_line(self.trees[0], first_node),
        )


class _KeptTree:
    """A tree, and a spare tree that receives the part kept for the next search."""

    def __init__(self, settings: Settings, rules: Rules, knowledge: MctsKnowledge) -> None:
        precision = numpy.float32 if settings.precision == 32 else numpy.float64
        scored = settings.prune == "deviation"
        self._new_tree = lambda: new_tree(settings.nodes, precision, scored, rules.amaf, knowledge.prior is not None)
        self.tree = self._new_tree()
        self._spare: Tree | None = None
        self.nodes = 1
        """The number of nodes when the search began."""

    def keep(self, node: int) -> int:
        """Make `node` the root and drop everything that is not below it; returns the number of nodes left."""
        target = self._spare or self._new_tree()
        nodes = int(copy_subtree(self.tree, node, target))
        target.pruned[ROOT] = 0
        self.tree, self._spare = target, self.tree
        return nodes


class _ThreadMemory:
    """A thread's tree and workspace."""

    def __init__(self, game: Game, kept: _KeptTree) -> None:
        self.kept = kept
        self.work: Workspace = new_workspace(game)
        self.first_node = 1

    @property
    def progress(self) -> numpy.ndarray:
        """The counters of the loop."""
        return self.work.progress

    @property
    def flag(self) -> numpy.ndarray:
        """The stop flag."""
        return self.work.flag

    @property
    def made(self) -> int:
        """The nodes that this thread has made in this search."""
        return int(self.progress[NEXT_NODE]) - self.first_node
