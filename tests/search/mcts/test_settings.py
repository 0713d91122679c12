"""MCTS settings: validation, and the numbers passed to the loop."""

from typing import Any

import pytest

from starscout.search.mcts import Settings
from starscout.search.mcts.settings import FAR, SHARED_BURST


@pytest.mark.parametrize(
    ("field", "value"),
    [("rule", "ucbv"), ("leaf", 0), ("c", -1.0), ("precision", 16), ("total", 100), ("nodes", 10), ("k", 0.0)],
)
def test_invalid_settings_are_rejected_by_name(field: str, value: Any) -> None:
    with pytest.raises(ValueError, match=field):
        Settings(**{field: value})


def test_zero_stands_for_no_limit() -> None:
    rules = Settings(depth=0, cutoff=0).rules()
    assert (rules.depth, rules.longest) == (FAR, FAR)


def test_a_total_also_weighs_exact_values() -> None:
    assert Settings(expand="all", total=700).rules().leaf == 700
    assert Settings(leaf=20).rules().leaf == 20


@pytest.mark.parametrize(("threads", "scheme", "burst"), [(1, "tree", 1), (2, "root", 1), (2, "tree", SHARED_BURST)])
def test_only_threads_that_share_a_tree_search_in_bursts_by_default(threads: int, scheme: str, burst: int) -> None:
    assert Settings(threads=threads, scheme=scheme).rules().burst == burst
    assert Settings(threads=threads, scheme=scheme, burst=3).rules().burst == 3
