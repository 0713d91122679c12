"""Tokens of students and of the teacher: 128 random bits; the ladder keeps only their SHA-256."""

import csv
import hashlib
import hmac
import os
import re
import secrets
from pathlib import Path

from starscout.errors import GameError
from starscout.settings.spreadsheet import read_rows

TOKEN_BYTES = 16

IDENTIFIER = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
"""Pattern of the ids of students, which are names of folders in the inbox."""

MAX_NAME = 80


def new_token() -> str:
    """A new token."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def hashed(token: str) -> str:
    """The hash of a token, which the ladder keeps."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def matches(token: str, kept: str) -> bool:
    """Whether a token has this hash, in constant time."""
    return hmac.compare_digest(hashed(token), kept)


def write_private(path: Path, text: str) -> None:
    """Write a file that only this account can read, replacing an existing one."""
    temporary = path.with_name(f"{path.name}.new")
    temporary.unlink(missing_ok=True)
    with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
    temporary.replace(path)


def teacher_token(path: Path) -> str:
    """The token of the teacher, created if there is none."""
    if not path.exists():
        write_private(path, new_token() + "\n")
    if path.stat().st_mode & 0o077:
        raise GameError(f"{path}: other accounts can read the token of the teacher: run `chmod 600 {path}`")
    return path.read_text(encoding="utf-8").strip()


def read_class(file: Path) -> list[tuple[str, str, str, str]]:
    """Read id, name, team and e-mail of every student from a CSV file; raises GameError with all errors."""
    students: list[tuple[str, str, str, str]] = []
    errors: list[str] = []
    try:
        rows = read_rows(file, ("id", "name"), ("team", "email"))
    except OSError as error:
        raise GameError(f"{file}: {error.strerror}") from error
    for place, (code, name, team, email) in rows:
        if IDENTIFIER.fullmatch(code) is None:
            errors.append(f"{place}: id {code!r}: expected up to 64 letters, digits, dots, hyphens and underscores")
        elif code in {known for known, *_ in students}:
            errors.append(f"{place}: id {code}: duplicate id")
        elif not name or len(name) > MAX_NAME or not name.isprintable():
            errors.append(f"{place}: {code}: expected a name of 1 to {MAX_NAME} printable characters")
        elif len(team) > MAX_NAME or not team.isprintable():
            errors.append(f"{place}: {code}: expected a team of at most {MAX_NAME} printable characters")
        students.append((code, name, team, email))
    if errors:
        raise GameError("\n".join(errors))
    if not students:
        raise GameError(f"{file}: no students")
    return students


def write_tokens(file: Path, rows: list[tuple[str, str, str, str]]) -> None:
    """Write id, name, e-mail and token of students for a mail merge, readable only by this account."""
    write_private(file, "")
    with file.open("w", newline="", encoding="utf-8-sig") as opened:
        writer = csv.writer(opened)
        writer.writerow(("id", "name", "email", "token"))
        writer.writerows(rows)
