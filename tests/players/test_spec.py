"""Parsing of player specifications."""

import os
from pathlib import Path

import pytest

from starscout import games
from starscout.game import GameError
from starscout.games.kari.baselines import Options as BaselineOptions
from starscout.players.spec import all_kinds, all_presets, default_player, describe, make_player, presets_of
from starscout.search.limits import Limit

EWN, OTHELLO, KARI = (games.load(name) for name in ("ewn", "othello", "kari"))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an engine in it, seen from another folder."""
    program = tmp_path / "elsewhere" / "engine"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return program.parent


def sentence(spec: str, game=OTHELLO) -> str:
    with pytest.raises(GameError) as wrong:
        describe(spec, game)
    return str(wrong.value)


def test_a_kind_with_options() -> None:
    described = describe("mcts time=0.1 rule=rave", EWN)
    assert (described.kind, described.command) == ("mcts", None)
    assert (described.options.time, described.options.rule) == (0.1, "rave")
    assert describe("mcts time=0.1", EWN).options.simulations is None


def test_options_override_a_preset() -> None:
    preset = next(preset for preset in presets_of(EWN) if preset.spec.startswith("negascout"))
    plain, changed = describe(preset.name, EWN), describe(f"{preset.name} depth=2", EWN)
    assert plain.kind == changed.kind == "negascout"
    assert changed.options.depth == 2
    assert changed.options.eval == plain.options.eval


def test_kind_without_check() -> None:
    assert describe("random", KARI).options == all_kinds()["random"].Options()
    assert isinstance(describe("kari-baseline", KARI).options, BaselineOptions)


def test_every_preset_describes_a_player() -> None:
    for name, preset in all_presets():
        game = EWN if name == "*" else games.load(name)
        described = describe(preset.name, game)
        assert described.kind in all_kinds()
        assert described.threads >= 1


def test_default_player() -> None:
    assert default_player(EWN) == "strong"
    assert default_player(games.load(str(Path(__file__).parents[2] / "examples" / "connect_four.py"))) == "negascout"


def test_program_with_limit_and_folder(folder: Path) -> None:
    described = describe("nboard[depth=4 cwd=../elsewhere]:./engine -x", OTHELLO)
    assert (described.kind, described.command) == ("nboard", "./engine -x")
    assert described.options.limit == Limit(depth=4)
    assert described.options.folder == str(folder)
    # The path of the program is relative to its own folder, not to the working directory.
    assert sentence("nboard:./engine") == "the program './engine' does not exist"
    player = make_player("nboard[depth=4 cwd=../elsewhere]:./engine", OTHELLO)
    assert player.bound(Limit(time=1.0)) == Limit(time=1.0, depth=4)
    assert player.name == "nboard[depth=4 cwd=../elsewhere]:./engine"
    assert not player.local


def test_home_folder_is_expanded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(folder))
    assert describe("lab[cwd=~]:./engine", EWN).options.folder == str(folder)


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("", "player: expected a preset, a search with options, or PROTOCOL:COMMAND, got an empty text"),
        ("nboard[dept=4]:true", "nboard: no option 'dept'; did you mean 'depth'? (options: time, clock, increment, "),
        ("nboard[depth]:true", "option: expected name=value, got 'depth'"),
        ("nboard[cwd=./nowhere]:true", "nboard: no such folder: './nowhere'"),
        ("nbord:true", "there is no protocol 'nbord'; did you mean 'nboard'?"),
        ("nboard:", "the command is missing: write PROTOCOL:COMMAND, for example lab:./engine"),
        ("nboard:./nobody", "the program './nobody' does not exist"),
        ("nboard:'./nobody", 'cannot parse the command "\'./nobody": No closing quotation'),
        ("tcg-raw:true", "the protocol tcg-raw is for ewn-cyclic and kari, not for othello"),
        ("negascuot", "there is no player 'negascuot'; did you mean 'negascout'? (see: starscout players othello)"),
        ("star-determinacy", "the player 'star-determinacy' is for ewn"),
        ("negascout dept=3", "negascout: no option 'dept'; did you mean 'depth'?"),
    ],
)
def test_invalid_specs_are_rejected(spec: str, expected: str) -> None:
    said = sentence(spec)
    assert said.startswith(expected)
    assert "\n" not in said


def test_missing_program_is_rejected(folder: Path) -> None:
    os.chmod(folder / "engine", 0o644)
    assert sentence(f"lab[cwd={folder}]:./engine", EWN) == (f"the program './engine' is not executable in {folder}")
