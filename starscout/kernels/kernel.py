"""`@kernel` compiles a plain Python function for the machine it runs on.

A kernel may close over other kernels, numbers, strings, tuples and NumPy arrays; that is how one search serves every
game. `NUMBA_DISABLE_JIT=1` runs everything as plain Python without importing the compiler. Compiled code is cached in
the user's cache folder: see cache.py.
"""

import functools
import os
from collections.abc import Callable
from typing import Any, TypeVar, overload

__all__ = [
    "PLAIN",
    "borrowed",
    "first_number",
    "is_kernel",
    "kernel",
    "result_types",
    "unroll",
]


def _switched_off() -> bool:
    """Whether NUMBA_DISABLE_JIT is set, parsed as Numba parses it."""
    try:
        return int(os.environ.get("NUMBA_DISABLE_JIT") or 0) != 0
    except ValueError:
        return False


PLAIN: bool = _switched_off()
"""True if kernels run as plain Python (NUMBA_DISABLE_JIT=1)."""

Function = TypeVar("Function", bound=Callable[..., Any])


@overload
def kernel(function: Function) -> Function: ...
@overload
def kernel(*, fastmath: bool = False, inline: bool = False) -> Callable[[Function], Function]: ...
def kernel(function: Any = None, *, fastmath: bool = False, inline: bool = False) -> Any:
    """Compile `function` on its first call for each combination of argument types; it releases the GIL.

    With `inline`, LLVM inlines it into every kernel that calls it, so that common subexpressions of several calls are
    computed once. For functions that are not recursive.
    """
    if function is None:
        return functools.partial(kernel, fastmath=fastmath, inline=inline)
    return function if PLAIN else compiler.compiled(function, fastmath=fastmath, inline=inline)


def is_kernel(function: Any) -> bool:
    """Whether a function is decorated with `@kernel`, so that kernels can call it."""
    return PLAIN or compiler.is_compiled(function)


def result_types(function: Any) -> set[tuple[str, ...]]:
    """The Numba types that a kernel has returned so far, one name per field: ("uint64", "int64").

    Empty if kernels run as plain Python.
    """
    return set() if PLAIN else compiler.compiled_result_types(function)


def _itself(value: Any) -> Any:
    return value


def _first(array: Any) -> Any:
    return array.flat[0]


unroll: Any
"""*kernel* (tuple) → iterates over a heterogeneous tuple (literal_unroll)."""

borrowed: Any
"""*kernel* (array) → the same array without reference counting: slices of it in a hot loop need no atomic operation.

Only for arrays that the caller of the kernel keeps alive.
"""

first_number: Any
"""*kernel* (int64 array) → its first number, read from memory at every call: another thread may write it."""

if PLAIN:
    unroll, borrowed, first_number = _itself, _itself, _first
else:
    from starscout.kernels import compiler

    unroll, borrowed, first_number = compiler.unroll, compiler.borrowed, compiler.first_number
