"""Match files of backgammon: written by GNU Backgammon, written by us, and damaged."""

from pathlib import Path

import pytest

import starscout
from starscout.game import GameError
from starscout.records.files import read_records_of
from starscout.records.mat import write_mat
from starscout.records.record import GameRecord, RecordError

# The layout and the spelling of plays are those of GNU Backgammon 1.07: one path per half-move, trailing spaces.
GNUBG = """; [EventDate "2026.11.18"]

 0 point match

 Game 1
 gnubg : 0                      root : 0
  1)                             64: 24/18 18/14 
  2) 61: 13/7 8/7                32: 14/11 13/11 
  3) 65: 24/18 18/13             61: 6/5 11/5 
  4) 53: 24/21 13/8              53: 24/21 21/16 
  5) 64: 13/9* 21/15             21: 25/23 11/10* 
  6) 66:                         55: 8/3 8/3 6/1 6/1
                                  Wins 1 point

 Game 2
 gnubg : 0                      root : 1
  1) 31: 8/5 6/5                 
"""  # noqa: W291


def games_of(text: str) -> list[GameRecord | RecordError]:
    return list(read_records_of(text, "games.mat"))


def test_a_file_of_gnu_backgammon_is_read() -> None:
    first, second = games_of(GNUBG)
    assert isinstance(first, GameRecord)
    assert isinstance(second, GameRecord)
    assert (first.game, first.players) == ("backgammon", ("gnubg", "root"))
    assert first.start == "4HPwATDgc/ABMA b - opening"
    assert [ply.text for ply in first.plies[:5]] == ["24/14", "13/7,8/7", "14/11,13/11", "24/13", "11/5,6/5"]
    assert [ply.text for ply in first.plies[-4:]] == ["21/15,13/9*", "bar/23,11/10*", "pass", "8/3(2),6/1(2)"]
    assert (first.winner, first.reason, first.points) == (1, "resigned", 1)
    assert (second.start, second.winner, second.reason) == ("4HPwATDgc/ABMA w - opening", None, "adjourned")


def test_a_match_of_one_point_counts_wins_only() -> None:
    (record, _) = games_of(GNUBG.replace("0 point match", "1 point match"))
    assert isinstance(record, GameRecord)
    assert record.game == "backgammon-dmp"


@pytest.mark.parametrize("game", ["backgammon", pytest.param("backgammon-dmp", marks=pytest.mark.slow)])
def test_played_games_are_read_again(game: str, tmp_path: Path) -> None:
    # Some plays of these games are wider than the first column.
    played = starscout.match(
        game, "random", "random", pairs=12, workers=0, luck="off", store=":memory:", progress=False
    )
    for record in played.records:
        file = tmp_path / "game.mat"
        file.write_text(write_mat(record))
        (again,) = starscout.replay(file).records
        assert [(ply.roll, ply.move) for ply in again.plies] == [(ply.roll, ply.move) for ply in record.plies]
        assert (again.game, again.winner, again.points) == (record.game, record.winner, record.points)


@pytest.mark.parametrize(
    ("old", "new", "line", "why"),
    [
        ("13/7 8/7 ", "13/6 8/7 ", 8, "'13/6 8/7' is not a legal move"),
        ("61: 13/7", "Doubles => 2", 8, "the doubling cube is not supported: 'Doubles'"),
        ("  3) 65:", "  3) 6x:", 9, "expected one or two plies"),
        ("gnubg : 0                      root : 0", "gnubg", 6, "expected 'NAME : 0    NAME : 0'"),
        ("  3) 65: 24/18 18/13", "moves", 9, "expected plies like"),
    ],
)
def test_errors_name_the_line_and_the_next_game_is_read(old: str, new: str, line: int, why: str) -> None:
    error, second = games_of(GNUBG.replace(old, new, 1))
    assert isinstance(error, RecordError)
    assert error.line == line
    assert why in error.why
    assert isinstance(second, GameRecord)


def test_wrong_points_are_an_error() -> None:
    errors = games_of(GNUBG.replace("Wins 1 point", "Wins 9 points"))
    assert isinstance(errors[0], RecordError)
    assert "the file says 9 points" in errors[0].why


def test_other_games_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "games.txt").write_text("f5d6\n")
    with pytest.raises(GameError, match="mat supports only backgammon from the standard start"):
        starscout.export(tmp_path / "games.txt", "mat")
