"""What hangs on a precision: variables that it scales, and gamma variables whose rate it sets."""

from dataclasses import dataclass
from typing import cast

import numpy as np
import pymc as pm
import pytensor
import pytensor.tensor as pt
from pymc.blocking import PointType
from pytensor.graph.replace import graph_replace
from pytensor.tensor.random.basic import GammaRV
from pytensor.tensor.variable import TensorVariable

from ..compiled.interpreted import in_python
from ..compiled.memory import initial_point
from ..potential.temperature import inverse_temperature

LARGEST_LOG = 30.0  # of precisions from 1e-13 to 1e13
RELATIVE_ERROR = 1e-9


@dataclass(frozen=True)
class Child:
    """A normal variable whose scale a precision sets.

    Parameters
    ----------
    variable : TensorVariable
        The random variable.
    mean, scale : TensorVariable
        Its parameters, in terms of value variables.
    unit : ndarray of int, shape (size,)
        Which element of the precision each of its elements hangs on.
    factor : ndarray, shape (size,)
        Its scale at precision 1, with all else at the model's initial point.
    """

    variable: TensorVariable
    mean: TensorVariable
    scale: TensorVariable
    unit: np.ndarray
    factor: np.ndarray


@dataclass(frozen=True)
class MixedChild(Child):
    r"""An observed t variable whose scale a precision sets: normal given a weight of each element.

    At inverse temperature :math:`\beta`, and with :math:`z = (x - m) \sqrt{\tau} / c`,

    .. math:: \Bigl(1 + \frac{z^2}{\nu}\Bigr)^{-\beta (\nu + 1) / 2} \propto \int_0^\infty
              w^{\beta (\nu + 1) / 2 - 1} e^{-w (\nu + z^2) / 2}\, dw,

    so that the precision's conditional is a gamma distribution given weights :math:`w` from
    :math:`\mathrm{Gamma}(\beta (\nu + 1) / 2, (\nu + z^2) / 2)`. Weights that are drawn each time
    and forgotten leave the posterior as it is. At their means, shape and rate of that distribution
    give the slope of the log posterior.

    Parameters
    ----------
    degrees : float
        Degrees of freedom :math:`\nu`.
    """

    degrees: float


@dataclass(frozen=True)
class RateChild:
    """A gamma variable whose rate a precision sets; often a precision itself.

    Parameters
    ----------
    variable : TensorVariable
        The random variable.
    shape, rate : TensorVariable
        Its parameters, in terms of value variables.
    """

    variable: TensorVariable
    shape: TensorVariable
    rate: TensorVariable


def match_elements(
    model: pm.Model,
    variable: TensorVariable,
    child: TensorVariable,
    parameter: TensorVariable,
    power: float,
) -> tuple[np.ndarray, np.ndarray] | None:
    r"""Match the elements of a child to those of a precision by evaluating a parameter.

    The parameter has to be :math:`c_k \tau_{j(k)}^p` with factors that do not depend on the
    precision, which is checked over all precisions that a sampler may meet.

    Parameters
    ----------
    model : pm.Model
        The model.
    variable, child : TensorVariable
        The precision and what hangs on it.
    parameter : TensorVariable
        Parameter of the child, in terms of value variables.
    power : float
        The power :math:`p`.

    Returns
    -------
    unit : ndarray of int, shape (size,)
        The element :math:`j(k)` of each of the child's.
    factor : ndarray, shape (size,)
        The factors :math:`c_k` at the model's initial point.

    None stands for a parameter of another form.
    """
    value = model.rvs_to_values[variable]
    point = initial_point(model)
    if (size := point[value.name].size) == 0:
        return None
    graph = pt.broadcast_to(pt.log(parameter), model.rvs_to_values[child].shape).ravel()
    logarithm = in_python(model.value_vars, [graph])
    rng = np.random.default_rng(0)

    def at(log_precision: np.ndarray, point: PointType) -> np.ndarray:
        values = {**point, value.name: log_precision.reshape(point[value.name].shape)}
        return logarithm(*[values[v.name] for v in model.value_vars])[0]

    zero, ladder = np.zeros(size), (1 + np.arange(size)) * min(0.5, 20 / size)
    base = at(zero, point)
    unit = np.rint((at(ladder, point) - base) / power / ladder[0]).astype(int) - 1
    if unit.size == 0 or unit.min() < 0 or unit.max() >= size:
        return None
    other = _perturbed(point, rng)
    for drawn in (rng.normal(size=size), rng.uniform(-LARGEST_LOG, LARGEST_LOG, size)):
        difference = at(drawn, other) - at(zero, other) - power * drawn[unit]
        if not np.all(np.abs(difference) < RELATIVE_ERROR):
            return None
    return unit, np.exp(base)


def _perturbed(point: PointType, rng: np.random.Generator) -> PointType:
    """Move the continuous variables of a point a little."""
    return {
        name: value + 0.1 * rng.normal(size=value.shape) if value.dtype.kind == "f" else value
        for name, value in point.items()
    }


def contribution(
    model: pm.Model,
    value: TensorVariable,
    child: Child | RateChild,
    mixing: TensorVariable | None = None,
) -> tuple[TensorVariable, TensorVariable]:
    r"""What a child adds to shape and rate of each precision's conditional distribution.

    Normal variables add half their number and :math:`\sum_{k: j(k) = j} (x_k - m_k)^2 / (2 c_k^2)`.
    Which elements belong to a precision is told by slopes of the logarithm of their scale by
    :math:`\log \tau_j`, which are 0 or -1/2. Nothing depends on the precision, which may be so
    small or large that its powers are not numbers. Gamma variables of shape :math:`a_k`
    and rate :math:`c_k \tau_{j(k)}` add :math:`\sum a_k` and :math:`\sum c_k x_k`, in the same way.
    Observed variables add both times the inverse temperature. For t variables :math:`z^2` is
    multiplied by a weight, which follows the temperature by itself.

    Parameters
    ----------
    model : pm.Model
        The model.
    value : TensorVariable
        Logarithm of the precision.
    child : Child or RateChild
        The child.
    mixing : TensorVariable, optional
        Of t variables the weights' gamma variables of unit rate.

    Returns
    -------
    tuple of TensorVariable
        Added shape and added rate, of the precision's shape.
    """
    [x] = model.replace_rvs_by_values([child.variable])
    power = pt.ones(())
    if child.variable in model.observed_RVs:
        x, power = model.rvs_to_values[child.variable], inverse_temperature(model)
    zeros = pt.zeros_like(x, dtype="float64")
    if isinstance(child, RateChild):
        logarithm, one = _moderate_log(model, child.rate, value, zeros)
        count = _slope((child.shape * logarithm).sum(), one)
        rates = (at_one(child.rate, value)[0] + zeros) * x
        return power * count, power * _slope((rates * logarithm).sum(), one)
    logarithm, one = _moderate_log(model, child.scale, value, zeros)
    count = -_slope(logarithm.sum(), one)  # half their number
    half = 0.5 * ((x - child.mean) / (at_one(child.scale, value)[0] + zeros)) ** 2
    if isinstance(child, MixedChild):
        there = (x - child.mean) / (child.scale + zeros)
        weight = mixing / (0.5 * (child.degrees + there**2))
        return power * count, -2.0 * _slope((weight * half * logarithm).sum(), one)
    return power * count, -2.0 * power * _slope((half * logarithm).sum(), one)


def _moderate_log(
    model: pm.Model, parameter: TensorVariable, value: TensorVariable, zeros: TensorVariable
) -> tuple[TensorVariable, TensorVariable]:
    """Logarithm of a parameter of a child, and that of its precision, with which it moves.

    The precision is 1 and other gamma variables have their initial values: they may be so small
    that the parameter is no number, and its slope is the same whatever they are.
    """
    start, others = initial_point(model), []
    for variable in model.free_RVs:
        other = model.rvs_to_values[variable]
        if isinstance(variable.owner.op, GammaRV) and other is not value:
            others.append((other, pt.zeros_like(other) + start[other.name]))
    [moderate] = graph_replace([parameter], others, strict=False)
    found, one = at_one(cast(TensorVariable, moderate), value)
    return pt.log(found + zeros), one


def at_one(
    parameter: TensorVariable, value: TensorVariable
) -> tuple[TensorVariable, TensorVariable]:
    """Put 1 in the place of all elements of a precision, whose logarithms are returned too.

    Parameters
    ----------
    parameter : TensorVariable
        Of what hangs on the precision.
    value : TensorVariable
        Logarithm of the precision.

    Examples
    --------
    >>> import pytensor.tensor as pt
    >>> from pymc_bnn.samplers.precisions.conjugate_children import at_one
    >>> value = pt.dscalar("value")
    >>> scale, _ = at_one(3.0 * pt.exp(value) ** -0.5, value)
    >>> float(scale.eval({value: -1e4}))
    3.0
    """
    logarithm = pt.zeros_like(value)
    [found] = graph_replace([parameter], [(value, logarithm)], strict=False)
    return cast(TensorVariable, found), cast(TensorVariable, logarithm)


def _slope(expression: TensorVariable, value: TensorVariable) -> TensorVariable:
    return cast(TensorVariable, pytensor.grad(expression, value))
