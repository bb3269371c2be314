"""Log density of gamma variables in as few operations as it takes.

That of PyMC asks whether its argument and parameters are in bounds, case by case, which takes as
long to compile as the rest of a network's hyperparameters. Where the shape is a constant and the
variable sampled on the log scale, nothing can be out of bounds but the rate, and what is out of
bounds is then not a number, which samplers reject as they do a density of zero.
"""

import pymc as pm
import pytensor.tensor as pt
from pymc.logprob.transforms import LogTransform
from pytensor.tensor.random.basic import GammaRV
from pytensor.tensor.variable import TensorVariable

from .constants import is_constant
from .graphs.prior_numbers import prior_numbers, with_numbers


def gamma_density(model: pm.Model, variable: TensorVariable) -> TensorVariable | None:
    r"""Log density of the logarithm of a gamma variable, elementwise.

    .. math:: \log p(\lambda) = a \lambda - b e^\lambda + a \log b - \log \Gamma(a)

    Parameters
    ----------
    model : pm.Model
        The model.
    variable : TensorVariable
        Any of its variables or potentials.

    Returns
    -------
    TensorVariable or None
        In terms of value variables, with the prior's numbers as shared variables; None for any
        other variable.

    Examples
    --------
    >>> import numpy as np
    >>> import pymc as pm
    >>> from pymc_bnn.samplers.potential.gamma_density import gamma_density
    >>> with pm.Model() as model:
    ...     tau = pm.Gamma("tau", 1, 2)
    >>> value = model.rvs_to_values[tau]
    >>> bool(np.isclose(gamma_density(model, tau).eval({value: 0.0}), np.log(2) - 2))
    True
    """
    if variable not in model.free_RVs or not isinstance(variable.owner.op, GammaRV):
        return None
    if not isinstance(model.rvs_to_transforms[variable], LogTransform):
        return None
    parameters = model.replace_rvs_by_values(variable.owner.op.dist_params(variable.owner))
    if not is_constant(parameters[:1], model):
        return None
    value = model.rvs_to_values[variable]
    shape, scale = with_numbers(parameters, prior_numbers(model))
    density = shape * value - pt.exp(value) / scale
    return density - shape * pt.log(scale) - pt.gammaln(shape)
