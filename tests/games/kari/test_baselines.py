"""The two baselines of kari: their moves in known positions, and their score against each other."""

import pytest

from starscout.game import GameError, state
from starscout.games import load
from starscout.games.kari.baselines import conservative_move, greedy_score
from starscout.kernels.bits import Word
from starscout.players.spec import make_player
from starscout.referee.game_in_progress import play_game
from starscout.search.limits import Limit

KARI = load("kari")


def conservative(text: str) -> str:
    there = state.parse(KARI, text)
    return KARI.format_move(there.position, conservative_move(there, Word(1)))


def test_conservative_takes_the_first_capture_in_list_order() -> None:
    assert conservative("0...../....../.1b.../..a.../....../...... r") == "B3C3"


def test_conservative_else_steps_straight_without_capturing_itself() -> None:
    # Its own cube 1 stands below A1: the first free straight step of cube 0 is to the right.
    assert conservative("0...../1...../....../....../....../.....a r") == "A1B1"


def test_conservative_passes_when_it_must() -> None:
    assert conservative("....../....../..a.../....../....../.....0 r") == "pass"


def test_greedy_counts_distances_threats_and_results() -> None:
    game = KARI
    position, _ = game.parse("....../.0..../....../....../....5./...... b")
    # Seen after its own move: red's cube 0 is 8 steps away and counts 6, cube 5 is 2 away and counts 1.
    with_enemy, _ = game.parse("....../.0..../....../....../....5./..b... b")
    # Blue's cube 1 on C6 is 2 + 5 steps from A1 and counts 5; it threatens nobody.
    assert greedy_score(game, with_enemy) == 6 * 8 + 1 * 2 - 5 * 7
    threatened, _ = game.parse("....../.0..../..b.../....../....5./...... b")
    assert greedy_score(game, threatened) == 6 * 8 + 1 * 2 - 5 * 4 - 5
    assert greedy_score(game, position) == 100
    draw, _ = game.parse("b..0../....../....../....../....../.....1 b")
    assert greedy_score(game, draw) == 50


def test_the_baselines_play_kari_only() -> None:
    with pytest.raises(GameError, match="for kari"):
        make_player("greedy", load("othello"))
    with pytest.raises(GameError, match="style: expected one of greedy, conservative, got 'bold'"):
        make_player("kari-baseline style=bold", KARI)


def test_scores_are_those_of_the_originals() -> None:
    # Measured with the originals: greedy scores 0.85 against conservative.
    players = make_player("greedy", KARI), make_player("conservative", KARI)
    score = 0.0
    for number in range(40):
        half = number % 2
        seats = players if half == 0 else (players[1], players[0])
        record = play_game(
            state.start(KARI, number // 2), seats, (Limit(), Limit()), seed=5, pair=number // 2, half=half
        )
        score += 0.5 if record.winner is None else float(record.winner == half)
    assert score / 40 == pytest.approx(0.85, abs=0.12)
