"""Monte-Carlo tree search: settings, the search with its memory between moves, and what it found.

    search = MonteCarlo(game, Settings(rule="ucb-variance", leaf=20))
    result = search.run(position, roll, simulations=100_000)

Values are the mover's expected result in [−1, 1].
"""

import math
import threading
import time

import numpy

from starscout.bits import Word, random_word
from starscout.game import NOT_ROLLED, Game, GameError, Position, new_row
from starscout.search.clock import RAISED, new_flag, stop_after
from starscout.search.mcts_loop import DEEPEST, LAST_NODE, NEXT_NODE, PLAYOUTS, SIMULATIONS, build_loop
from starscout.search.mcts_report import (
    Branch,
    Result,
    children,
    merged_branch,
    most_valued,
    most_visited,
    principal_line,
)
from starscout.search.mcts_settings import Settings
from starscout.search.mcts_tree import MOST_BRANCHES, ROOT, Tree, copy_subtree, is_proven, make_node, memory, new_tree
from starscout.search.playout import NOTHING, STAMPS, Knowledge

UNLIMITED = 1 << 62
_SHARES = (10 / 15, 11 / 15, 12 / 15, 13 / 15, 14 / 15, 1.0)
"""The robust maximum looks after two thirds of the limit, and then at equal steps until its end."""


class MonteCarlo:
    """A search that remembers its tree between the moves of a game. Not shared by threads."""

    def __init__(self, game: Game, settings: Settings, knowledge: Knowledge = NOTHING) -> None:
        if max(game.faces, game.max_moves) > MOST_BRANCHES:
            raise GameError(f"Monte-Carlo search has room for {MOST_BRANCHES:,} moves or faces, {game.name} has more")
        self.game = game
        self.settings = settings
        self._loop = build_loop(game, settings.playout, knowledge, settings.fastmath)
        self._rules = settings.rules()
        shared = settings.scheme == "tree"
        self._gardens = [_Garden(settings) for _ in range(1 if shared else settings.threads)]
        self._workers = [_Worker(game, self._gardens[0 if shared else n]) for n in range(settings.threads)]
        self._root: tuple[Position, int] | None = None
        self._chosen: int | None = None
        self.reset(0)

    @property
    def memory(self) -> int:
        """The bytes that all trees can fill, the second ones included that reuse copies into."""
        return sum(memory(garden.tree) for garden in self._gardens) * (2 if self.settings.reuse else 1)

    @property
    def trees(self) -> tuple[Tree, ...]:
        """The tree that all threads share, or one a thread, each with the root of the last search."""
        return tuple(garden.tree for garden in self._gardens)

    @property
    def root(self) -> tuple[Position, int]:
        """The position and the roll that were searched last."""
        if self._root is None:
            raise GameError("nothing has been searched yet")
        return self._root

    def reset(self, seed: int) -> None:
        """Forget the tree and start the random numbers of `seed`."""
        self._root = None
        for number, worker in enumerate(self._workers):
            worker.seed = Word(random_word(Word(seed), Word(number)))
            worker.progress[:] = 0

    def warm(self) -> None:
        """Compile or load all that searches call, before any clock runs; forgets the tree."""
        game = self.game
        position = game.start_position(0)
        move = self.choose(self.run(position, 1, simulations=1)).move
        game.legal(game.play_position(position, move), 1)
        if self.settings.reuse:
            for garden in self._gardens:
                garden.keep(ROOT)
        self._root = None

    def run(
        self, position: Position, roll: int, simulations: int | None = None, seconds: float | None = None
    ) -> Result:
        """Search a position that is not over; a roll of 0 stands for one that is not rolled yet.

        It ends after so many simulations or seconds, whichever comes first, or when the value is proven. The seconds
        count from the call: keeping a large part of the last tree takes some of them.
        """
        began = time.monotonic()
        if simulations is None and seconds is None:
            raise GameError("a Monte-Carlo search needs a limit: simulations or time")
        self._plant(position, roll)
        for worker in self._workers:
            # One iteration whatever the time: the root has its children then, and there is something to choose.
            worker.flag[0] = 0
            self._work(worker, position, roll, 1)
        for share in _SHARES if self.settings.choose == "robust" else (1.0,):
            self._run_stage(
                position,
                roll,
                UNLIMITED if simulations is None else math.ceil(simulations * share),
                None if seconds is None else began + seconds * share - time.monotonic(),
            )
            if self._is_settled(roll):
                break
        self._root = position, roll
        self._chosen = None
        return self._result(roll)

    def _is_settled(self, roll: int) -> bool:
        """Whether the root is proven or the most visited move has the best value too."""
        result = self._result(roll)
        return result.proven or most_visited(result.branches) is most_valued(result.branches)

    def choose(self, result: Result) -> Branch:
        """The final choice among the moves of a decision node."""
        guaranteed = max(branch.lower for branch in result.branches)
        able = [branch for branch in result.branches if branch.upper >= guaranteed]
        if result.proven:
            able = [branch for branch in able if branch.lower == guaranteed]
        chosen = most_valued(able) if self.settings.choose == "value" else most_visited(able)
        self._chosen = chosen.move
        return chosen

    def _run_stage(self, position: Position, roll: int, simulations: int, seconds: float | None) -> None:
        flags = [worker.flag for worker in self._workers]
        for flag in flags:
            flag[0] = 0
        with stop_after(seconds, *flags):
            if len(self._workers) == 1:
                self._work(self._workers[0], position, roll, simulations)
                return
            share = -(-simulations // len(self._workers))
            threads = [
                threading.Thread(target=self._work, args=(worker, position, roll, share)) for worker in self._workers
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

    def _work(self, worker: "_Worker", position: Position, roll: int, simulations: int) -> None:
        self._loop(
            worker.garden.tree, worker.progress, worker.path, worker.instead, position, roll, self._rules, worker.seed,
            worker.stamps, worker.row, simulations, worker.flag,
        )  # fmt: skip
        if is_proven(worker.garden.tree, ROOT):
            # One proof is enough: the other threads need not find it again.
            for other in self._workers:
                other.flag[0] = RAISED

    def _plant(self, position: Position, roll: int) -> None:
        """Make the position the root of every tree, with what is already known about it."""
        for garden in self._gardens:
            node = self._find(garden.tree, position, roll) if self.settings.reuse else None
            if node is None:
                make_node(garden.tree, ROOT, 0, 1, -1.0, 1.0)
                garden.nodes = 1
            elif node != ROOT:
                garden.nodes = garden.keep(node)
            else:
                garden.nodes = max(
                    int(worker.progress[NEXT_NODE]) for worker in self._workers if worker.garden is garden
                )
            self._divide(garden)
        for worker in self._workers:
            for field in (SIMULATIONS, PLAYOUTS, DEEPEST):
                worker.progress[field] = 0
            worker.stamps[:] = 0

    def _divide(self, garden: "_Garden") -> None:
        """Give each thread of a tree its part of the nodes that are free."""
        workers = [worker for worker in self._workers if worker.garden is garden]
        free = self.settings.nodes - garden.nodes
        for number, worker in enumerate(workers):
            worker.progress[NEXT_NODE] = garden.nodes + free * number // len(workers)
            worker.progress[LAST_NODE] = garden.nodes + free * (number + 1) // len(workers)
            worker.first_node = int(worker.progress[NEXT_NODE])

    def _find(self, tree: Tree, position: Position, roll: int) -> int | None:
        """The node of a position that the game reached since the last search: the root, or two plies on."""
        if self._root is None:
            return None
        if (position, roll) == self._root:
            return ROOT
        after, known_roll = self._root
        node = ROOT if known_roll != NOT_ROLLED else None
        if node is None or self._chosen is None:
            return None
        node = next((child for child in children(tree, node) if tree.move[child] == self._chosen), None)
        if node is None:
            return None
        after = self.game.play_position(after, self._chosen)
        answers = [node] if not self.game.has_dice else children(tree, node)
        for answer in answers:
            for child in children(tree, answer):
                if self.game.play_position(after, int(tree.move[child])) == position:
                    return self._rolled(tree, child, position, roll)
        return None

    def _rolled(self, tree: Tree, node: int, position: Position, roll: int) -> int | None:
        """The child of a chance node that stands for `roll`; the node itself if there are no dice."""
        if not self.game.has_dice or roll == NOT_ROLLED:
            return node
        legal = self.game.legal(position, roll)
        groups = children(tree, node)
        return next((child for child in groups if self.game.legal(position, int(tree.move[child])) == legal), None)

    def _result(self, roll: int) -> Result:
        trees = self.trees
        rows = [children(tree, ROOT) for tree in trees]
        # Below a chance node the mover stays the same.
        sign = 1 if self.game.has_dice and roll == NOT_ROLLED else -1
        root = merged_branch(trees, [ROOT] * len(trees), 1)
        return Result(
            value=root.value,
            proven=root.lower == root.upper,
            branches=tuple(merged_branch(trees, nodes, sign) for nodes in zip(*rows, strict=True)),
            simulations=sum(int(worker.progress[SIMULATIONS]) for worker in self._workers),
            playouts=sum(int(worker.progress[PLAYOUTS]) for worker in self._workers),
            nodes=sum(garden.nodes for garden in self._gardens) + sum(worker.made for worker in self._workers),
            depth=max(int(worker.progress[DEEPEST]) for worker in self._workers),
            line=principal_line(trees[0]),
        )


class _Garden:
    """A tree and a second one to copy into."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.tree = self._new_tree()
        self._spare: Tree | None = None
        self.nodes = 1
        """How many nodes there were when the search began."""

    def _new_tree(self) -> Tree:
        settings = self._settings
        precision = numpy.float32 if settings.precision == 32 else numpy.float64
        return new_tree(settings.nodes, precision, settings.prune == "deviation", settings.rule == "rave")

    def keep(self, node: int) -> int:
        """Make `node` the root and drop everything that is not below it; returns the number of nodes left."""
        target = self._spare or self._new_tree()
        nodes = int(copy_subtree(self.tree, node, target))
        target.pruned[ROOT] = 0
        self.tree, self._spare = target, self.tree
        return nodes


class _Worker:
    """What one thread needs: a tree to work on, and the arrays that the loop writes."""

    def __init__(self, game: Game, garden: _Garden) -> None:
        self.garden = garden
        self.progress = numpy.zeros(6, numpy.int64)
        self.first_node = 1
        self.path = numpy.zeros(2 * game.max_plies + 3, numpy.int64)
        self.instead = numpy.zeros(2 * game.max_plies + 3)
        self.stamps = numpy.zeros((2, STAMPS), numpy.int64)
        self.row = new_row(game)
        self.flag = new_flag()
        self.seed = Word(0)

    @property
    def made(self) -> int:
        """The nodes that this thread has made in this search."""
        return int(self.progress[NEXT_NODE]) - self.first_node
