"""Monkey patches of Numba internals, each with its reason and its measured benefit.

Every patch is tested with the first and the last Numba version that pyproject.toml allows, 0.61.0 and 0.68.1
(`make test-numba-range`). Benefits are CPU time to compile the `strong` player of a game with an empty cache.

    patch                     Numba internals                                            benefit
    use_random_symbol_names   FunctionIdentity._unique_ids                               correctness
    use_cache                 Dispatcher._cache                                          correctness
    wrap_compilation          Dispatcher.compile, Dispatcher._compile_for_args           error messages, Ctrl-C
    create_wrapper_on_demand  Dispatcher.add_overload, _FunctionCompiler._customize_flags  4 to 16 % (mcts: 34 to 39 %)
    infer_recursion_once      TypeInferer.propagate, .return_types_from_partial          4 to 30 %
    compile_for_c             CPUContext.create_cfunc_wrapper, PythonAPI                 errors of builtin functions
    reject_float_ranges       typing.builtins.Range.apply                                error messages
    (the same)                SetItemConstraint and StaticSetItemConstraint.__call__     error messages
    cache_operator_types      TypeInferer.resolve_call                                   5 to 11 %
    skip_negative_indices     BaseLower.lower, arrayobj.fix_integer_index                searches 5 to 13 % faster
"""

import functools
import secrets
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba.core import bytecode, types
from numba.core import config as numba_config
from numba.core.compiler_lock import global_compiler_lock
from numba.core.errors import NumbaError, TypingError
from numba.core.lowering import BaseLower
from numba.core.pythonapi import PythonAPI
from numba.core.typeinfer import SetItemConstraint, StaticSetItemConstraint, TypeInferer
from numba.core.typing.builtins import Range

PACKAGE = Path(__file__).parents[1]


class _RandomIds:
    """Replacement for Numba's `itertools.count(1)`."""

    def __next__(self) -> int:
        return secrets.randbits(62)


def use_random_symbol_names() -> None:
    """Number kernels of the same name at random instead of from 1 in every process.

    Numba builds symbol names from these numbers. Two kernels compiled in two processes could share a symbol, and a
    third process that loads both from the cache would link one in place of the other without an error.
    """
    patched: Any = bytecode.FunctionIdentity
    patched._unique_ids = _RandomIds()


def reject_float_ranges() -> None:
    """Make `range(7, 10.5)` a typing error, as in Python. Numba would truncate it to `range(7, 10)`.

    Floats that a user's kernel writes into an array of integers are also rejected.
    """
    _reject_float_items()
    template: Any = Range
    original = template.apply

    def apply(self: Any, arguments: Any, named: Any) -> Any:
        if any(isinstance(argument, types.Float) for argument in arguments):
            return None
        return original(self, arguments, named)

    template.apply = apply


def _reject_float_items() -> None:
    """Make it a typing error to write a float into an array of integers, which Numba would truncate.

    Only in user files: a game that writes `out[count] = square / 2` would generate other moves than its author
    intended.
    """
    for constraint in (SetItemConstraint, StaticSetItemConstraint):
        constraint.__call__ = _with_checked_value(constraint.__call__)


def _with_checked_value(original: Any) -> Any:
    def check(constraint: Any, inferer: Any) -> None:
        original(constraint, inferer)
        variables = [inferer.typevars[variable.name] for variable in (constraint.target, constraint.value)]
        if not all(variable.defined for variable in variables) or Path(constraint.loc.filename).is_relative_to(PACKAGE):
            return
        target, value = (variable.getone() for variable in variables)
        integers = isinstance(target, types.Array) and isinstance(target.dtype, types.Integer)
        if integers and isinstance(types.unliteral(value), types.Float):
            message = f"a {value} in an array of {target.dtype} would be truncated: convert it with int() or use //"
            raise TypingError(message, loc=constraint.loc)

    return check


class _IndexState(threading.local):
    """How negative indices are interpreted in the kernel that this thread compiles."""

    from_the_end = True
    """Whether index −1 is the last item, as in Python."""


_index_state = _IndexState()


def skip_negative_indices() -> None:
    """Compile the kernels of this package without the test for negative indices, which they do not use.

    Numba adds the length to every negative index, which costs a comparison and a conditional move per access. Kernels
    in files of users keep Python's meaning. With NUMBA_BOUNDSCHECK=1, a negative index in this package is an error.
    """
    patched: Any = BaseLower
    original = patched.lower

    def lower(lowering: Any) -> None:
        _patch_integer_index()
        # Numba compiles its own functions while it compiles a kernel that calls them.
        before = _index_state.from_the_end
        _index_state.from_the_end = allows_negative_indices(lowering.func_ir.loc.filename)
        try:
            original(lowering)
        finally:
            _index_state.from_the_end = before

    patched.lower = lower


def allows_negative_indices(file: str) -> bool:
    """Whether kernels in a file are compiled with Python's meaning of negative indices."""
    return not Path(file).is_relative_to(PACKAGE)


@functools.cache
def _patch_integer_index() -> None:
    """Patch Numba's array module at the first compilation: loading cached kernels does not import it."""
    from numba.np import arrayobj

    patched: Any = arrayobj
    original = patched.fix_integer_index

    def fix_integer_index(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
        if _index_state.from_the_end or not kind.signed:
            return original(context, builder, kind, index, size)
        return context.cast(builder, index, kind, types.intp)

    patched.fix_integer_index = fix_integer_index


def use_cache(dispatcher: Any, cache: Any) -> None:
    """Replace the cache of a dispatcher.

    Numba's own cache misses closures over kernels and does not notice edits in other files.
    """
    dispatcher._cache = cache


Compile = Callable[..., Any]


def wrap_compilation(
    dispatcher: Any, compile_signature: Callable[[Compile, Any], Any], compile_call: Callable[..., Any]
) -> None:
    """Route compilation through two functions, each of which receives Numba's own method as its first argument.

    `compile_signature(original, signature)` replaces `compile`, which kernels and Python call; `compile_call(original,
    *arguments)` replaces `_compile_for_args`, which only a call by Python reaches. Numba has no hook for either.
    """
    original_compile, original_call = dispatcher.compile, dispatcher._compile_for_args
    dispatcher.compile = lambda signature: compile_signature(original_compile, signature)
    dispatcher._compile_for_args = lambda *arguments, **named: compile_call(original_call, *arguments, **named)


class _WrapperState(threading.local):
    """Whether the next kernel that this thread compiles, and the present one, need a CPython wrapper."""

    next_needs_wrapper = False
    needs_wrapper = False


_wrapper_state = _WrapperState()


def request_wrapper() -> None:
    """Compile the next kernel of this thread with a CPython wrapper: Python is about to call it."""
    _wrapper_state.next_needs_wrapper = True


def has_wrapper() -> bool:
    """Whether the kernel that this thread compiles or loads now gets a CPython wrapper."""
    return _wrapper_state.needs_wrapper


def create_wrapper_on_demand(dispatcher: Any) -> None:
    """Compile the CPython wrapper of a kernel, which converts arguments and results, once Python calls it.

    Most kernels are called only by other kernels. Numba decides per dispatcher, not per call.
    """
    compile_signature, add_overload = dispatcher.compile, dispatcher.add_overload
    customize_flags = dispatcher._compiler._customize_flags
    without_wrapper: set[tuple[Any, ...]] = set()

    def compile_with_or_without(signature: Any) -> Any:
        state = _wrapper_state
        caller_needs_wrapper = state.needs_wrapper
        state.needs_wrapper, state.next_needs_wrapper = state.next_needs_wrapper, False
        try:
            # Another thread may be compiling this kernel without a wrapper: Python would call address 0.
            with global_compiler_lock:
                if state.needs_wrapper and signature in without_wrapper:
                    without_wrapper.remove(signature)
                    del dispatcher.overloads[signature]
                return compile_signature(signature)
        finally:
            state.needs_wrapper = caller_needs_wrapper

    def add(result: Any) -> None:
        if _wrapper_state.needs_wrapper:
            add_overload(result)
            return
        # Visible to kernels. A call from Python does not find it and compiles the kernel again with a wrapper.
        arguments = tuple(result.signature.args)
        without_wrapper.add(arguments)
        dispatcher.overloads[arguments] = result

    def customize(flags: Any) -> Any:
        flags.no_cpython_wrapper = not _wrapper_state.needs_wrapper
        return customize_flags(flags)

    dispatcher.compile, dispatcher.add_overload = compile_with_or_without, add
    dispatcher._compiler._customize_flags = customize


def compile_for_c(dispatcher: Any, signature: tuple[Any, ...]) -> Any:
    """Compile a kernel that C calls by address, and return the result of the compilation.

    Numba's wrapper for C prints exceptions, because its caller need not be Python. Ours leaves the exception set and
    returns 0, as CPython expects of a builtin function.
    """
    dispatcher.targetoptions["no_cfunc_wrapper"] = False
    original: Any = PythonAPI.err_write_unraisable
    patched: Any = PythonAPI
    patched.err_write_unraisable = lambda api, text: None
    try:
        dispatcher.compile(signature)
    finally:
        patched.err_write_unraisable = original
    return dispatcher.overloads[signature]


def keep_jit_enabled() -> None:
    """Ignore later changes of NUMBA_DISABLE_JIT, which kernel.py has read once.

    Numba reads it again whenever it compiles, and compiled kernels cannot call plain ones.
    """
    config: Any = numba_config
    reload_config = config.reload_config

    def reload() -> None:
        reload_config()
        config.DISABLE_JIT = 0

    config.reload_config, config.DISABLE_JIT = reload, 0


_propagate: Any = TypeInferer.propagate
_resolve_call: Any = TypeInferer.resolve_call
_partial_return_type: Any = TypeInferer.return_types_from_partial


def cache_operator_types() -> None:
    """Look up the signature of an operation such as `a + b` once per kernel, not in every inference pass."""

    def resolve_call(inferer: Any, function: Any, arguments: Any, named: Any) -> Any:
        if type(function) is not types.Function or named:
            return _resolve_call(inferer, function, arguments, named)
        known, key = _attribute(inferer, "operator_types", dict), (function, arguments)
        if key not in known:
            known[key] = _resolve_call(inferer, function, arguments, named)
        return known[key]

    patched: Any = TypeInferer
    patched.resolve_call = resolve_call


class _Recursion:
    """The type of a kernel's recursive calls."""

    def __init__(self) -> None:
        self.type: Any = None
        """None until the first recursive call."""
        self.reused = True
        """Whether the type of the first recursive call is used for the others."""


def infer_recursion_once() -> None:
    """Infer the type of recursive calls once and check it at the end.

    Numba infers the whole kernel again for each recursive call in each inference pass.
    """
    patched: Any = TypeInferer
    patched.return_types_from_partial = _return_type_of_recursion
    patched.propagate = _propagate_and_check


def _return_type_of_recursion(inferer: Any) -> Any:
    """The return type of a kernel inferred from its statements without recursive calls.

    Mutual recursion is left to Numba: there, the requesting inferer is not the one on top of the call stack.
    """
    recursion = _attribute(inferer, "recursion", _Recursion)
    if not recursion.reused or inferer.context.callstack[0].typeinfer is not inferer:
        return _partial_return_type(inferer)
    if recursion.type is None:
        recursion.type = _partial_return_type(inferer)
    return recursion.type


def _propagate_and_check(inferer: Any, raise_errors: bool = True) -> Any:
    """Infer all types; fall back to Numba's method if the kernel does not return the type of its recursive calls."""
    recursion = _attribute(inferer, "recursion", _Recursion)
    try:
        errors = _propagate(inferer, raise_errors)
    except NumbaError:
        if recursion.type is None:
            raise
    else:
        if recursion.type is None or _return_type(inferer) == recursion.type:
            return errors
    recursion.type, recursion.reused = None, False
    return _propagate(inferer, raise_errors)


def _return_type(inferer: Any) -> Any:
    """The unified type of all `return` statements; None if one of them is unknown."""
    variables = [inferer.typevars[variable.name] for variable in inferer._get_return_vars()]
    if not all(variable.defined for variable in variables):
        return None
    return inferer.context.unify_types(*(types.unliteral(variable.getone()) for variable in variables))


def _attribute(inferer: Any, name: str, make: Callable[[], Any]) -> Any:
    """State of a patch, stored on the inferer of one kernel."""
    if not hasattr(inferer, name):
        setattr(inferer, name, make())
    return getattr(inferer, name)
