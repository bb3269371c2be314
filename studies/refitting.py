"""Leave-one-out, repaired where importance sampling fails: by moment matching or by refitting."""

import logging
import warnings
from collections.abc import Callable
from typing import Any

import arviz as az
import numpy as np
from arviz_stats import SamplingWrapper
from arviz_stats.loo import mm_from_pymc
from arviz_stats.utils import ELPDData
from xarray import DataArray, DataTree

from ..models.network import BNN
from ..samplers import recommended_steps, sample

_log = logging.getLogger("pymc")


def leave_one_out(
    model: BNN, idata: DataTree, moment_match: bool = False, refit: bool = False, seed: int = 0
) -> ELPDData:
    """Estimate the expected log predictive density by PSIS-LOO, and repair it if asked.

    Parameters
    ----------
    model : BNN
        The model.
    idata : DataTree
        Its draws, with a group ``log_likelihood``.
    moment_match, refit : bool
        How to repair cases whose Pareto k is too large; refits come last.
    seed : int
        For refits.

    Returns
    -------
    ELPDData
        With pointwise values.
    """
    loo = quietly(az.loo, idata, pointwise=True, reff=relative_efficiency(idata))
    if moment_match and (loo.pareto_k > loo.good_k).any():
        loo = quietly(match_moments, model, idata, loo)
    if refit and (loo.pareto_k > loo.good_k).any():
        wrapper = Refit(model, idata, seed=seed)
        limit = float(loo.good_k)
        loo = quietly(az.reloo, wrapper, loo_orig=loo, k_threshold=limit, pointwise=True)
    return loo


def match_moments(model: BNN, idata: DataTree, loo: ELPDData) -> ELPDData:
    """Repair PSIS-LOO by moment matching; a case is one row, however many outputs it has.

    Parameters
    ----------
    model : BNN
        The model.
    idata : DataTree
        Its draws, with a group ``log_likelihood``.
    loo : ELPDData
        PSIS-LOO with pointwise values.

    Returns
    -------
    ELPDData
    """
    log_posterior, log_density, draws = mm_from_pymc(idata, model=model)
    terms = 1 if model.likelihood.classifies else len(model.outputs)

    def log_density_of_case(values: DataArray, case: int) -> DataArray:
        first, *others = (log_density(values, terms * case + k) for k in range(terms))
        return sum(others, first)

    return az.loo_moment_match(
        idata,
        loo,
        log_posterior,
        log_density_of_case,
        draws,
        reff=relative_efficiency(idata),
        pointwise=True,
    )


def relative_efficiency(idata: DataTree) -> float:
    """Effective draws of the likelihood of a case, as a share of all draws; the mean over cases.

    ArviZ takes that of all posterior variables by default, most of which are weights: they are
    not identified, mix badly, and say nothing about how well leave-one-out is estimated.

    Parameters
    ----------
    idata : DataTree
        Draws with a group ``log_likelihood``.

    Returns
    -------
    float
    """
    log_likelihood = idata["log_likelihood"].dataset
    likelihood = np.exp(log_likelihood - log_likelihood.max(["chain", "draw"]))
    tree = DataTree.from_dict({"posterior": likelihood})
    effective = quietly(az.ess, tree, method="mean")["y_obs"]
    draws = idata["posterior"].sizes
    share = float(effective.mean(skipna=True)) / (draws["chain"] * draws["draw"])
    return share if 0 < share < 1 else 1.0


def with_log_likelihood(model: BNN, idata: DataTree) -> DataTree:
    """Return draws with the log density of the training cases, adding it if it is missing."""
    if "log_likelihood" in idata:
        return idata
    idata = idata.copy()
    values = model.log_likelihood(idata, *model.training_data())
    idata["log_likelihood"] = DataTree(values.to_dataset(name="y_obs"))
    return idata


def quietly(function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """Call without warnings, which the report gives in words instead."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*arguments, **options)


class Refit(SamplingWrapper):
    """Refits a network without some of its cases, for ``az.reloo``.

    Parameters
    ----------
    model : BNN
        The model on all cases.
    idata : DataTree
        Its draws, with a group ``log_likelihood``.
    **options
        Arguments of :func:`pymc_bnn.samplers.sample`.
    """

    def __init__(self, model: BNN, idata: DataTree, **options: Any):
        sizes = idata["posterior"].sizes
        defaults = {"draws": sizes["draw"], "chains": sizes["chain"], "progressbar": False}
        quiet = {"quiet": True, "compute_convergence_checks": False}
        super().__init__(model, idata_orig=idata, sample_kwargs={**defaults, **quiet, **options})
        self.X, self.y = model.training_data()

    def sel_observations(self, idx: int | np.ndarray) -> tuple[tuple, tuple]:
        """Separate a case from the others."""
        left_out = np.zeros(len(self.X), bool)
        left_out[idx] = True
        _log.info(f"Refitting without case {idx}.")
        y = np.asarray(self.y)
        return (self.X[~left_out], y[~left_out]), (self.X[left_out], y[left_out])

    def sample(self, modified_observed_data: tuple) -> tuple[BNN, DataTree]:
        """Fit the model to the remaining cases."""
        model = self.model.with_data(*modified_observed_data)
        return model, sample(model, step=recommended_steps(model), **self.sample_kwargs)

    def get_inference_data(self, fitted_model: tuple[BNN, DataTree]) -> DataTree:
        """Draws of a refitted model."""
        self.refitted, idata = fitted_model
        return idata

    def log_likelihood__i(self, excluded_obs: tuple, idata__i: DataTree) -> DataArray:
        """Log density of the left-out case."""
        return self.refitted.log_likelihood(idata__i, *excluded_obs)
