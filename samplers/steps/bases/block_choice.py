"""Which variables a Hamiltonian step moves, where the user does not say."""

import logging
from collections.abc import Sequence

import numpy as np
import pymc as pm

from ....models.bnn import BNN
from ...potential.layout import value_names
from ...potential.recognition import is_network, weight_values
from ...precisions.conjugacy import conjugate_names

_log = logging.getLogger("pymc")


def block_names(model: pm.Model, vars: Sequence | None) -> list[str]:
    """Names of the variables a user gave, or of all continuous but the conjugate precisions."""
    if vars is not None:
        return value_names(model, vars)
    conjugate = conjugate_names(model)
    return [v.name for v in model.continuous_value_vars if v.name not in conjugate]


def weight_names(model: pm.Model, vars: Sequence | None) -> list[str]:
    """Names of the variables a user gave, or of a network's weights."""
    if vars is None and isinstance(model, BNN) and is_network(model):
        return weight_values(model)
    return block_names(model, vars)


def say_what_is_left(model: pm.Model, names: Sequence[str], step: str) -> None:
    """Log which continuous variables a step leaves: ``pm.sample`` gives them to its own NUTS.

    Parameters
    ----------
    model : pm.Model
        The model.
    names : sequence of str
        Value variables that the step moves.
    step : str
        Its name.

    Examples
    --------
    >>> import pymc as pm
    >>> from pymc_bnn.samplers.steps.bases.block_choice import say_what_is_left
    >>> with pm.Model() as model:
    ...     x = pm.Normal("x")
    >>> say_what_is_left(model, ["x"], "NUTS")
    """
    left = [v for v in model.continuous_value_vars if v.name not in set(names)]
    if left:
        found = ", ".join(str(model.values_to_rvs[v].name) for v in left)
        _log.info(
            f"{step} leaves {found} to another step, such as GibbsPrecision for precisions; "
            "PyMC's own NUTS takes what no step is given. Name them in vars to move them too."
        )


def check_continuous(variables: Sequence, step: str) -> None:
    """Refuse discrete variables."""
    discrete = [v.name for v in variables if not np.issubdtype(v.dtype, np.floating)]
    if discrete:
        raise ValueError(
            f"{step} cannot move the discrete variable(s) {', '.join(discrete)}; "
            "leave them out of vars."
        )
