"""Loading and digests of user files."""

import os
from pathlib import Path

import pytest

from starscout.game import GameError
from starscout.game.source_files import being_loaded, content_digest, is_below_guard, is_guarded, load_file


def test_file_is_reloaded_after_an_edit(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("NUMBER = 1\n")
    first = load_file(str(file), "player file")
    assert load_file(str(file), "player file") is first
    before = content_digest(str(file))
    file.write_text("NUMBER = 2\n")
    os.utime(file, ns=(1, 1))
    assert load_file(str(file), "player file").NUMBER == 2
    assert content_digest(str(file)) != before


def test_errors_name_the_line(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("a = 1\nb = a / 0\n")
    with pytest.raises(GameError, match=r"the player file .* fails: line 2: ZeroDivisionError"):
        load_file(str(file), "player file")
    with pytest.raises(GameError, match="there is no game file"):
        load_file(str(tmp_path / "none.py"), "game file")


BROKEN = {"syntax": b"class A:\n    def choose(self)\n", "encoding": b'NAME = "caf\xe9"\n', "zero": b"a = 1\n\0"}


@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN)
@pytest.mark.parametrize("name", ["mine.py", "helper.py"])
def test_unparsable_file_has_a_digest_and_is_rejected(tmp_path: Path, name: str, broken: bytes) -> None:
    file = tmp_path / "mine.py"
    file.write_text("import helper\n")
    (tmp_path / name).write_bytes(broken)
    before = content_digest(str(file))
    with pytest.raises(GameError, match=rf"the player file {file} fails: .*(SyntaxError|ValueError): "):
        load_file(str(file), "player file")
    (tmp_path / name).write_bytes(b"NUMBER = 1\n")
    assert content_digest(str(file)) != before


def test_being_loaded_is_true_while_a_file_is_executed(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("from starscout.game.source_files import being_loaded\n\nNOW = being_loaded()\n")
    assert load_file(str(file), "player file").NOW
    file.write_text("1 / 0\n")
    os.utime(file, ns=(1, 1))
    with pytest.raises(GameError):
        load_file(str(file), "player file")
    assert not being_loaded()


@pytest.mark.parametrize(
    ("text", "guarded"), [("if __name__=='__main__':", True), ('if __name__ == "__main__":', True), ("main()", False)]
)
def test_main_guard_is_detected(text: str, guarded: bool, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(text)
    assert is_guarded(str(tmp_path / "mine.py")) == guarded


def test_classes_below_the_main_guard_are_detected(tmp_path: Path) -> None:
    script = tmp_path / "mine.py"
    script.write_text(
        "try:\n    class One: ...\nexcept NameError: ...\n"
        'if __name__ == "__main__":\n    class One: ...\n    class Two: ...\n'
    )
    assert [is_below_guard(str(script), name) for name in ("One", "Two", "Three")] == [False, True, False]
