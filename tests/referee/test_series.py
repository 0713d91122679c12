"""Series: seats, first movers, starts and dice."""

import pytest

from starscout import games
from starscout.game import GameError
from starscout.players.spec import make_player
from starscout.records.packed import SeatedGame
from starscout.referee.series import Schedule, Series
from starscout.search.limits import Limit

pytestmark = pytest.mark.plain


def played(game: str, schedule: Schedule, count: int = 4) -> list[SeatedGame]:
    rules = games.load(game)
    players = make_player("random", rules), make_player("random", rules)
    players[0].name, players[1].name = "A", "B"
    series = Series(rules, 4, schedule)
    return [series.play(*divmod(number, 2), players, (Limit(), Limit())) for number in range(count)]


def rolls(game: SeatedGame) -> list[int]:
    return [ply.roll for ply in game.record.plies]


def test_pairs_share_their_start_and_their_dice() -> None:
    seated = played("ewn", Schedule())
    assert [game.record.players for game in seated] == [("A", "B"), ("B", "A"), ("A", "B"), ("B", "A")]
    assert seated[0].record.start == seated[1].record.start != seated[2].record.start
    shorter = min(len(seated[0].record.plies), len(seated[1].record.plies))
    assert rolls(seated[0])[:shorter] == rolls(seated[1])[:shorter]
    assert [(game.record.pair, game.record.half) for game in seated] == [(0, 0), (0, 1), (1, 0), (1, 1)]


def test_unshared_games_have_their_own_starts() -> None:
    seated = played("kari", Schedule(shared=False))
    assert len({game.record.start for game in seated}) == 4
    assert [game.side for game in seated] == [0, 1, 0, 1]


def test_fixed_sides_and_alternating_first_movers() -> None:
    for shared in (False, True):
        seated = played("ewn", Schedule(shared=shared, swapped=False))
        assert {game.record.players for game in seated} == {("A", "B")}
        assert [game.record.start.split()[1] for game in seated] == ["r", "b", "r", "b"]
        assert [game.first for game in seated] == [0, 1, 0, 1]
        for game in seated:
            game.record.check()
    assert len({rolls(game)[0] * 10 + rolls(game)[1] for game in played("ewn", Schedule(shared=False), 8)}) > 4


def test_keeping_sides_requires_a_variable_first_mover() -> None:
    with pytest.raises(GameError, match="the same side always moves first in othello"):
        Series(games.load("othello"), schedule=Schedule(swapped=False))


def test_the_order_of_a_pair() -> None:
    game = games.load("ewn")
    assert {Series(game, 3).order(pair) for pair in range(40)} == {(0, 1), (1, 0)}
    assert {Series(game, 3, Schedule(shuffled=False)).order(pair) for pair in range(40)} == {(0, 1)}


def test_the_score_belongs_to_player_a() -> None:
    for game in played("ewn", Schedule()):
        assert game.score == float(game.record.players[game.record.winner or 0] == "A")
