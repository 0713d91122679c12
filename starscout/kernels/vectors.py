"""SIMD types for kernels: lanes (four 64-bit words) and units (16-bit activations of a hidden layer).

Values of these types exist only inside kernels.
"""

import hashlib
import operator
from pathlib import Path
from typing import Any

import numba
from llvmlite import ir
from numba.core.typing import templates
from numba.extending import intrinsic, lower_builtin, models, register_model

_THIS_FILE = hashlib.blake2b(Path(__file__).read_bytes()).hexdigest()
"""Part of every cache key, because this file defines instructions."""


class _LanesType(numba.types.Type):
    """The Numba type of four 64-bit words."""

    def __init__(self) -> None:
        super().__init__(name="Lanes")


@register_model(_LanesType)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _LANES)


_LANES = ir.VectorType(ir.IntType(64), 4)


def _lanes_operator(symbol: Any, builder_name: str) -> None:
    """Define an operator on lanes by the builder's instruction of this name."""
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


def lanes_instructions() -> tuple[Any, Any, Any, Any]:
    """Functions for kernels: four words → lanes; lanes → the union of their words, as a word or in every lane; and
    lanes where other lanes are not 0.

    The operators `+ & | ^ << >>` work lane by lane.
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

    def generate_united(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        # Stays in vector registers: leaving them would take several times as long.
        (value,) = arguments
        for order in ((2, 3, 0, 1), (1, 0, 3, 2)):
            mask = ir.Constant(ir.VectorType(ir.IntType(32), 4), order)
            value = builder.or_(value, builder.shuffle_vector(value, ir.Constant(_LANES, ir.Undefined), mask))
        return value

    def generate_where(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        zero = ir.Constant(_LANES, None)
        kept, condition = arguments
        return builder.select(builder.icmp_unsigned("!=", condition, zero), kept, zero)

    from_words = intrinsic(lambda typing_context, a, b, c, d: (lanes(word, word, word, word), generate_lanes))
    union = intrinsic(lambda typing_context, value: (word(lanes), generate_union))
    united = intrinsic(lambda typing_context, value: (lanes(lanes), generate_united))
    where = intrinsic(lambda typing_context, value, condition: (lanes(lanes, lanes), generate_where))
    for name, function in (("from_words", from_words), ("union", union), ("united", united), ("where", where)):
        function.content = f"lanes {name} {_THIS_FILE}"  # pyright: ignore[reportAttributeAccessIssue]
    return from_words, union, united, where


class _UnitsType(numba.types.Type):
    """The Numba type of `width` 16-bit numbers."""

    def __init__(self, width: int) -> None:
        self.vector = ir.VectorType(ir.IntType(16), width)
        super().__init__(name=f"Units{width}")


@register_model(_UnitsType)
class _UnitsModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, kind.vector)


@lower_builtin(operator.add, _UnitsType, _UnitsType)
def _add_units(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.add(*arguments)


def units_instructions(width: int) -> tuple[Any, Any]:
    """Functions for kernels: (rows, index) → a row of units, and (units, rows of weights, index) → Σ max(unit, 0) ·
    weight.

    Rows are C-contiguous int16; `+` works unit by unit.
    """
    units, number = _UnitsType(width), numba.types.int64
    infer: Any = templates.infer_global(operator.add)
    infer(
        type(f"AddUnits{width}", (templates.ConcreteTemplate,), {"cases": [templates.signature(units, units, units)]})
    )
    wide = ir.VectorType(ir.IntType(32), width)

    def load(context: Any, builder: Any, array: Any, kind: Any, index: Any) -> Any:
        first = builder.mul(index, ir.Constant(ir.IntType(64), width))
        place = builder.gep(context.make_array(kind)(context, builder, array).data, [first])
        return builder.load(builder.bitcast(place, units.vector.as_pointer()), align=2)

    def generate_row(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return load(context, builder, arguments[0], signature.args[0], arguments[1])

    def generate_sum(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        zero = ir.Constant(units.vector, None)
        weights = load(context, builder, arguments[1], signature.args[1], arguments[2])
        active = builder.select(builder.icmp_signed(">", arguments[0], zero), arguments[0], zero)
        product = builder.mul(builder.sext(active, wide), builder.sext(weights, wide))
        declared = ir.FunctionType(ir.IntType(32), [wide])
        total = builder.module.declare_intrinsic(f"llvm.vector.reduce.add.v{width}i32", (), declared)
        return builder.sext(builder.call(total, [product]), ir.IntType(64))

    row = intrinsic(lambda typing_context, rows, index: (units(rows, number), generate_row))
    rectified = intrinsic(lambda typing_context, value, weights, index: (number(units, weights, number), generate_sum))
    for name, function in (("row", row), ("rectified", rectified)):
        function.content = f"units {width} {name} {_THIS_FILE}"  # pyright: ignore[reportAttributeAccessIssue]
    return row, rectified


def lookup_instruction(width: int, offsets: tuple[int, ...]) -> Any:
    """A function for kernels: (units, array, first) → Σ over offsets of array[first + offset + unit].

    Units are read as unsigned numbers; the array is int16.
    """
    units, number = _UnitsType(width), numba.types.int64
    wide = ir.IntType(64)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        value, array, first = arguments
        data = context.make_array(signature.args[1])(context, builder, array).data
        total = ir.Constant(wide, 0)
        for lane, offset in enumerate(offsets):
            unit = builder.zext(builder.extract_element(value, ir.Constant(ir.IntType(32), lane)), wide)
            index = builder.add(builder.add(first, ir.Constant(wide, offset)), unit)
            total = builder.add(total, builder.sext(builder.load(builder.gep(data, [index])), wide))
        return total

    result = intrinsic(lambda typing_context, value, array, first: (number(units, array, number), generate))
    result.content = f"lookup {width} {offsets} {_THIS_FILE}"  # pyright: ignore[reportAttributeAccessIssue]
    return result
