"""Sample a model with the steps that suit it."""

import logging
import os
from typing import Any

import numpy as np
import pymc as pm
from pymc.step_methods.arraystep import BlockedStep
from xarray import DataTree

from ..models.choices import choose
from ..models.description import attach
from ..models.network import BNN
from .conjugacy import conjugate_names
from .gibbs_precision import GibbsPrecision
from .nuts import NUTS
from .starts import dispersed_starts
from .static_hmc import StaticHMC

METHODS = ("auto", "gibbs_hmc", "nuts")

_log = logging.getLogger("pymc")


def recommended_method(model: pm.Model) -> str:
    """Say which method suits a model.

    Parameters
    ----------
    model : pm.Model
        The model.

    Returns
    -------
    {"gibbs_hmc", "nuts"}
        ``"gibbs_hmc"`` if every variable is a network weight or a conjugate precision, or, for
        other models, if there is a conjugate precision and nothing discrete.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import models
    >>> from pymc_bnn.samplers.sampling import recommended_method
    >>> X = np.eye(4)
    >>> recommended_method(models.ard(X, X[:, 0])), recommended_method(models.horseshoe(X, X[:, 0]))
    ('gibbs_hmc', 'nuts')
    """
    conjugate = conjugate_names(model)
    others = {v.name for v in model.value_vars} - conjugate
    if isinstance(model, BNN):
        weights = {model.free_name(group) for group in model.groups}
        return "gibbs_hmc" if others == weights else "nuts"
    continuous = {v.name for v in model.continuous_value_vars}
    return "gibbs_hmc" if conjugate and others and others <= continuous else "nuts"


def recommended_steps(
    model: pm.Model, method: str | None = None, **options: Any
) -> list[BlockedStep]:
    """Build the steps of a method for a model; this compiles them.

    Parameters
    ----------
    model : pm.Model
        The model.
    method : {"gibbs_hmc", "nuts"}, optional
        By default :func:`recommended_method`.
    **options
        Arguments of :class:`StaticHMC` or :class:`NUTS` to use instead of the recommended ones.

    Returns
    -------
    list of step methods

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import models
    >>> from pymc_bnn.samplers.sampling import recommended_steps
    >>> model = models.gaussian(np.eye(3), np.arange(3.0), hidden=(2,))
    >>> [step.name for step in recommended_steps(model)]
    ['gibbs_precision', 'static_hmc']
    """
    if (method or recommended_method(model)) == "nuts":
        return [NUTS(list(model.continuous_value_vars), model=model, **options)]
    settings = {
        "n_leapfrog": 300,
        "step_sizes": "neal" if isinstance(model, BNN) else "adapt",
        "target_accept": 0.8,
        "jitter": "uniform",
        **options,
    }
    gibbs = [GibbsPrecision(model=model)] if conjugate_names(model) else []
    return [*gibbs, StaticHMC(model=model, **settings)]


def sample(
    model: pm.Model | None = None,
    draws: int = 1000,
    tune: int = 1000,
    chains: int = 4,
    cores: int | None = None,
    method: str = "auto",
    seed: int | np.random.Generator | None = None,
    **pm_sample: Any,
) -> DataTree:
    """Sample a model with recommended steps and dispersed starting points.

    Parameters
    ----------
    model : pm.Model, optional
        The model; by default that of the context.
    draws, tune, chains
        As for ``pm.sample``.
    cores : int, optional
        Processes to use; by default as many as there are chains or processors.
    method : {"auto", "gibbs_hmc", "nuts"}
        ``"gibbs_hmc"`` draws conjugate precisions by :class:`GibbsPrecision` and moves all else
        by :class:`StaticHMC`; ``"nuts"`` leaves everything to NUTS, in the non-centred
        parametrization. ``"auto"`` takes the first where all hyperparameters are conjugate.
    seed : int or Generator, optional
        For starting points and sampling; the same seed gives the same draws.
    **pm_sample
        More arguments of ``pm.sample``; ``step`` and ``initvals`` replace ours.

    Returns
    -------
    DataTree
        What ``pm.sample`` returns, with a description of the model in ``attrs``.

    Raises
    ------
    ValueError
        If an argument is not valid.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import models, samplers
    >>> X = np.linspace(-1, 1, 10)[:, None]
    >>> model = models.normal_inverse_gamma(X, X[:, 0] ** 2, hidden=(4,))
    >>> idata = samplers.sample(model, draws=10, tune=10, chains=2, cores=1, seed=1,
    ...                         progressbar=False, quiet=True)
    >>> idata["posterior"].sizes["draw"]
    10
    """
    model = pm.modelcontext(model)
    method = choose("method", method, METHODS)
    for name, value, least in (("draws", draws, 1), ("tune", tune, 0), ("chains", chains, 1)):
        if int(value) != value or value < least:
            raise ValueError(f"{name}={value!r}: give a whole number of at least {least}.")
    if method == "auto":
        method = recommended_method(model)
    if cores is None:
        cores = min(chains, os.cpu_count() or 1)
    rng = np.random.default_rng(seed)
    if "step" not in pm_sample:
        if method == "nuts" and isinstance(model, BNN):
            model = model.reparametrized("noncentered")
        _log.info("Compiling steps; the first time takes up to a minute.")
        pm_sample["step"] = recommended_steps(model, method)
    pm_sample.setdefault("initvals", dispersed_starts(model, chains, rng))
    with model:
        idata = pm.sample(
            draws=draws, tune=tune, chains=chains, cores=cores, random_seed=rng, **pm_sample
        )
    return attach(idata, model.to_dict()) if isinstance(model, BNN) else idata
