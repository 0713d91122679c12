"""Stop flags in kernels and in their callers."""

import threading
from collections.abc import Callable

import numpy
import pytest

from starscout import games
from starscout.arena.luck import make_meter
from starscout.game.state import start
from starscout.games.puzzle import parse_puzzle, solve_puzzle
from starscout.kernels.kernel import PLAIN, kernel
from starscout.kernels.stop_flags import announced, new_flag, raise_flags, raise_flags_of, raised, stoppable
from starscout.search.perft import perft
from starscout.search.playouts import play_random
from tests.patience import PATIENCE


@kernel
def count_until_raised(flag: numpy.ndarray, limit: int) -> int:
    """A loop without memory writes, which must still read the flag at every iteration."""
    count = 0
    while raised(flag) == 0 and count < limit:
        count += 1
    return count


def test_a_loop_that_writes_nothing_sees_the_flag() -> None:
    flag = new_flag()
    assert count_until_raised(flag, 10) == 10
    endless = 10**15
    with announced(flag):
        timer = threading.Timer(0.05, raise_flags)
        timer.start()
        assert count_until_raised(flag, endless) < endless
    timer.join()


def test_raise_flags_of_raises_the_flags_of_one_thread() -> None:
    mine, others = new_flag(), new_flag()
    ready, done = threading.Event(), threading.Event()

    def search() -> None:
        with announced(others):
            ready.set()
            done.wait(PATIENCE)

    thread = threading.Thread(target=search)
    thread.start()
    ready.wait(PATIENCE)
    with announced(mine):
        raise_flags_of(thread.ident or 0)
    done.set()
    thread.join()
    assert (mine[0], others[0]) == (0, 1)


def test_only_registered_flags_are_raised() -> None:
    inside, outside = new_flag(), new_flag()
    with announced(outside):
        pass
    with announced(inside):
        raise_flags()
    assert (inside[0], outside[0]) == (1, 0)


def test_a_stopped_kernel_raises_keyboard_interrupt() -> None:
    with pytest.raises(KeyboardInterrupt), stoppable():
        raise_flags()
    with stoppable() as flag:
        pass
    assert flag[0] == 0


def _perft() -> object:
    game = games.load("othello")
    return perft(game, game.start_position(0), 14)


def _random_games() -> object:
    return play_random(games.load("ewn"), 1, 0, 10**12)


def _luck() -> object:
    state = start(games.load("ewn-7x7-6"), 1)
    meter = make_meter(state.game, "eval=zero depth=4")
    return [meter.value(state) for _ in range(10_000)]


def _puzzle() -> object:
    # Seven million states, several seconds.
    cubes = {7: 5, 9: 3, 13: 1, 35: 4, 48: 2, 73: 6}
    rows = [" ".join(str(cubes.get(9 * row + column, 0)) for column in range(9)) for row in range(9)]
    return solve_puzzle(parse_puzzle("9 9\n" + "\n".join(rows) + "\n7\n1 6 4 5 2 1 4\n1\n"), 20_000_000)


@pytest.mark.skipif(PLAIN, reason="plain Python is interrupted between any two instructions")
@pytest.mark.parametrize("work", [_perft, _random_games, _luck, _puzzle])
def test_long_kernels_stop_when_their_flags_are_raised(work: Callable[[], object]) -> None:
    """A thread raises the flags repeatedly; work that ignores them returns a result after minutes."""
    stop = threading.Event()

    def insist() -> None:
        while not stop.wait(0.0005):
            raise_flags()

    thread = threading.Thread(target=insist)
    thread.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            work()
    finally:
        stop.set()
        thread.join()
