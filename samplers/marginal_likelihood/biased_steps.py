"""Steps without an accept test, whose draws are of no known distribution and give no evidence."""

from typing import Any

from xarray import DataTree

from ..diagnosis.energy_bias import is_biased
from ..tempering.rungs import single_steps

WHY = (
    "without an accept test chains draw from no known distribution, whose normalising constant "
    "would be another one"
)


def refuse_biased_steps(steps: Any) -> None:
    """Refuse steps whose draws are biased, before anything is sampled.

    Parameters
    ----------
    steps : step method or sequence of them, optional
        What a ladder or runs are to move by.

    Raises
    ------
    ValueError
        If one has the statistic ``biased``, as those of stochastic gradients have.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import models, samplers
    >>> from pymc_bnn.samplers.marginal_likelihood.biased_steps import refuse_biased_steps
    >>> model = models.gaussian(np.eye(4), np.arange(4.0), hidden=(2,))
    >>> refuse_biased_steps(samplers.SGLD(1e-4, batch_size=2, model=model))
    Traceback (most recent call last):
    ...
    ValueError: steps: SGLD gives no evidence, as without an accept test chains draw from no known \
distribution, whose normalising constant would be another one; leave steps out.
    """
    given = [] if steps is None else steps if isinstance(steps, list | tuple) else [steps]
    inside = [getattr(one, "first", one) for one in given]  # of a ladder
    for step in (single for one in inside for single in single_steps(one)):
        if "biased" in getattr(step, "stats_dtypes_shapes", {}):
            name = type(step).__name__
            raise ValueError(f"steps: {name} gives no evidence, as {WHY}; leave steps out.")


def refuse_biased_draws(idata: DataTree) -> None:
    """Refuse draws at hand that a step without an accept test made.

    Raises
    ------
    ValueError
        If their statistic ``biased`` says so.

    Examples
    --------
    >>> from xarray import DataTree
    >>> from pymc_bnn.samplers.marginal_likelihood.biased_steps import refuse_biased_draws
    >>> refuse_biased_draws(DataTree())
    """
    if is_biased(idata):
        raise ValueError(
            f"These draws give no evidence, as {WHY}; sample anew with the recommended steps."
        )
