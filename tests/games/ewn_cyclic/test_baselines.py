"""The course baselines: choices and scores of the originals."""

import itertools
import math
from collections.abc import Iterable
from pathlib import Path

import pytest

from starscout import games
from starscout.game import GameError, state
from starscout.players.analysis import analyse
from starscout.players.spec import make_player
from starscout.search.limits import Limit

CYCLIC = games.load("ewn-cyclic")
GAMES = 200
ORIGINAL_GAMES = 200
SHARED = Path(__file__).parents[3] / "shared" / "data" / "cyclic_baseline_moves.tsv"

Choice = tuple[str, str, str]
"""A baseline, a position and the move that the original played there."""

CHOICES: list[Choice] = [
    # A single best move.
    ("hard", "3.2..../.4...../.1...../......./...f.ab/.....e. r 204503130315112035521 6", "B3C4"),
    ("normal", ".3...../50.2.../......./......c/....ad./.....ef b 301311514131022212342 5", "E5D4"),
    # Several best moves: the first of the lower cube.
    ("hard", "..2..../0....../1....../......b/.....f./....ce. b 453444504420201442012 5", "F6E6"),
    ("hard", "..0..../.5.3.../...2.../....a../....cf./....... b 243021020525405123055 15", "E4D4"),
    ("normal", "..2..../10...../.3...../.....e./....bdc/.....fa b 340100553000335102101 5", "G6F6"),
    ("normal", "..3..../..5...2/...1.../....f../c....../....... r 013420250223214441554 36", "C1D1"),
    # Several moves win, some at once.
    ("hard", "..2..../.....1./..e..../a....../.....3./....... r 340100553000335102101 32", "F2G2"),
    ("hard", "0....../..5..../..a..../..d..../.....3./....e.. b 232520305322412342513 23", "C3B2"),
    # Every move loses: the first diagonal one, or the first where there is none.
    ("hard", "..3..../......./..e..../..1..../....4../.....c. r 414350013142553043245 24", "C1D2"),
    ("hard", "......./10...../......./....e4./....a../....... b 202115423240244323415 15", "E5D4"),
    ("normal", ".c.3.../......./.0.2.../......./.....f./....e.. r 111231122223122005133 18", "B3C4"),
    ("hard", "..e..../......./...1.../......./......./.....4. b 010135335350312012022 25", "C1B1"),
]


def disagreements(choices: Iterable[Choice]) -> list[tuple[Choice, str]]:
    """The choices in which our baselines differ from the original, and what they play instead."""
    players = {name: make_player(name, CYCLIC) for name in ("normal", "hard")}
    for player in players.values():
        player.new_game(CYCLIC, 0)
    found = []
    for choice in choices:
        name, text, move = choice
        there = state.parse(CYCLIC, text)
        played = CYCLIC.format_move(there.position, players[name].choose(there, Limit()).move)
        if played != move:
            found.append((choice, played))
    return found


def shared_choices() -> list[Choice]:
    lines = SHARED.read_text(encoding="utf-8").splitlines()
    return [(name, text, move) for name, text, move in (line.split("\t") for line in lines)]


@pytest.mark.plain
@pytest.mark.slow_compiled
def test_choices_of_the_originals():
    assert disagreements(CHOICES) == []


@pytest.mark.skipif(not SHARED.exists(), reason="the file of 3,000 decisions is not here")
def test_choices_of_a_part_of_the_file():
    assert disagreements(itertools.islice(shared_choices(), 0, None, 20)) == []


@pytest.mark.slow
@pytest.mark.skipif(not SHARED.exists(), reason="the file of 3,000 decisions is not here")
def test_choices_of_the_whole_file():
    choices = shared_choices()
    assert len(choices) == 3000
    assert disagreements(choices) == []


@pytest.mark.plain
@pytest.mark.slow_compiled
def test_choice_depends_only_on_the_position():
    """Neither earlier searches nor a limit change the move."""
    name, text, move = CHOICES[0]
    there = state.parse(CYCLIC, text)
    player = make_player(name, CYCLIC)
    player.new_game(CYCLIC, 1)
    for limit in (Limit(), Limit(depth=1), Limit(time=0.001), Limit(nodes=1)):
        decision = player.choose(there, limit)
        assert (CYCLIC.format_move(there.position, decision.move), decision.depth) == (move, 8)


@pytest.mark.plain
@pytest.mark.slow_compiled
def test_every_move_is_valued():
    there = state.parse(CYCLIC, CHOICES[0][1])
    player = make_player("hard", CYCLIC)
    player.new_game(CYCLIC, 1)
    decision = analyse(player, there, Limit()).decision
    assert decision is not None
    values = {report.move: report.value for report in decision.moves}
    assert list(values) == there.legal
    assert decision.value == values[decision.move] == max(value for value in values.values() if value is not None)


def test_other_games_and_depths_are_rejected():
    with pytest.raises(GameError, match="cyclic-baseline plays ewn-cyclic, not kari"):
        make_player("cyclic-baseline", games.load("kari"))
    with pytest.raises(GameError, match=r"depth: expected a whole number from 1 to 12 \(plies\), got '20'"):
        make_player("cyclic-baseline depth=20", CYCLIC)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("stronger", "weaker", "original_wins"), [("hard", "normal", 178), ("hard", "easy", 192), ("normal", "easy", 164)]
)
def test_scores_agree_with_the_originals(stronger: str, weaker: str, original_wins: int):
    game = games.load("ewn-cyclic")
    players = make_player(stronger, game), make_player(weaker, game)
    wins = 0
    for number in range(GAMES):
        first = number % 2
        for player in players:
            player.new_game(game, number)
        now = state.start(game, number // 2)
        while not now.over:
            now = now.play(players[(now.mover + first) % 2].choose(now, Limit()).move)
        assert now.outcome is not None
        wins += now.outcome.winner == first
    expected, measured = original_wins / ORIGINAL_GAMES, wins / GAMES
    error = math.sqrt(expected * (1 - expected) / ORIGINAL_GAMES + measured * (1 - measured) / GAMES)
    assert abs(measured - expected) < 3.0 * error
