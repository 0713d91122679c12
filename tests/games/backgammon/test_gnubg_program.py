"""Match files exchanged with the program GNU Backgammon: its games replay here, ours replay there."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

import starscout
from starscout.records.mat import write_mat

PROGRAM = shutil.which("gnubg") or shutil.which("gnubg", path="/usr/games")
pytestmark = pytest.mark.skipif(PROGRAM is None, reason="gnubg is not installed")
SILENT = ["set automatic game off", "set output matchpc off", "set cube use off"]


def gnubg(folder: Path, commands: list[str]) -> None:
    """Run commands in a process with its own home."""
    file = folder / "commands"
    file.write_text("\n".join(commands) + "\n")
    subprocess.run(
        [str(PROGRAM), "-t", "-q", "-c", str(file)],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=1200,
        env={**os.environ, "HOME": str(folder)}, check=False,
    )  # fmt: skip


def sizes(few: int, many: int) -> list[object]:
    return [few, pytest.param(many, marks=pytest.mark.slow)]


@pytest.mark.parametrize("count", sizes(1, 200))
def test_games_of_gnu_backgammon_replay_here(count: int, tmp_path: Path) -> None:
    players = [f"set player {side} {what}" for side in (0, 1) for what in ("gnubg", "chequerplay evaluation plies 0")]
    games = [
        command
        for number in range(count)
        for command in ("new match 1", "end game", f"export match mat {tmp_path}/{number}.mat", "yes")
    ]
    gnubg(tmp_path, [*SILENT, "set confirm new off", f"set seed {count}", *players, *games])
    files = sorted(tmp_path.glob("*.mat"))
    assert len(files) == count
    replayed = starscout.replay(*files)
    assert (replayed.games, replayed.illegal) == (count, ())
    assert {(record.game, record.reason) for record in replayed.records} <= {
        ("backgammon-dmp", reason) for reason in ("bore off", "gammon", "backgammon", "resigned")
    }


@pytest.mark.parametrize("pairs", sizes(1, 100))
def test_our_games_replay_in_gnu_backgammon(pairs: int, tmp_path: Path) -> None:
    played = starscout.match(
        "backgammon-dmp", "random", "random", pairs=pairs, workers=0, luck="off", store=":memory:", progress=False
    ).records
    commands = []
    for number, record in enumerate(played):
        (tmp_path / f"{number}.mat").write_text(write_mat(record))
        commands += [f"import mat {tmp_path}/{number}.mat", f"export match mat {tmp_path}/{number}.back"]
    gnubg(tmp_path, [*SILENT, "set confirm new off", *commands])
    for number, record in enumerate(played):
        (back,) = starscout.replay(tmp_path / f"{number}.back").records
        assert [(ply.roll, ply.move) for ply in back.plies] == [(ply.roll, ply.move) for ply in record.plies]
        assert back.winner == record.winner
