"""Rules of backgammon: counts, probes of the rules, notation, and the plays of OpenSpiel and of GNU Backgammon."""

import hashlib
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from starscout import games
from starscout.game import NOT_ROLLED, ONGOING, GameError, Outcome, Position
from starscout.game.laws import check_position
from starscout.game.state import parse, start
from starscout.games.backgammon.board import high_die, low_die
from starscout.games.backgammon.gnubg_server import position_id
from starscout.games.backgammon.position_id import id_of_board
from starscout.games.backgammon.rules import Board, boards, pip_counts, position_of, roll_of
from starscout.search.perft import perft

MONEY, DMP = games.load("backgammon"), games.load("backgammon-dmp")
ROLLS = [(roll_of(high, low), 1 + (high != low)) for high in range(1, 7) for low in range(1, high + 1)]


def board(**checkers: int) -> Board:
    """The checkers of a side: `board(p6=2, bar=1)`."""
    places = [*(f"p{point}" for point in range(1, 25)), "bar"]
    return tuple(checkers.get(place, 0) for place in places)


def text_of(own: Board, enemy: Board, roll: str) -> str:
    return f"{MONEY.format(position_of(own, enemy, 0), NOT_ROLLED)[:-1]}{roll}"


def random_decisions(count: int, seed: int) -> list[tuple[Position, int]]:
    """Positions and rolls of random games."""
    generator = random.Random(seed)
    found: list[tuple[Position, int]] = []
    position = MONEY.start_position()
    while len(found) < count:
        weights = MONEY.event_weights(position)
        roll = generator.choices(list(weights), list(weights.values()))[0]
        found.append((position, roll))
        position = MONEY.play_position(position, generator.choice(MONEY.legal(position, roll)))
        if MONEY.outcome(position) != ONGOING:
            position = MONEY.start_position()
    return found


@pytest.mark.plain
@pytest.mark.bounds
def test_laws_hold_at_the_start_and_in_the_bear_off() -> None:
    generator = random.Random(1)
    check_position(MONEY, MONEY.start_position(), generator, {})
    check_position(DMP, position_of(board(p1=1, p3=1, p7=1), board(p2=2, bar=1), 1), generator, {})


def test_laws_hold_in_positions_of_random_games() -> None:
    generator = random.Random(2)
    for position, _ in random_decisions(2_000, 3)[::250]:
        check_position(MONEY, position, generator, {})


def test_perft() -> None:
    position = MONEY.start_position()
    assert [perft(MONEY, position, depth) for depth in (1, 2)] == [190, 89_153]
    assert perft(MONEY, position._replace(opening=0), 1) == 447


def test_the_opening_has_fifteen_rolls_without_doubles() -> None:
    opening = MONEY.event_weights(MONEY.start_position())
    assert [MONEY.format_event(MONEY.start_position(), roll) for roll in opening] == [
        f"{high}{low}" for high in range(2, 7) for low in range(1, high)
    ]
    later = MONEY.event_weights(MONEY.start_position()._replace(opening=0))
    assert sum(later.values()) == 36
    assert dict(ROLLS) == later


@pytest.mark.parametrize(
    ("own", "enemy", "roll", "plays"),
    [
        # Both dice must be played if possible.
        (board(p24=1, p8=1), board(p8=2, p13=2), "61", "24/18,8/7 24/23,8/2 8/1"),
        # If only one die can be played, the higher one.
        (board(p10=1), board(p22=2), "61", "10/4"),
        (board(p10=1), board(p21=2, p22=2), "61", "10/9"),
        # No move.
        (board(bar=1, p3=2), board(p1=2, p2=2, p3=2, p4=2, p5=2, p6=2), "62", "pass"),
        # The order of the dice matters only where a checker hits on its way.
        (board(p12=1), board(p14=1), "21", "12/11*/9 12/9"),
        (board(p12=1), board(p20=1), "21", "12/9"),
        # Bearing off: with a larger die only from the highest point.
        (board(p5=1, p2=1), board(bar=1), "63", "5/off 5/off,2/off"),
        (board(p6=1, p4=1), board(bar=1), "52", "6/1,4/2 6/off"),
        (board(p7=1, p6=2), board(bar=1), "61", "7/1,6/5 7/off"),
        # Doubles: as many as possible.
        (board(p20=1), board(p17=2), "22", "20/12"),
        (
            board(bar=1, p13=2),
            board(p4=2),
            "33",
            "bar/13 bar/16,13/10 bar/19,13/7 bar/19,13/10(2) bar/22,13/4 bar/22,13/10,13/7",
        ),
    ],
)
def test_plays_of_the_rule_probes(own: Board, enemy: Board, roll: str, plays: str) -> None:
    state = parse(MONEY, text_of(own, enemy, roll))
    assert sorted(state.moves) == sorted(plays.split())


@pytest.mark.parametrize(
    ("loser", "points", "reason"),
    [
        (board(p1=14), 1, "bore off"),
        (board(p18=15), 2, "gammon"),
        (board(p6=14, p19=1), 3, "backgammon"),
        (board(p6=14, bar=1), 3, "backgammon"),
        (board(p6=13, bar=1), 1, "bore off"),
    ],
)
def test_points(loser: Board, points: int, reason: str) -> None:
    position = position_of(loser, board(), 1)
    assert MONEY.outcome(position) == -points
    assert DMP.outcome(position) == -1
    assert parse(MONEY, MONEY.format(position, NOT_ROLLED)).outcome == Outcome(0, reason, points)


def test_text_is_the_position_id_of_gnu_backgammon() -> None:
    assert start(MONEY).text == "4HPwATDgc/ABMA w - opening"
    assert pip_counts(MONEY.start_position()) == (167, 167)
    # The checkers of the side that is not to move come first.
    position, roll = MONEY.parse("4HPwATDgc/ABMA b 31")
    after = MONEY.play_position(position, parse(MONEY, "4HPwATDgc/ABMA b 31").parse_move("8/5 6/5"))
    assert (roll, MONEY.format(after, NOT_ROLLED)) == (roll_of(3, 1), "sGfwATDgc/ABMA w -")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("4HPwATDgc/ABM w -", "expected 14 characters of base64"),
        ("4HPwATDgc/ABMA x -", "expected w or b"),
        ("4HPwATDgc/ABMA w 71", "expected two dice"),
        ("4HPwATDgc/ABMA w 33 opening", "not a double"),
        ("4HPwATDgc/ABMA w 31 later", "and 'opening' or nothing"),
        ("//////////////8 w -", "expected"),
        ("AAAAAAAAAAAAAA w -", "at least one checker"),
    ],
)
def test_bad_texts(text: str, problem: str) -> None:
    with pytest.raises(GameError, match=problem):
        MONEY.parse(text)


@pytest.mark.parametrize("text", ["24/18 13/11", "24/18,13/11", " 24/18   13/11 "])
def test_spellings_of_a_play(text: str) -> None:
    state = parse(MONEY, "4HPwATDgc/ABMA w 62")
    assert state.game.format_move(state.position, state.parse_move(text)) == "24/18,13/11"
    bearing_off = parse(MONEY, text_of(board(p6=1, p4=1), board(bar=1), "64"))
    assert bearing_off.parse_move("6/0 4/0") == bearing_off.parse_move("6/off 4/off")


# Other programs.


def spiel_boards(theirs: Any) -> tuple[Board, Board]:
    """The checkers of x and o, each as that side sees them."""
    bar = str(theirs).split("Bar:")[1].split("\n")[0]
    x = (*(theirs.board(0, 23 - index) for index in range(24)), bar.count("x"))
    o = (*(theirs.board(1, index) for index in range(24)), bar.count("o"))
    return x, o


def spiel_results(theirs: Any, mover: int) -> set[tuple[Board, Board]]:
    """The boards after the actions of a roll; a double is two actions."""
    found: set[tuple[Board, Board]] = set()
    waiting = [theirs]
    seen: set[str] = set()
    while waiting:
        state = waiting.pop()
        for action in state.legal_actions():
            child = state.child(action)
            if not child.is_terminal() and not child.is_chance_node() and child.current_player() == mover:
                if str(child) not in seen:
                    seen.add(str(child))
                    waiting.append(child)
            else:
                found.add(spiel_boards(child))
    return found


def pips(result: tuple[Board, Board], mover: int) -> int:
    return sum((index + 1) * count for index, count in enumerate(result[mover]))


@pytest.mark.parametrize("count", [2_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_plays_equal_those_of_open_spiel(count: int) -> None:
    pyspiel = pytest.importorskip("pyspiel", reason="open_spiel is not installed: `pip install open_spiel`")
    game = pyspiel.load_game("backgammon(scoring_type=full_scoring)")
    generator, compared = random.Random(5), 0
    while compared < count:
        theirs, position = game.new_initial_state(), MONEY.start_position()
        actions = [action for action, _ in theirs.chance_outcomes()]
        theirs.apply_action(generator.choice(actions))
        position = position._replace(mover=theirs.current_player())
        while not theirs.is_terminal():
            mover = theirs.current_player()
            dice = str(theirs).split("Dice: ")[1].split()[0]
            roll = roll_of(*map(int, dice))
            results: dict[tuple[Board, Board], Position] = {}
            for move in MONEY.legal(position, roll):
                following = MONEY.play_position(position, move)
                enemy, own = boards(following)
                results[(own, enemy) if mover == 0 else (enemy, own)] = following
            assert len(results) == len(MONEY.legal(position, roll))
            expected = spiel_results(theirs, mover)
            if high_die(roll) == low_die(roll):
                # The two actions of a double may leave dice unplayed that another order plays.
                most = max(pips(result, mover) for result in results)
                expected = {result for result in expected if result in results or pips(result, mover) <= most}
            assert set(results) == expected, MONEY.format(position, roll)
            compared += 1
            while not theirs.is_terminal() and not theirs.is_chance_node():
                if theirs.current_player() != mover:
                    break
                theirs.apply_action(generator.choice(theirs.legal_actions()))
            reached = spiel_boards(theirs)
            if reached not in results:
                break  # a double that was not played out
            position = results[reached]
            if theirs.is_terminal():
                result = MONEY.outcome(position)
                assert theirs.returns()[position.mover] == result
            else:
                theirs.apply_action(generator.choice([action for action, _ in theirs.chance_outcomes()]))


RECORDED = Path(__file__).with_name("plays.txt")
"""A position, its roll and the digest of the positions that GNU Backgammon's plays lead to, per line."""


def digest(identifiers: Iterable[str]) -> str:
    return hashlib.blake2b(" ".join(sorted(identifiers)).encode(), digest_size=5).hexdigest()


def test_plays_equal_the_recorded_ones_of_gnu_backgammon() -> None:
    lines = RECORDED.read_text().splitlines()
    assert len(lines) == 2_000
    for line in lines:
        text, expected = line.rsplit(maxsplit=1)
        position, roll = MONEY.parse(text)
        following = {MONEY.play_position(position, move) for move in MONEY.legal(position, roll)}
        assert len(following) == len(MONEY.legal(position, roll))
        assert digest(id_of_board(*reversed(boards(child))) for child in following) == expected, text


@pytest.mark.slow
def test_recorded_plays_are_those_of_gnu_backgammon() -> None:
    gnubg: Any = pytest.importorskip("gnubg_nn", reason="gnubg-nn is not installed: `pip install gnubg-nn`")
    for line in RECORDED.read_text().splitlines():
        text, expected = line.rsplit(maxsplit=1)
        position, roll = MONEY.parse(text)
        own, enemy = boards(position)
        keys = [key for key, _ in gnubg.moves([list(enemy), list(own)], int(high_die(roll)), int(low_die(roll)), 1)]
        after_pass = gnubg.key_of_board([list(enemy), list(own)])
        assert digest(position_id(key) for key in keys or [after_pass]) == expected, text


@pytest.mark.slow
def test_plays_equal_those_of_gnu_backgammon() -> None:
    gnubg: Any = pytest.importorskip("gnubg_nn", reason="gnubg-nn is not installed: `pip install gnubg-nn`")
    for position, roll in random_decisions(100_000, 7):
        own, enemy = boards(position)
        theirs = gnubg.moves([list(enemy), list(own)], int(high_die(roll)), int(low_die(roll)), 1)
        moves = MONEY.legal(position, roll)
        if moves == [0]:
            assert len(theirs) <= 1
            continue
        ours = {gnubg.key_of_board([list(side) for side in boards(MONEY.play_position(position, m))]) for m in moves}
        assert len(ours) == len(moves)
        assert ours == {key for key, _ in theirs}, MONEY.format(position, roll)
