"""Whether replicas travel through their ladder, without which it is that many chains alone."""

from typing import NamedTuple

import numpy as np
import xarray as xr
from xarray import DataTree

from .groups import EXCHANGE
from .swaps import round_trips

LEAST_SWAPS = 0.05  # of the attempts of a pair


class Travel(NamedTuple):
    """How replicas of some chains went through a ladder.

    Attributes
    ----------
    temperatures : ndarray, shape (temperatures,)
        The ladder from 1 on, rising: colder replicas bring nothing to temperature 1.
    swapped : ndarray, shape (temperatures - 1,)
        Mean probability with which each pair of neighbours that tried changed places; undefined
        where one never tried.
    round_trips : dict of int
        From temperature 1 to the other end and back, by the name of the chain.
    """

    temperatures: np.ndarray
    swapped: np.ndarray
    round_trips: dict[int, int]

    @property
    def cut(self) -> str:
        """Say where the ladder is cut: which neighbours hardly ever swap; nothing if it is not."""
        tried = np.where(np.isnan(self.swapped), np.inf, self.swapped)
        if not tried.size or tried.min() >= LEAST_SWAPS:
            return ""
        worst = int(np.argmin(tried))
        colder, hotter = self.temperatures[worst], self.temperatures[worst + 1]
        return (
            f"Replicas at temperatures {colder:g} and {hotter:g} swap with probability "
            f"{tried[worst]:.2g} only: the ladder is cut there"
        )

    @property
    def still(self) -> str:
        """Say in which chains no replica went up the ladder and back; nothing if in none."""
        chains = [str(chain) for chain, trips in self.round_trips.items() if not trips]
        if self.temperatures.size < 2 or not chains:
            return ""
        which = f"chain{'s' * (len(chains) > 1)} {', '.join(chains)}"
        return (
            f"No replica of {which} went from one end of the ladder to the other and back: what "
            "hot ones found may not have come to temperature 1"
        )


def travel_of(idata: DataTree) -> Travel | None:
    """Look at how replicas went through the ladder of some draws.

    Parameters
    ----------
    idata : DataTree
        Draws.

    Returns
    -------
    Travel or None
        None if they have no ladder, as draws of ``pm.sample``, or are thinned.

    Examples
    --------
    >>> import pymc as pm
    >>> from pymc_bnn import samplers
    >>> from pymc_bnn.samplers.tempering.travel import travel_of
    >>> with pm.Model():
    ...     x = pm.Normal("x")
    ...     y = pm.Normal("y", x, observed=0.0)
    ...     idata = samplers.sample(temperature=[1, 3], draws=50, tune=50, chains=1, seed=1,
    ...                             progressbar=False, quiet=True)
    >>> travel_of(idata).cut, travel_of(idata).round_trips[0] > 5
    ('', True)
    """
    if EXCHANGE not in idata.children:
        return None
    found = idata[EXCHANGE].to_dataset()
    if "draw" in found.coords and np.any(np.diff(found["draw"]) != 1):
        return None  # of thinned draws neither attempts nor walks are all there
    temperatures = np.atleast_1d(found["temperature"].to_numpy())
    part = np.flatnonzero(temperatures >= 1)  # colder ones bring nothing to temperature 1
    each = found["replica"].transpose("chain", "draw", "temperature").to_numpy()[:, :, part]
    chains = found["chain"].to_numpy() if "chain" in found.coords else range(len(each))
    trips = {int(chain): round_trips(walk) for chain, walk in zip(chains, each, strict=True)}
    return Travel(temperatures[part], _swapped(found, temperatures[part]), trips)


def _swapped(found: xr.Dataset, temperatures: np.ndarray) -> np.ndarray:
    """Mean probabilities with which neighbours that tried changed places."""
    swapped = np.full(max(temperatures.size - 1, 0), np.nan)
    if "swap_probability" not in found or not swapped.size:
        return swapped
    colder = found["colder"].to_numpy()
    known = colder >= 1
    if not np.array_equal(colder[known], temperatures[:-1]):  # temperatures were left out
        return swapped
    pairs = found["swap_probability"].transpose("colder", ...).to_numpy()[known]
    pairs = pairs.reshape(swapped.size, -1)
    tried = ~np.isnan(pairs)
    np.divide(np.nansum(pairs, axis=1), tried.sum(axis=1), out=swapped, where=tried.any(axis=1))
    return swapped
