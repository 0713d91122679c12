"""The settings of a Monte-Carlo search: which rules plug into its loop, and their numbers."""

from dataclasses import dataclass
from typing import Annotated

from starscout.search.mcts.playout import POLICIES
from starscout.search.mcts.pruning import PRUNINGS, Rules
from starscout.search.mcts.selection import RULES, SCHEDULES, rules_compiled_with
from starscout.search.mcts.tree import MOST_NODES
from starscout.settings.arguments import argument, check_fields
from starscout.settings.schema import Setting

FAR = 1 << 30
"""More plies than any game has."""

SHARED_BURST = 16
LEAST_NODES = 1000

Count = Annotated[int, Setting(low=1)]
NotNegative = Annotated[float, Setting(low=0.0)]


@dataclass(frozen=True)
class Settings:
    """All settings of a Monte-Carlo search except its limit. Bad values raise ValueError."""

    rule: str = "ucb"
    """Selection: a name in RULES: ucb, ucb-variance, ucb-variance-scaled, rave, greedy or puct."""
    c: NotNegative = 1.18
    """Weight of exploration in the selection rule."""
    c1: NotNegative = 2**0.5
    """Variance rules: weight of the uncertainty of the variance."""
    c2: NotNegative = 0.25
    """Variance rules: the largest variance; 1/4 is the most that results in [0, 1] can have."""
    fpu: float = 1e9
    """First-play urgency: the score of a child without visits. The default tries every child first."""
    schedule: Annotated[str, Setting(choices=tuple(SCHEDULES))] = "linear"
    """RAVE: how the all-moves-as-first mean fades: linear, hand or error."""
    k: float = 10_000.0
    """RAVE: how slowly it fades."""
    factor: NotNegative = 1.0
    """The score of first-class moves is multiplied by this."""
    prune: Annotated[str, Setting(choices=tuple(PRUNINGS))] = "none"
    """Progressive pruning: none, visits or deviation."""
    period: Count = 1000
    """Pruning is considered each time the visits of a node pass a multiple of this."""
    rd: NotNegative = 1.0
    """Pruning by deviation: half-width of the interval, in deviations."""
    sigma: NotNegative = 2.0
    """Pruning by deviation: only children with a smaller deviation are compared."""
    trials: Count = 100
    """Pruning by deviation: only children with at least this many visits are compared."""
    score: Annotated[str, Setting(choices=("plies", "result"))] = "plies"
    """Pruning by deviation: the score of a playout, its result ÷ √plies (plies) or its result (result)."""
    leaf: Count = 1
    """Playouts from a leaf."""
    total: int = 0
    """With expand=all: playouts to split among the children, first-class moves get double; 0: `leaf` for each."""
    expand: Annotated[str, Setting(choices=("one", "all"))] = "one"
    """Where the playouts of a new leaf start: from one of its children or from all."""
    threshold: Count = 1
    """Visits after which a leaf gets children."""
    depth: int = 0
    """The largest depth of the tree in plies: 1 is flat, 0 is unlimited."""
    playout: str = "uniform"
    """Policy: uniform, decisive, classes or weighted."""
    cutoff: int = 0
    """Plies after which the evaluation ends a playout; 0 = never."""
    chance: Annotated[str, Setting(choices=("sampled", "enumerated"))] = "sampled"
    """Rolls in the tree: sampled, or enumerated by weight."""
    choose: Annotated[str, Setting(choices=("visits", "value", "robust"))] = "visits"
    """The final choice: visits, value or robust (the maximum of both; it searches longer until they agree)."""
    nodes: Annotated[int, Setting(low=LEAST_NODES, high=MOST_NODES)] = 2_000_000
    """The largest number of nodes in a tree."""
    threads: Annotated[int, Setting(low=1)] = 1
    """Number of threads that search."""
    scheme: Annotated[str, Setting(choices=("tree", "root"))] = "tree"
    """Parallelisation: one shared tree (tree), or one tree per thread whose roots are merged (root)."""
    burst: int = 0
    """Iterations per burst; 1 = each starts at the root; 0 = 16 for threads that share a tree, else 1."""
    precision: Annotated[int, Setting(choices=(32, 64))] = 64
    """Bits of the statistics: 32 or 64."""
    fastmath: bool = False
    """Let the compiler reorder the floating-point operations of the selection rule."""
    reuse: bool = True
    """Keep the part of the tree that the game has reached."""

    def __post_init__(self) -> None:
        check_fields(self)
        # Users may add rules and policies.
        for name, known in (("rule", RULES), ("playout", POLICIES)):
            argument(name, getattr(self, name), Annotated[str, Setting(choices=tuple(known))])
        if self.k <= 0:
            raise ValueError(f"k: expected a positive number, got {self.k}")
        if self.nodes < LEAST_NODES * self.threads:
            raise ValueError(f"nodes: expected at least {LEAST_NODES} per thread, got {self.nodes} for {self.threads}")
        if self.total and self.expand != "all":
            raise ValueError("total: only with expand=all, because it is split among all children")

    def rules(self, *, leaf_share: float = 1.0) -> Rules:
        """The numbers that the loop reads."""
        rule = RULES[self.rule]
        return Rules(
            rule=rules_compiled_with(self.rule).index(rule),
            amaf=rule.amaf,
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
            by_plies=self.score == "plies",
            leaf=self.total or self.leaf,
            total=self.total,
            all_children=self.expand == "all",
            threshold=self.threshold,
            depth=self.depth or FAR,
            longest=self.cutoff or FAR,
            enumerate_rolls=self.chance == "enumerated",
            burst=self.burst or (SHARED_BURST if self.threads > 1 and self.scheme == "tree" else 1),
            leaf_share=leaf_share,
        )
