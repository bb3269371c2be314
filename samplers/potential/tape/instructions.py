"""What an instruction of a tape does, as machine instructions of LLVM.

An instruction goes through rows and columns of numbers. Truth values are the numbers 0 and 1.
"""

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from pytensor.scalar import basic
from pytensor.scalar.math import GammaLn, Sigmoid, Softplus

from ....models.simd.lanes import cgutils

DOUBLE = ir.DoubleType()
SUM, ALL, PASS = "sum", "all", "pass"

type Emit = Callable[..., Any]  # (builder, numbers...) -> number


def _named(name: str) -> Emit:
    """Make a call of a function of LLVM or the mathematical library."""

    def emit(builder: Any, *given: Any) -> Any:
        kind = ir.FunctionType(DOUBLE, [DOUBLE] * len(given))
        return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), given)

    return emit


_exp, _log1p, _absolute = map(_named, ("llvm.exp.f64", "log1p", "llvm.fabs.f64"))


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
    basic.Log: _named("llvm.log.f64"),
    basic.Log1p: _log1p,
    basic.Expm1: _named("expm1"),
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
    basic.Sin: _named("llvm.sin.f64"),
    basic.Cos: _named("llvm.cos.f64"),
    basic.Tanh: _named("tanh"),
    basic.Abs: _absolute,
    basic.Sign: _sign,
    basic.Mod: _remainder,
    basic.Maximum: _extreme(">"),
    basic.Minimum: _extreme("<"),
    GammaLn: _named("lgamma"),
    Sigmoid: _sigmoid,
    Softplus: _softplus,
}
EMIT: dict[str, Emit] = {kind.__name__: emit for kind, emit in ELEMENTWISE.items()}
