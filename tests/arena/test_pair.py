"""Pair records: scores of A, forfeits, luck and usage."""

import dataclasses
import json

import pytest

from starscout import games
from starscout.arena.pair import FIRST_MOVES, Usage, net_luck, pack_pair, usage_from_json
from starscout.game.state import State
from starscout.players.player import Decision, Player, PlayerError
from starscout.players.spec import make_player
from starscout.records.packed import SeatedGame
from starscout.records.record import Annotation
from starscout.referee.series import Series
from starscout.search.limits import Limit
from tests.arena.pairs import pair

pytestmark = pytest.mark.plain

GAME = games.load("ewn-3x3-3")


class Quitter(Player):
    name = "quitter"

    def choose(self, state: State, limit: Limit) -> Decision:
        raise PlayerError("resigned", "no hope")


def test_pair_record_of_two_games() -> None:
    players = make_player("random", GAME), make_player("random", GAME)
    players[0].name, players[1].name = "A", "B"
    series = Series(GAME, 5)
    seated = [series.play(3, half, players, (Limit(), Limit())) for half in (0, 1)]
    record = pack_pair(3, seated)
    assert record.pair == 3
    assert record.scores == tuple(float(game.record.players[game.record.winner or 0] == "A") for game in seated)
    assert record.score == sum(record.scores) / 2
    assert record.plies == tuple(len(game.record.plies) for game in seated)
    assert record.luck is None
    assert [len(times) for times in record.move_times()] == list(record.plies)
    assert record.seconds == pytest.approx(sum(map(sum, record.move_times())))
    again = record.games("ewn-3x3-3", ("A", "B"), 5)
    assert [game.record.players for game in again] == [("A", "B"), ("B", "A")]
    assert [[ply.text for ply in game.record.plies] for game in again] == [
        [ply.text for ply in game.record.plies] for game in seated
    ]


def test_usage_and_remaining_clock() -> None:
    players = make_player("random", GAME), make_player("random", GAME)
    series = Series(GAME, 5)
    seated = [series.play(3, half, players, (Limit(clock=60.0), Limit())) for half in (0, 1)]
    reported = []
    for game in seated:
        # The plies of A report 10 nodes for the first move of the game, 20 for the second, …; B reports nothing.
        plies = [
            ply._replace(nodes=10 * (1 + number // 2), depth=2) if number % 2 == (game.first != game.side) else ply
            for number, ply in enumerate(game.record.plies)
        ]
        reported.append(game._replace(record=dataclasses.replace(game.record, plies=tuple(plies))))
    first, second = pack_pair(3, reported).used
    moves = [len(game.plies_of("A")) for game in seated]
    assert first.moves == sum(moves)
    assert first.nodes == sum(10 * n * (n + 1) // 2 for n in moves)
    assert [move.nodes for move in first.first_moves] == [
        10 * n * sum(n <= count for count in moves) for n in range(1, FIRST_MOVES + 1)
    ]
    summary = first.summary()
    assert summary["mean_depth"] == 2.0
    assert summary["first_moves"][0]["nodes_per_move"] == 10.0
    assert summary["seconds_left"] == pytest.approx(60.0 - first.seconds / 2, abs=1e-4)
    assert (second.nodes, second.summary()["nodes_per_move"], second.summary()["seconds_left"]) == (0, None, None)
    both = first.combined(first)
    assert (both.moves, both.clocks, both.summary()["seconds_left"]) == (2 * first.moves, 4, summary["seconds_left"])
    assert [move.nodes for move in both.first_moves] == [2 * move.nodes for move in first.first_moves]
    assert usage_from_json(json.loads(json.dumps(first))) == first
    assert usage_from_json([3, 0.5, 6, 9, 0]) == Usage(3, 0.5, 6, 9, 0)


def test_forfeiter() -> None:
    series, other = Series(GAME, 5), make_player("random", GAME)
    record = pack_pair(0, [series.play(0, half, (Quitter(), other), (Limit(), Limit())) for half in (0, 1)])
    assert (record.scores, record.reasons) == ((0.0, 0.0), ("resigned", "resigned"))
    assert [record.forfeiter(half) for half in (0, 1)] == ["A", "A"]
    mixed = pair(0, 1.0, 0.0, reasons=("timeout", "captured all"))
    assert [mixed.forfeiter(half) for half in (0, 1)] == ["B", None]


def test_pair_with_one_game() -> None:
    assert pair(4, 1.0).score == 1.0
    assert pair(4, 0.5, 1.0).score == 0.75


@pytest.mark.parametrize(("side", "first", "expected"), [(0, 0, 0.3), (1, 0, -0.3), (0, 1, -0.3), (1, 1, 0.3)])
def test_net_luck_is_first_mover_minus_second(side: int, first: int, expected: float) -> None:
    played = Series(GAME, 5).play(0, 0, (make_player("random", GAME), make_player("random", GAME)), (Limit(), Limit()))
    record = dataclasses.replace(played.record, plies=played.record.plies[:3])
    # Plies 1 and 3 belong to the first mover: 0.2 + 0.4 − 0.3.
    game = SeatedGame(record, side, first, Annotation((0.2, 0.3, 0.4), (0.0, 0.0, 0.0)))
    assert net_luck(game) == pytest.approx(expected)
    assert net_luck(game._replace(annotation=None)) is None
