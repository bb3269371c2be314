r"""Elementary functions that run in SIMD code, accurate to a few units in the last place.

The C library's ``tanh`` and ``exp`` are called one element at a time from numba and dominate
the gradient of a small network. The functions here have no branches. They take single numbers,
and loops that call them are vectorised, or registers full of numbers (see :mod:`.lanes`).

All of them write :math:`e^{2x} = 2^n e^{2t}` with :math:`|t| \le \tfrac14 \log 2`, and
:math:`e^{2t} = (q + u) / (q - u)` where :math:`u / q` approximates :math:`\tanh t` by Lambert's
continued fraction: six terms of it err by less than 1e-18, and three, which single precision takes,
by less than 2e-8 of it. So a single division, at the end, gives any ratio of exponentials. They
keep the sign of zero, saturate or overflow where the exact function does, and pass NaN on.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

from .lanes import (
    absolute,
    by_precision,
    exponent,
    larger,
    mantissa,
    power_of_two,
    round_to_integer,
    smaller,
    where_greater,
    with_sign_of,
)
from .linked import linked

LOG2_E = 1.4426950408889634
LOG_2_HIGH = 6.93145751953125e-01  # 16 bits: products with small integers are exact
LOG_2_LOW = 1.4286068203094173e-06

_inline = linked(inline="always")


@_inline
def half_remainder(t, n):
    r"""``t - n log(2) / 2`` for an integer ``n``."""
    return (t - n * (0.5 * LOG_2_HIGH)) - n * (0.5 * LOG_2_LOW)


@_inline
def tanh_denominator(t):
    r"""``q`` of ``tanh(t) = u / q`` for ``|t| <= log(2) / 4``, by Lambert's continued fraction."""
    z = t * t
    return by_precision(t, ((z + 210.0) * z + 4725.0) * z + 10395.0, 6.0 * z + 15.0)


@_inline
def tanh_numerator(t):
    r"""``u`` of ``tanh(t) = u / q`` for ``|t| <= log(2) / 4``, by Lambert's continued fraction."""
    z = t * t
    return by_precision(t, t * ((21.0 * z + 1260.0) * z + 10395.0), t * (z + 15.0))


@_inline
def expm1_nonpositive(x):
    """``exp(x) - 1`` for ``x <= 0``."""
    t = larger(x, -60.0)
    n = round_to_integer(t * LOG2_E)
    t = half_remainder(0.5 * t, n)
    scale = power_of_two(n)
    q, u = tanh_denominator(t), tanh_numerator(t)
    return with_sign_of(((scale - 1.0) * q + (scale + 1.0) * u) / (q - u), x)


@_inline
def exp(x):
    """``exp(x)`` over the whole range, subnormal results and infinity included."""
    bound = by_precision(x, 800.0, 110.0)  # beyond the last finite, nonzero result
    t = smaller(larger(x, 0.0 - bound), bound)
    n = round_to_integer(t * LOG2_E)
    t = half_remainder(0.5 * t, n)
    half = round_to_integer(0.5 * n)  # 2**n may overflow where the result does not
    q, u = tanh_denominator(t), tanh_numerator(t)
    return (q + u) / (q - u) * power_of_two(half) * power_of_two(n - half)


@_inline
def tanh(x):
    """``tanh(x) = (exp(2|x|) - 1) / (exp(2|x|) + 1)`` with the sign of ``x``."""
    t = smaller(absolute(x), 22.0)
    n = round_to_integer(t * (2.0 * LOG2_E))
    t = half_remainder(t, n)
    scale = power_of_two(n)
    less, more = scale - 1.0, scale + 1.0
    q, u = tanh_denominator(t), tanh_numerator(t)
    return with_sign_of((less * q + more * u) / (more * q + less * u), x)


@_inline
def logistic(x):
    """``1 / (1 + exp(-x))`` without loss of relative accuracy in either tail."""
    small = exp(0.0 - absolute(x))
    return where_greater(x, 0.0, 1.0, small) / (1.0 + small)


@_inline
def log1p_unit(u):
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
def log(x):
    """``log(x)`` for normal numbers ``x >= 1``: ``n log 2 + log(m)``, ``1 <= m < 2``."""
    n = exponent(x)
    # x - x is NaN where x is infinite or NaN
    return n * LOG_2_HIGH + (n * LOG_2_LOW + log1p_unit(mantissa(x) - 1.0)) + (x - x)


@_inline
def softplus(x):
    """``log(1 + exp(x)) = max(x, 0) + log1p(exp(-|x|))``."""
    return larger(x, 0.0) + log1p_unit(exp(0.0 - absolute(x)))
