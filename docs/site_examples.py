"""Griffe extension that puts docstring examples (`>>>` lines) into code fences."""

import re
from typing import Any

from griffe import Extension  # pyright: ignore[reportMissingImports]

EXAMPLE = re.compile(r"^>>> .*(?:\n(?!\s*$).*)*", re.MULTILINE)


class FencedExamples(Extension):
    """Fence the examples of every docstring."""

    def on_object(self, *, obj: Any, **_: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = EXAMPLE.sub(lambda found: f"```pycon\n{found[0]}\n```", obj.docstring.value)
