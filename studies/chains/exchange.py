"""How replicas walked through their ladder of temperatures."""

import arviz as az
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.figure import Figure

from ...samplers.tempering.groups import EXCHANGE
from ...samplers.tempering.swaps import round_trips
from ..errors import InputError

WALKS = 3  # more hide each other


def exchange_summary(idata: xr.DataTree) -> pd.DataFrame:
    """Say how well the temperatures of a ladder work together.

    Parameters
    ----------
    idata : DataTree
        Draws of ``samplers.sample(temperature=[...])``.

    Returns
    -------
    DataFrame
        A row for each temperature: how often its replica was accepted by its own steps and
        swapped with the next hotter one, mean log likelihood, its R-hat over chains, and in
        ``attrs["round_trips"]`` how often replicas of each chain went up the ladder and back.

    Raises
    ------
    InputError
        If the draws have no ladder.

    Examples
    --------
    >>> import pymc as pm
    >>> from pymc_bnn import samplers, studies
    >>> with pm.Model():
    ...     x = pm.Normal("x")
    ...     y = pm.Normal("y", x, observed=0.0)
    ...     idata = samplers.sample(temperature=[1, 3], draws=50, tune=50, chains=2, cores=1,
    ...                             seed=1, progressbar=False, quiet=True)
    >>> studies.exchange_summary(idata).columns.tolist()
    ['acceptance', 'swapped with the next', 'log likelihood', 'R-hat']
    """
    found = _ladder(idata)
    swapped = np.full(found.sizes["temperature"], np.nan)
    if "swap_probability" in found:
        swapped[:-1] = found["swap_probability"].mean(("chain", "draw"))
    summary = pd.DataFrame(
        {
            "acceptance": found["acceptance_rate"].mean(("chain", "draw")),
            "swapped with the next": swapped,
            "log likelihood": found["log_likelihood"].mean(("chain", "draw")),
            "R-hat": az.rhat(found[["log_likelihood"]])["log_likelihood"],
        },
        index=pd.Index(found["temperature"].to_numpy(), name="temperature"),
    )
    replica = found["replica"].to_numpy()
    summary.attrs["round_trips"] = [round_trips(chain) for chain in replica]
    return summary


def plot_exchange(idata: xr.DataTree, chain: int = 0) -> Figure:
    """Draw the walk of each replica through the ladder, and how often neighbours swapped.

    Parameters
    ----------
    idata : DataTree
        Draws of ``samplers.sample(temperature=[...])``.
    chain : int
        Whose replicas.

    Returns
    -------
    Figure
        Walks of three replicas, evenly chosen among all, and the bars of all neighbours.

    Raises
    ------
    InputError
        If the draws have no ladder, or no such chain.

    Examples
    --------
    >>> import pymc as pm
    >>> from pymc_bnn import samplers, studies
    >>> with pm.Model():
    ...     x = pm.Normal("x")
    ...     y = pm.Normal("y", x, observed=0.0)
    ...     idata = samplers.sample(temperature=[1, 3], draws=50, tune=50, chains=1, seed=1,
    ...                             progressbar=False, quiet=True)
    >>> len(studies.plot_exchange(idata).axes)
    2
    """
    found = _ladder(idata)
    labels = found["chain"].to_numpy().tolist()
    if chain not in labels:
        raise InputError(f"chain: {chain}; give one of {', '.join(map(str, labels))}.")
    here, summary = found.sel(chain=chain), exchange_summary(idata)
    figure, (walks, swaps) = plt.subplots(
        *(1, 2), figsize=(11, 4), width_ratios=(2, 1), sharey=True, layout="constrained"
    )
    places = np.argsort(here["replica"].to_numpy(), axis=1)  # of each replica
    shown = np.unique(np.linspace(0, places.shape[1] - 1, WALKS).round().astype(int))
    for i, replica in enumerate(shown):
        height = places[:, replica] + 0.15 * (i - 1)
        walks.step(here["draw"], height, where="post", lw=1.2, label=f"replica {replica}")
    ticks = [f"{temperature:.3g}" for temperature in summary.index]
    trips = summary.attrs["round_trips"][labels.index(chain)]
    title = f"All {len(ticks)} replicas: {trips} round trips"
    walks.set(xlabel="draw", ylabel="temperature", title=title)
    walks.set_yticks(range(len(ticks)), ticks)
    walks.set_ylim(-0.6, len(ticks) + 0.4)
    walks.legend(loc="upper right", ncols=WALKS)
    between = np.arange(len(ticks) - 1) + 0.5
    swaps.barh(between, summary["swapped with the next"].iloc[:-1], height=0.6)
    swaps.set(xlim=(0, 1), xlabel="probability of a swap", title="Neighbours")
    return figure


def _ladder(idata: xr.DataTree) -> xr.Dataset:
    if not isinstance(idata, xr.DataTree) or EXCHANGE not in idata.children:
        raise InputError("idata: no ladder; give draws of samplers.sample(temperature=[...]).")
    return idata[EXCHANGE].to_dataset()
