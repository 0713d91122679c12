"""The settings of a Monte-Carlo search: which rules are plugged into its loop, and their numbers."""

import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from starscout.search.mcts_loop import Rules
from starscout.search.mcts_tree import MOST_NODES
from starscout.search.playout import POLICIES
from starscout.search.pruning import PRUNINGS
from starscout.search.selection import RULES, SCHEDULES

FAR = 1 << 30
"""More plies than any game has."""

SHARED_BURST = 16


@dataclass(frozen=True)
class Settings:
    """Everything about a Monte-Carlo search but its limit. Bad values raise ValueError."""

    rule: str = "ucb"
    """Selection: ucb, ucb-variance, ucb-variance-scaled, rave or greedy."""
    c: float = 1.18
    c1: float = math.sqrt(2)
    c2: float = 0.25
    fpu: float = 1e9
    """First-play urgency: the score of a child without visits. The default tries every child first."""
    schedule: str = "linear"
    """RAVE: how the all-moves-as-first mean fades: linear, hand or error."""
    k: float = 10_000.0
    """RAVE: how slowly it fades."""
    factor: float = 1.0
    """What the score of a first-class move is multiplied by."""
    prune: str = "none"
    """Progressive pruning: none, visits or deviation."""
    period: int = 1000
    """Pruning is considered each time a node's visits pass a multiple of this."""
    rd: float = 1.0
    sigma: float = 2.0
    trials: int = 100
    leaf: int = 1
    """Playouts from a leaf."""
    total: int = 0
    """With expand=all: playouts to split among the children, first-class moves get double; 0 = `leaf` each."""
    expand: str = "one"
    """What a new leaf's playouts start from: one of its children or all of them."""
    threshold: int = 1
    """A leaf gets children after so many visits."""
    depth: int = 0
    """Plies of the tree: 1 is flat, 0 is without limit."""
    playout: str = "uniform"
    """Policy: uniform, decisive, classes or weighted."""
    cutoff: int = 0
    """Plies after which the evaluation ends a playout; 0 = never."""
    chance: str = "sampled"
    """Rolls in the tree: sampled, or enumerated by weight."""
    choose: str = "visits"
    """The final choice: visits, value or robust (the maximum of both, for which it searches on)."""
    nodes: int = 2_000_000
    """The tree never has more."""
    threads: int = 1
    scheme: str = "tree"
    """What several threads share: one tree (tree), or nothing until the roots of theirs are merged (root)."""
    burst: int = 0
    """Iterations in a burst; 1 = each starts at the root; 0 = 16 for threads that share a tree, else 1."""
    precision: int = 64
    """Bits of the statistics: 32 or 64."""
    fastmath: bool = False
    reuse: bool = True
    """Keep the part of the tree that the game has reached."""

    def __post_init__(self) -> None:
        _one_of("rule", self.rule, RULES)
        _one_of("schedule", self.schedule, SCHEDULES)
        _one_of("prune", self.prune, PRUNINGS)
        _one_of("expand", self.expand, ("one", "all"))
        _one_of("playout", self.playout, POLICIES)
        _one_of("chance", self.chance, ("sampled", "enumerated"))
        _one_of("choose", self.choose, ("visits", "value", "robust"))
        _one_of("scheme", self.scheme, ("tree", "root"))
        _one_of("precision", self.precision, (32, 64))
        for name in ("leaf", "threshold", "period", "trials", "threads"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, not {getattr(self, name)}")
        for name in ("c", "c1", "c2", "factor", "rd", "sigma", "total", "depth", "cutoff", "burst"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} must not be negative, and {getattr(self, name)} is")
        if self.k <= 0:
            raise ValueError(f"k must be positive, not {self.k}")
        if not 1000 <= self.nodes <= MOST_NODES:
            raise ValueError(f"nodes must be between 1000 and {MOST_NODES}, not {self.nodes}")
        if self.nodes < 1000 * self.threads:
            raise ValueError(f"nodes must be at least 1000 a thread, not {self.nodes} for {self.threads}")
        if self.total and self.expand != "all":
            raise ValueError("total is split among all children: it needs expand=all")

    def rules(self) -> Rules:
        """The numbers that the loop reads."""
        return Rules(
            rule=RULES[self.rule],
            c=float(self.c),
            c1=float(self.c1),
            c2=float(self.c2),
            fpu=float(self.fpu),
            schedule=SCHEDULES[self.schedule],
            k=float(self.k),
            class_factor=float(self.factor),
            pruning=PRUNINGS[self.prune],
            period=self.period,
            rd=float(self.rd),
            sigma=float(self.sigma),
            trials=self.trials,
            # What is exact counts as much as what is played out.
            leaf=self.total or self.leaf,
            total=self.total,
            all_children=self.expand == "all",
            threshold=self.threshold,
            depth=self.depth or FAR,
            longest=self.cutoff or FAR,
            enumerate_rolls=self.chance == "enumerated",
            burst=self.burst or (SHARED_BURST if self.threads > 1 and self.scheme == "tree" else 1),
        )


def _one_of(name: str, value: Any, known: Collection[Any]) -> None:
    if value not in known:
        raise ValueError(f"{name}={value} is none of {', '.join(map(str, known))}")
