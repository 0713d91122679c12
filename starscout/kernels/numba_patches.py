"""Numba's type inference without its repetitions: a third of the time that a recursive kernel takes to compile.

Numba infers a kernel in several passes over its statements. To find the type of a recursive call it infers the whole
kernel once more, at every such call and in every pass; and it looks up the type of `a + b` anew each time. Here
the type of recursive calls is inferred once and checked at the end, and equal operations are looked up once per kernel.
"""

from typing import Any

from numba.core import types
from numba.core.errors import NumbaError
from numba.core.typeinfer import TypeInferer

_propagate: Any = TypeInferer.propagate
_resolve_call: Any = TypeInferer.resolve_call
_partial_return_type: Any = TypeInferer.return_types_from_partial


class _Remembered:
    """What is known about one kernel while its types are inferred."""

    def __init__(self) -> None:
        self.operations: dict[Any, Any] = {}
        """(operation, types of its arguments) → its signature."""
        self.recursive: Any = None
        """The type of recursive calls; None while none was met."""
        self.trusted = True
        """Whether that type is used for all of them."""


def _remembered(inferer: Any) -> _Remembered:
    if not hasattr(inferer, "remembered"):
        inferer.remembered = _Remembered()
    return inferer.remembered


def _resolve_call_once(inferer: Any, function: Any, arguments: Any, named: Any) -> Any:
    """The signature of a call."""
    if type(function) is not types.Function or named:
        return _resolve_call(inferer, function, arguments, named)
    known, key = _remembered(inferer).operations, (function, arguments)
    if key not in known:
        known[key] = _resolve_call(inferer, function, arguments, named)
    return known[key]


def _return_type_once(inferer: Any) -> Any:
    """The type that a kernel returns, as far as its statements without recursive calls tell.

    Kernels that call each other are left to Numba: there the kernel that asks is not the one that is asked about.
    """
    known = _remembered(inferer)
    if not known.trusted or inferer.context.callstack[0].typeinfer is not inferer:
        return _partial_return_type(inferer)
    if known.recursive is None:
        known.recursive = _partial_return_type(inferer)
    return known.recursive


def _propagate_and_check(inferer: Any, raise_errors: bool = True) -> Any:
    """Infer all types; again in Numba's own way if the type of recursive calls was not the type of the kernel."""
    known = _remembered(inferer)
    try:
        errors = _propagate(inferer, raise_errors)
    except NumbaError:
        if known.recursive is None:
            raise
    else:
        if known.recursive is None or _return_type(inferer) == known.recursive:
            return errors
    known.recursive, known.trusted = None, False
    return _propagate(inferer, raise_errors)


def _return_type(inferer: Any) -> Any:
    """The type that all `return` statements have in common; None if some are not known."""
    variables = [inferer.typevars[variable.name] for variable in inferer._get_return_vars()]
    if not all(variable.defined for variable in variables):
        return None
    return inferer.context.unify_types(*(types.unliteral(variable.getone()) for variable in variables))


def cache_type_inference() -> None:
    """Let Numba infer the types of all kernels of this process so."""
    replaced: Any = TypeInferer
    replaced.resolve_call = _resolve_call_once
    replaced.return_types_from_partial = _return_type_once
    replaced.propagate = _propagate_and_check
