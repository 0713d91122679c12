"""GGF: games of other programs, and round trips."""

import pytest

from starscout import games
from starscout.game import GameError, Outcome, state
from starscout.players.spec import make_player
from starscout.records.ggf import read_ggf, write_ggf
from starscout.records.record import ADJOURNED, GameRecord, RecordError
from starscout.referee.game_in_progress import play_game
from starscout.search.limits import Limit

BOARD = "BO[8 ---------------------------O*------*O--------------------------- *]"
OPENING = f"(;GM[Othello]PC[NBoard]PB[./mEdax]PW[chris]RE[?]TI[15:00]TY[8]{BOARD}B[F5]W[F6/-1.00/2]B[D3//3.1]\nW[C5];)"


def test_a_game_by_another_program() -> None:
    (game,) = read_ggf(OPENING)
    assert isinstance(game, GameRecord)
    assert (game.game, game.players, game.reason) == ("othello", ("./mEdax", "chris"), ADJOURNED)
    assert [(ply.text, ply.seconds) for ply in game.plies] == [("f5", 0), ("f6", 2), ("d3", 3.1), ("c5", 0)]


@pytest.mark.parametrize("name", ["othello", "othello-6x6", "othello-4x4"])
def test_games_round_trip(name: str) -> None:
    rules = games.load(name)
    players = make_player("random", rules), make_player("random", rules)
    for seed in range(4):
        record = play_game(state.start(rules), players, (Limit(), Limit()), seed=seed)
        (again,) = read_ggf(write_ggf(record))
        assert isinstance(again, GameRecord)
        assert [ply[:3] for ply in again.plies] == [ply[:3] for ply in record.plies]
        assert (again.players, again.winner, again.reason) == (record.players, record.winner, record.reason)


@pytest.mark.parametrize(
    ("claimed", "result"),
    [
        (Outcome(1, "timeout"), "-64.00:t"),
        (Outcome(0, "resigned"), "+64.00:r"),
        (Outcome(None, "discs"), "+0.00"),
        (None, "?"),
    ],
)
def test_results(claimed: Outcome | None, result: str) -> None:
    start = state.start(games.load("othello")).text
    outcome = claimed or Outcome(None, ADJOURNED)
    text = write_ggf(GameRecord("othello", start, ("a[b]", "c"), (), outcome.winner, outcome.reason))
    assert f"RE[{result}]" in text
    assert "PB[a_b_]" in text
    (again,) = read_ggf(text)
    if result == "+0.00":
        assert isinstance(again, RecordError)
        assert "not over" in again.why
    else:
        assert isinstance(again, GameRecord)
        assert (again.winner, again.reason) == (outcome.winner, outcome.reason)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(;GM[Othello]", "';)' is missing"),
        ("(;GM[Chess];)", "GM: expected Othello"),
        ("(;GM[Othello]BO[8 --- *];)", "BO: expected 64 squares"),
        ("(;GM[Othello]BO[7 --- *];)", "BO: expected a size"),
        (f"(;GM[Othello]{BOARD}W[F5];)", "ply 1 is B's"),
        (f"(;GM[Othello]RE[who knows]{BOARD};)", "RE: expected black's margin"),
    ],
)
def test_errors_describe_the_problem(text: str, message: str) -> None:
    (problem,) = read_ggf(f"\n{text}")
    assert isinstance(problem, RecordError)
    assert message in problem.why
    assert problem.line == 2


def test_other_games_raise() -> None:
    with pytest.raises(GameError, match="GGF supports Othello, not kari"):
        write_ggf(GameRecord("kari", "", ("a", "b"), (), None, ADJOURNED))
