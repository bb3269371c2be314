"""What an instruction of a tape does, as machine instructions of LLVM.

An instruction goes through rows and columns of numbers. Truth values are the numbers 0 and 1.
"""

from collections.abc import Callable
from math import inf, log, nan, pi, sqrt
from typing import Any

from llvmlite import ir
from pytensor.scalar import basic
from pytensor.scalar.math import Erf, Erfc, Erfcx, GammaLn, Log1mexp, Psi, Sigmoid, Softplus

from ....models.simd.lanes import cgutils

DOUBLE = ir.DoubleType()
SUM, ALL, ANY, LARGEST, SMALLEST = "sum", "all", "any", "largest", "smallest"
PRODUCT, CUMULATED, PASS, CALL = "product", "cumulated", "pass", "call"
ROUNDED = "rounded"  # to single precision
GATHERED, PUT, ADDED = "gathered", "put", "added"  # by places that an array says
SHIFTS = 10
FAR, TERMS = 25.0, 7  # from where on the series of erfcx has all digits with so many terms
# Bernoulli numbers of even order n over n, with which the series of digamma begins
SERIES = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12)

type Emit = Callable[..., Any]  # (builder, numbers...) -> number


def _named(name: str) -> Emit:
    """Make a call of a function of LLVM or the mathematical library."""

    def emit(builder: Any, *given: Any) -> Any:
        kind = ir.FunctionType(DOUBLE, [DOUBLE] * len(given))
        return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), given)

    return emit


_exp, _log, _log1p = map(_named, ("llvm.exp.f64", "llvm.log.f64", "log1p"))
_sin, _cos = _named("llvm.sin.f64"), _named("llvm.cos.f64")
_expm1, _erfc = _named("expm1"), _named("erfc")
_absolute, _nearest = _named("llvm.fabs.f64"), _named("llvm.rint.f64")


def _number(value: float) -> Any:
    return ir.Constant(DOUBLE, value)


def _as_number(builder: Any, truth: Any) -> Any:
    return builder.select(truth, _number(1.0), _number(0.0))


def _is_true(builder: Any, x: Any) -> Any:
    return builder.fcmp_unordered("!=", x, _number(0.0))


def _compared(relation: str, unordered: bool = False) -> Emit:
    def emit(builder: Any, x: Any, y: Any) -> Any:
        compare = builder.fcmp_unordered if unordered else builder.fcmp_ordered
        return _as_number(builder, compare(relation, x, y))

    return emit


def _both(builder: Any, x: Any, y: Any) -> Any:
    return _as_number(builder, builder.and_(_is_true(builder, x), _is_true(builder, y)))


def _either(builder: Any, x: Any, y: Any) -> Any:
    return _as_number(builder, builder.or_(_is_true(builder, x), _is_true(builder, y)))


def _extreme(relation: str) -> Emit:
    """The larger or smaller number, or the one that is not a number."""

    def emit(builder: Any, x: Any, y: Any) -> Any:
        first = builder.fcmp_ordered(relation, x, y)
        first = builder.or_(first, builder.fcmp_unordered("uno", x, x))
        return builder.select(first, x, y)

    return emit


def _clipped(builder: Any, x: Any, low: Any, high: Any) -> Any:
    above = builder.select(builder.fcmp_ordered(">", x, high), high, x)
    return builder.select(builder.fcmp_ordered("<", x, low), low, above)


def _sigmoid(builder: Any, x: Any) -> Any:
    below = _exp(builder, builder.fneg(x))
    return builder.fdiv(_number(1.0), builder.fadd(_number(1.0), below))


def _softplus(builder: Any, x: Any) -> Any:
    tail = _log1p(builder, _exp(builder, builder.fneg(_absolute(builder, x))))
    positive = builder.fcmp_unordered(">", x, _number(0.0))
    return builder.fadd(builder.select(positive, x, _number(0.0)), tail)


def _sign(builder: Any, x: Any) -> Any:
    below = builder.fcmp_ordered("<", x, _number(0.0))
    above = builder.fcmp_ordered(">", x, _number(0.0))
    return builder.select(below, _number(-1.0), builder.select(above, _number(1.0), x))


def _digamma(builder: Any, x: Any) -> Any:
    """By the recurrence up to 10, and from there on by the asymptotic series."""
    one = _number(1.0)
    reflected = builder.fcmp_ordered("<=", x, _number(0.0))
    y = builder.select(reflected, builder.fsub(one, x), x)
    passed = _number(0.0)
    for k in range(SHIFTS):
        passed = builder.fadd(passed, builder.fdiv(one, builder.fadd(y, _number(k))))
    small = builder.fcmp_ordered("<", y, _number(SHIFTS))
    z = builder.select(small, builder.fadd(y, _number(SHIFTS)), y)
    inverse, series = builder.fdiv(one, z), _number(0.0)
    square = builder.fmul(inverse, inverse)
    for coefficient in reversed(SERIES):
        series = builder.fmul(square, builder.fadd(_number(coefficient), series))
    found = builder.fsub(_log(builder, z), builder.fmul(_number(0.5), inverse))
    found = builder.fsub(builder.fsub(found, series), builder.select(small, passed, _number(0.0)))
    whole = _nearest(builder, x)  # periods, without which no digit is lost
    none = builder.fcmp_ordered("==", whole, _number(0.0))  # and zero keeps its sign
    part = builder.select(none, x, builder.fsub(x, whole))
    angle = builder.fmul(_number(pi), part)
    cotangent = builder.fdiv(_cos(builder, angle), _sin(builder, angle))
    below = builder.fsub(found, builder.fmul(_number(pi), cotangent))
    pole = builder.and_(
        builder.fcmp_ordered("==", part, _number(0.0)), builder.fcmp_ordered("<", x, _number(0.0))
    )
    return builder.select(reflected, builder.select(pole, _number(nan), below), found)


def _scaled_complement(builder: Any, x: Any) -> Any:
    r"""Return :math:`e^{x^2}` times the complement of the error function, far out by its series."""
    square = builder.fmul(x, x)
    near = builder.fmul(_exp(builder, square), _erfc(builder, x))
    step, term, series = builder.fdiv(_number(-0.5), square), _number(1.0), _number(1.0)
    for k in range(1, TERMS):
        term = builder.fmul(builder.fmul(term, step), _number(2 * k - 1))
        series = builder.fadd(series, term)
    far = builder.fdiv(series, builder.fmul(x, _number(sqrt(pi))))
    return builder.select(builder.fcmp_ordered(">", x, _number(FAR)), far, near)


def _log1mexp(builder: Any, x: Any) -> Any:
    """Logarithm of one less an exponential, by the form that loses no digits."""
    near = _log(builder, builder.fneg(_expm1(builder, x)))
    far = _log1p(builder, builder.fneg(_exp(builder, x)))
    return builder.select(builder.fcmp_ordered("<", x, _number(-log(2.0))), far, near)


def _rounded(builder: Any, x: Any) -> Any:
    return builder.fpext(builder.fptrunc(x, ir.FloatType()), DOUBLE)


def _remainder(builder: Any, x: Any, y: Any) -> Any:
    """The remainder that has the sign of the divisor."""
    found = builder.frem(x, y)
    differ = builder.xor(
        builder.fcmp_ordered("<", found, _number(0.0)), builder.fcmp_ordered("<", y, _number(0.0))
    )
    differ = builder.and_(differ, builder.fcmp_ordered("!=", found, _number(0.0)))
    return builder.select(differ, builder.fadd(found, y), found)


ELEMENTWISE: dict[type, Emit] = {
    basic.Identity: lambda builder, x: x,
    basic.Cast: lambda builder, x: x,
    basic.Add: lambda builder, x, y: builder.fadd(x, y),
    basic.Mul: lambda builder, x, y: builder.fmul(x, y),
    basic.Sub: lambda builder, x, y: builder.fsub(x, y),
    basic.TrueDiv: lambda builder, x, y: builder.fdiv(x, y),
    basic.Neg: lambda builder, x: builder.fneg(x),
    basic.Reciprocal: lambda builder, x: builder.fdiv(_number(1.0), x),
    basic.Sqr: lambda builder, x: builder.fmul(x, x),
    basic.Sqrt: _named("llvm.sqrt.f64"),
    basic.Exp: _exp,
    basic.Log: _log,
    basic.Log1p: _log1p,
    basic.Expm1: _expm1,
    basic.Pow: _named("llvm.pow.f64"),
    basic.Switch: lambda builder, x, y, z: builder.select(_is_true(builder, x), y, z),
    basic.EQ: _compared("=="),
    basic.NEQ: _compared("!=", unordered=True),
    basic.LT: _compared("<"),
    basic.LE: _compared("<="),
    basic.GT: _compared(">"),
    basic.GE: _compared(">="),
    basic.AND: _both,
    basic.OR: _either,
    basic.Invert: lambda builder, x: _as_number(builder, builder.not_(_is_true(builder, x))),
    basic.Sin: _sin,
    basic.Cos: _cos,
    basic.Tanh: _named("tanh"),
    basic.Abs: _absolute,
    basic.Sign: _sign,
    basic.Mod: _remainder,
    basic.IsInf: lambda builder, x: _as_number(
        builder, builder.fcmp_ordered("==", _absolute(builder, x), _number(inf))
    ),
    basic.IsNan: lambda builder, x: _as_number(builder, builder.fcmp_unordered("uno", x, x)),
    basic.Maximum: _extreme(">"),
    basic.Minimum: _extreme("<"),
    basic.Clip: _clipped,
    Erf: _named("erf"),
    Erfc: _erfc,
    Erfcx: _scaled_complement,
    GammaLn: _named("lgamma"),
    Log1mexp: _log1mexp,
    Psi: _digamma,
    Sigmoid: _sigmoid,
    Softplus: _softplus,
}
# what a row of numbers is reduced to: from which number on, and how
REDUCTIONS: dict[str, tuple[float, Emit]] = {
    SUM: (0.0, lambda builder, x, y: builder.fadd(x, y, flags=("reassoc",))),
    ALL: (1.0, ELEMENTWISE[basic.Mul]),
    ANY: (0.0, ELEMENTWISE[basic.OR]),
    LARGEST: (-inf, ELEMENTWISE[basic.Maximum]),
    SMALLEST: (inf, ELEMENTWISE[basic.Minimum]),
    PRODUCT: (0.0, ELEMENTWISE[basic.Add]),  # of products of two
}
EMIT: dict[str, Emit] = {kind.__name__: emit for kind, emit in ELEMENTWISE.items()}
EMIT[ROUNDED] = _rounded
