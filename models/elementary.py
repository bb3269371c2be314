"""Elementary functions that numba can vectorise, accurate to a few units in the last place.

The C library's ``tanh`` and ``exp`` are called one element at a time from numba and dominate
the gradient of a small network. The functions here have no branches, so the loops that call them
become SIMD code. All of them reduce the argument to ``|r| <= log(2) / 2``, sum a Taylor
polynomial of ``expm1`` there, and rebuild the result through the exponent bits. They keep the
sign of zero, saturate or overflow where the exact function does, and pass NaN on.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

LOG2_E = 1.4426950408889634
LOG_2_HIGH = 6.93147180369123816490e-01
LOG_2_LOW = 1.90821492927058770002e-10
ROUND_TO_INTEGER = 6755399441055744.0  # 1.5 * 2**52: adding it rounds to the nearest integer
EXPONENT_OF_ONE = np.int64(0x3FF0000000000000)
SIGN_BIT = np.int64(-9223372036854775808)

_inline = njit(inline="always", error_model="numpy", fastmath={"contract"})
# called without the typing context that the decorated functions take
_instruction: Callable[[Callable[..., Any]], Callable[..., Any]] = intrinsic


@_instruction
def float_as_bits(typing_context, value):
    """Reinterpret a float64 as int64."""

    def codegen(context, builder, signature, args):
        return builder.bitcast(args[0], ir.IntType(64))

    return types.int64(types.float64), codegen


@_instruction
def bits_as_float(typing_context, value):
    """Reinterpret an int64 as float64."""

    def codegen(context, builder, signature, args):
        return builder.bitcast(args[0], ir.DoubleType())

    return types.float64(types.int64), codegen


@_inline
def expm1_near_zero(r: float) -> float:
    """Taylor polynomial of ``exp(r) - 1``, exact to rounding for ``|r| <= log(2) / 2``."""
    p = 1.0 / 6227020800.0
    p = p * r + 1.0 / 479001600.0
    p = p * r + 1.0 / 39916800.0
    p = p * r + 1.0 / 3628800.0
    p = p * r + 1.0 / 362880.0
    p = p * r + 1.0 / 40320.0
    p = p * r + 1.0 / 5040.0
    p = p * r + 1.0 / 720.0
    p = p * r + 1.0 / 120.0
    p = p * r + 1.0 / 24.0
    p = p * r + 1.0 / 6.0
    p = p * r + 0.5
    return r + r * r * p


@_inline
def expm1_nonpositive(x: float) -> float:
    """``exp(x) - 1`` for ``x <= 0``."""
    t = max(x, -60.0)
    k = t * LOG2_E + ROUND_TO_INTEGER
    n = k - ROUND_TO_INTEGER
    r = (t - n * LOG_2_HIGH) - n * LOG_2_LOW
    scale = bits_as_float((float_as_bits(k) << 52) + EXPONENT_OF_ONE)
    result = scale * expm1_near_zero(r) + (scale - 1.0)
    return result if x < 0.0 else x


@_inline
def exp(x: float) -> float:
    """``exp(x)`` over the whole range, subnormal results and infinity included."""
    t = min(max(x, -800.0), 800.0)
    k = t * LOG2_E + ROUND_TO_INTEGER
    n = k - ROUND_TO_INTEGER
    r = (t - n * LOG_2_HIGH) - n * LOG_2_LOW
    exponent = float_as_bits(k) - float_as_bits(ROUND_TO_INTEGER)
    half = exponent >> 1  # 2**exponent may overflow where the result does not
    scale = bits_as_float((half << 52) + EXPONENT_OF_ONE)
    rest = bits_as_float(((exponent - half) << 52) + EXPONENT_OF_ONE)
    result = (1.0 + expm1_near_zero(r)) * scale * rest
    return result if x == x else x


@_inline
def tanh(x: float) -> float:
    """``tanh(x) = expm1(2|x|) / (expm1(2|x|) + 2)`` with the sign of ``x``."""
    bits = float_as_bits(x)
    sign = bits & SIGN_BIT
    t = min(2.0 * bits_as_float(bits & ~SIGN_BIT), 44.0)
    k = t * LOG2_E + ROUND_TO_INTEGER
    n = k - ROUND_TO_INTEGER
    r = (t - n * LOG_2_HIGH) - n * LOG_2_LOW
    scale = bits_as_float((float_as_bits(k) << 52) + EXPONENT_OF_ONE)
    e = scale * expm1_near_zero(r) + (scale - 1.0)
    result = bits_as_float(float_as_bits(e / (e + 2.0)) | sign)
    return result if x == x else x


@_inline
def logistic(x: float) -> float:
    """``1 / (1 + exp(-x))`` without loss of relative accuracy in either tail."""
    small = exp(-abs(x))
    return (1.0 if x >= 0.0 else small) / (1.0 + small)


@_inline
def log1p_unit(u: float) -> float:
    r"""``log(1 + u)`` for ``0 <= u <= 1``: ``2 atanh(u / (2 + u))`` as a power series."""
    s = u / (2.0 + u)
    s2 = s * s
    p = 1.0 / 35.0
    p = p * s2 + 1.0 / 33.0
    p = p * s2 + 1.0 / 31.0
    p = p * s2 + 1.0 / 29.0
    p = p * s2 + 1.0 / 27.0
    p = p * s2 + 1.0 / 25.0
    p = p * s2 + 1.0 / 23.0
    p = p * s2 + 1.0 / 21.0
    p = p * s2 + 1.0 / 19.0
    p = p * s2 + 1.0 / 17.0
    p = p * s2 + 1.0 / 15.0
    p = p * s2 + 1.0 / 13.0
    p = p * s2 + 1.0 / 11.0
    p = p * s2 + 1.0 / 9.0
    p = p * s2 + 1.0 / 7.0
    p = p * s2 + 1.0 / 5.0
    p = p * s2 + 1.0 / 3.0
    return 2.0 * s + 2.0 * s * s2 * p


@_inline
def softplus(x: float) -> float:
    """``log(1 + exp(x)) = max(x, 0) + log1p(exp(-|x|))``."""
    return max(x, 0.0) + log1p_unit(exp(-abs(x)))
