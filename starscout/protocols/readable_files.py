"""Files that an isolated program may read: those of the system, of this installation and of its command."""

import os
import shutil
import site
import sys
from collections.abc import Iterable
from pathlib import Path

import starscout
from starscout.kernels.cache import KEY_FILE, cache_folder

SYSTEM = (
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store", "/etc/ld.so.cache",
    "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives", "/etc/localtime", "/etc/timezone", "/etc/passwd",
    "/etc/group", "/etc/nsswitch.conf", "/etc/locale.alias", "/etc/ssl", "/etc/java", "/etc/python3",
)  # fmt: skip
"""System files that programs may read."""


HOST_FILES = ("/etc/hosts", "/etc/host.conf")
"""Files that programs read to find the address of `localhost`."""


def own_folders() -> list[str]:
    """The folders that programs with this interpreter and this package read: all read-only."""
    prefixes = {sys.prefix, sys.base_prefix, sys.exec_prefix, str(Path(starscout.__file__).parent)}
    # Compiled kernels are signed: without the key, a program would recompile them at every start.
    return [*sorted(prefixes), *_package_folders(), str(cache_folder()), str(cache_folder().parent / KEY_FILE)]


def _package_folders() -> list[str]:
    """The folders of installed packages outside the prefixes: those of the user, and editable installations."""
    found = [os.path.join(site.getuserbase(), "lib")]
    for folder in (*site.getsitepackages(), site.getusersitepackages()):
        for file in Path(folder).glob("*.pth"):
            lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
            found += [os.path.join(folder, line.strip()) for line in lines if line.strip()[:1] not in ("", "#")]
    # A copy: other threads import modules.
    for name, module in sys.modules.copy().items():
        # Other editable installations are found by a module that maps packages to folders.
        if name.startswith("__editable__"):
            found += map(str, getattr(module, "MAPPING", {}).values())
    return [folder for folder in found if os.path.isdir(folder)]


def program_folders(words: list[str], folder: str | None, files: Iterable[str] = ()) -> list[str]:
    """The files and folders that a command refers to: its program, and the folders of its arguments."""
    base = folder or os.getcwd()
    found = [] if folder is None else [folder]
    program = os.path.join(base, words[0]) if "/" in words[0] else shutil.which(words[0])
    if program is not None:
        for path in dict.fromkeys((os.path.abspath(program), os.path.realpath(program))):
            parent = os.path.dirname(path)
            prefix = os.path.dirname(parent)
            is_prefix = os.path.exists(f"{prefix}/pyvenv.cfg") or os.path.isdir(f"{prefix}/lib")
            # A version manager such as pyenv keeps its scripts in `shims` and runs programs beside that folder.
            is_prefix = is_prefix and os.path.basename(parent) == "bin"
            found.append(prefix if is_prefix or os.path.basename(parent) == "shims" else parent)
    for word in (*words[1:], *files):
        for part in (word, word.partition("=")[2]):
            path = os.path.join(base, os.path.expanduser(part))
            if part and os.path.exists(path):
                found.append(os.path.abspath(path) if os.path.isdir(path) else os.path.dirname(os.path.abspath(path)))
    return found


def existing(paths: Iterable[str]) -> list[str]:
    """The existing paths, with the targets of links, without paths inside other listed paths."""
    found = {path for given in paths for path in (os.path.abspath(given), os.path.realpath(given))}
    kept: list[str] = []
    for path in sorted(path for path in found if os.path.exists(path) and path != "/"):
        if not any(path == other or path.startswith(f"{other}/") for other in (*SYSTEM, *kept)):
            kept.append(path)
    return kept
