"""`ladder.toml`, the folder and the tokens."""

import stat
from pathlib import Path

import pytest

from starscout.game import GameError
from starscout.ladder.configuration import open_folder
from starscout.ladder.run import enrol_class
from starscout.ladder.store import LadderStore
from starscout.ladder.tokens import hashed, matches, new_token, read_class, teacher_token
from tests.ladder.running import CLASS, GAME


def test_a_new_folder_has_a_configuration_with_baselines(tmp_path: Path) -> None:
    folder, ladder = open_folder(tmp_path / "new", [GAME])
    assert [baseline.name for baseline in ladder.baselines_of(GAME)] == ["random", "one ply"]
    assert open_folder(tmp_path / "new")[1] == ladder
    assert stat.S_IMODE(folder.submissions.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('games = ["chess"]', "chess"),
        (f'games = ["{GAME}"]\nend = "Friday"', "end: expected a date such as"),
        (f'games = ["{GAME}"]\nminutes = 3', "no field 'minutes'"),
        (f'games = ["{GAME}"]\n[submission]\nfiles = 0', "submission.files: expected a whole number from 1"),
        (f'games = ["{GAME}"]\n[[baseline]]\nname = "x"\nplayer = "nobody"', "baseline 'x': there is no player"),
        ("games = []", "games: expected at least one game"),
        ("games = [", "ladder.toml"),
        (f"games = {'[' * 5_000}", "ladder.toml"),
        (f"seed = {'1' * 5_000}", "ladder.toml"),
    ],
)
def test_errors_name_the_file_and_the_setting(tmp_path: Path, text: str, expected: str) -> None:
    (tmp_path / "ladder.toml").write_text(text)
    with pytest.raises(GameError, match=r"ladder\.toml") as caught:
        open_folder(tmp_path)
    assert expected in str(caught.value)


def test_a_deadline_of_toml_is_a_date(tmp_path: Path) -> None:
    (tmp_path / "ladder.toml").write_text(f'games = ["{GAME}"]\nend = 2026-12-18T12:00:00+08:00\n')
    assert open_folder(tmp_path)[1].deadline == 1_797_566_400


def test_a_folder_without_configuration_needs_a_game(tmp_path: Path) -> None:
    with pytest.raises(GameError, match="create one with --game"):
        open_folder(tmp_path)


def test_tokens_are_random_and_only_their_hash_is_kept(tmp_path: Path) -> None:
    open_folder(tmp_path, [GAME])
    (tmp_path / "class.csv").write_text(CLASS, encoding="utf-8")
    file, count = enrol_class(tmp_path, tmp_path / "class.csv")
    first = file.read_text(encoding="utf-8-sig")
    assert (count, stat.S_IMODE(file.stat().st_mode)) == (4, 0o600)
    tokens = [line.rsplit(",", 1)[1] for line in first.splitlines()[1:]]
    content = b"".join(path.read_bytes() for path in tmp_path.glob("ladder.sqlite*"))
    assert len(set(tokens)) == 4
    assert not any(token.encode() in content for token in tokens)
    assert stat.S_IMODE((tmp_path / "ladder.sqlite").stat().st_mode) == 0o600
    with LadderStore(tmp_path / "ladder.sqlite") as store:
        found = store.student_with_hash(hashed(tokens[1]))
        assert found is not None
        assert store.entrant(found.entrant).name == "Team"
        assert sum(entrant.kind == "student" for entrant in store.entrants()) == 3
    enrol_class(tmp_path, tmp_path / "class.csv")
    with LadderStore(tmp_path / "ladder.sqlite") as store:
        assert store.student_with_hash(hashed(tokens[1])) is None
        assert len(store.students()) == 4


def test_errors_of_all_rows_of_a_class_are_listed(tmp_path: Path) -> None:
    (tmp_path / "class.csv").write_text("id,name\n../x,Eve\nanna,\nbert,Bert\nbert,Bert\n")
    with pytest.raises(GameError) as caught:
        read_class(tmp_path / "class.csv")
    assert [line.split(": ", 1)[1][:12] for line in str(caught.value).splitlines()] == [
        "id '../x': e", "anna: expect", "id bert: dup",
    ]  # fmt: skip


def test_a_token_has_128_bits_and_is_compared_by_hash() -> None:
    token = new_token()
    assert len(token) >= 22
    assert matches(token, hashed(token))
    assert not matches(token + "x", hashed(token))


def test_a_readable_teacher_token_is_refused(tmp_path: Path) -> None:
    token = teacher_token(tmp_path / "teacher.token")
    assert teacher_token(tmp_path / "teacher.token") == token
    (tmp_path / "teacher.token").chmod(0o644)
    with pytest.raises(GameError, match="chmod 600"):
        teacher_token(tmp_path / "teacher.token")
