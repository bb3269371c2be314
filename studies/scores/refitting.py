"""Leave-one-out, repaired where importance sampling fails: by moment matching or by refitting."""

import logging
from dataclasses import replace
from typing import Any

import arviz as az
import numpy as np
from arviz_stats import SamplingWrapper
from xarray import DataArray, DataTree

from ...models.bnn import BNN
from ...samplers import recommended_steps, sample
from .arviz_parts import ELPDData, mm_from_pymc
from .certain import is_certain, standing_still
from .densities import TrainingDensities, as_tree
from .monte_carlo import REFITS_MCSE, REFITTED
from .smoothing import estimated, failed, joined, quietly, relative_efficiency, smoothed, summed

STANDING_STILL = "tail values are the same"  # what ArviZ says of a case whose draws repeat

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
        Its draws; what is in a group ``log_likelihood`` is not computed again.
    moment_match, refit : bool
        How to repair cases whose Pareto k is too large; refits come last.
    seed : int
        For refits.

    Returns
    -------
    ELPDData
        With pointwise values; a case that all draws predict equally well has its density.

    Raises
    ------
    ValueError
        If chains stand still.
    """
    loo = of_cases(TrainingDensities(model, idata))
    if moment_match and failed(loo).any():
        loo = quietly(match_moments, model, idata, loo)
    if refit and failed(loo).any():
        loo = quietly(_refit, model, idata, loo, seed)
    return loo


def of_cases(densities: TrainingDensities) -> ELPDData:
    """Estimate PSIS-LOO of training cases, all or some of them.

    Parameters
    ----------
    densities : TrainingDensities
        Of the cases.

    Returns
    -------
    ELPDData
        With pointwise values.

    Raises
    ------
    ValueError
        If chains stand still.
    """
    if standing_still(densities.idata):
        raise ValueError(
            f"All {STANDING_STILL}: chains stand still, so draw more or mend the step."
        )
    share = relative_efficiency(densities)
    return joined([estimated(piece, share) for piece in densities])


def _refit(model: BNN, idata: DataTree, loo: ELPDData, seed: int) -> ELPDData:
    """Refit without each case at which importance sampling fails."""
    cases = np.flatnonzero(failed(loo))
    wrapper = Refit(model, idata, cases, seed=seed)
    limit = float(loo.good_k)
    after = az.reloo(wrapper, loo_orig=_some(loo, cases), k_threshold=limit, pointwise=True)
    after.pareto_k[:] = wrapper.tails  # ArviZ takes every refit for exact
    repaired = _repaired(loo, cases, after)
    error = float(np.linalg.norm(wrapper.errors))
    repaired.elpd_i.attrs |= {REFITTED: cases.tolist(), REFITS_MCSE: error}
    return repaired


def match_moments(model: BNN, idata: DataTree, loo: ELPDData) -> ELPDData:
    """Repair PSIS-LOO by moment matching; a case is one row, however many outputs it has.

    Parameters
    ----------
    model : BNN
        The model.
    idata : DataTree
        Its draws.
    loo : ELPDData
        PSIS-LOO with pointwise values.

    Returns
    -------
    ELPDData
    """
    cases = np.flatnonzero(failed(loo))
    if not cases.size:
        return loo
    if not model.likelihood.independent:
        raise ValueError(
            "moment_match=True needs cases that are independent given the draws, and those of "
            "GaussianNoise(integrate=True) are not; use refit=True."
        )
    densities = TrainingDensities(model, idata)
    share, part = relative_efficiency(densities), densities.of(cases)
    log_posterior, log_density, draws = mm_from_pymc(idata, model=model)
    terms = 1 if model.likelihood.classifies else len(model.outputs)

    def log_density_of_case(values: DataArray, place: int) -> DataArray:
        first, *others = (log_density(values, terms * cases[place] + k) for k in range(terms))
        return sum(others, first)

    after = az.loo_moment_match(
        as_tree(part),
        smoothed(part, share, keep_weights=True),
        log_posterior,
        log_density_of_case,
        draws,
        reff=share,
        pointwise=True,
    )
    return _repaired(loo, cases, after)


def _some(loo: ELPDData, cases: np.ndarray) -> ELPDData:
    """PSIS-LOO of some of the cases."""
    dim = {loo.elpd_i.dims[0]: cases}
    return replace(
        loo,
        n_data_points=len(cases),
        elpd_i=loo.elpd_i.isel(dim).copy(),
        pareto_k=loo.pareto_k.isel(dim).copy(),
    )


def _repaired(loo: ELPDData, cases: np.ndarray, after: ELPDData) -> ELPDData:
    """Put repaired cases in their places."""
    elpd_i, pareto_k = loo.elpd_i.copy(deep=True), loo.pareto_k.copy(deep=True)
    elpd_i[cases], pareto_k[cases] = after.elpd_i.values, after.pareto_k.values
    # the density of a case under all draws stays, and p is what it is above the estimate
    p = float(loo.p + (loo.elpd_i - elpd_i).sum())
    return summed(replace(loo, p=p, elpd_i=elpd_i, pareto_k=pareto_k))


def with_log_likelihood(model: BNN, idata: DataTree) -> DataTree:
    """Return draws with the log density of the training cases, adding it if it is missing."""
    if "log_likelihood" in idata:
        return idata
    idata = idata.copy()
    values = model.log_likelihood(idata)
    idata["log_likelihood"] = DataTree(values.to_dataset(name="y_obs"))
    return idata


class Refit(SamplingWrapper):
    """Refits a network without some of its cases, for ``az.reloo``.

    Parameters
    ----------
    model : BNN
        The model on all cases.
    idata : DataTree
        Its draws.
    cases : ndarray, optional
        The cases that ArviZ knows of; all by default.
    **options
        Arguments of :func:`pymc_bnn.samplers.sample`.

    Attributes
    ----------
    tails : list of float
        Pareto k of the density of each left-out case. Where it is large, few draws predict the
        case, and the mean density over draws is not reliable either.
    errors : list of float
        Monte Carlo error of the logarithm of that mean.
    """

    def __init__(
        self, model: BNN, idata: DataTree, cases: np.ndarray | None = None, **options: Any
    ):
        self.X, self.y = model.training_data()
        self.cases = np.arange(len(self.X)) if cases is None else cases
        densities = as_tree(TrainingDensities(model, idata).of(self.cases))
        sizes = idata["posterior"].sizes
        defaults = {"draws": sizes["draw"], "chains": sizes["chain"], "progressbar": False}
        quiet = {"quiet": True, "compute_convergence_checks": False}
        options = {**defaults, **quiet, **options}
        super().__init__(model, idata_orig=densities, sample_kwargs=options)
        self.tails: list[float] = []
        self.errors: list[float] = []

    def sel_observations(self, idx: int | np.ndarray) -> tuple[tuple, tuple]:
        """Separate a case from the others."""
        left_out = np.zeros(len(self.X), bool)
        left_out[self.cases[idx]] = True
        _log.info(f"Refitting without case {self.cases[idx]}.")
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
        found = self.refitted.log_likelihood(idata__i, *excluded_obs)
        density = np.exp(found.values[..., 0] - float(found.max()))
        self.tails.append(tail(found))
        self.errors.append(float(az.mcse(density) / density.mean()))
        return found


def tail(log_density: DataArray) -> float:
    """Pareto k of the densities of a case under draws; minus infinity if all are the same."""
    # leave-one-out divides by densities; their inverses are those of a case that it divides by
    if is_certain(log_density).all():
        return -np.inf
    return float(smoothed(-log_density, 1.0).pareto_k.item())
