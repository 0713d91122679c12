"""The example games on the command line, and hooks of user games."""

import functools
import json
import pickle
from dataclasses import replace
from pathlib import Path

import pytest

from starscout import games
from starscout.evaluation import (
    FIRST_CLASS,
    ORDINARY,
    evaluation_names,
    exact_table,
    knowledge_of,
    load_evaluation,
    luck_evaluation,
    move_classes,
)
from starscout.game import GameError
from starscout.game.state import parse
from starscout.game.values import as_float
from starscout.players.spec import default_player, make_player, presets_of
from starscout.search.limits import Limit
from tests.command_line import run as run_command

pytestmark = pytest.mark.plain

EXAMPLES = Path(__file__).parent.parent / "examples"
DICE_RACE = EXAMPLES / "dice_race.py"
START = "xxx......ooo x"
QUICK = ("--pairs", "2", "--workers", "0", "--store", ":memory:", "--json")


def run(folder: Path, *words: str, said: str = "") -> str:
    """Standard output of a command in this working directory."""
    ended = run_command(words, folder=folder, given=said)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def run_json(folder: Path, *words: str) -> dict:
    return json.loads(run(folder, *words))


@pytest.mark.slow_compiled
@pytest.mark.parametrize("file", sorted(EXAMPLES.glob("*.py")), ids=lambda file: file.stem)
def test_every_example_satisfies_the_laws(file: Path, tmp_path: Path) -> None:
    assert "satisfies every law" in run(tmp_path, "laws", str(file), "--games", "3")
    assert "satisfies every law" in run(EXAMPLES, "laws", f"./{file.name}", "--games", "1")


@pytest.mark.parametrize("name", ["pig", "kalah", "dots_and_boxes"])
def test_short_examples_stay_short(name: str) -> None:
    assert len((EXAMPLES / f"{name}.py").read_text(encoding="utf-8").splitlines()) <= 100


def test_show_displays_the_die(tmp_path: Path) -> None:
    assert "red to move, die 2\nmoves: BD CE" in run(tmp_path, "show", str(DICE_RACE), f"{START} 2")
    assert "die 3: AD BE CF" in run(tmp_path, "show", str(DICE_RACE))
    assert run_json(tmp_path, "show", str(DICE_RACE), f"{START} 4", "--json")["die"] == 4


@pytest.mark.slow
def test_perft_and_random_games(tmp_path: Path) -> None:
    # One move for a 1, two for a 2, three each for a 3 and a 4.
    assert run_json(tmp_path, "perft", str(DICE_RACE), "1", "--json")["nodes"] == 9
    played = run_json(tmp_path, "playouts", str(DICE_RACE), "--seconds", "0.05", "--json")
    assert 10 < played["mean_plies"] < 13


@pytest.mark.slow
def test_analyse_with_and_without_a_roll(tmp_path: Path) -> None:
    rolled = run_json(tmp_path, "analyse", str(DICE_RACE), f"{START} 3", "--depth", "3", "--json")
    assert {move["move"] for move in rolled["moves"]} == {"AD", "BE", "CF"}
    before = run_json(tmp_path, "analyse", str(DICE_RACE), f"{START} -", "--depth", "3", "--json")
    assert [roll["roll"] for roll in before["rolls"]] == [1, 2, 3, 4]
    assert 0.5 < before["win_probability"] < 0.7
    assert "red to move, die 3" in run(tmp_path, "analyse", str(DICE_RACE), f"{START} 3", "--depth", "2")


@pytest.mark.slow_compiled
def test_game_is_saved_and_resumed(tmp_path: Path) -> None:
    saved, elsewhere = tmp_path / "saved.json", tmp_path / "elsewhere"
    elsewhere.mkdir()
    shown = run(EXAMPLES, "play", "./dice_race.py", "--depth", "2", "--seed", "3", said=f"1\nsave {saved}\nquit\n")
    assert "red to move, die 3" in shown
    assert "strong plays" in shown
    assert "red to move, die" in run(
        elsewhere, "play", str(DICE_RACE), "--resume", str(saved), "--depth", "2", said="1\nquit\n"
    )


@pytest.mark.slow_compiled
def test_luck_uses_the_evaluation_of_the_file(tmp_path: Path) -> None:
    result = run_json(tmp_path, "match", str(DICE_RACE), "strong", "random", "--depth", "2", *QUICK)
    assert result["games"] == 4
    assert result["luck_adjusted"] is not None
    assert result["forfeits"] == {"A": {}, "B": {}}


@pytest.mark.slow
def test_tune(tmp_path: Path) -> None:
    words = ("tune", str(DICE_RACE), "mcts simulations=20 nodes=1000 cutoff=1", "--parameters", "c=1:0.2:2")
    tuned = run_json(tmp_path, *words, "--steps", "1", *QUICK)
    assert 0.2 <= tuned["parameters"]["c"] <= 2


@pytest.mark.slow
def test_changed_knowledge_takes_effect(tmp_path: Path) -> None:
    """Another `strong`, another evaluation and no move classes in a copy of the file."""
    changes = {
        "negascout table=16": "negascout depth=1 eval=even",
        '"lead": lambda': '"even": lambda',
        'Evaluation("lead", lead, order=classify)': 'Evaluation("even", even)',
        "@kernel\ndef lead": "@kernel\ndef even(position: Position) -> int:\n    return 1 << 42\n\n\n@kernel\ndef lead",
        "    move_classes=lambda game: classify,\n": "",
    }
    text = DICE_RACE.read_text(encoding="utf-8")
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    (tmp_path / "mine.py").write_text(text, encoding="utf-8")
    analysis = run_json(tmp_path, "analyse", "mine.py", f"{START} 2", "--json")
    assert (analysis["value"], analysis["depth"]) == (-0.25, 1)
    assert run_json(tmp_path, "match", "mine.py", "strong", "random", *QUICK)["games"] == 4
    game = games.load(str(tmp_path / "mine.py"))
    with pytest.raises(GameError, match="defines no move classes"):
        make_player("mcts playout=classes", game).new_game(game, 0)


def test_the_knowledge_of_dice_race() -> None:
    game = games.load(str(DICE_RACE))
    assert evaluation_names(game) == ("lead", "zero")
    assert luck_evaluation(game) == "lead"
    assert default_player(game) == "strong"
    assert [preset.name for preset in presets_of(game)][:2] == ["strong", "random"]
    ahead, _ = game.parse("x....x...oo. x -")
    behind, _ = game.parse("xx..o....o.. x -")
    values = [as_float(load_evaluation(game).value(position)) for position in (ahead, behind)]
    assert values[0] > 0.5 > 0 > values[1]
    position, roll = game.parse(".x..x...oo.. x 4")
    classify = move_classes(game)
    assert classify is not None
    kinds = {game.format_move(position, move): classify(position, move) for move in game.legal(position, roll)}
    assert kinds == {"BF": ORDINARY, "EI": FIRST_CLASS}


def test_name_of_a_built_in_game_brings_no_knowledge() -> None:
    stranger = replace(games.load(str(DICE_RACE)), name="ewn-x", knowledge=None)
    assert evaluation_names(stranger) == ("zero",)
    assert load_evaluation(stranger).name == luck_evaluation(stranger) == "zero"
    assert move_classes(stranger) is None
    assert knowledge_of(stranger).players == ()
    assert default_player(stranger) == "negascout"
    with pytest.raises(GameError, match="ewn-x has no evaluation 'race': it has zero"):
        load_evaluation(stranger, "race")
    with pytest.raises(GameError, match="is for backgammon, dark-chess, ewn, ewn-cyclic, kari, othello, not for ewn-x"):
        make_player("strong", stranger)


def test_family_brings_its_knowledge() -> None:
    variant = replace(games.load("ewn"), name="my-ewn")
    assert load_evaluation(variant).name == "race+squares"
    assert default_player(variant) == "strong"
    assert move_classes(variant) is not None


KAYLES = EXAMPLES / "kayles.py"
ROW = "|" * 24


def kayles_values(pins: int, width: int = 9) -> dict[str, bool]:
    """Row → whether the mover wins, for all rows with pins on the first `width` places, by exhaustive search."""

    @functools.cache
    def wins(row: int) -> bool:
        followers = [row & ~(fallen << n) for fallen in (1, 3) for n in range(width) if row >> n & fallen == fallen]
        return any(not wins(follower) for follower in followers)

    rows = [row for row in range(1, 1 << width) if row.bit_count() == pins]
    return {"".join("|" if row >> n & 1 else "." for n in range(24)): wins(row) for row in rows}


@pytest.mark.slow_compiled
def test_kayles_table_agrees_with_exhaustive_search() -> None:
    game = games.load(str(KAYLES))
    table = exact_table(game)
    assert table is not None
    for pins in (2, 4, 6):
        for row, won in kayles_values(pins).items():
            assert (table.value(game.parse(f"{row} a")[0]) > 0) == won


@pytest.mark.slow_compiled
def test_player_uses_the_exact_endgame_of_a_file() -> None:
    game = games.load(str(KAYLES))
    player = make_player("strong", game)
    player.new_game(game, 0)
    state = parse(game, f"{ROW} a")
    decision = player.analyse(state, Limit(nodes=50))
    table = exact_table(game)
    assert table is not None
    assert {report.move: report.value for report in decision.moves} == table.move_values(state.position, state.roll)
    assert all(report.proven for report in decision.moves)
    assert table.value(state.play(player.choose(state, Limit(nodes=50)).move).position) == -1.0


@pytest.mark.slow_compiled
def test_solve_uses_the_exact_endgame_of_a_file(tmp_path: Path) -> None:
    solved = run_json(tmp_path, "solve", str(KAYLES), f"{ROW} a", "--json")
    assert (solved["value"], solved["exact"], solved["method"]) == (1.0, True, "table")


@pytest.mark.slow_compiled
def test_package_folder_is_a_game(tmp_path: Path) -> None:
    package = tmp_path / "my_kayles"
    package.mkdir()
    (package / "__init__.py").write_text("from .rules import GAME as GAME\n")
    (package / "rules.py").write_text(KAYLES.read_text(encoding="utf-8").replace('name="kayles"', 'name="my-kayles"'))
    assert "satisfies every law" in run(tmp_path, "laws", "./my_kayles", "--games", "3")
    result = run_json(tmp_path, "match", "./my_kayles", "strong", "random", *QUICK, "--nodes", "20")
    assert (result["games"], result["forfeits"]) == (4, {"A": {}, "B": {}})
    game = games.load(str(package))
    assert (game.name, game.file) == ("my-kayles", str(package))
    assert pickle.loads(pickle.dumps(game)) is game
    before = games.content_digest(str(package))
    (package / "rules.py").write_text((package / "rules.py").read_text() + "\n# edited\n")
    assert games.content_digest(str(package)) != before


def test_folder_without_a_package_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(GameError, match="there is no game file"):
        games.load(str(tmp_path))
