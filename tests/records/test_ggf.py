"""GGF: games of others can be read, ours written and read again."""

import pytest

from starscout import games, state
from starscout.game import GameError, Outcome
from starscout.players.spec import make_player
from starscout.records.ggf import read_ggf, write_ggf
from starscout.records.json_lines import recorded_game
from starscout.records.recorded import RecordedGame, RecordError, replay
from starscout.referee.play import play_game
from starscout.search.limits import Limit

BOARD = "BO[8 ---------------------------O*------*O--------------------------- *]"
OPENING = f"(;GM[Othello]PC[NBoard]PB[./mEdax]PW[chris]RE[?]TI[15:00]TY[8]{BOARD}B[F5]W[F6/-1.00/2]B[D3//3.1]\nW[C5];)"


def test_a_game_as_others_write_it() -> None:
    (game,) = read_ggf(OPENING)
    assert (game.game, game.claimed) == ("othello", None)
    assert [(ply.move, ply.line) for ply in game.plies] == [("f5", 1), ("f6", 1), ("d3", 1), ("c5", 2)]
    assert len(replay(game)) == 5


@pytest.mark.parametrize("name", ["othello", "othello-6x6", "othello-4x4"])
def test_our_games_come_back(name: str) -> None:
    rules = games.load(name)
    players = make_player("random", rules), make_player("random", rules)
    for seed in range(4):
        record = play_game(state.start(rules), players, (Limit(), Limit()), seed=seed)
        recorded = recorded_game(record)
        text = write_ggf(recorded, record.players, [ply.seconds for ply in record.plies])
        (again,) = read_ggf(text)
        assert again == recorded
        replay(again)


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
    text = write_ggf(RecordedGame("othello", start, (), claimed, 1), ("a[b]", "c"))
    assert f"RE[{result}]" in text
    assert "PB[a_b_]" in text
    (again,) = read_ggf(text)
    assert again.claimed == claimed


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("(;GM[Othello]", "has no end"),
        ("(;GM[Chess];)", "no game of Othello"),
        ("(;GM[Othello]BO[8 --- *];)", "is no board"),
        ("(;GM[Othello]BO[7 --- *];)", "is no board"),
        (f"(;GM[Othello]{BOARD}W[F5];)", "ply 1 is B's"),
        (f"(;GM[Othello]RE[who knows]{BOARD};)", "is no result"),
    ],
)
def test_what_is_wrong_is_said(text: str, complaint: str) -> None:
    with pytest.raises(RecordError, match=complaint):
        list(read_ggf(f"\n{text}"))


def test_other_games_have_no_ggf() -> None:
    with pytest.raises(GameError, match="for Othello"):
        write_ggf(RecordedGame("kari", "", (), None, 1), ("a", "b"))
