"""Games with comments and variations."""

import json
from pathlib import Path

import pytest

import starscout
from starscout.records.game_tree import GameTree
from starscout.records.json_lines import write_json_line


def annotated() -> GameTree:
    tree = GameTree("othello", ("Anna", "Bert"))
    tree.root.comment = "club game"
    first = tree.root.play("f5")
    second = first.play("d6", comment="diagonal")
    second.play("c3")
    first.play("f6").play("e6", comment="perpendicular")
    first.play("f4")
    return tree


def test_text_of_a_tree() -> None:
    assert str(annotated()) == "{club game} f5 d6 {diagonal} (f6 e6 {perpendicular}) (f4) c3"


def test_save_and_load_keep_everything(tmp_path: Path) -> None:
    file = tmp_path / "game.json"
    annotated().save(file)
    loaded = GameTree.load(file)
    assert (str(loaded), loaded.players) == (str(annotated()), ("Anna", "Bert"))
    assert loaded.json() == annotated().json()
    (record,) = starscout.replay(file).records
    assert [ply.text for ply in record.plies] == ["f5", "d6", "c3"]


def test_nested_variations_are_kept() -> None:
    tree = annotated()
    outer = tree.root.children[0].children[1]
    added = [outer.play(move) for move in ("d3", "c4")]
    assert outer.children[1:] == added
    assert str(GameTree.from_json(json.loads(json.dumps(tree.json())))) == str(tree)


def test_tree_of_a_record_with_dice(tmp_path: Path) -> None:
    record, _ = starscout.match("ewn-3x3-3", "random", "random", pairs=1, workers=0, store=":memory:").records
    tree = GameTree(record)
    assert tree.record() == record
    assert [node.ply for node in tree.root.line()] == list(record.plies)
    other = tree.root.play(tree.root.state.rolled(2).moves[0], event=2)
    assert (other.event, other.parent) == ("2", tree.root)
    file = tmp_path / "game.json"
    tree.save(file)
    assert GameTree.load(file).record() == tree.record()
    with pytest.raises(starscout.GameError, match="roll is missing"):
        tree.root.play("A1B1")


def test_promoting_and_removing_change_the_record() -> None:
    tree = annotated()
    variation = tree.root.children[0].children[1]
    assert [ply.text for ply in tree.record(variation).plies] == ["f5", "f6", "e6"]
    variation.promote()
    assert [ply.text for ply in tree.record().plies] == ["f5", "f6", "e6"]
    variation.remove()
    assert str(tree) == "{club game} f5 d6 {diagonal} (f4) c3"
    assert tree.end.ply is not None
    assert tree.end.ply.text == "c3"


def test_the_result_is_kept_only_for_the_same_plies() -> None:
    (record, _) = starscout.match("ewn-3x3-3", "random", "random", pairs=1, workers=0, store=":memory:").records
    tree = GameTree(record)
    tree.end.remove()
    assert tree.record().reason == "adjourned"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"comment": 3}, r"plies\[1\].comment: expected a text, got 3"),
        ({"variations": 3}, r"plies\[1\].variations: expected a list of lines, got 3"),
        ({"variations": [3]}, r"plies\[1\].variations\[0\]: expected a list of plies, got 3"),
        ({"variations": [[{"move": "a1"}]]}, r"plies\[1\].variations\[0\]\[0\]: 'a1' is not a legal move"),
        ({"variations": [[{"x": 1}]]}, r"no field 'x'"),
        ({"move": "a1"}, "'a1' is not a legal move"),
    ],
)
def test_malformed_trees_are_rejected(change: dict[str, object], message: str) -> None:
    value = annotated().json()
    value["plies"][1] |= change
    with pytest.raises(starscout.GameError, match=message):
        GameTree.from_json(value)


def test_a_file_without_a_game_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "two.json").write_text(write_json_line(annotated().record()) * 2)
    with pytest.raises(starscout.GameError, match="expected one game as a JSON object"):
        GameTree.load(tmp_path / "two.json")
