"""`starscout export`: conversion of records."""

from pathlib import Path

from tests.cli.conftest import CommandLine


def test_move_list_to_ggf_and_back(tmp_path: Path, plain_command_line: CommandLine) -> None:
    moves, ggf = tmp_path / "game.txt", tmp_path / "game.ggf"
    moves.write_text("f5d6c3d3c4\n")
    done = plain_command_line("export", str(moves), "--format", "ggf", "--output", str(ggf))
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert "B[F5//0.000]W[D6//0.000]" in ggf.read_text()
    again = plain_command_line("export", str(ggf), "--format", "moves")
    assert again.stdout == moves.read_text()


def test_invalid_input_is_rejected(tmp_path: Path, plain_command_line: CommandLine) -> None:
    file = tmp_path / "game.txt"
    file.write_text("f5f5\n")
    done = plain_command_line("export", str(file), "--format", "ggf")
    assert done.returncode == 2
    assert "ply 2: 'f5' is not a legal move" in done.stderr
