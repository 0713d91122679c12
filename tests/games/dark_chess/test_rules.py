"""Rules of dark chess: the counts and rule probes of the course's library, notation, and the hidden board of a pair."""

import random
import re
from pathlib import Path

import pytest

import starscout
from starscout import games
from starscout.game import GameError, Outcome
from starscout.game.state import parse, start
from starscout.search.perft import perft

DARK, RESET, OPEN = games.load("dark-chess"), games.load("dark-chess-reset"), games.load("dark-chess-open")
REFERENCE = Path(__file__).parents[4] / "shared" / "dark_chess.md"

COUNTS = {
    "aAPAeEnC/pPpeNKpp/crCREPPR/kpPcraNn r": (18, 301, 5_684, 104_463, 2_032_969),
    "pPEAKPae/crpPEPCR/nnRprPAk/aeNNpCpc r": (13, 173, 2_570, 36_387, 574_557),
    "aRnPpEKP/pNCpAraP/rcnekpCc/eApENRPP r": (13, 258, 3_810, 73_972, 1_194_652),
    "2k1P3/1c1r2N1/3pE3/A4n1C r": (16, 234, 3_424, 48_608, 689_553),
    "k6C/1p2P3/2A2r2/N4c1e b": (12, 156, 1_876, 23_954, 280_923),
    "1K1p1c2/8/R2n4/2C2a1P r": (14, 148, 1_961, 20_425, 263_330),
}


@pytest.mark.parametrize("text", COUNTS)
def test_perft_of_open_positions(text: str) -> None:
    position = parse(OPEN, text).position
    assert tuple(perft(OPEN, position, depth) for depth in range(1, 6)) == COUNTS[text]


def test_perft_of_the_hidden_start_counts_every_kind() -> None:
    position = DARK.start_position()
    assert [perft(DARK, position, depth) for depth in (1, 2, 3)] == [32, 13_888, 5_779_968]


def test_weighted_perft_of_the_hidden_start() -> None:
    counts = [starscout.perft("dark-chess", depth, weighted=True, progress=False).expected for depth in (1, 2, 3)]
    assert counts == pytest.approx([32, 992, 29_793.887096774], abs=1e-8)


@pytest.mark.slow
def test_perft_of_the_hidden_start_four_plies_deep() -> None:
    counted = starscout.perft("dark-chess", 4, weighted=True, progress=False)
    assert counted.nodes == 2_298_785_280
    assert counted.expected == pytest.approx(867_106.451612897, abs=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "leaves"),
    list(zip(COUNTS, (39_524_999, 8_840_857, 23_156_161, 9_528_875, 3_593_991, 2_650_676), strict=True)),
)
def test_perft_of_open_positions_six_plies_deep(text: str, leaves: int) -> None:
    assert perft(OPEN, parse(OPEN, text).position, 6) == leaves


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        ("kP6/8/8/8 r", "A1A2"),
        ("kP6/8/8/8 b", "B1A1 B1C1 B1B2"),
        ("pC6/8/8/8 r", "A1A2"),
        ("cP6/8/8/8 r", "A1A2"),
        ("c?P5/8/8/8 r 0 k r", "A1A2 A1C1 B1"),
        ("c1r1P3/8/8/8 r", "A1B1 A1A2 A1E1 C1B1 C1D1 C1C2"),
        ("P7/8/8/7? r 0 p r", "H4"),
    ],
)
def test_moves_of_the_rule_probes(text: str, moves: str) -> None:
    state = parse(DARK, text)
    assert not state.over
    assert sorted(state.moves) == sorted(moves.split())


@pytest.mark.parametrize(
    ("text", "winner", "reason"),
    [
        ("Pr6/r7/8/8 r", 0, "stalemate"),  # black is blocked although red is to move
        ("P7/8/8/8 r", 1, "captured all"),
        ("8/8/8/8 r", 0, "captured all"),
        ("k6K/8/8/8 r 30 - r", None, "30 quiet plies"),
    ],
)
def test_finished_games(text: str, winner: int | None, reason: str) -> None:
    assert parse(DARK, text).outcome == Outcome(winner, reason)


def test_first_flip_assigns_the_colours() -> None:
    flipped = start(DARK).play("FLIP D2")
    assert flipped.needs_roll
    assert sum(flipped.chance.values()) == 32
    assert flipped.rolled("n").text.split()[:2] == ["????????/???n????/????????/????????", "b"]
    black = flipped.rolled("N")
    assert black.text.split()[:2] == ["????????/???N????/????????/????????", "r"]
    assert black.mover == 1
    assert black.play("G1").rolled("P").text.split()[1] == "b"


def test_a_flip_keeps_the_quiet_plies_and_resets_them_in_the_variant() -> None:
    text = "k6?/8/8/7K r 29 p r"
    flipped = parse(DARK, text).play("H1").rolled("p")
    assert flipped.play("H4G4").outcome == Outcome(None, "30 quiet plies")
    assert not parse(RESET, text).play("H1").rolled("p").play("H4G4").over


def test_captures_empty_the_pool_only_by_reveals() -> None:
    state = parse(DARK, "c?P4?/8/8/8 r 5 kK r")
    taken = state.play("MOVE A1 C1")
    assert taken.text == "1?c4?/8/8/8 b 0 kK r"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("8/8/8 r", "expected 4 ranks"),
        ("9/8/8/8 r", "rank 1: expected pieces"),
        ("kk6/8/8/8 r", "at most 1 of k, got 2"),
        ("c?P5/8/8/8 r", "name the hidden ones"),
        ("c?P5/8/8/8 r 0 kk r", "pool: expected at most 1 of k"),
        ("c?P5/8/8/8 r 0 - r", "pool: expected 1 pieces"),
        ("c?P5/8/8/8 x 0 k r", "side to move: expected r or b"),
        ("c?P5/8/8/8 r 31 k r", "quiet plies: expected 0 to 30"),
        ("c?P5/8/8/8 r 0 k -", "because pieces are revealed"),
    ],
)
def test_invalid_positions(text: str, message: str) -> None:
    with pytest.raises(GameError, match=re.escape(message)):
        parse(DARK, text)


def test_both_games_of_a_pair_share_the_hidden_board() -> None:
    assert DARK.deal is not None
    found: list[dict[str, str]] = []
    for order in (range(32), reversed(range(32))):
        draw, state, board = DARK.deal(DARK.start_position(), 7), start(DARK), {}
        for square in order:
            flipped = state.play(square * 33)
            event = draw(flipped.position)
            board[square] = DARK.format_event(flipped.position, event)
            state = flipped.rolled(event)
            if state.over:
                break
        found.append(board)
    shared = found[0].keys() & found[1].keys()
    assert len(shared) >= 31
    assert all(found[0][square] == found[1][square] for square in shared)


def test_deal_is_uniform_over_the_kinds() -> None:
    assert DARK.deal is not None
    flipped = start(DARK).play("A1").position
    drawn = [DARK.deal(DARK.start_position(), seed)(flipped) for seed in range(3200)]
    soldiers = sum(DARK.format_event(flipped, event) in "pP" for event in drawn)
    assert 850 < soldiers < 1150  # 10 of 32


def test_a_random_game_ends_within_the_bound() -> None:
    generator = random.Random(3)
    state = start(DARK)
    while not state.over:
        state = state.rolled(generator)
        if not state.over:
            state = state.play(generator.choice(state.legal))
    assert 0 < state.ply <= DARK.max_plies


@pytest.mark.skipif(not REFERENCE.exists(), reason="the reference material is not here")
def test_the_recorded_open_game_replays() -> None:
    lines = re.findall(r"^ +\d+ (?:red|black) +(\S+ [rb])  ->  (MOVE .*)$", REFERENCE.read_text(encoding="utf-8"), re.M)
    assert len(lines) == 73
    state = parse(OPEN, lines[0][0])
    for board, move in lines:
        assert " ".join(state.text.split()[:2]) == board
        state = state.play(move)
    assert state.outcome == Outcome(None, "30 quiet plies")


def test_notes_show_colours_captured_and_hidden_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    state = parse(DARK, "c?P4?/8/8/AAEERRNN r 5 kp b")
    assert str(state).splitlines()[-3:] == [
        "first is black, second is red",
        "captured: 仕仕相相俥俥傌傌炮兵兵兵兵將包包卒卒卒卒",
        "hidden: 帥 1/2 兵 1/2",
    ]
    monkeypatch.setenv("STARSCOUT_PIECES", "western")
    assert str(state).splitlines()[-1] == "hidden: k 1/2 p 1/2"
    assert " c " in str(state).splitlines()[1]


def test_rows_are_aligned_in_terminal_columns() -> None:
    """Chinese characters take two columns."""
    rows = str(parse(DARK, "c?P4?/8/8/8 r 5 kK r")).splitlines()[1:5]
    ends = [sum(2 if ord(character) > 0x2E80 else 1 for character in row) for row in rows]
    assert len(set(ends)) == 1
