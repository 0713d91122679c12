"""The texts of the pages."""

import re
from pathlib import Path

import starscout.ladder
from starscout.ladder.badge import badge
from starscout.views.store import ASSETS

FOLDER = Path(starscout.ladder.__file__).parent
VARIABLE = (
    "active", "retired", "suspended", "disqualified", "waiting", "building", "accepted", "rejected", "upload", "inbox",
    "The ladder is running.", "The final is being played.", "The ladder is over.",
)  # fmt: skip
"""Texts that are not literals at the place where they are shown."""


def test_every_text_is_translated() -> None:
    texts = "".join((ASSETS / name).read_text(encoding="utf-8") for name in ("english.js", "games_english.js"))
    known = set(re.findall(r'\w+: "((?:[^"\\]|\\.)+)"', texts))
    source = "".join((FOLDER / f"{name}.py").read_text(encoding="utf-8") for name in ("pages", "teacher", "views"))
    script = (FOLDER / "static" / "ladder.js").read_text(encoding="utf-8")
    said = {
        *VARIABLE,
        *re.findall(r'(?:label|heading)\(\s*"([^"{]+)"', source),
        *re.findall(r'\bfromServer\("([^"]+)"', script),
    }
    said |= {name for row in re.findall(r"table\(\s*\(([^()]+)\)", source) for name in re.findall(r'"([^"]+)"', row)}
    said |= set(re.findall(r"data-t>([^<{]+)<", source)) | set(re.findall(r'confirm="([^"{]+)"', source))
    said |= set(re.findall(r'button\(\s*"[^"]+",\s*"([^"]+)"', source)) | set(
        re.findall(r'\("/\w*", "([\w ]+)"\)', source)
    )
    assert said - known == set()


def test_a_badge_contains_plain_text() -> None:
    shown = badge("<Anna>", "+120 ± 35")
    assert "&lt;Anna&gt;" in shown
    assert shown.startswith("<svg ")
