"""`starscout ladder`: run the ladder of a folder, and add students to it."""

import contextlib
import fcntl
import logging
import os
import socket
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import uvicorn

from starscout.arena.workers import QUEUED_BATCHES, LocalRunner, Runner, default_workers
from starscout.errors import GameError
from starscout.ladder.configuration import Folder, open_folder
from starscout.ladder.director import Director
from starscout.ladder.server import LadderServer, build_application
from starscout.ladder.store import LadderStore
from starscout.ladder.submissions import Submissions
from starscout.ladder.tokens import hashed, new_token, read_class, teacher_token, write_tokens
from starscout.protocols.sandbox import REQUIRE, isolation
from starscout.web.access import Access, is_loopback, listen, raise_file_limit


def run_ladder(
    path: Path,
    games: Sequence[str] = (),
    *,
    host: str = "127.0.0.1",
    port: int = 8020,
    workers: int | None = None,
    cluster: str | None = None,
    trust: bool = False,
) -> None:
    """Run the ladder of a folder until Ctrl-C or SIGTERM; `games` create a new one. Raises GameError."""
    with isolation("off" if trust else REQUIRE):
        folder, ladder = open_folder(path, games)
        with _only_one(folder), listen(host, port) as listener:
            token = teacher_token(folder.teacher_token)

            def open_runner() -> Runner:
                if cluster is None:
                    return LocalRunner(workers or default_workers())
                from starscout.arena.cluster import ClusterRunner

                return ClusterRunner(cluster, workers)

            director = Director(folder, ladder, open_runner, queued=1 if cluster is None else QUEUED_BATCHES)
            submissions = Submissions(folder, ladder, director.accept, director.core)
            print(
                "starting; the first start compiles the games, which takes up to a minute", file=sys.stderr, flush=True
            )
            director.start()
            try:
                submissions.start()
                try:
                    server = LadderServer(folder, ladder, director, submissions, token)
                    _print_addresses(host, listener, folder)
                    _serve(server, Access("", is_loopback(host), forms=True), listener)
                finally:
                    submissions.close()
            finally:
                director.close()


def _serve(server: LadderServer, access: Access, listener: socket.socket) -> None:
    raise_file_limit()
    config = uvicorn.Config(
        build_application(server, access), log_level="warning", server_header=False, timeout_graceful_shutdown=2,
        lifespan="on",
    )  # fmt: skip
    logging.getLogger("starscout.ladder").setLevel(logging.INFO)
    uvicorn.Server(config).run(sockets=[listener])


def _print_addresses(host: str, listener: socket.socket, folder: Folder) -> None:
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{listener.getsockname()[1]}"
    print(f"the ladder is at {address}/   (press Ctrl-C to stop)", file=sys.stderr)
    print(f"teacher: log in at {address}/login with the token in {folder.teacher_token}", file=sys.stderr, flush=True)


@contextlib.contextmanager
def _only_one(folder: Folder) -> Iterator[None]:
    """Prevent a second process from running the ladder of the same folder; raises GameError."""
    lock = os.open(folder.path / ".lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise GameError(f"{folder.path}: another process runs this ladder") from error
        yield
    finally:
        os.close(lock)


def enrol_class(path: Path, file: Path, out: Path | None = None) -> tuple[Path, int]:
    """Give every student of a class list a new token; returns the file of the tokens and their number.

    The list has the columns id, name, team and email; students of one team are one player. A second call replaces the
    tokens of the students in its list. Raises GameError.
    """
    folder, _ = open_folder(path)
    students = read_class(file)
    target = out or file.with_name(f"{file.stem}-tokens.csv")
    rows: list[tuple[str, str, str, str]] = []
    with LadderStore(folder.store) as store:
        for code, name, team, email in students:
            token = new_token()
            store.enrol(code, name, team, email, hashed(token))
            rows.append((code, name, email, token))
            inbox = folder.inbox / code
            inbox.mkdir(mode=0o700, exist_ok=True)
    write_tokens(target, rows)
    return target, len(rows)
