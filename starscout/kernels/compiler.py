"""Compilation of kernels with Numba, and the cache of compiled code.

This file, numba_patches.py and vectors.py are the only ones that import Numba. The cache has one file per kernel and
signature (see cache.py):

    key = digest of (content of the kernel and of all it refers to: see digest.py; signature, compiler, processor)

An edited rule, a changed table or another processor gives another key, so a stale kernel is never loaded.
"""

import contextlib
import hashlib
import pickle
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy
from llvmlite import binding, ir
from numba import literal_unroll as unroll
from numba.core import caching, cgutils, dispatcher, event, serialize
from numba.core import config as numba_config
from numba.core.compiler import CompileResult
from numba.core.runtime.nrt import rtsys
from numba.extending import intrinsic

from starscout.errors import ContentError, compile_error
from starscout.kernels import notices, numba_patches
from starscout.kernels.cache import cache_folder, read_checked, write_checked
from starscout.kernels.digest import function_digest

__all__ = [
    "borrowed",
    "compiled",
    "compiled_result_types",
    "first_number",
    "instruction",
    "is_compiled",
    "postpone_interrupt",
    "processor_has",
    "unroll",
]

config: Any = numba_config

numba_patches.keep_jit_enabled()
numba_patches.use_random_symbol_names()
numba_patches.cache_operator_types()
numba_patches.infer_recursion_once()
numba_patches.reject_float_ranges()
numba_patches.skip_negative_indices()

_COMPILER_FILES = hashlib.blake2b(Path(__file__).read_bytes() + Path(numba_patches.__file__).read_bytes()).hexdigest()
"""Part of every cache key, because this file defines instructions and the patches change the compiled code."""


def compiled(function: Callable[..., Any], *, fastmath: bool, inline: bool) -> Any:
    """The function, compiled on its first call for each combination of argument types."""
    # Nothing calls kernels through C pointers, and the wrapper for such calls takes time to compile.
    compile_with: Any = numba.njit
    result = compile_with(
        nogil=True, error_model="numpy", fastmath=fastmath, forceinline=inline, no_cfunc_wrapper=True
    )(function)
    numba_patches.use_cache(result, _KernelCache(function, f"fastmath={fastmath} inline={inline}"))
    numba_patches.create_wrapper_on_demand(result)
    _report_errors(result, function)
    return result


def is_compiled(function: Any) -> bool:
    """Whether a function is a compiled kernel."""
    return isinstance(function, dispatcher.Dispatcher)


def compiled_result_types(function: Any) -> set[tuple[str, ...]]:
    """The types that a kernel has returned so far, one name per field: ("uint64", "int64")."""
    found = {overload.signature.return_type for overload in function.overloads.values()}
    return {tuple(map(str, getattr(kind, "types", (kind,)))) for kind in found}


class _Compilation(threading.local):
    """Compilation state of the current thread."""

    depth = 0
    """Nesting depth of calls from Python whose kernels are being compiled."""
    interrupted = False
    """Whether an interrupt is pending until the compiler's next step."""
    failure: tuple[Callable[..., Any], Exception] | None = None
    """The innermost kernel that could not be compiled, and its error."""


_compilation = _Compilation()


def postpone_interrupt() -> bool:
    """If this thread is compiling or loading a kernel, raise KeyboardInterrupt at the compiler's next step.

    The compiler calls Python from C, where an exception would be lost or leave an inconsistent state. Returns False if
    this thread is not compiling: an exception is then safe anywhere.
    """
    _compilation.interrupted = _compilation.depth > 0
    return _compilation.interrupted


class _PassListener(event.Listener):
    """Raises a postponed interrupt between two compiler passes, where an exception is safe."""

    def on_start(self, event: Any) -> None:
        _raise_postponed()

    def on_end(self, event: Any) -> None:
        pass


event.register("numba:run_pass", _PassListener())


def _raise_postponed() -> None:
    if _compilation.interrupted:
        _compilation.interrupted = False
        raise KeyboardInterrupt


def _report_errors(compiled: Any, function: Callable[..., Any]) -> None:
    """Raise a `CodeError` from a call of this kernel if a kernel in a user's file cannot be compiled."""

    def compile_signature(original: Any, signature: Any) -> Any:
        before = _compilation.failure
        try:
            result = original(signature)
        except Exception as error:
            _compilation.failure = _compilation.failure or (function, error)
            raise
        # The compilation has succeeded with another overload, so errors recorded meanwhile do not matter.
        _compilation.failure = before
        return result

    def compile_call(original: Any, *arguments: Any, **named: Any) -> Any:
        _compilation.failure = None
        _compilation.depth += 1
        numba_patches.request_wrapper()
        try:
            result = original(*arguments, **named)
        except Exception as error:
            user_error = compile_error(*(_compilation.failure or (function, error)))
            if user_error is None:
                raise
            raise user_error from None
        finally:
            _compilation.depth -= 1
        _raise_postponed()
        return result

    numba_patches.wrap_compilation(compiled, compile_signature, compile_call)


def instruction(name: str, words: int, *flags: bool) -> Any:
    """A function of `words` 64-bit words that calls an LLVM intrinsic by `name`; `flags` are constant arguments."""
    declared = [ir.IntType(64)] * words + [ir.IntType(1)] * len(flags)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        function = builder.module.declare_intrinsic(name, fnty=ir.FunctionType(ir.IntType(64), declared))
        return builder.call(function, [*arguments, *(ir.Constant(ir.IntType(1), flag) for flag in flags)])

    typed = numba.types.uint64(*[numba.types.uint64] * words), generate
    # Numba reads the number of arguments from the signature.
    if words == 1:
        result = intrinsic(lambda typing_context, bits: typed)
    else:
        result = intrinsic(lambda typing_context, first, second: typed)
    result.content = f"instruction {name} {words} {flags}"  # pyright: ignore[reportAttributeAccessIssue]
    return result


@intrinsic
def borrowed(typing_context: Any, array: Any) -> Any:
    """The same array without reference counting, for arrays that the caller of the kernel keeps alive."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        view = context.make_array(signature.args[0])(context, builder, arguments[0])
        view.meminfo = cgutils.get_null_value(view.meminfo.type)
        view.parent = cgutils.get_null_value(view.parent.type)
        return view._getvalue()

    return array(array), generate


borrowed.content = "borrowed"  # pyright: ignore[reportAttributeAccessIssue]


@intrinsic
def first_number(typing_context: Any, array: Any) -> Any:
    """The first number of an int64 array, read from memory at every call."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        view = context.make_array(signature.args[0])(context, builder, arguments[0])
        return builder.load_atomic(view.data, "monotonic", 8)

    return numba.types.int64(array), generate


first_number.content = "first number"  # pyright: ignore[reportAttributeAccessIssue]


class _CompilingNotice(event.Listener):
    """Calls `notices.compiling` if a compilation takes long."""

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


def processor_has(feature: str) -> bool:
    """Whether this processor supports a feature, by LLVM's name (`bmi2`)."""
    return bool(binding.get_host_cpu_features().get(feature, False))


class _KernelCache(caching._Cache):
    """One file per kernel and signature, named by the digest of everything that affects the compiled code."""

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
        # Enough to run cached code; `refresh`, which Numba calls here, loads the compiler's registries (0.1 s).
        rtsys.initialize(target_context)
        payload = read_checked(self._path(sig, target_context.codegen())) if self._enabled else None
        if payload is not None:
            # A cached file may refer to a class that no longer exists: compile instead.
            with contextlib.suppress(Exception):
                return CompileResult._rebuild(target_context, *pickle.loads(payload))
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        if not self._enabled or any(not lifted.can_cache for lifted in data.lifted):
            return
        if data.library.has_dynamic_globals:
            raise ContentError(
                self._function,
                f"kernel {self._function.__qualname__} closes over an array that is too large to be compiled in: "
                "pass it as an argument",
            )
        write_checked(self._path(sig, data.codegen), serialize.dumps(data._reduce()))

    def _path(self, sig: Any, codegen: Any) -> Path:
        words = [function_digest(self._function), _signature_text(sig), repr(codegen.magic_tuple())]
        words += [
            _COMPILER_FILES,
            numba.__version__,
            repr(binding.llvm_version_info),
            numpy.__version__,
            sys.version,
            self._options,
        ]
        words += [
            f"wrapper={numba_patches.has_wrapper()}",
            f"negative={numba_patches.allows_negative_indices(self._function.__code__.co_filename)}",
            f"boundscheck={config.BOUNDSCHECK}",
            f"opt={config.OPT}",
            f"debug={config.DEBUGINFO_DEFAULT}",
        ]
        digest = hashlib.blake2b("\0".join(words).encode(), digest_size=16).hexdigest()
        return cache_folder() / f"{_file_stem(self._function)}-{digest}.kernel"


def _file_stem(function: Callable[..., Any]) -> str:
    return function.__qualname__.replace("<locals>.", "").replace("<", "").replace(">", "")


def _signature_text(sig: Any) -> str:
    """The signature with the module of each NamedTuple class: equal class names in two files are two types."""
    arguments = sig if isinstance(sig, tuple) else sig.args
    names = []
    for argument in arguments:
        kind = getattr(argument, "instance_class", None)
        names.append(f"{argument}" + (f"@{kind.__module__}.{kind.__qualname__}" if kind else ""))
    return ", ".join(names)
