"""The scripts of the page as one file, so that a slow connection needs one round trip and not one per module.

The files on disk do not change. In the bundle, each module becomes a function that returns its exports, in the order of
the imports:

    import { h } from "./dom.js";          const { h } = $dom;
    export function show() { … }     →     function show() { … }  …  return { show };
    import("./play.js")                    Promise.resolve($play)
"""

import re
from collections.abc import Sequence
from pathlib import Path

_IMPORT = re.compile(r'^import (?:\{([^}]*)\} from )?"\./(\w+)\.js";\n', re.MULTILINE)
_LATER = re.compile(r'\bimport\("\./(\w+)\.js"\)')
_EXPORT = re.compile(r"^export ((?:async )?(?:function|class|const) (\w+))", re.MULTILINE)


def bundle(entry: str, folders: Sequence[Path]) -> str:
    """Join a module and all that it imports, at once or later; raises ValueError for circular imports."""
    done: dict[str, str] = {}
    _add(entry, folders, done, ())
    return "".join(done.values())


def _add(name: str, folders: Sequence[Path], done: dict[str, str], importers: tuple[str, ...]) -> None:
    if name in importers:
        raise ValueError(f"circular imports: {' → '.join((*importers, name))}")
    if name in done:
        return
    file = next(folder / f"{name}.js" for folder in folders if (folder / f"{name}.js").exists())
    text = file.read_text(encoding="utf-8")
    for imported in [found[1] for found in _IMPORT.findall(text)] + _LATER.findall(text):
        _add(imported, folders, done, (*importers, name))
    exports = ", ".join(found[1] for found in _EXPORT.findall(text))
    text = _EXPORT.sub(r"\1", _LATER.sub(r"Promise.resolve($\1)", _IMPORT.sub(_destructured, text)))
    done[name] = f"const ${name} = (() => {{\n{text}\nreturn {{ {exports} }};\n}})();\n"


def _destructured(found: "re.Match[str]") -> str:
    names = found[1]
    return "" if names is None else f"const {{ {names.strip().replace(' as ', ': ')} }} = ${found[2]};\n"
