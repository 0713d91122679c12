"""`random`: uniform and reproducible moves."""

from collections import Counter

import pytest

from starscout import games
from starscout.game import GameError
from starscout.game.state import start
from starscout.players.random_player import RandomPlayer
from starscout.players.spec import make_player
from starscout.search.limits import Limit

pytestmark = pytest.mark.plain

OTHELLO = games.load("othello")


def chosen(seed: int) -> int:
    player = RandomPlayer("random")
    player.new_game(OTHELLO, seed)
    return player.choose(start(OTHELLO), Limit()).move


def test_every_move_is_equally_likely() -> None:
    counts = Counter(chosen(seed) for seed in range(4000))
    assert set(counts) == set(start(OTHELLO).legal)
    # 1000 expected for each of four moves; σ ≈ 27, and the seeds are fixed.
    assert all(900 < count < 1100 for count in counts.values())


def test_the_move_depends_only_on_seed_and_ply() -> None:
    first, second = RandomPlayer("a"), RandomPlayer("b")
    states = [start(OTHELLO)]
    for player in (first, second):
        player.new_game(OTHELLO, 7)
    for _ in range(6):
        states.append(states[-1].play(first.choose(states[-1], Limit()).move))
    # The second player is asked in reverse order and with other limits.
    again = [second.choose(state, Limit(nodes=1)).move for state in states[::-1]][::-1]
    assert [state.play(move).position for state, move in zip(states, again, strict=True)][:-1] == [
        state.position for state in states[1:]
    ]
    assert len({chosen(seed) for seed in range(20)}) > 1


def test_it_has_no_options() -> None:
    with pytest.raises(GameError, match=r"random: no option 'depth' \(options: none\)"):
        make_player("random depth=3", OTHELLO)
