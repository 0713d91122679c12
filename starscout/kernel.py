"""The only door to Numba: `@kernel` compiles a plain Python function for the machine it runs on.

A kernel may close over other kernels, numbers, strings, tuples and NumPy arrays; that is how one search serves every
game. Compiled code is kept in the user's cache folder, one file per kernel and signature:

    key  = digest of (the kernel and all that it refers to, by content: see digest.py; signature, compiler, processor)
    file = checksum of the key and the payload, then the payload

An edited rule, a changed table or another processor is another key, so a stale kernel cannot be loaded. Files appear
by an atomic rename and are checked before they are used: one that is damaged, half-written or not of this key is
compiled anew. `NUMBA_DISABLE_JIT=1` runs everything as plain Python.
"""

import contextlib
import functools
import hashlib
import operator
import os
import pickle
import secrets
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, overload

import numba
import numpy
from llvmlite import binding, ir
from numba import literal_unroll as unroll
from numba.core import bytecode, caching, cgutils, compiler, dispatcher, event, serialize
from numba.core import config as numba_config
from numba.core.typing import templates
from numba.extending import intrinsic, lower_builtin, models, register_model
from numba.np import linalg

from starscout import notices
from starscout.blame import ContentError, compile_error
from starscout.digest import function_digest

__all__ = [
    "PLAIN",
    "borrowed",
    "cache_files",
    "cache_folder",
    "clear_cache",
    "first_number",
    "instruction",
    "is_kernel",
    "kernel",
    "lanes_instructions",
    "processor_has",
    "result_types",
    "unroll",
]

config: Any = numba_config


class _NumbersForNames:
    """Numbers that Numba builds symbol names from, for kernels of the same name (one per game, say).

    Numba counts from 1 in every process. Two kernels compiled in two processes would then share a symbol, and the
    linker of a third process that loads both from the cache would silently take one for the other.
    """

    def __next__(self) -> int:
        return secrets.randbits(62)


bytecode.FunctionIdentity._unique_ids = _NumbersForNames()  # pyright: ignore[reportAttributeAccessIssue]


def _no_linear_algebra() -> None:
    raise ImportError("kernels use no linear algebra")


# Where SciPy is installed, Numba loads it at the first kernel to see whether matrix products would work: 0.2 s.
linalg.ensure_blas = _no_linear_algebra

PLAIN: bool = bool(config.DISABLE_JIT)
"""True when kernels run as plain Python (NUMBA_DISABLE_JIT=1)."""

UNUSED_AFTER_SECONDS = 30 * 24 * 3600
CHECKSUM_BYTES = 32

_THIS_FILE = hashlib.blake2b(Path(__file__).read_bytes()).hexdigest()
"""Part of every key: this file makes instructions."""

Function = TypeVar("Function", bound=Callable[..., Any])


@overload
def kernel(function: Function) -> Function: ...
@overload
def kernel(*, fastmath: bool = False, inline: bool = False) -> Callable[[Function], Function]: ...
def kernel(function: Any = None, *, fastmath: bool = False, inline: bool = False) -> Any:
    """Compile `function` on its first call for each combination of argument types; it releases the GIL.

    With `inline`, its code becomes part of every kernel that calls it, so that what two calls compute alike is computed
    once: for small functions that do not call themselves.
    """
    if function is None:
        return functools.partial(kernel, fastmath=fastmath, inline=inline)
    if PLAIN:
        return function
    # The switch is read once, when this module is loaded. Numba would read it again from a changed environment, and
    # compiled kernels cannot call plain ones.
    config.DISABLE_JIT = 0
    compiled: Any = numba.njit(nogil=True, error_model="numpy", fastmath=fastmath, forceinline=inline)(function)
    compiled._cache = _KernelCache(function, f"fastmath={fastmath} inline={inline}")
    _explain_errors(compiled, function)
    return compiled


class _Failure(threading.local):
    """The first kernel that could not be compiled, and why: the innermost of those that call each other."""

    found: tuple[Callable[..., Any], Exception] | None = None


_failure = _Failure()


def _explain_errors(compiled: Any, function: Callable[..., Any]) -> None:
    """Let a call of this kernel raise a `CodeError` where a kernel of the user's cannot be compiled."""
    compile_signature, compile_for_call = compiled.compile, compiled._compile_for_args

    def compile_or_remember(signature: Any) -> Any:
        before = _failure.found
        try:
            result = compile_signature(signature)
        except Exception as error:
            _failure.found = _failure.found or (function, error)
            raise
        # Whatever failed on the way, the compiler has found another one.
        _failure.found = before
        return result

    def compile_or_explain(*arguments: Any, **named: Any) -> Any:
        _failure.found = None
        try:
            return compile_for_call(*arguments, **named)
        except Exception as error:
            explained = compile_error(*(_failure.found or (function, error)))
            if explained is None:
                raise
            raise explained from None

    compiled.compile, compiled._compile_for_args = compile_or_remember, compile_or_explain


def is_kernel(function: Any) -> bool:
    """Whether kernels can call a function: it is marked `@kernel`."""
    return PLAIN or isinstance(function, dispatcher.Dispatcher)


def result_types(function: Any) -> set[tuple[str, ...]]:
    """What a kernel has returned so far, in the compiler's words: one word per field, ("uint64", "int64").

    Nothing when kernels are plain Python.
    """
    found = set() if PLAIN else {compiled.signature.return_type for compiled in function.overloads.values()}
    return {tuple(map(str, getattr(kind, "types", (kind,)))) for kind in found}


def instruction(name: str, words: int, *flags: bool) -> Any:
    """A function of `words` 64-bit words that is one LLVM instruction: its `name` there, then constant flags."""
    declared = [ir.IntType(64)] * words + [ir.IntType(1)] * len(flags)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        function = builder.module.declare_intrinsic(name, fnty=ir.FunctionType(ir.IntType(64), declared))
        return builder.call(function, [*arguments, *(ir.Constant(ir.IntType(1), flag) for flag in flags)])

    typed = numba.types.uint64(*[numba.types.uint64] * words), generate
    # Numba reads the number of arguments from the function itself.
    if words == 1:
        result = intrinsic(lambda typing_context, bits: typed)
    else:
        result = intrinsic(lambda typing_context, first, second: typed)
    result.content = f"instruction {name} {words} {flags}"  # pyright: ignore[reportAttributeAccessIssue]
    return result


class _LanesType(numba.types.Type):
    """The type of four words side by side, worked on by vector instructions."""

    def __init__(self) -> None:
        super().__init__(name="Lanes")


@register_model(_LanesType)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _LANES)


_LANES = ir.VectorType(ir.IntType(64), 4)


def _lanes_operator(symbol: Any, builder_name: str) -> None:
    """Let kernels apply an operator to lanes: the builder's instruction of this name, lane by lane."""
    lanes = _LanesType()
    case = {"cases": [templates.signature(lanes, lanes, lanes)]}
    infer: Any = templates.infer_global(symbol)
    infer(type(f"Lanes{builder_name}", (templates.ConcreteTemplate,), case))

    @lower_builtin(symbol, _LanesType, _LanesType)
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return getattr(builder, builder_name)(*arguments)


for _symbols, _name in (
    ((operator.add,), "add"),
    ((operator.and_, operator.iand), "and_"),
    ((operator.or_, operator.ior), "or_"),
    ((operator.lshift,), "shl"),
    ((operator.rshift,), "lshr"),
    ((operator.xor,), "xor"),
):
    for _symbol in _symbols:
        _lanes_operator(_symbol, _name)


def lanes_instructions() -> tuple[Any, Any, Any]:
    """Functions for kernels: four words → lanes, lanes → the union of their words, and lanes where others are not 0.

    Lanes live inside kernels only; `+`, `&`, `|`, `^`, `<<` and `>>` work on them lane by lane.
    """
    lanes, word = _LanesType(), numba.types.uint64

    def generate_lanes(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        result = ir.Constant(_LANES, ir.Undefined)
        for lane, argument in enumerate(arguments):
            result = builder.insert_element(result, argument, ir.Constant(ir.IntType(32), lane))
        return result

    def generate_union(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        declared = ir.FunctionType(ir.IntType(64), [_LANES])
        return builder.call(builder.module.declare_intrinsic("llvm.vector.reduce.or.v4i64", (), declared), arguments)

    def generate_where(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        zero = ir.Constant(_LANES, None)
        kept, condition = arguments
        return builder.select(builder.icmp_unsigned("!=", condition, zero), kept, zero)

    from_words = intrinsic(lambda typing_context, a, b, c, d: (lanes(word, word, word, word), generate_lanes))
    union = intrinsic(lambda typing_context, value: (word(lanes), generate_union))
    where = intrinsic(lambda typing_context, value, condition: (lanes(lanes, lanes), generate_where))
    for name, function in (("from_words", from_words), ("union", union), ("where", where)):
        function.content = f"lanes {name}"  # pyright: ignore[reportAttributeAccessIssue]
    return from_words, union, where


@intrinsic
def _borrowed(typing_context: Any, array: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        view = context.make_array(signature.args[0])(context, builder, arguments[0])
        view.meminfo = cgutils.get_null_value(view.meminfo.type)
        view.parent = cgutils.get_null_value(view.parent.type)
        return view._getvalue()

    return array(array), generate


_borrowed.content = "borrowed"  # pyright: ignore[reportAttributeAccessIssue]

borrowed: Any = (lambda array: array) if PLAIN else _borrowed
"""(array) → the same array without reference counting: slices of it in a hot loop need no atomic operation.

Only for arrays that the caller of the kernel keeps alive.
"""


class _CompilingNotice(event.Listener):
    """Tells the face of this process when compiling takes a while."""

    def __init__(self) -> None:
        self._depth = 0
        self._timer: threading.Timer | None = None

    def on_start(self, event: Any) -> None:
        self._depth += 1
        if self._depth == 1 and notices.compiling is not None:
            self._timer = threading.Timer(notices.COMPILING_SECONDS, notices.compiling)
            self._timer.daemon = True
            self._timer.start()

    def on_end(self, event: Any) -> None:
        self._depth -= 1
        if self._depth == 0 and self._timer is not None:
            self._timer.cancel()


event.register("numba:compile", _CompilingNotice())


@intrinsic
def _first_number(typing_context: Any, array: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        view = context.make_array(signature.args[0])(context, builder, arguments[0])
        return builder.load_atomic(view.data, "monotonic", 8)

    return numba.types.int64(array), generate


_first_number.content = "first number"  # pyright: ignore[reportAttributeAccessIssue]

first_number: Any = (lambda array: array.flat[0]) if PLAIN else _first_number
"""(int64 array) → its first number, read from memory at every call: another thread may write it."""


def processor_has(feature: str) -> bool:
    """Whether this machine's processor has an instruction set, by LLVM's name (`bmi2`)."""
    return bool(binding.get_host_cpu_features().get(feature, False))


def cache_folder() -> Path:
    """Where compiled kernels live: STARSCOUT_CACHE, else the user's cache folder."""
    chosen = os.environ.get("STARSCOUT_CACHE")
    if chosen:
        return Path(chosen) / "kernels"
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "starscout" / "kernels"


def cache_files() -> list[Path]:
    """The compiled kernels that are kept now."""
    return sorted(cache_folder().glob("*.kernel"))


def clear_cache() -> int:
    """Delete every compiled kernel, half-written ones too; returns the number of files deleted."""
    removed = 0
    for path in [*cache_folder().glob("*.kernel*"), *cache_folder().glob("*.warm*")]:
        with contextlib.suppress(FileNotFoundError):
            path.unlink()
            removed += ".kernel" in path.name
    return removed


class _KernelCache(caching._Cache):
    """One checked file for each kernel and signature, found by the digest of everything that can matter."""

    def __init__(self, function: Callable[..., Any], options: str) -> None:
        self._function = function
        self._options = options
        self._enabled = True

    @property
    def cache_path(self) -> Any:
        return str(cache_folder())

    def enable(self) -> None:
        self._enabled = True

    def disable(self) -> None:
        self._enabled = False

    def flush(self) -> None:
        for path in cache_folder().glob(f"{_file_stem(self._function)}-*.kernel"):
            path.unlink(missing_ok=True)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        target_context.refresh()
        if not self._enabled:
            return None
        path = self._path(sig, target_context.codegen())
        try:
            content = path.read_bytes()
        except OSError:
            return None
        checksum, payload = content[:CHECKSUM_BYTES], content[CHECKSUM_BYTES:]
        if _checksum(path, payload) != checksum:
            return None
        try:
            result = compiler.CompileResult._rebuild(target_context, *pickle.loads(payload))
        except Exception:
            # The file is ours but refers to something that no longer exists: compile instead.
            return None
        with contextlib.suppress(OSError):
            os.utime(path)
        return result

    def save_overload(self, sig: Any, data: Any) -> None:
        if not self._enabled or any(not lifted.can_cache for lifted in data.lifted):
            return
        if data.library.has_dynamic_globals:
            raise ContentError(
                self._function,
                f"kernel {self._function.__qualname__} holds an array too large to be part of its code: "
                "pass it as an argument",
            )
        path = self._path(sig, data.codegen)
        payload = serialize.dumps(data._reduce())
        # A cache that cannot be written (a full disk, a read-only home) costs time, never the work.
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            _remove_unused(path.parent)
            _write_atomically(path, _checksum(path, payload) + payload)

    def _path(self, sig: Any, codegen: Any) -> Path:
        words = [function_digest(self._function), _signature_text(sig), repr(codegen.magic_tuple())]
        words += [
            _THIS_FILE,
            numba.__version__,
            repr(binding.llvm_version_info),
            numpy.__version__,
            sys.version,
            self._options,
        ]
        words += [f"boundscheck={config.BOUNDSCHECK}", f"opt={config.OPT}", f"debug={config.DEBUGINFO_DEFAULT}"]
        digest = hashlib.blake2b("\0".join(words).encode(), digest_size=16).hexdigest()
        return cache_folder() / f"{_file_stem(self._function)}-{digest}.kernel"


def _file_stem(function: Callable[..., Any]) -> str:
    return function.__qualname__.replace("<locals>.", "").replace("<", "").replace(">", "")


def _checksum(path: Path, payload: bytes) -> bytes:
    """Of the payload and the key that the file is named by: a file under another name is not taken for ours."""
    return hashlib.blake2b(path.name.encode() + payload, digest_size=CHECKSUM_BYTES).digest()


def _write_atomically(path: Path, content: bytes) -> None:
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


@functools.cache
def _remove_unused(folder: Path) -> None:
    """Once per process: delete the files that have not been loaded for a month."""
    limit = time.time() - UNUSED_AFTER_SECONDS
    for path in [*folder.glob("*.kernel*"), *folder.glob("*.warm*")]:
        with contextlib.suppress(OSError):
            if path.stat().st_mtime < limit:
                path.unlink()


def _signature_text(sig: Any) -> str:
    """The signature, and for named tuples the class they come from: equal names in two files are two types."""
    arguments = sig if isinstance(sig, tuple) else sig.args
    names = []
    for argument in arguments:
        kind = getattr(argument, "instance_class", None)
        names.append(f"{argument}" + (f"@{kind.__module__}.{kind.__qualname__}" if kind else ""))
    return ", ".join(names)
