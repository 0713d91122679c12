"""The scripts of the page as one file."""

from pathlib import Path

import pytest

from starscout.web.bundle import bundle

pytestmark = pytest.mark.plain


def test_modules_become_functions_in_the_order_of_their_imports(tmp_path: Path) -> None:
    (tmp_path / "main.js").write_text(
        'import { a as b } from "./one.js";\nimport "./two.js";\nimport("./late.js").then(b);\n'
    )
    (tmp_path / "one.js").write_text("export const a = () => 1;\nexport async function f() {}\n")
    (tmp_path / "two.js").write_text('import { a, f } from "./one.js";\na(f);\n')
    (tmp_path / "late.js").write_text("export class C {}\n")
    script = bundle("main", (tmp_path,))
    assert [line for line in script.splitlines() if line] == [
        "const $one = (() => {", "const a = () => 1;", "async function f() {}", "return { a, f };", "})();",
        "const $two = (() => {", "const { a, f } = $one;", "a(f);", "return {  };", "})();",
        "const $late = (() => {", "class C {}", "return { C };", "})();",
        "const $main = (() => {", "const { a: b } = $one;", "Promise.resolve($late).then(b);", "return {  };", "})();",
    ]  # fmt: skip


def test_circular_imports_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text('import { b } from "./b.js";\n')
    (tmp_path / "b.js").write_text('import { a } from "./a.js";\n')
    with pytest.raises(ValueError, match="circular imports: a → b → a"):
        bundle("a", (tmp_path,))
