"""No kernel is compiled or loaded while a player's clock runs."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROBE = """
import random, sys
from starscout import games
from starscout.game.state import from_position
from starscout.kernels import compiler
from starscout.players.spec import make_player
from starscout.search.limits import Limit

loaded = []
load = compiler._KernelCache.load_overload

def recording(cache, *arguments):
    loaded.append(cache._function.__qualname__)
    return load(cache, *arguments)

compiler._KernelCache.load_overload = recording
game, spec = games.load(sys.argv[1]), sys.argv[2]
player = make_player(spec, game)
late = set()
for number, limit in enumerate((Limit(time=0.01), Limit(clock=0.3), Limit(nodes=300))):
    player.new_game(game, number)
    # As in a match: only states of `start` compile their steps after a while.
    generator, state = random.Random(number), from_position(game, game.start_position(number))
    while True:
        state = state.rolled(generator)
        if state.over:
            break
        legal = state.legal
        before = len(loaded)
        player.choose(state, limit)
        late |= set(loaded[before:])
        state = state.play(generator.choice(legal))
assert loaded, "the probe records nothing"
print(*sorted(late))
"""


@pytest.mark.parametrize(
    ("game", "spec"),
    [
        ("ewn", "strong"),
        ("ewn-3x3-3", "mcts"),
        ("ewn", "random"),
        pytest.param("othello", "strong", marks=pytest.mark.slow),
        pytest.param("ewn-cyclic", "strong", marks=pytest.mark.slow),
        pytest.param("kari", "strong", marks=pytest.mark.slow),
        pytest.param("othello", "strong-mcts", marks=pytest.mark.slow),
        pytest.param("ewn-cyclic", "hard", marks=pytest.mark.slow),
        pytest.param("kari", "greedy", marks=pytest.mark.slow),
        pytest.param("backgammon", "strong", marks=pytest.mark.slow),
        pytest.param("dark-chess", "strong", marks=pytest.mark.slow),
    ],
)
def test_choose_loads_no_kernel(game: str, spec: str) -> None:
    done = subprocess.run([sys.executable, "-c", PROBE, game, spec], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "\n", "")


def test_a_player_of_a_script_loads_no_kernel_in_choose() -> None:
    """A class that used such a player without `new_game` was late on a busy machine."""
    probe = PROBE.replace("make_player(spec, game)", "starscout.player(spec, game)")
    probe = probe.replace("import random, sys", "import random, sys, starscout").replace("player.new_game", "()  #")
    done = subprocess.run([sys.executable, "-c", probe, "ewn-3x3-3", "negascout"], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "\n", "")


def test_loaded_kernels_are_not_traversed_by_the_garbage_collector() -> None:
    """A full collection would take a tenth of a second of a player's clock.

    Objects that are exempt and have become garbage are collected at most once a minute, for a new player.
    """
    probe = """
import gc, weakref
from starscout import games
from starscout.players import player
from starscout.players.spec import make_player
class Node: pass
node = Node()
node.itself = node
found = weakref.ref(node)
game = games.load("ewn-3x3-3")
make_player("negascout", game).new_game(game, 0)
print(len(gc.get_objects()) < gc.get_freeze_count() / 100)
del node
player.FULL_COLLECTION = 0.0
make_player("negascout", game).new_game(game, 0)
print(found() is None)
"""
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("True\nTrue\n", "")


def test_names_of_events_are_warm() -> None:
    """Regression: naming the rolls of a line in backgammon compiled a kernel on the player's clock."""
    probe = """
from starscout import games
from starscout.game.state import start
from starscout.games.backgammon.board import high_die
from starscout.players.player import warm_texts
warm_texts(start(games.load("backgammon")))
print(len(high_die.overloads))
"""
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("1\n", "")


@pytest.mark.slow
@pytest.mark.parametrize("game", ["ewn", "ewn-cyclic", "kari", "othello"])
def test_empty_cache_costs_no_game_and_no_depth(game: str, tmp_path: Path) -> None:
    words = ("match", game, "strong time=0.1", "random", "--pairs", "1", "--store", ":memory:", "--json")
    environment = {**os.environ, "STARSCOUT_CACHE": str(tmp_path)}
    command = [sys.executable, "-m", "starscout", *words]
    depths = []
    for _ in range(2):
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        result = json.loads(done.stdout)
        assert result["forfeits"] == {"A": {}, "B": {}}
        depths.append(result["used"]["A"]["mean_depth"])
    # The second run loads what the first one has compiled.
    assert depths[0] > 0.7 * depths[1]
