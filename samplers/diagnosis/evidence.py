"""What findings about draws are made from."""

from collections.abc import Iterable
from typing import NamedTuple, cast

import numpy as np
import pandas as pd
import xarray as xr

from ..tempering.travel import Travel, travel_of
from .counted import divergences_of, diverging, may_miss_divergences, transitions_of
from .energy_bias import EnergyBias, attached_energy_bias, is_biased
from .identified import (
    agreement,
    chains_that_stand_still,
    elements_that_stand_still,
    in_memory,
)

# names that PyMC and nutpie give the same statistics
LOG_POSTERIOR = ("lp", "logp")
SATURATION = ("reached_max_treedepth", "maxdepth_reached")
ACCEPTANCE = ("acceptance_rate", "mean_tree_accept")
GIBBS = "interweave_evaluations"  # of steps that draw or move precisions outside of trajectories
ALONG = "hyper_step_size"  # of steps that carry them along trajectories, and may do nothing else
Quantities = list[tuple[xr.DataArray, str]]


class Evidence(NamedTuple):
    """What findings are made from.

    Attributes
    ----------
    table : DataFrame
        R-hat and effective sample sizes; see :func:`.identified.agreement`.
    nonfinite : dict of str to int
        Draws of each variable with a value that is not finite, where there are any.
    still : dict of str to tuple
        Chains that never move, by quantity, where there are any.
    constant : tuple of str
        Quantities that have one value in all draws of all chains.
    partly_constant : dict of str to int
        Elements with one value in all draws of all chains, by quantity of which others move.
    diverging : int
        Recorded draws whose transition diverged.
    divergences : int
        All transitions that diverged since warm-up; see :func:`.counted.divergences_of`.
    at_least : bool
        Whether there may have been more; see :func:`.counted.may_miss_divergences`.
    transitions : int or None
        All transitions since warm-up; None where thinned draws do not say how many there were.
    bfmi, saturation, acceptance : DataArray or None
        By chain: energy Bayesian fraction of missing information, share of trees of the largest
        depth, mean acceptance probability; None where the sampler reports none.
    energy_ess : float or None
        Bulk effective sample size of the energy, where Gibbs draws change it too.
    chains, draws : int
        How many, draws of each chain.
    biased : bool
        Whether a step without an accept test made the draws.
    bias : EnergyBias or None
        By how much, if it was measured.
    travel : Travel or None
        How replicas went through their ladder of temperatures, if there is one.
    """

    table: pd.DataFrame
    nonfinite: dict[str, int]
    still: dict[str, tuple]
    constant: tuple[str, ...]
    partly_constant: dict[str, int]
    diverging: int
    divergences: int
    at_least: bool
    transitions: int | None
    bfmi: xr.DataArray | None
    saturation: xr.DataArray | None
    acceptance: xr.DataArray | None
    energy_ess: float | None
    chains: int
    draws: int
    biased: bool
    bias: EnergyBias | None
    travel: Travel | None


def statistics_of(idata: xr.DataTree) -> xr.Dataset:
    """Statistics of the sampler; none if there are none."""
    return idata["sample_stats"].dataset if "sample_stats" in idata else xr.Dataset()


def log_posterior_of(idata: xr.DataTree) -> Quantities:
    """The log posterior as a quantity, if the sampler reported it.

    Of several steps PyMC asks the last one alone. Where that does not know it, PyMC writes zeros.
    """
    stats = statistics_of(idata)
    return [
        (stats[name].rename("log posterior"), "log posterior")
        for name in LOG_POSTERIOR
        if name in stats and np.any(stats[name] != 0)
    ]


def gather(
    idata: xr.DataTree, quantities: Quantities, variables: Iterable[xr.DataArray]
) -> Evidence:
    """Look at draws.

    Parameters
    ----------
    idata : DataTree
        The draws.
    quantities : list of (DataArray, str)
        What to judge chains by, and of what kind each is.
    variables : iterable of DataArray
        What has to be finite besides.

    Returns
    -------
    Evidence

    Raises
    ------
    ValueError
        If a quantity is no number.
    """
    idata = in_memory(idata)
    stats, sizes = statistics_of(idata), idata["posterior"].sizes
    with np.errstate(invalid="ignore", divide="ignore"):  # R-hat of what never changes
        table = pd.DataFrame([agreement(*of) for of in quantities]).set_index("quantity")
    still = {str(values.name): chains_that_stand_still(values) for values, _ in quantities}
    saturation, acceptance = (
        next((_by_chain(stats[name].mean("draw"), how) for name in names if name in stats), None)
        for names, how in ((SATURATION, "max"), (ACCEPTANCE, "min"))
    )
    return Evidence(
        table,
        _not_finite([*variables, *(values for values, _ in quantities)]),
        {name: chains for name, chains in still.items() if chains},
        tuple(
            str(values.name)
            for values, _ in quantities
            if len(still[str(values.name)]) == sizes["chain"] and _alike(values)
        ),
        _partly_constant(quantities),
        diverging(stats),
        divergences_of(stats),
        may_miss_divergences(stats),
        transitions_of(stats),
        _bfmi(idata),
        saturation,
        acceptance,
        _energy_ess(stats),
        sizes["chain"],
        sizes["draw"],
        is_biased(idata),
        attached_energy_bias(idata),
        travel_of(idata),
    )


def _not_finite(variables: Iterable[xr.DataArray]) -> dict[str, int]:
    """Count draws with a value that is not finite, by variable."""
    counts = {}
    for values in variables:
        if values.dtype.kind in "fc":
            others = [dim for dim in values.dims if dim not in ("chain", "draw")]
            finite = cast(xr.DataArray, np.isfinite(values)).all(others)
            counts[str(values.name)] = int(finite.size - finite.sum())
    return {name: count for name, count in counts.items() if count}


def _partly_constant(quantities: Quantities) -> dict[str, int]:
    """Elements that never change; R-hat of them is unknown and does not enter the worst one."""
    # probabilities of single cases may be 0 or 1 in all draws
    judged = [values for values, kind in quantities if kind != "network outputs"]
    counts = {str(values.name): elements_that_stand_still(values) for values in judged}
    return {name: count for name, count in counts.items() if count}


def _alike(values: xr.DataArray) -> bool:
    """Whether all chains begin at the same value."""
    return bool((values.isel(draw=0) == values.isel(draw=0, chain=0)).all())


def _bfmi(idata: xr.DataTree) -> xr.DataArray | None:
    import arviz as az  # takes a second or two, which no draw needs to wait for

    if "energy" not in statistics_of(idata) or idata["posterior"].sizes["draw"] < 2:
        return None
    with np.errstate(invalid="ignore", divide="ignore"):  # energies that never change
        return _by_chain(az.bfmi(idata)["energy"], "min")


def _energy_ess(stats: xr.Dataset) -> float | None:
    if "energy" not in stats or GIBBS not in stats:
        return None
    if ALONG in stats and not (stats[GIBBS] > 0).any():
        return None
    return float(agreement(stats["energy"], "energy")["ess"])


def _by_chain(values: xr.DataArray, how: str) -> xr.DataArray:
    """One value per chain, the worst one where several steps report the same statistic."""
    others = [dim for dim in values.dims if dim != "chain"]
    return values.min(others) if how == "min" else values.max(others)
