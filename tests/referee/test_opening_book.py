"""Opening books: positions, records, order, errors with file and line, and matches that start from them."""

from pathlib import Path

import pytest

import starscout
from starscout import games
from starscout.arena.plan import make_plan
from starscout.game import GameError
from starscout.game.state import from_position
from starscout.records.json_lines import write_json_line
from starscout.referee.opening_book import book_start, read_book
from starscout.search.limits import Limit

pytestmark = pytest.mark.plain

OTHELLO, SMALL = games.load("othello"), games.load("ewn-3x3-3")
QUICK = {"store": ":memory:", "workers": 0, "progress": False}


def starts(count: int) -> list[str]:
    return [from_position(SMALL, SMALL.start_position(number)).text for number in range(count)]


@pytest.fixture
def book(tmp_path: Path) -> Path:
    file = tmp_path / "book.txt"
    file.write_text("# three starts\n" + "\n\n".join(starts(3)) + "\n")
    return file


def test_positions_are_read_in_order(book: Path) -> None:
    found = read_book(str(book), SMALL)
    assert [state.text for state in found] == starts(3)
    assert [book_start(found, "sequential", 7, number).text for number in range(5)] == [*starts(3), *starts(2)]
    drawn = [book_start(found, "random", 7, number).text for number in range(6)]
    assert sorted(drawn[:3]) == sorted(drawn[3:]) == sorted(starts(3))
    orders = {tuple(book_start(found, "random", seed, number).text for number in range(3)) for seed in range(20)}
    assert len(orders) > 1


def test_both_games_of_a_pair_share_an_opening(book: Path) -> None:
    result = starscout.match(
        "ewn-3x3-3", "random", "random", pairs=4, openings=book, opening_order="sequential", **QUICK
    )
    assert [record.start for record in result.records] == [text for text in [*starts(3), starts(1)[0]] for _ in (0, 1)]
    result = starscout.match("ewn-3x3-3", "random", "random", pairs=3, openings=book, sprt=(0, 10), **QUICK)
    drawn = [record.start for record in result.records]
    assert drawn[::2] == drawn[1::2]
    assert sorted(drawn[::2]) == sorted(starts(3))


def test_a_tournament_starts_from_the_book(book: Path) -> None:
    result = starscout.tournament(
        "ewn-3x3-3", ["random", "negascout depth=1 eval=zero"], swiss=1, pairs=2, openings=book, max_plies=2, **QUICK
    )
    for number, plan, pairs in result.matches:
        records = [
            game.record for pair in pairs for game in pair.games(plan.game, (plan.first, plan.second), plan.seed)
        ]
        assert number
        assert {record.start for record in records} <= set(starts(3))
        assert [record.start for record in records][::2] == [record.start for record in records][1::2]
        assert {len(record.plies) for record in records} <= {1, 2}


def test_the_content_of_the_book_identifies_the_match(book: Path) -> None:
    def identity(order: str = "random") -> str:
        plan = make_plan("ewn-3x3-3", "random", "random", Limit(), 0, openings=str(book), opening_order=order)
        return plan.identity

    first = identity()
    assert identity() == first
    assert identity("sequential") != first
    book.write_text(starts(1)[0])
    assert identity() != first


def test_records_are_openings(tmp_path: Path) -> None:
    played = starscout.match("othello", "random", "random", pairs=1, opening_plies=0, luck="off", **QUICK).records
    file = tmp_path / "games.jsonl"
    file.write_text("".join(map(write_json_line, played)))
    found = read_book(str(file), OTHELLO, 6)
    assert [state.position for state in found] == [list(record.states())[6].position for record in played]
    assert [len(state.opening) for state in found] == [6, 6]
    with pytest.raises(GameError, match=r"games\.jsonl:1: the game is over after \d+ plies"):
        read_book(str(file), OTHELLO)
    with pytest.raises(GameError, match=r"games\.jsonl:1: expected at least 100 plies"):
        read_book(str(file), OTHELLO, 100)
    with pytest.raises(GameError, match=r"games\.jsonl:1: expected a game of ewn-3x3-3, got othello"):
        read_book(str(file), SMALL, 6)
    file.write_text(write_json_line(played[0]) + write_json_line(played[1]).replace('"plies"', '"pies"', 1))
    with pytest.raises(GameError, match=r"games\.jsonl:2: "):
        read_book(str(file), OTHELLO, 6)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{start}\nnonsense\n", r"book\.txt:2: "),
        ("{start}\n\n{rolled}\n", r"book\.txt:3: .* has a roll: write - instead of it"),
        ("# nothing\n", r"book\.txt has no positions"),
        ("nonsense", r"book\.txt:1: "),
    ],
)
def test_errors_name_file_and_line(tmp_path: Path, text: str, expected: str) -> None:
    start = starts(1)[0]
    (tmp_path / "book.txt").write_text(text.format(start=start, rolled=start[:-1] + "2"))
    with pytest.raises(GameError, match=expected):
        starscout.match("ewn-3x3-3", "random", "random", pairs=1, openings=tmp_path / "book.txt", **QUICK)


def test_settings_that_need_a_book_or_an_engine_that_can_use_it(book: Path, tmp_path: Path) -> None:
    with pytest.raises(GameError, match="opening_order requires openings"):
        starscout.match("ewn-3x3-3", "random", "random", opening_order="random", **QUICK)
    with pytest.raises(GameError, match="has positions: opening plies are for game records"):
        starscout.match("ewn-3x3-3", "random", "random", openings=book, opening_plies=2, **QUICK)
    with pytest.raises(GameError, match=r"openings: .*nowhere: No such file"):
        starscout.match("ewn-3x3-3", "random", "random", openings=tmp_path / "nowhere", **QUICK)
