"""What `@kernel` needs when kernels are compiled: this file and vectors.py are the only ones that import Numba.

Compiled code is kept, one file per kernel and signature (see cache.py):

    key = digest of (the kernel and all that it refers to, by content: see digest.py; signature, compiler, processor)

An edited rule, a changed table or another processor is another key, so a stale kernel cannot be loaded.
"""

import contextlib
import gc
import hashlib
import pickle
import secrets
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numba
import numpy
from llvmlite import binding, ir
from numba import literal_unroll as unroll
from numba.core import bytecode, caching, cgutils, dispatcher, event, serialize
from numba.core import config as numba_config
from numba.core.compiler import CompileResult
from numba.core.runtime.nrt import rtsys
from numba.extending import intrinsic

from starscout.errors import ContentError, compile_error
from starscout.kernels import notices
from starscout.kernels.cache import cache_folder, read_checked, write_checked
from starscout.kernels.digest import function_digest
from starscout.kernels.numba_patches import cache_type_inference

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
# The door has decided that kernels are compiled. Numba would read the switch again from a changed environment, and
# compiled kernels cannot call plain ones.
config.DISABLE_JIT = 0


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


def _compile_without_scipy() -> None:
    """Where SciPy is installed, Numba loads it at the first kernel to see whether matrix products would work: 0.2 s."""
    from numba.np import linalg

    linalg.ensure_blas = _no_linear_algebra


cache_type_inference()

_THIS_FILE = hashlib.blake2b(Path(__file__).read_bytes()).hexdigest()
"""Part of every key: this file makes instructions."""


def compiled(function: Callable[..., Any], *, fastmath: bool, inline: bool) -> Any:
    """The function, compiled on its first call for each combination of argument types."""
    config.DISABLE_JIT = 0
    # Nothing calls kernels through C pointers: without the wrapper for that each compiles in less time.
    compile_with: Any = numba.njit
    result = compile_with(
        nogil=True, error_model="numpy", fastmath=fastmath, forceinline=inline, no_cfunc_wrapper=True
    )(function)
    result._cache = _KernelCache(function, f"fastmath={fastmath} inline={inline}")
    _wrap_on_demand(result)
    _explain_errors(result, function)
    return result


def is_compiled(function: Any) -> bool:
    """Whether a function is a kernel of this compiler."""
    return isinstance(function, dispatcher.Dispatcher)


def compiled_result_types(function: Any) -> set[tuple[str, ...]]:
    """What a kernel has returned so far: one word per field, ("uint64", "int64")."""
    found = {overload.signature.return_type for overload in function.overloads.values()}
    return {tuple(map(str, getattr(kind, "types", (kind,)))) for kind in found}


class _Failure(threading.local):
    """The first kernel that could not be compiled, and why: the innermost of those that call each other."""

    found: tuple[Callable[..., Any], Exception] | None = None


_failure = _Failure()


class _Compilation(threading.local):
    """What this thread compiles or loads now: how many calls deep, and whether an interrupt waits for the next step.

    `called_by_python`: the next kernel is called by Python. `wrapped`: the present kernel gets a Python wrapper.
    """

    depth = 0
    interrupted = False
    called_by_python = False
    wrapped = False


_compilation = _Compilation()


def postpone_interrupt() -> bool:
    """While this thread compiles or loads a kernel: raise KeyboardInterrupt at the compiler's next step.

    The compiler calls Python from C, where an exception is lost or leaves a wrong state behind. False: this thread
    does not compile now, and an exception may be raised anywhere.
    """
    _compilation.interrupted = _compilation.depth > 0
    return _compilation.interrupted


class _StepListener(event.Listener):
    """Raises an interrupt that waits: between two steps of the compiler an exception leaves it in order."""

    def on_start(self, event: Any) -> None:
        _raise_postponed()

    def on_end(self, event: Any) -> None:
        pass


event.register("numba:run_pass", _StepListener())


def _raise_postponed() -> None:
    if _compilation.interrupted:
        _compilation.interrupted = False
        raise KeyboardInterrupt


def _wrap_on_demand(compiled: Any) -> None:
    """Give a kernel its Python wrapper, the code that converts arguments and results, only once Python calls it.

    Most kernels are called by other kernels alone, and their wrappers took a third of the time to compile them.
    """
    compile_signature, add_overload = compiled.compile, compiled.add_overload
    customize_flags = compiled._compiler._customize_flags
    unwrapped: set[tuple[Any, ...]] = set()

    def compile_with_or_without(signature: Any) -> Any:
        caller_is_wrapped = _compilation.wrapped
        _compilation.wrapped, _compilation.called_by_python = _compilation.called_by_python, False
        try:
            if _compilation.wrapped and signature in unwrapped:
                unwrapped.remove(signature)
                del compiled.overloads[signature]
            return compile_signature(signature)
        finally:
            _compilation.wrapped = caller_is_wrapped

    def add(result: Any) -> None:
        if _compilation.wrapped:
            add_overload(result)
            return
        # Kernels find it here. A call by Python does not, and compiles it again with a wrapper.
        arguments = tuple(result.signature.args)
        unwrapped.add(arguments)
        compiled.overloads[arguments] = result

    def customize(flags: Any) -> Any:
        flags.no_cpython_wrapper = not _compilation.wrapped
        return customize_flags(flags)

    compiled.compile, compiled.add_overload = compile_with_or_without, add
    compiled._compiler._customize_flags = customize


@contextlib.contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """Looking again and again through the many objects that the compiler makes takes a tenth of its time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


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
        _compilation.depth += 1
        _compilation.called_by_python = True
        try:
            with _without_garbage_collection():
                result = compile_for_call(*arguments, **named)
        except Exception as error:
            explained = compile_error(*(_failure.found or (function, error)))
            if explained is None:
                raise
            raise explained from None
        finally:
            _compilation.depth -= 1
        _raise_postponed()
        return result

    compiled.compile, compiled._compile_for_args = compile_or_remember, compile_or_explain


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


def processor_has(feature: str) -> bool:
    """Whether this machine's processor has an instruction set, by LLVM's name (`bmi2`)."""
    return bool(binding.get_host_cpu_features().get(feature, False))


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
        # All that finished code needs: what the compiler itself needs (a tenth of a second) it loads when it compiles.
        rtsys.initialize(target_context)
        payload = read_checked(self._path(sig, target_context.codegen())) if self._enabled else None
        if payload is not None:
            # A file of ours may refer to something that no longer exists: compile instead.
            with contextlib.suppress(Exception):
                return CompileResult._rebuild(target_context, *pickle.loads(payload))
        _compile_without_scipy()
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        if not self._enabled or any(not lifted.can_cache for lifted in data.lifted):
            return
        if data.library.has_dynamic_globals:
            raise ContentError(
                self._function,
                f"kernel {self._function.__qualname__} holds an array too large to be part of its code: "
                "pass it as an argument",
            )
        write_checked(self._path(sig, data.codegen), serialize.dumps(data._reduce()))

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
        words += [
            f"wrapped={_compilation.wrapped}",
            f"boundscheck={config.BOUNDSCHECK}",
            f"opt={config.OPT}",
            f"debug={config.DEBUGINFO_DEFAULT}",
        ]
        digest = hashlib.blake2b("\0".join(words).encode(), digest_size=16).hexdigest()
        return cache_folder() / f"{_file_stem(self._function)}-{digest}.kernel"


def _file_stem(function: Callable[..., Any]) -> str:
    return function.__qualname__.replace("<locals>.", "").replace("<", "").replace(">", "")


def _signature_text(sig: Any) -> str:
    """The signature, and for named tuples the class they come from: equal names in two files are two types."""
    arguments = sig if isinstance(sig, tuple) else sig.args
    names = []
    for argument in arguments:
        kind = getattr(argument, "instance_class", None)
        names.append(f"{argument}" + (f"@{kind.__module__}.{kind.__qualname__}" if kind else ""))
    return ", ".join(names)
