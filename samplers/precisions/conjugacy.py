r"""Find the gamma precisions of a model whose conditional distribution is a gamma again.

A precision :math:`\tau` is conjugate if it has a gamma prior and acts on the rest of the model
only through :math:`x_k \sim N(m_k, c_k^2 / \tau_{j(k)})`, with means and factors that do not
depend on it (Neal 1995, 3.2.1; Choo 2000, Eqs. 3.11-3.12), or observed t variables of such scales
and known degrees of freedom (see :class:`.MixedChild`), or as the rate of gamma variables,
:math:`x_k \sim \mathrm{Gamma}(a_k, c_k \tau_{j(k)})` (Makalic & Schmidt 2016). Factors may hold
other precisions. This is read off the model's graph: which variables hang on the precision, that
they are normal or gamma, that their scales or rates are powers of it (see :mod:`.powers`), and, by
evaluating those at several precisions, which element :math:`j(k)` each of theirs hangs on.
"""

from dataclasses import dataclass

import pymc as pm
from pymc.logprob.transforms import LogTransform
from pytensor.graph.basic import Variable
from pytensor.graph.traversal import ancestors
from pytensor.tensor.random.basic import GammaRV, NormalRV, StudentTRV
from pytensor.tensor.variable import TensorVariable

from ...models.declaration import check_precision
from ..compiled.memory import remembered
from ..potential.constants import constant_values, is_constant
from .conjugate_children import Child, MixedChild, RateChild, match_elements
from .powers import Powers


@dataclass(frozen=True)
class ConjugatePrecision:
    """A gamma precision with a gamma conditional.

    Parameters
    ----------
    variable : TensorVariable
        The random variable.
    value : TensorVariable
        Its value variable, the logarithm.
    shape, rate : TensorVariable
        Parameters of its prior, in terms of value variables.
    children : tuple of Child or RateChild
        What hangs on it.
    """

    variable: TensorVariable
    value: TensorVariable
    shape: TensorVariable
    rate: TensorVariable
    children: tuple[Child | RateChild, ...]


class NotConjugateError(ValueError):
    """A precision's conditional distribution is not known to be a gamma distribution."""


def conjugate_precision(model: pm.Model, variable: TensorVariable) -> ConjugatePrecision:
    """Show that a free variable is a conjugate precision.

    Parameters
    ----------
    model : pm.Model
        The model.
    variable : TensorVariable
        A free random variable.

    Returns
    -------
    ConjugatePrecision

    Raises
    ------
    NotConjugateError
        If it is not; the message names the variable and says why.

    Examples
    --------
    >>> import pymc as pm
    >>> from pymc_bnn.samplers.precisions.conjugacy import conjugate_precision
    >>> with pm.Model() as model:
    ...     tau = pm.Gamma("tau", 0.5, 0.5, shape=2)
    ...     x = pm.Normal("x", 0, tau=tau[:, None], shape=(2, 3))
    >>> conjugate_precision(model, tau).children[0].unit
    array([0, 0, 0, 1, 1, 1])
    """
    check_precision()
    found = remembered(model, ("conjugate", variable), lambda: _examine(model, variable))
    if isinstance(found, NotConjugateError):
        raise found
    return found


def _examine(model: pm.Model, variable: TensorVariable) -> ConjugatePrecision | NotConjugateError:
    try:
        return _conjugate_precision(model, variable)
    except NotConjugateError as error:
        return error


def _conjugate_precision(model: pm.Model, variable: TensorVariable) -> ConjugatePrecision:
    node = variable.owner
    if not isinstance(node.op, GammaRV):
        raise _refusal(variable, f"its prior is {_kind(variable)}, not Gamma")
    if not isinstance(model.rvs_to_transforms[variable], LogTransform):
        raise _refusal(variable, "it is not sampled on the log scale")
    hanging = _hanging(model, variable)
    shape, scale = model.replace_rvs_by_values(node.op.dist_params(node))
    return ConjugatePrecision(
        variable,
        model.rvs_to_values[variable],
        shape,
        1 / scale,
        tuple(_child(model, variable, child) for child in hanging),
    )


def conjugate_precisions(model: pm.Model) -> list[ConjugatePrecision]:
    """Find all conjugate precisions of a model.

    Parameters
    ----------
    model : pm.Model
        The model.

    Returns
    -------
    list of ConjugatePrecision
        In the order of ``model.value_vars``; with them conjugate variables that set the rate of
        conjugate precisions.

    Raises
    ------
    NotConjugateError
        If a gamma variable is meant as a precision, because the scale of a normal variable
        depends on it or its name ends in ``_precision``, but is not conjugate.
    """
    return [
        conjugate_precision(model, variable)
        for variable in model.free_RVs
        if is_precision(model, variable) or _is_rate(model, variable)
    ]


def is_precision(model: pm.Model, variable: TensorVariable) -> bool:
    """Whether a free variable is meant as a precision, conjugate or not."""
    return remembered(model, ("precision", variable), lambda: _is_precision(model, variable))


def _is_precision(model: pm.Model, variable: TensorVariable) -> bool:
    if not isinstance(variable.owner.op, GammaRV):
        return False
    return str(variable.name).endswith("_precision") or any(
        isinstance(other.owner.op, NormalRV)
        and _depends(model, other.owner.op.dist_params(other.owner)[1], variable)
        for other in model.basic_RVs
    )


def _is_rate(model: pm.Model, variable: TensorVariable) -> bool:
    """Whether a free variable is conjugate and sets the rate of a conjugate precision."""
    return _is_conjugate(model, variable) and any(
        isinstance(child, RateChild)
        and child.variable in model.free_RVs
        and _is_conjugate(model, child.variable)
        and (is_precision(model, child.variable) or _is_rate(model, child.variable))
        for child in conjugate_precision(model, variable).children
    )


def _is_conjugate(model: pm.Model, variable: TensorVariable) -> bool:
    try:
        conjugate_precision(model, variable)
    except NotConjugateError:
        return False
    return True


def conjugate_names(model: pm.Model) -> set[str]:
    """Names of the value variables of all conjugate precisions."""
    return {
        str(model.rvs_to_values[variable].name)
        for variable in model.free_RVs
        if _is_conjugate(model, variable)
        and (is_precision(model, variable) or _is_rate(model, variable))
    }


def _refusal(variable: TensorVariable, reason: str) -> NotConjugateError:
    return NotConjugateError(
        f"{variable.name!r} is not a conjugate precision: {reason}. "
        "Give it to another step, such as NUTS, and name the others in GibbsPrecision(vars=[...]); "
        "recommended_steps(model) chooses steps like that."
    )


def _kind(variable: TensorVariable) -> str:
    return getattr(variable.owner.op, "_print_name", (type(variable.owner.op).__name__,))[0]


def _depends(model: pm.Model, expression: Variable, variable: Variable) -> bool:
    """Whether an expression depends on a random variable other than through another one."""
    others = set(model.basic_RVs) - {variable}
    return variable in ancestors([expression], blockers=others)


def _hanging(model: pm.Model, variable: TensorVariable) -> list[TensorVariable]:
    """Variables whose distribution a precision sets: normal or gamma, by scale or rate alone."""
    for potential in model.potentials:
        if _depends(model, potential, variable):
            raise _refusal(variable, f"the potential {potential.name!r} depends on it")
    hanging = []
    for other in model.basic_RVs:
        node = other.owner
        if other is variable or not any(_depends(model, p, variable) for p in node.inputs):
            continue
        mixed = isinstance(node.op, StudentTRV) and other in model.observed_RVs
        if not (mixed or isinstance(node.op, NormalRV | GammaRV)):
            raise _refusal(variable, f"{other.name!r} is {_kind(other)}, not Normal or Gamma")
        for part, parameter in zip(_parts(other), node.op.dist_params(node), strict=False):
            if _depends(model, parameter, variable):
                raise _refusal(variable, f"the {part} of {other.name!r} depends on it")
        hanging.append(other)
    return hanging


def _parts(variable: TensorVariable) -> tuple[str, ...]:
    """What the parameters of a variable are that come before its scale."""
    if isinstance(variable.owner.op, StudentTRV):
        return "degrees of freedom", "mean"
    return ("mean",) if isinstance(variable.owner.op, NormalRV) else ("shape",)


def _child(model: pm.Model, variable: TensorVariable, child: TensorVariable) -> Child | RateChild:
    """Show that a precision sets the scale or rate of a child as it must."""
    parameters = child.owner.op.dist_params(child.owner)
    power = Powers(variable, set(model.basic_RVs) - {variable})(parameters[-1])
    *others, first, scale = model.replace_rvs_by_values(parameters)
    if isinstance(child.owner.op, GammaRV):
        rate = 1 / scale
        if power != -1.0 or match_elements(model, variable, child, rate, 1.0) is None:
            raise _refusal(variable, f"the rate of {child.name!r} is not proportional to it")
        return RateChild(child, first, rate)
    matched = match_elements(model, variable, child, scale, -0.5) if power == -0.5 else None
    if matched is None:
        raise _refusal(variable, f"the variance of {child.name!r} is not proportional to 1 over it")
    if not others:
        return Child(child, first, scale, *matched)
    if not is_constant(others, model) or constant_values(others)[0].size != 1:
        raise _refusal(
            variable, f"the degrees of freedom of {child.name!r} are not one fixed number"
        )
    return MixedChild(child, first, scale, *matched, float(constant_values(others)[0].item()))
