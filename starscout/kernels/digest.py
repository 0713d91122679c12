"""Content digests of functions: their code and, by content, everything that the code refers to.

Functions with equal digests compute the same results. The digest is taken from the loaded code, not from its file, so
editing a file, even while the program runs, can neither give new code an old digest nor old code a new one.
"""

import dis
import enum
import hashlib
import inspect
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy

from starscout.errors import ContentError

LIBRARIES = ("numpy", "math")
"""Modules that are not digested; their versions are part of the cache key."""
RAISE = dis.opmap["RAISE_VARARGS"]
SIMPLE = (bool, int, float, str, bytes, numpy.generic, enum.Enum, type(None))


def function_digest(function: Callable[..., Any]) -> str:
    """The digest of a function; raises ContentError if it refers to an object that cannot be digested."""
    collector = hashlib.blake2b(digest_size=16)
    for part in _function(_python_function(function), {}):
        collector.update(f"{len(part)}:{part}".encode())
    return collector.hexdigest()


def _python_function(function: Any) -> Any:
    """The Python function of a kernel; other objects unchanged."""
    return getattr(function, "py_func", function)


def _function(function: Any, numbers: dict[int, int]) -> Iterator[str]:
    """`numbers` counts functions in order of first occurrence; a repeated function is digested as its number."""
    if id(function) in numbers:
        yield f"function number {numbers[id(function)]}"
        return
    numbers[id(function)] = len(numbers)
    yield f"function {function.__module__}.{function.__qualname__}"
    yield from _code(function.__code__)
    for default in (function.__defaults__ or (), *sorted((function.__kwdefaults__ or {}).items())):
        yield from _value("a default", default, set(), numbers, function)
    free = inspect.getclosurevars(function)
    global_names, attribute_names = _names_used(function.__code__)
    used = {name: value for name, value in function.__globals__.items() if name in global_names}
    for name, value in sorted({**used, **free.nonlocals}.items()):
        yield f"name {name}"
        yield from _value(name, value, attribute_names, numbers, function)


def _code(code: types.CodeType) -> Iterator[str]:
    """The content of a code object; with file and lines only if it raises, because error messages contain them."""
    yield f"code {code.co_name} {code.co_argcount} {code.co_kwonlyargcount} {code.co_flags} {code.co_code.hex()}"
    yield f"{code.co_names} {code.co_varnames} {code.co_freevars} {code.co_cellvars}"
    if RAISE in code.co_code[::2]:
        yield f"raises in {code.co_filename} {list(code.co_lines())}"
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _code(constant)
        else:
            yield f"{type(constant).__name__} {constant!r}"


def _names_used(code: types.CodeType) -> tuple[set[str], set[str]]:
    """The global names and the attribute names that a function and the functions inside it use."""
    global_names: set[str] = set()
    attribute_names: set[str] = set()
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            global_names.add(instruction.argval)
        elif instruction.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            attribute_names.add(instruction.argval)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            inner_globals, inner_attributes = _names_used(constant)
            global_names |= inner_globals
            attribute_names |= inner_attributes
    return global_names, attribute_names


def _value(name: str, value: Any, attributes: set[str], numbers: dict[int, int], owner: Any) -> Iterator[str]:
    if isinstance(_python_function(value), types.FunctionType):
        # Callers depend on the compile options of a kernel.
        yield f"options {getattr(value, 'targetoptions', None)!r}"
        yield from _function(_python_function(value), numbers)
    elif isinstance(value, numpy.ndarray):
        yield f"array {value.dtype} {value.shape}"
        yield hashlib.blake2b(numpy.ascontiguousarray(value).tobytes()).hexdigest()
    elif isinstance(value, SIMPLE):
        yield f"{type(value).__name__} {value!r}"
    elif isinstance(value, tuple):
        yield f"{type(value).__name__} of {len(value)}"
        for item in value:
            yield from _value(name, item, attributes, numbers, owner)
    elif isinstance(value, types.ModuleType):
        yield f"module {value.__name__}"
        if value.__name__.split(".")[0] not in LIBRARIES:
            for attribute in sorted(attributes & set(vars(value))):
                yield f"attribute {attribute}"
                yield from _value(f"{name}.{attribute}", getattr(value, attribute), attributes, numbers, owner)
    elif isinstance(value, type | types.BuiltinFunctionType):
        yield f"{value.__module__}.{value.__qualname__} {getattr(value, '_fields', '')}"
        for attribute in sorted(attributes & set(getattr(value, "__dict__", ()))):
            if isinstance(constant := getattr(value, attribute), SIMPLE):
                yield f"constant {attribute} {constant!r}"
    elif hasattr(value, "content"):
        yield value.content
    else:
        raise ContentError(
            owner,
            f"kernel {owner.__qualname__} refers to {name!r}, a {type(value).__name__}: only kernels, numbers, "
            "strings, tuples and arrays can be part of a kernel",
        )
