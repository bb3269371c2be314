"""What findings about draws are made from."""

from collections.abc import Iterable
from typing import NamedTuple, cast

import numpy as np
import pandas as pd
import xarray as xr

from .energy_bias import EnergyBias, attached_energy_bias, is_biased
from .identified import agreement, chains_that_stand_still, in_memory

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
    diverging : int
        Recorded draws whose transition diverged.
    divergences : int
        All transitions that diverged since warm-up; see :func:`divergences_of`.
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
    """

    table: pd.DataFrame
    nonfinite: dict[str, int]
    still: dict[str, tuple]
    constant: tuple[str, ...]
    diverging: int
    divergences: int
    transitions: int | None
    bfmi: xr.DataArray | None
    saturation: xr.DataArray | None
    acceptance: xr.DataArray | None
    energy_ess: float | None
    chains: int
    draws: int
    biased: bool
    bias: EnergyBias | None


def statistics_of(idata: xr.DataTree) -> xr.Dataset:
    """Statistics of the sampler; none if there are none."""
    return idata["sample_stats"].dataset if "sample_stats" in idata else xr.Dataset()


def divergences_of(stats: xr.Dataset) -> int:
    """Count transitions that diverged since warm-up, also those of draws that are not recorded.

    A thinned step method counts them all in ``divergences``, and says by ``diverging`` whether the
    last one before a recorded draw did.
    """
    if "divergences" not in stats:
        return _diverging(stats)
    counts, labels = stats["divergences"], _labels(stats["divergences"])
    if labels is not None and (np.diff(labels) == 0).any():
        return max(_of_joined(counts), _diverging(stats))
    # draws that were cut off at the beginning do not count; later ones may stand before others
    cut = labels is not None and labels[0] > 0
    found = counts.max("draw") - (counts.min("draw") if cut else 0)
    return max(int(found.sum()), _diverging(stats))


def _of_joined(counts: xr.DataArray) -> int:
    """Divergences of runs that stand one after another: each counts from nothing again."""
    by_draw = counts.transpose("draw", ...).values
    steps = np.diff(by_draw, axis=0, prepend=0)
    return int(np.where(steps < 0, by_draw, steps).sum())


def _labels(values: xr.DataArray) -> np.ndarray | None:
    """Labels of draws in order, if they are whole numbers."""
    found = values.get_index("draw").to_numpy()
    return np.sort(found) if np.issubdtype(found.dtype, np.integer) else None


def _diverging(stats: xr.Dataset) -> int:
    return int(stats["diverging"].sum()) if "diverging" in stats else 0


def transitions_of(stats: xr.Dataset) -> int | None:
    """Count transitions since warm-up, also those of draws that are not recorded.

    Each draw has one of each step, unless ``transitions`` says how many; draws that count
    divergences of others and do not say so are of an unknown number. Draws that were left out
    afterwards, by their labels, had as many as those that are there.
    """
    if "transitions" in stats:
        recorded, labels = int(stats["transitions"].sum()), _labels(stats["transitions"])
        if labels is None or len(labels) < 2:
            return recorded
        # of runs that were joined the labels may jump, or repeat
        between = min((labels[-1] - labels[0] + 1) / len(labels), np.median(np.diff(labels)))
        return round(recorded * max(float(between), 1.0))
    known = divergences_of(stats) == _diverging(stats)
    return stats["diverging"].size if known and "diverging" in stats else None


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
        _diverging(stats),
        divergences_of(stats),
        transitions_of(stats),
        _bfmi(idata),
        saturation,
        acceptance,
        _energy_ess(stats),
        sizes["chain"],
        sizes["draw"],
        is_biased(idata),
        attached_energy_bias(idata),
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
