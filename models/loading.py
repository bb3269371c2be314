"""The model that draws came from."""

from xarray import DataTree

from .bnn import BNN
from .description import check_cases, description_of
from .priors.base import Prior
from .rebuilding import check_complete, decode


def load(idata: DataTree) -> BNN:
    """Rebuild the model that draws came from.

    Parameters
    ----------
    idata : DataTree
        Draws of a ``pymc_bnn`` model, from :func:`pymc_bnn.samplers.sample` or ``pm.sample``.

    Returns
    -------
    BNN
        The model, on the data it was fitted to.

    Raises
    ------
    ValueError
        If the draws carry no description of a model, or lie beside other cases than those that
        :func:`pymc_bnn.samplers.sample` fitted it to, or the model had terms added to it or was of
        a subclass, which cannot be rebuilt from a description.

    Examples
    --------
    >>> import numpy as np
    >>> import pymc as pm
    >>> from pymc_bnn import models
    >>> model = models.gaussian(np.eye(3), np.arange(3.0), hidden=(2,))
    >>> with model:
    ...     prior = pm.sample_prior_predictive(draws=2)
    >>> models.load(prior).hidden
    (2,)
    """
    description = description_of(idata)
    for group in ("constant_data", "observed_data"):
        if group not in idata:
            raise ValueError(
                f"idata cannot be loaded: it lacks the group {group}, with the model's data; keep "
                "all groups of the draws, or give the model itself where it is asked for."
            )
    check_cases(idata)
    check_complete(description, "idata cannot be loaded")
    arguments = {k: v for k, v in description.items() if k not in ("inputs", "outputs")}
    arguments["prior"] = {n: Prior.from_dict(p) for n, p in arguments["prior"].items()}
    if arguments["classes"] is not None:
        arguments["classes"] = tuple(arguments["classes"])
    X = idata["constant_data"].dataset["X"].values
    y = idata["observed_data"].dataset["y_obs"].values
    return BNN(*decode(description, X, y), **arguments, nested=False)
