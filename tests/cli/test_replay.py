"""`starscout replay FILE…`: counts, illegal games, exit code."""

import json
from pathlib import Path

import pytest
import typer

from starscout import games
from starscout.cli import records
from starscout.game.state import start
from starscout.players.spec import make_player
from starscout.records.json_lines import write_json_line
from starscout.referee.game_in_progress import play_game
from starscout.search.limits import Limit
from tests.cli.conftest import CommandLine


def test_replay_counts_and_lists_illegal_games(plain_command_line: CommandLine, tmp_path: Path) -> None:
    good = "RB NoMove | C5 D4 E5 D5 E3 E4 C1 B2 A1 B1 A3 A2 | 3A1A2 1C5C4 6A3B4 5E3D3 5B4C4 3E5D4 5C4D5 6E4D3 3A2B2 \
4D3C3 3B2C3 4D4C3 4B1B2 2C3B3 4B2B3"
    file = tmp_path / "games.txt"
    file.write_text(f"{good}\n{good.replace('3A1A2', '4A1A2')}\n")
    ended = plain_command_line("replay", str(file), "--json")
    report = json.loads(ended.stdout)
    assert (report["games"], report["legal"]) == (2, 1)
    assert report["illegal"][0]["line"] == 2
    assert "not a legal move" in report["illegal"][0]["why"]
    assert ended.returncode == 1


def test_several_files_are_summed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    game = "(;GM[Othello]PB[a]PW[b]RE[?]TY[8]BO[8 {} *]B[F5]{};)"
    board = "-" * 27 + "O*" + "-" * 6 + "*O" + "-" * 27
    good, bad = tmp_path / "good.ggf", tmp_path / ("bad" * 20 + ".ggf")
    good.write_text(game.format(board, "W[D6]"))
    bad.write_text(game.format(board, "W[A1]"))
    with pytest.raises(typer.Exit) as ended:
        records.replay([good, bad])
    assert ended.value.exit_code == 1
    shown = capsys.readouterr()
    assert shown.out == "2 games, 1 legal, 1 illegal\n"
    # A single line, however long, so that an editor can jump to it.
    (fault,) = shown.err.splitlines()
    assert fault.startswith(f"{bad}:1: ply 2: 'a1' is not a legal move in ")
    assert fault.endswith("legal moves: f4 d6 f6")


def test_a_record_cannot_make_us_run_a_game_file(command_line: CommandLine, tmp_path: Path) -> None:
    game = tmp_path / "evil.py"
    game.write_text(f"open({str(tmp_path / 'run')!r}, 'w')\n")
    record = {"format": "starscout game 1", "game": str(game), "start": "x", "players": ["a", "b"], "plies": []}
    file = tmp_path / "games.jsonl"
    file.write_text(json.dumps({**record, "winner": 0, "reason": "corner"}) + "\n")
    done = command_line("replay", str(file), "--json", NUMBA_DISABLE_JIT="1")
    assert done.returncode == 1
    assert "allow it with --game FILE" in json.loads(done.stdout)["illegal"][0]["why"]
    assert not (tmp_path / "run").exists()


def test_user_game_is_replayed_with_its_file(command_line: CommandLine, tmp_path: Path) -> None:
    example = (Path(__file__).parents[2] / "examples" / "connect_four.py").read_text()
    game, file = tmp_path / "four.py", tmp_path / "games.jsonl"
    game.write_text(example)
    rules = games.load(str(game))
    players = make_player("random", rules), make_player("random", rules)
    file.write_text(write_json_line(play_game(start(rules), players, (Limit(), Limit()))))
    plain = {"NUMBA_DISABLE_JIT": "1"}
    assert "no game 'connect-four'" in command_line("replay", str(file), **plain).stderr
    given = command_line("replay", str(file), "--game", str(game), "--json", **plain)
    assert json.loads(given.stdout)["legal"] == 1, given.stderr
    game.write_text(example + "\n# another version\n")
    other = json.loads(command_line("replay", str(file), "--game", str(game), "--json", **plain).stdout)
    assert "another version of connect-four" in other["illegal"][0]["why"]
