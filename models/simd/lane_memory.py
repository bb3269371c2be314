"""Registers full of numbers in memory: read, write, and sum them.

The functions take vectors, or pointers to their numbers: unlike arrays these can be handed from
function to function without counting references, which takes longer than a small layer. Nothing
checks an index, and a pointer does not keep its vector alive.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

from llvmlite import ir
from numba import types

from .lanes import WIDTH, Lanes, broadcast, constant, instruction, like, signature


def _at(context, builder, array, value, index):
    data = value
    if not isinstance(array, types.CPointer):
        data = context.make_array(array)(context, builder, value).data
    return builder.gep(data, [index])


@instruction
def pointer(typing_context, array, index):
    """Pointer to the numbers of a vector from ``index`` on; the vector has to stay alive."""

    def codegen(context, builder, found, values):
        return _at(context, builder, found.args[0], *values)

    return signature(types.CPointer(array.dtype), array, index), codegen


@instruction
def load(typing_context, array, index):
    """Read a register from part of a vector."""
    kind = Lanes(array.dtype)

    def codegen(context, builder, found, values):
        vector = context.get_value_type(kind)
        at = _at(context, builder, found.args[0], *values)
        return builder.load(builder.bitcast(at, vector.as_pointer()), align=4)

    return signature(kind, array, index), codegen


@instruction
def store(typing_context, array, index, lanes):
    """Write a register to part of a vector."""

    def codegen(context, builder, found, values):
        at = _at(context, builder, found.args[0], *values[:2])
        builder.store(values[2], builder.bitcast(at, values[2].type.as_pointer()), align=4)
        return context.get_dummy_value()

    return signature(types.void, array, index, lanes), codegen


@instruction
def number(typing_context, array, index):
    """Read one number of a vector."""

    def codegen(context, builder, found, values):
        return builder.load(_at(context, builder, found.args[0], *values))

    return signature(array.dtype, array, index), codegen


@instruction
def put(typing_context, array, index, value):
    """Write one number of a vector."""

    def codegen(context, builder, found, values):
        number = context.cast(builder, values[2], found.args[2], array.dtype)
        builder.store(number, _at(context, builder, found.args[0], *values[:2]))
        return context.get_dummy_value()

    return signature(types.void, array, index, value), codegen


@instruction
def splat(typing_context, x):
    """All lanes equal to a number."""
    kind = Lanes(x)

    def codegen(context, builder, found, values):
        return broadcast(context, builder, values[0], x, kind)

    return signature(kind, x), codegen


@instruction
def zeros(typing_context, array):
    """All lanes zero, in the precision of a vector."""
    kind = Lanes(array.dtype)

    def codegen(context, builder, found, values):
        return constant(context.get_value_type(kind), 0.0)

    return signature(kind, array), codegen


@instruction
def width(typing_context, array):
    """Count of a vector's numbers in a register, as a constant."""
    count = WIDTH[str(array.dtype)]

    def codegen(context, builder, found, values):
        return context.get_constant(types.intp, count)

    return signature(types.intp, array), codegen


def _halves(builder, vector):
    """Sum of the two halves of a vector."""
    half = vector.type.count // 2
    kind = ir.VectorType(ir.IntType(32), half)
    parts = (ir.Constant(kind, list(range(start, start + half))) for start in (0, half))
    undefined = ir.Constant(vector.type, ir.Undefined)
    return builder.fadd(*(builder.shuffle_vector(vector, undefined, part) for part in parts))


def _interleaved(builder, x, y, first, second):
    """Sum of two selections from the numbers of two vectors."""
    kind = ir.VectorType(ir.IntType(32), len(first))
    parts = (ir.Constant(kind, part) for part in (first, second))
    return builder.fadd(*(builder.shuffle_vector(x, y, part) for part in parts))


def _wide(builder, vector):
    kind = like(vector.type, ir.DoubleType())
    return vector if vector.type == kind else builder.fpext(vector, kind)


@instruction
def total(typing_context, lanes):
    """Sum of all lanes, in double precision."""

    def codegen(context, builder, found, values):
        vector = _wide(builder, values[0])
        while vector.type.count > 1:
            vector = _halves(builder, vector)
        return builder.extract_element(vector, ir.IntType(32)(0))

    return signature(types.float64, lanes), codegen


def _add_sums(context, builder, found, values):
    """Add the sums of four vectors' numbers to four numbers in memory, in double precision."""
    a, b, c, d = values[2:]
    while a.type.count > 4:
        a, b, c, d = (_halves(builder, vector) for vector in (a, b, c, d))
    ab = _interleaved(builder, a, b, [0, 4, 2, 6], [1, 5, 3, 7])
    cd = _interleaved(builder, c, d, [0, 4, 2, 6], [1, 5, 3, 7])
    sums = _wide(builder, _interleaved(builder, ab, cd, [0, 1, 4, 5], [2, 3, 6, 7]))
    at = _at(context, builder, found.args[0], *values[:2])
    at = builder.bitcast(at, sums.type.as_pointer())
    builder.store(builder.fadd(builder.load(at, align=8), sums), at, align=8)
    return context.get_dummy_value()


@instruction
def add_totals(typing_context, array, index, a, b, c, d):
    """Add the sums of four registers' lanes to four float64 numbers of a vector."""

    def codegen(context, builder, found, values):
        wide = [_wide(builder, vector) for vector in values[2:]]
        return _add_sums(context, builder, found, [*values[:2], *wide])

    return signature(types.void, array, index, a, b, c, d), codegen


@instruction
def add_rounded_totals(typing_context, array, index, a, b, c, d):
    """The same, with lanes summed in their own precision, which takes fewer instructions."""
    return signature(types.void, array, index, a, b, c, d), _add_sums
