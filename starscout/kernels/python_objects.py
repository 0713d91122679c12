"""Kernels that receive and return Python objects by address, called by Python as builtin functions.

A call of a compiled kernel converts every argument: two arrays cost more than a step of a game. A builtin function is a
kernel (this, arguments, count) → object, with CPython's calling convention for positional arguments:

    this        address of an object that belongs to the function: `word_at(this, BYTES)` is the address of its row
    arguments   address of the array of arguments, borrowed references
    object      a new reference

It runs with the GIL. Objects are read and written only through the CPython functions below, except for the slots of a
class, whose places `slot_places` determines.
"""

import ctypes
from collections.abc import Callable
from typing import Any

import numpy
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from starscout.kernels import numba_patches
from starscout.kernels.compiler import compiled

BYTES = (bytes.__basicsize__ - 1) // 8
"""Place of the content of a `bytes` object, in words from its address."""
FASTCALL = 0x80
"""METH_FASTCALL of CPython."""

_word, _pointer = ir.IntType(64), ir.IntType(64).as_pointer()


def _cpython(name: str, signature: Any) -> Any:
    """A function of CPython's C interface; objects are addresses."""
    function: Any = types.ExternalFunction(name, signature)
    function.content = f"C function {name} {signature}"
    return function


_int = types.int64
new_bytes = _cpython("PyBytes_FromStringAndSize", _int(_int, _int))
new_list = _cpython("PyList_New", _int(_int))
set_item = _cpython("PyList_SetItem", types.int32(_int, _int, _int))
new_number = _cpython("PyLong_FromLongLong", _int(_int))
number_of = _cpython("PyLong_AsLongLong", _int(_int))
"""The object as a number; −1 with an exception set if it is not a number."""
clear_exception = _cpython("PyErr_Clear", types.void())
new_object = _cpython("PyType_GenericAlloc", _int(_int, _int))
retain = _cpython("Py_IncRef", types.void(_int))


def _instruction(function: Callable[..., Any]) -> Any:
    """Numba's `intrinsic`, with a `content` for digests."""
    result: Any = intrinsic(function)
    result.content = f"instruction {function.__name__}"
    return result


@_instruction
def word_at(typing_context: Any, address: Any, place: Any) -> Any:
    """(address, place) → the word at this place, in words from the address."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load(builder.gep(builder.inttoptr(arguments[0], _pointer), [arguments[1]]))

    return _int(_int, _int), generate


@_instruction
def set_word(typing_context: Any, address: Any, place: Any, word: Any) -> Any:
    """(address, place, word): write a word."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        builder.store(arguments[2], builder.gep(builder.inttoptr(arguments[0], _pointer), [arguments[1]]))
        return context.get_dummy_value()

    return types.void(_int, _int, _int), generate


@_instruction
def row_at(typing_context: Any, address: Any, length: Any) -> Any:
    """(address, length) → the memory there as an array of numbers, without a reference to its owner."""
    kind = types.Array(_int, 1, "C")

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        from numba.np.arrayobj import populate_array  # only needed to compile

        row = context.make_array(kind)(context, builder)
        size = ir.Constant(_word, 8)
        data = builder.inttoptr(arguments[0], _pointer)
        populate_array(row, data=data, shape=[arguments[1]], strides=[size], itemsize=size, meminfo=None)
        return row._getvalue()

    return kind(_int, _int), generate


class _MethodDefinition(ctypes.Structure):
    """PyMethodDef of CPython."""

    _fields_ = (("name", ctypes.c_char_p), ("code", ctypes.c_void_p), ("flags", ctypes.c_int), ("doc", ctypes.c_char_p))


_kept: list[Any] = []
"""Objects that builtin functions refer to by address, kept alive here."""

_new_function = ctypes.pythonapi.PyCFunction_NewEx
_new_function.restype = ctypes.py_object
_new_function.argtypes = (ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)


def builtin(function: Callable[[int, int, int], int], row: numpy.ndarray) -> Callable[..., Any]:
    """Compile a kernel (this, arguments, count) and return it as a builtin function that owns this row of numbers."""
    kernel = compiled(function, fastmath=False, inline=False)
    result = numba_patches.compile_for_c(kernel, (_int, _int, _int))
    code = result.library.get_pointer_to_function(result.fndesc.llvm_cfunc_wrapper_name)
    definition = _MethodDefinition(function.__name__.encode(), code, FASTCALL, None)
    _kept.append((definition, row, result))
    address = row.ctypes.data.to_bytes(8, "little", signed=True)
    return _new_function(ctypes.addressof(definition), address, None)


def slot_places(example: Any, names: tuple[str, ...]) -> list[int]:
    """The places of slots in the objects of a class, found in an object whose slots contain different objects."""
    words = (ctypes.c_int64 * (type(example).__basicsize__ // 8)).from_address(id(example))
    addresses = list(words)
    places = [addresses.index(id(getattr(example, name))) for name in names]
    if len(set(places)) != len(names):
        raise AssertionError(f"two slots of {type(example).__name__} have the same place")
    return places
