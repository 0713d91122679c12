"""Plain Python and bounds checking: the same numbers as the compiled kernels, and no index out of its range."""

import json
import os
import subprocess
import sys
import textwrap
from typing import Any

import pytest

from starscout.kernel import PLAIN

pytestmark = pytest.mark.skipif(PLAIN, reason="this is the mode that the others are compared with")

DEPTHS = {"ewn": 2, "ewn-3x3-3": 3, "ewn-cyclic": 3, "kari": 2, "othello": 4, "othello-4x4": 5}
GAMES = 5


def in_mode(script: str, **environment: str) -> Any:
    """What a script prints as JSON in a process with other settings of the compiler."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


MEASURE = f"""
    import json
    from starscout import games
    from starscout.laws import check_laws
    from starscout.perft import perft
    from starscout.random_games import play_random

    results = {{}}
    for name, depth in {DEPTHS}.items():
        game = games.load(name)
        leaves = [perft(game, game.start_position(seed), depth) for seed in (0, 1)]
        results[name] = [*leaves, *play_random(game, 3, 0, {GAMES})]
        check_laws(game, games=1)
    print(json.dumps(results))
"""


@pytest.mark.parametrize("setting", ["NUMBA_DISABLE_JIT", "NUMBA_BOUNDSCHECK"])
def test_the_numbers_are_the_same(setting: str):
    assert in_mode(MEASURE, **{setting: "1"}) == in_mode(MEASURE)


def test_bounds_checking_does_look():
    script = """
        import json
        import numpy
        from starscout.kernel import kernel

        @kernel
        def read(table, index):
            return table[index]

        try:
            read(numpy.arange(4), 4)
        except IndexError:
            print(json.dumps("found"))
    """
    assert in_mode(script, NUMBA_BOUNDSCHECK="1") == "found"
