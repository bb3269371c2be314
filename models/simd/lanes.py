"""A SIMD register as a number that numba computes with.

:class:`Lanes` are as many numbers as a 512-bit register holds; arithmetic on them is one vector
instruction, or two or four on machines with narrower registers. Loops over cases written with
them are SIMD code by construction, for eight cases as for many, where the compiler would need
long loops to vectorise. The functions here also take single numbers, so that a formula written
with them serves both.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, register_model

WIDTH = {"float64": 8, "float32": 16}  # numbers in a register

MANTISSA_BITS = {"double": 52, "float": 23}
EXPONENT_BIAS = {"double": 1023, "float": 127}

# called without the typing context that the decorated functions take
instruction: Callable[[Callable[..., Any]], Callable[..., Any]] = intrinsic


class Lanes(types.Type):
    """Numba type of a register.

    Parameters
    ----------
    dtype : numba type
        ``float64`` or ``float32``.

    Examples
    --------
    >>> from numba import types
    >>> from pymc_bnn.models.simd.lanes import Lanes
    >>> Lanes(types.float64)
    Lanes(float64)
    """

    def __init__(self, dtype: types.Type):
        self.dtype = dtype
        super().__init__(name=f"Lanes({dtype})")


@register_model(Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, lanes: Lanes):
        element = ir.DoubleType() if lanes.dtype == types.float64 else ir.FloatType()
        super().__init__(manager, lanes, ir.VectorType(element, WIDTH[str(lanes.dtype)]))


def _common(*given: types.Type) -> types.Type:
    """Return the type in which arguments meet."""
    lanes = [t for t in given if isinstance(t, Lanes)]
    return lanes[0] if lanes else types.float64


def broadcast(context, builder, value, given, wanted):
    """Cast a value, and copy a single number to all lanes."""
    if given == wanted:
        return value
    if not isinstance(wanted, Lanes):
        return context.cast(builder, value, given, wanted)
    value = context.cast(builder, value, given, wanted.dtype)
    vector = context.get_value_type(wanted)
    first = builder.insert_element(ir.Constant(vector, ir.Undefined), value, ir.IntType(32)(0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), vector.count), [0] * vector.count)
    return builder.shuffle_vector(first, ir.Constant(vector, ir.Undefined), zeros)


def _element(kind):
    return kind.element if isinstance(kind, ir.VectorType) else kind


def like(kind, element):
    """Return a type with as many elements as another, of a given sort."""
    return ir.VectorType(element, kind.count) if isinstance(kind, ir.VectorType) else element


def constant(kind, number):
    """Build a constant of a type, in every lane."""
    return ir.Constant(kind, [number] * kind.count if isinstance(kind, ir.VectorType) else number)


def _integers(kind):
    """Integers with the bits of a floating point type, its mantissa bits and exponent bias."""
    name = str(_element(kind))
    bits = MANTISSA_BITS[name]
    return like(kind, ir.IntType(64 if bits == 52 else 32)), bits, EXPONENT_BIAS[name]


def _call(builder, name, *values):
    """Call an LLVM intrinsic of the values' type."""
    kind = values[0].type
    count = f"v{kind.count}" if isinstance(kind, ir.VectorType) else ""
    suffix = count + ("f64" if str(_element(kind)) == "double" else "f32")
    declared = ir.FunctionType(kind, [v.type for v in values])
    function = cgutils.get_or_insert_function(builder.module, declared, f"llvm.{name}.{suffix}")
    return builder.call(function, values)


def _elementwise(build: Callable, arity: int) -> Callable[..., Any]:
    """Make a function of numbers or lanes from what builds its instructions."""

    def typed(*arguments):
        kind = _common(*arguments)

        def codegen(context, builder, found, values):
            pairs = zip(values, found.args, strict=True)
            return build(builder, *(broadcast(context, builder, v, t, kind) for v, t in pairs))

        return signature(kind, *arguments), codegen

    by_arity: dict[int, Callable[..., Any]] = {
        1: lambda typing, x: typed(x),
        2: lambda typing, x, y: typed(x, y),
        3: lambda typing, x, y, z: typed(x, y, z),
        4: lambda typing, x, y, z, u: typed(x, y, z, u),
    }
    return instruction(by_arity[arity])


def _select(comparison: str) -> Callable:
    def build(builder, x, y, if_true, if_false):
        return builder.select(builder.fcmp_ordered(comparison, x, y), if_true, if_false)

    return build


def _power_of_two(builder, n):
    """Shift an integer into the exponent bits; adding 1.5 * 2**bits puts it into the lowest."""
    integers, bits, bias = _integers(n.type)
    shifted = builder.fadd(n, constant(n.type, 1.5 * 2.0**bits + bias))
    exponent = builder.shl(builder.bitcast(shifted, integers), constant(integers, bits))
    return builder.bitcast(exponent, n.type)


def _exponent(builder, x):
    """Move the exponent bits into the mantissa of 2**bits, and subtract that."""
    integers, bits, bias = _integers(x.type)
    exponent = builder.lshr(builder.bitcast(x, integers), constant(integers, bits))
    large = builder.bitcast(constant(x.type, 2.0**bits), integers)
    number = builder.bitcast(builder.or_(exponent, large), x.type)
    return builder.fsub(number, constant(x.type, 2.0**bits + bias))


def _mantissa(builder, x):
    integers, bits, _ = _integers(x.type)
    kept = builder.and_(builder.bitcast(x, integers), constant(integers, 2**bits - 1))
    one = builder.bitcast(constant(x.type, 1.0), integers)
    return builder.bitcast(builder.or_(kept, one), x.type)


def _first(builder, x, n, otherwise):
    """Compare the number of each lane with ``n``."""
    count = x.type.count if isinstance(x.type, ir.VectorType) else 1
    numbers = [float(i) for i in range(count)]
    lane = ir.Constant(x.type, numbers if isinstance(x.type, ir.VectorType) else 0.0)
    return builder.select(builder.fcmp_ordered("<", lane, n), x, otherwise)


# functions of numbers or lanes; a comparison with NaN is false
round_to_integer = _elementwise(lambda builder, x: _call(builder, "rint", x), 1)
square_root = _elementwise(lambda builder, x: _call(builder, "sqrt", x), 1)
absolute = _elementwise(lambda builder, x: _call(builder, "fabs", x), 1)
with_sign_of = _elementwise(lambda builder, x, y: _call(builder, "copysign", x, y), 2)
smaller = _elementwise(lambda builder, x, y: _select(">")(builder, x, y, y, x), 2)
larger = _elementwise(lambda builder, x, y: _select("<")(builder, x, y, y, x), 2)
where_greater = _elementwise(_select(">"), 4)
where_equal = _elementwise(_select("=="), 4)
power_of_two = _elementwise(_power_of_two, 1)  # of an integer that gives a normal number
exponent = _elementwise(_exponent, 1)  # of a positive normal number
mantissa = _elementwise(_mantissa, 1)  # of a positive normal number, in [1, 2)
by_precision = _elementwise(  # (x, y, z): y in double precision, z in single precision
    lambda builder, x, y, z: y if str(_element(x.type)) == "double" else z, 3
)
first_lanes = _elementwise(_first, 3)  # (x, n, otherwise): x in the first n lanes


def _add_operator(function: Callable, instruction: str) -> None:
    """Give lanes an arithmetic operator, also together with single numbers."""

    @infer_global(function)
    class _Template(AbstractTemplate):
        def generic(self, arguments, keywords):
            if any(isinstance(a, Lanes) for a in arguments):
                return signature(_common(*arguments), *arguments)
            return None

    def lower(context, builder, found, values):
        kind = found.return_type
        pairs = zip(values, found.args, strict=True)
        both = [broadcast(context, builder, v, t, kind) for v, t in pairs]
        return getattr(builder, instruction)(*both, flags=("contract",))

    for left, right in ((Lanes, Lanes), (Lanes, types.Number), (types.Number, Lanes)):
        lower_builtin(function, left, right)(lower)


for _function, _name in (("add", "fadd"), ("sub", "fsub"), ("mul", "fmul"), ("truediv", "fdiv")):
    _add_operator(getattr(operator, _function), _name)
    _add_operator(getattr(operator, f"i{_function}"), _name)
