"""Levels of isolation: detection, overrides, the files and variables that a program may see."""

import os
import site
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from starscout.game import GameError
from starscout.kernels import notices
from starscout.kernels.cache import KEY_FILE, cache_folder
from starscout.protocols import sandbox
from starscout.protocols.channel import deadline_in
from starscout.protocols.process import Program
from starscout.protocols.readable_files import existing, own_folders, program_folders
from starscout.protocols.sandbox import RunLimits, Support, active_level, isolation, probe, run
from tests.arena.test_kill import command_line
from tests.patience import PATIENCE


@pytest.fixture(autouse=True)
def unknown_system(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Clear the cached properties of this system."""
    monkeypatch.delenv(sandbox._FOUND_VARIABLE, raising=False)
    sandbox._support.cache_clear()
    yield
    sandbox._support.cache_clear()
    os.environ.pop(sandbox._FOUND_VARIABLE, None)


@pytest.fixture
def unsupported(monkeypatch: pytest.MonkeyPatch) -> None:
    """A system on which only limits work."""
    monkeypatch.setattr(sandbox, "_try", lambda support: "not permitted")


@pytest.mark.usefixtures("unsupported")
def test_a_system_without_support_warns_once(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[str] = []
    monkeypatch.setattr(notices, "waiting", heard.append)
    for _ in range(3):
        assert active_level() == "rlimits"
    (message,) = heard
    assert message.startswith("programs are not isolated: they can read your files")
    assert "bubblewrap: not permitted; landlock: not permitted" in message
    monkeypatch.setattr(notices, "waiting", None)
    sandbox._support.cache_clear()
    # A worker learns the level from its director, and does not warn again.
    assert active_level() == "rlimits"


@pytest.mark.usefixtures("unsupported")
def test_isolation_can_be_required() -> None:
    with pytest.raises(GameError, match=r"isolate: this system cannot isolate programs: .*install bubblewrap"):
        isolation(sandbox.REQUIRE).__enter__()
    assert sandbox.VARIABLE not in os.environ


def test_isolation_can_be_turned_off(monkeypatch: pytest.MonkeyPatch) -> None:
    with isolation("off"):
        assert active_level() == "off"
    assert sandbox.VARIABLE not in os.environ
    monkeypatch.setenv(sandbox.VARIABLE, "strict")
    with pytest.raises(
        GameError, match="STARSCOUT_SANDBOX: expected one of bubblewrap, landlock, rlimits, off, require"
    ):
        active_level()


def test_a_level_that_does_not_work_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox.shutil, "which", lambda name: None)
    assert probe(("bubblewrap",)) == Support("rlimits", problem="bubblewrap: not installed")
    monkeypatch.setenv(sandbox.VARIABLE, "bubblewrap")
    with pytest.raises(GameError, match="bubblewrap does not work here: bubblewrap: not installed"):
        active_level()


def test_the_folders_of_a_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for path in ("anna/agent.py", "anna/data/net.bin", "bert/agent", "shared/book.txt"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).touch()
    found = existing(program_folders(["python3", "anna/agent.py", "--book=shared/book.txt", "-v"], None))
    assert str(tmp_path / "anna") in found
    assert str(tmp_path / "shared") in found
    assert not any(path.startswith(str(tmp_path / "bert")) or path == str(tmp_path) for path in found)
    assert str(tmp_path / "bert") in program_folders(["./agent"], str(tmp_path / "bert"))
    assert existing([str(tmp_path / "anna"), str(tmp_path / "anna/data"), "/usr/bin", "/", "/no/such"]) == [
        str(tmp_path / "anna")
    ]


def test_secrets_in_the_environment_are_not_passed_on() -> None:
    given = {"PATH": "/bin", "LC_ALL": "C", "AWS_SECRET": "x", "STARSCOUT_STORE": "/store", "STARSCOUT_LOG": "/log"}
    assert set(sandbox._allowed(given)) == {"PATH", "LC_ALL", "STARSCOUT_CACHE"}


READS = """
for path in ("text", "../other/text"):
    try:
        print(open(path).read(), flush=True)
    except OSError:
        print("refused", flush=True)
input()
"""


@pytest.mark.parametrize("level", ["bubblewrap", "landlock"])
def test_a_program_reads_its_folder_and_no_other(tmp_path: Path, level: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = probe((level,))
    if found.level != level:
        pytest.skip(f"{level} does not work here: {found.problem}")
    monkeypatch.setenv(sandbox.VARIABLE, level)
    for name in ("own", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "text").write_text(name)
    (tmp_path / "own" / "agent.py").write_text(READS)
    channel = Program("agent", f"{sys.executable} agent.py", str(tmp_path / "own")).open()
    assert [channel.line(deadline_in(PATIENCE)) for _ in range(2)] == ["own", "refused"]
    channel.close(at_once=True)


def test_programs_read_the_compiled_kernels_and_their_key() -> None:
    """Regression: without the key, our own engines compiled all kernels at every start."""
    folder = cache_folder()
    assert {str(folder), str(folder.parent / KEY_FILE)} <= set(own_folders())


def test_the_folder_of_a_version_manager_is_readable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A shim of pyenv runs a program beside its own folder."""
    shims, libexec = tmp_path / "manager" / "shims", tmp_path / "manager" / "libexec"
    for folder in (shims, libexec):
        folder.mkdir(parents=True)
    for path, text in ((shims / "tool", f"exec {libexec}/tool"), (libexec / "tool", "echo ran")):
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{shims}:{os.environ['PATH']}")
    assert str(tmp_path / "manager") in program_folders(["tool"], None)


IMPORTS = """
try:
    import of_the_user, editable
    print("imported", of_the_user.VALUE, editable.VALUE, flush=True)
except ImportError as error:
    print(error, flush=True)
input()
"""


@pytest.mark.parametrize("level", ["bubblewrap", "landlock"])
def test_programs_import_packages_of_the_user_and_editable_ones(
    tmp_path: Path, level: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if probe((level,)).level != level:
        pytest.skip(f"{level} does not work here")
    monkeypatch.setenv(sandbox.VARIABLE, level)
    monkeypatch.setenv("PYTHONUSERBASE", str(tmp_path / "user"))
    monkeypatch.setattr(site, "USER_BASE", None)
    monkeypatch.setattr(site, "USER_SITE", None)
    packages = Path(site.getusersitepackages())
    packages.mkdir(parents=True)
    (tmp_path / "checkout").mkdir()
    (tmp_path / "checkout" / "editable.py").write_text("VALUE = 2")
    (packages / "of_the_user.py").write_text("VALUE = 1")
    (packages / "editable.pth").write_text(f"{tmp_path / 'checkout'}\n")
    (tmp_path / "agent").mkdir()
    agent = tmp_path / "agent" / "agent.py"
    agent.write_text(IMPORTS)
    # The base interpreter: a virtual environment hides the packages of the user.
    python = os.path.join(sys.base_prefix, "bin", "python3")
    channel = Program("agent", f"{python} agent.py", str(agent.parent)).open()
    assert channel.line(deadline_in(PATIENCE)) == "imported 1 2"
    channel.close(at_once=True)


def supported(level: str) -> Support:
    """A level, or skip the test."""
    found = probe((level,))
    if found.level != level:
        pytest.skip(f"{level} does not work here: {found.problem}")
    return found


@pytest.mark.parametrize("level", ["bubblewrap", "landlock", "off"])
def test_a_command_changes_its_folder_only(tmp_path: Path, level: str) -> None:
    (tmp_path / "own").mkdir()
    script = 'read line; mkdir -p sub; echo "$PWD" > sub/made; chmod 755 sub/made; echo x > ../outside; exit 3'
    done = run(["/bin/sh", "-c", script], tmp_path / "own", support=supported(level))
    assert (done.code, done.timed_out, done.overfull, done.succeeded) == (3, False, False, False)
    assert (tmp_path / "own" / "sub" / "made").read_text() == f"{tmp_path}/own\n"
    assert os.access(tmp_path / "own" / "sub" / "made", os.X_OK)
    assert (tmp_path / "outside").exists() == (level == "off")


def test_a_command_is_stopped_with_its_descendants(tmp_path: Path) -> None:
    script = "setsid sleep 7283 & echo started; sleep 7283"
    done = run(["/bin/sh", "-c", script], tmp_path, seconds=0.5)
    assert done.timed_out
    assert done.output == "started\n"
    assert not any("7283" in command_line(int(folder.name)) for folder in Path("/proc").glob("[0-9]*"))


def test_a_command_cannot_fill_the_disk_or_the_memory_of_the_caller(tmp_path: Path) -> None:
    fill = "i=0; while :; do i=$((i+1)); head -c 1000000 /dev/zero > $i; done"
    done = run(["/bin/sh", "-c", fill], tmp_path, RunLimits(folder=3_000_000), PATIENCE)
    assert done.overfull
    assert not done.timed_out
    talk = "echo 'a\033[31m\tb'; head -c 3000000 /dev/zero; exit 0"
    done = run(["/bin/sh", "-c", talk], tmp_path, RunLimits(output=100), PATIENCE)
    assert done.code == 0
    assert done.output.startswith("a\N{REPLACEMENT CHARACTER}[31m\tb\n")
    assert len(done.output) == 100


def test_a_command_with_an_error_is_killed(tmp_path: Path) -> None:
    assert run(["/bin/sh", "-c", "kill -SEGV $$"], tmp_path).code == -11
    assert "no-such-program" in run(["/no-such-program"], tmp_path).output


@pytest.mark.parametrize("level", ["landlock", "rlimits"])
def test_a_private_folder_with_deep_folders_is_removed(tmp_path: Path, level: str, monkeypatch: Any) -> None:
    """An engine can nest folders deeper than the longest path."""
    scratch, own = tmp_path / "scratch", tmp_path / "own"
    scratch.mkdir()
    own.mkdir()
    monkeypatch.setenv("TMPDIR", str(scratch))
    step = "d=$(printf %0200d $i); mkdir $d; cd -P $d; i=$((i+1))"
    nest = f'cd "$TMPDIR"; i=0; while [ $i -lt 30 ]; do {step}; done; echo $i'
    done = run(["/bin/sh", "-c", nest], own, support=Support(level))
    assert done.output.endswith("30\n")
    assert list(scratch.iterdir()) == []


INHERITS = """
import os, resource
print(resource.getrlimit(resource.RLIMIT_CORE)[1])
for descriptor in range(3, 256):
    try:
        os.fstat(descriptor)
        print("open", descriptor)
    except OSError:
        pass
"""


@pytest.mark.parametrize("level", ["bubblewrap", "landlock", "rlimits"])
def test_a_program_inherits_no_descriptors_and_dumps_no_core(tmp_path: Path, level: str) -> None:
    reading, writing = os.pipe()
    os.set_inheritable(writing, True)
    done = run([sys.executable, "-ISc", INHERITS], tmp_path, support=supported(level))
    os.close(reading)
    os.close(writing)
    assert done.output == "0\n"
