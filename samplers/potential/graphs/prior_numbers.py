"""The numbers in a model's priors as inputs of compiled code instead of constants in it.

A constant of a graph becomes part of the code, so that each new number would have to be compiled
again. A shared variable is passed to the code, which then serves any number.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import pymc as pm
import pytensor
from pymc.logprob.basic import transformed_conditional_logp
from pytensor.graph.basic import Constant
from pytensor.graph.fg import FunctionGraph
from pytensor.graph.traversal import ancestors
from pytensor.tensor.random.op import RandomVariable
from pytensor.tensor.random.type import RandomType
from pytensor.tensor.shape import Shape, Shape_i
from pytensor.tensor.variable import TensorVariable

from ....models.bnn import BNN
from ....models.declaration import check_precision
from ...compiled.memory import remembered
from ..temperature import inverse_temperature, tempered

Numbers = dict[Any, Any]


def prior_numbers(model: pm.Model) -> Numbers:
    """Find the numbers that parametrize the distributions of a model's variables.

    Those are the real numbers in parameters that depend on nothing. Left out are zeros, which
    are means and bounds and spare arithmetic when they are known, and what is fixed in a network,
    such as the numbers of a half-Cauchy mixture.

    Parameters
    ----------
    model : pm.Model
        The model.

    Returns
    -------
    dict
        A shared variable of the same value for each constant of the model's graph.

    Examples
    --------
    >>> import pymc as pm
    >>> from pymc_bnn.samplers.potential.graphs.prior_numbers import prior_numbers
    >>> with pm.Model() as model:
    ...     tau = pm.Gamma("tau", alpha=0.5, beta=0.25)
    ...     x = pm.Normal("x", 0.0, tau**-0.5)
    >>> [float(shared.get_value()) for shared in prior_numbers(model).values()]
    [0.5, 0.25]
    """
    return remembered(model, "prior numbers", lambda: _find(model))


def _find(model: pm.Model) -> Numbers:
    numbers: Numbers = {}
    for variable in model.basic_RVs:
        node = variable.owner
        if not isinstance(node.op, RandomVariable) or _is_fixed(model, variable.name):
            continue
        for parameter in node.op.dist_params(node):
            leaves: list[Any] = [v for v in ancestors([parameter]) if v.owner is None]
            if all(isinstance(leaf, Constant) for leaf in leaves):
                found = (leaf for leaf in leaves if _is_number(leaf))
                numbers |= {leaf: pytensor.shared(leaf.data, name="number") for leaf in found}
    return numbers


def _is_fixed(model: pm.Model, name: str) -> bool:
    """Whether a variable's distribution has no numbers that a user of a network chooses."""
    if not isinstance(model, BNN):
        return False
    return name not in model.groups and not name.endswith("_precision")


def _is_number(constant: Any) -> bool:
    data = np.asarray(constant.data)
    return data.shape == () and data.dtype.kind == "f" and bool(np.isfinite(data) and data != 0)


def with_numbers(expressions: Sequence[TensorVariable], numbers: Numbers) -> list[TensorVariable]:
    """Copy expressions with shared variables in the place of numbers.

    Parameters
    ----------
    expressions : sequence of TensorVariable
        Expressions in terms of a model's variables or value variables.
    numbers : dict
        From :func:`prior_numbers`.

    Returns
    -------
    list of TensorVariable
    """
    graph = FunctionGraph(
        outputs=list(expressions), clone=True, copy_inputs=False, copy_orphans=False
    )
    used = [(constant, shared) for constant, shared in numbers.items() if constant in graph.clients]
    graph.replace_all(used, import_missing=True)
    return cast(list[TensorVariable], list(graph.outputs))


def logp_terms(model: pm.Model) -> dict[TensorVariable, TensorVariable]:
    """Log density of every variable and potential of a model, elementwise.

    Parameters
    ----------
    model : pm.Model
        The model.

    Returns
    -------
    dict
        What ``model.logp(sum=False)`` returns, by random variable or potential, at the model's
        temperature, with that and the prior's numbers as shared variables.
    """
    check_precision()
    _check_names(model)
    return remembered(model, "log density", lambda: _logp_terms(model))


def _logp_terms(model: pm.Model) -> dict[TensorVariable, TensorVariable]:
    variables: list[TensorVariable] = [*model.free_RVs, *model.observed_RVs]
    copies = with_numbers(variables, prior_numbers(model))
    terms = transformed_conditional_logp(
        copies,
        rvs_to_values={c: model.rvs_to_values[v] for c, v in zip(copies, variables, strict=True)},
        rvs_to_transforms={
            c: model.rvs_to_transforms[v] for c, v in zip(copies, variables, strict=True)
        },
    )
    potentials = model.logp(model.potentials, sum=False) if model.potentials else []
    variables, terms = [*variables, *model.potentials], [*terms, *potentials]
    _check_given_all(variables, terms)
    power = inverse_temperature(model)
    return dict(zip(variables, tempered(model, variables, terms, power), strict=True))


def _check_names(model: pm.Model) -> None:
    """Refuse variables whose values share a name, as points name them by it."""
    names = Counter(str(value.name) for value in model.value_vars)
    for name, times in names.items():
        if times > 1:
            raise ValueError(
                f"{times} variables have values called {name!r}, as those of a transformed "
                "variable are; rename the variable of that name."
            )


def _check_given_all(variables: Sequence[TensorVariable], terms: Sequence[TensorVariable]) -> None:
    """Refuse a density that is another one at each call, as that of ``pm.Minibatch`` is."""
    drawn = [str(v.name) for v, term in zip(variables, terms, strict=True) if _is_drawn(term)]
    if drawn:
        raise ValueError(
            f"the density of {', '.join(drawn)} is drawn anew at each call, as with pm.Minibatch "
            "or pm.Simulator; give all cases, and sample a network of many by "
            "SGHMC(batch_size=...), or a simulator by pm.sample_smc."
        )


def _is_drawn(term: TensorVariable) -> bool:
    """Whether a term's value, and not just a shape in it, needs a generator of random numbers."""
    shapes = [v for v in ancestors([term]) if v.owner and isinstance(v.owner.op, Shape | Shape_i)]
    return any(isinstance(v.type, RandomType) for v in ancestors([term], blockers=shapes))
