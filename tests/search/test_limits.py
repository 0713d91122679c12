"""Search limits as text."""

from starscout.search.limits import Limit


def test_limit_as_text() -> None:
    assert str(Limit(time=0.1, depth=8)) == "0.1 s per move, 8 plies"
    assert str(Limit(clock=60.0, depth=1, nodes=1_000_000, simulations=1)) == (
        "60 s per game, 1 ply, 1000000 nodes, 1 simulation"
    )
    assert str(Limit()) == ""
