"""Submissions: received over HTTP or from the inbox, then unpacked, built and checked one at a time in a thread.

A submission that was being built when the ladder was killed is built again after the restart. The check takes the core
of one game, so that it does not disturb other games.
"""

import logging
import shutil
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

from starscout.errors import GameError, printable
from starscout.ladder.archives import content_hash, unpack
from starscout.ladder.build import BuildError, build, check_engine, is_built, placed
from starscout.ladder.configuration import Folder, Ladder
from starscout.ladder.schema import ACCEPTED, ACTIVE, BUILDING, REJECTED, WAITING, Student, Submission
from starscout.ladder.store import DAY_HOURS, HOUR, LadderStore

WEB, INBOX = "upload", "inbox"
"""Channels."""
POLL_SECONDS = 0.5
SETTLED_SECONDS = 1.0
"""Minimum age of a file in the inbox before it is read; a newer one may be incomplete."""
PARTIAL = (".part", ".tmp", ".new")
"""Endings of files in the inbox that are still being written."""
MAX_TRANSCRIPT = 100_000

OPEN, LOCKED = "open", "locked"

log = logging.getLogger("starscout.ladder")


class RefusedError(GameError):
    """A submission that is refused without a build: too many, too early, or after the deadline."""


class TooEarlyError(RefusedError):
    """A submission that came too soon after the last one; a later retry can succeed."""


def receive(
    store: LadderStore, folder: Folder, ladder: Ladder, student: Student, game: str, name: str, data: bytes,
    channel: str,
) -> int:  # fmt: skip
    """Store a submitted file, to be built soon; returns the number of the submission. Raises RefusedError."""
    rules, now = ladder.submission, time.time()
    if store.state("phase") not in ("", "running"):
        raise RefusedError("submissions are locked: the deadline has passed")
    if store.entrant(student.entrant).status != ACTIVE:
        raise RefusedError("this entrant is disqualified")
    if game not in ladder.games:
        raise RefusedError(f"game: expected one of {', '.join(ladder.games)}, got {game!r:.60}")
    if len(data) > rules.megabytes * 1e6:
        raise RefusedError(f"the file has {len(data) / 1e6:.1f} MB; at most {rules.megabytes:g} MB are accepted")
    times = store.submitted_since(student.entrant, now - DAY_HOURS * HOUR)
    if len(times) >= rules.per_day:
        raise RefusedError(f"at most {rules.per_day} submissions in 24 hours are accepted")
    if times and now - times[0] < rules.seconds_between:
        wait = rules.seconds_between - (now - times[0])
        raise TooEarlyError(f"please wait {wait:.0f} s before the next submission")
    shown = printable(name, 100) or "engine"
    number = store.add_submission(student, game, channel, shown)
    path = submitted_file(folder, number)
    temporary = path.with_suffix(".part")
    temporary.write_bytes(data)
    temporary.rename(path)
    return number


def submitted_file(folder: Folder, number: int) -> Path:
    """The file of a submission."""
    return folder.submissions / f"{number}.bin"


class Submissions:
    """The thread that builds and checks submissions and watches the inbox."""

    def __init__(
        self,
        folder: Folder,
        ladder: Ladder,
        accept: Callable[[int, str, str, str], int],
        core: Callable[[], AbstractContextManager[object]],
    ) -> None:
        """`accept`: (entrant, game, digest, SPEC) → the version that plays now. `core`: reserves a core."""
        self._folder, self._ladder, self._accept, self._core = folder, ladder, accept, core
        self._stop = threading.Event()
        self._wake = threading.Event()
        self._thread = threading.Thread(target=self._run, name="ladder submissions", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def wake(self) -> None:
        """Look for new submissions now."""
        self._wake.set()

    def close(self) -> None:
        """Stop the thread when the current build has finished."""
        self._stop.set()
        self._wake.set()
        self._thread.join()

    def _run(self) -> None:
        with LadderStore(self._folder.store) as store:
            for submission in store.submissions(status=BUILDING):
                store.update_submission(submission.id, status=WAITING)
            while not self._stop.is_set():
                try:
                    self._watch_inbox(store)
                    for submission in reversed(store.submissions(status=WAITING, limit=1_000)):
                        if self._stop.is_set():
                            return
                        self._process(store, submission)
                except Exception:
                    log.exception("submissions")
                    self._stop.wait(5)
                self._wake.wait(POLL_SECONDS)
                self._wake.clear()

    def _watch_inbox(self, store: LadderStore) -> None:
        """Receive the files in the inbox, one folder per student."""
        for own in self._folder.inbox.iterdir():
            if not own.is_dir() or own.is_symlink():
                continue
            for path in sorted(own.iterdir()):
                if path.suffix in PARTIAL or path.is_symlink() or not path.is_file():
                    continue
                if time.time() - path.stat().st_mtime >= SETTLED_SECONDS:
                    self._receive_file(store, own.name, path)

    def _receive_file(self, store: LadderStore, code: str, path: Path) -> None:
        """Receive a file of the inbox; one that is refused is renamed, with the reason beside it."""
        try:
            student = store.student_with_code(code)
            if student is None:
                raise RefusedError(f"no student has the id {code!r}")
            if path.stat().st_size > self._ladder.submission.megabytes * 1e6:
                raise RefusedError(f"the file is larger than {self._ladder.submission.megabytes:g} MB")
            game = next(
                (game for game in self._ladder.games if path.name.startswith(f"{game}-")), self._ladder.games[0]
            )
            receive(store, self._folder, self._ladder, student, game, path.name, path.read_bytes(), INBOX)
        except TooEarlyError:
            return
        except RefusedError as error:
            path.rename(path.with_name(f"{path.name}.refused.tmp"))
            path.with_name(f"{path.name}.refused.txt.tmp").write_text(f"{error}\n", encoding="utf-8")
        else:
            path.unlink()

    def _process(self, store: LadderStore, submission: Submission) -> None:
        """Build and check one submission."""
        began = time.monotonic()
        store.update_submission(submission.id, status=BUILDING)
        try:
            with self._core():
                digest, spec, transcript = self._built(submission)
            version = self._accept(submission.entrant, submission.game, digest, spec)
            found = {"status": ACCEPTED, "digest": digest, "version": version, "transcript": transcript}
        except GameError as error:
            transcript = error.transcript if isinstance(error, BuildError) else ""
            found = {"status": REJECTED, "reason": printable(str(error), 1000), "transcript": _clean(transcript)}
        except OSError as error:
            # A full disk or a missing file is a fault of the server.
            reason = f"the server failed ({error.strerror}); please submit again later"
            found = {"status": REJECTED, "reason": reason}
            store.add_event("server", f"submission {submission.id}: {error}")
        except Exception as error:
            # It must not be built repeatedly, nor delay the others.
            log.exception("submission %d", submission.id)
            found = {"status": REJECTED, "reason": "the server failed; please tell your teacher"}
            store.add_event("server", f"submission {submission.id}: {type(error).__name__}: {error}")
        store.update_submission(submission.id, **found, seconds=time.monotonic() - began)

    def _built(self, submission: Submission) -> tuple[str, str, str]:
        """Unpack, build and check; returns the hash of the submitted files, the SPEC, and a transcript."""
        rules = self._ladder.submission
        data = submitted_file(self._folder, submission.id).read_bytes()
        with tempfile.TemporaryDirectory(dir=self._folder.submissions, prefix="work-") as work:
            source, target = Path(work, "source"), Path(work, "built")
            unpack(submission.file, data, source, rules.megabytes, rules.files)
            digest = content_hash(source)
            place = self._folder.versions / f"{submission.game}-{digest}"
            if is_built(source):
                if not place.exists():
                    build(source, target, rules.build_seconds)
            else:
                source.rename(target)
            if not place.exists():
                # The check runs where the engine will play: programs may contain the path.
                target.rename(place)
            try:
                spec = check_engine(submission.game, place, self._ladder.limits.limit, submission.id)
            except GameError:
                if not self._is_used(digest):
                    shutil.rmtree(place, ignore_errors=True)
                raise
            return digest, spec, ""

    def _is_used(self, digest: str) -> bool:
        with LadderStore(self._folder.store) as store:
            return any(version.digest == digest for version in store.versions())


def version_spec(folder: Folder, game: str, digest: str, spec: str) -> str:
    """The SPEC of a version with its folder; that of a permanent player is complete."""
    return placed(spec, folder.versions / f"{game}-{digest}") if digest else spec


def _clean(text: str) -> str:
    """A transcript without control characters, bounded."""
    lines = text[-MAX_TRANSCRIPT:].splitlines()
    return "\n".join("".join(mark if mark.isprintable() else " " for mark in line) for line in lines)
