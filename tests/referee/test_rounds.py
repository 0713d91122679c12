"""Rounds: who sits where, who begins, and what they add up to."""

import pytest

from starscout import games
from starscout.players.player import Decision
from starscout.players.spec import make_player
from starscout.referee.rounds import Round, Seating, Standing, play_rounds
from starscout.search.limits import Limit
from starscout.state import State

pytestmark = pytest.mark.plain


def rounds(game: str, seating: Seating, count: int = 4) -> list[Round]:
    rules = games.load(game)
    players = make_player("random", rules), make_player("random", rules)
    players[0].name, players[1].name = "A", "B"
    return list(play_rounds(rules, players, (Limit(), Limit()), count, seating, seed=4))


def test_pairs_share_their_start_and_their_dice() -> None:
    played = rounds("ewn", Seating.PAIRED)
    assert [r.record.players for r in played] == [("A", "B"), ("B", "A"), ("A", "B"), ("B", "A")]
    assert played[0].record.start == played[1].record.start != played[2].record.start
    shorter = min(len(played[0].record.plies), len(played[1].record.plies))
    dice = [[ply.roll for ply in r.record.plies][:shorter] for r in played[:2]]
    assert dice[0] == dice[1]


def test_new_boards_each_round_and_changing_sides() -> None:
    played = rounds("kari", Seating.NEW_BOARDS)
    assert len({r.record.start for r in played}) == 4
    assert [r.side for r in played] == [0, 1, 0, 1]


def test_fixed_sides_and_alternating_first_movers() -> None:
    played = rounds("ewn", Seating.FIXED)
    assert {r.record.players for r in played} == {("A", "B")}
    assert [r.record.start.split()[1] for r in played] == ["r", "b", "r", "b"]
    for r in played:
        r.record.check()


def test_the_sum_says_who_won_and_who_forfeited() -> None:
    class Cheat:
        name = "cheat"

        def new_game(self, game: object, seed: int) -> None:
            pass

        def choose(self, state: State, limit: Limit) -> Decision:
            return Decision(-1)

        def close(self) -> None:
            pass

    game = games.load("kari")
    standing = Standing()
    for played in play_rounds(game, (make_player("random", game), Cheat()), (Limit(), Limit()), 3, Seating.NEW_BOARDS):
        standing.add(played)
    assert (standing.wins, standing.draws) == ([3, 0], 0)
    assert standing.forfeits[1] == {"illegal move": 3}
