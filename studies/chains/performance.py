"""How well chains of a fixed length explore a posterior: the variance of their means.

Each chain starts from a state of the posterior; the smaller the deviations of the chains' means
from the true mean, the more efficient the method (Choo 2000, 5.3-5.7).
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from ..errors import InputError
from ..tables.checks import listed
from .bootstrap import Interval, check_bootstrap, interval_of, resample_chains
from .deviations import Draws, squared_deviations
from .strata import Stratum, chain_weights, strata_of


def variance_of_means(
    idata: Draws,
    reference: Mapping[Any, Any],
    *,
    stratum: Any = None,
    share: Mapping[Any, float] | None = None,
) -> xr.Dataset:
    r"""Mean squared deviation of the chains' means from the true mean, and its standard error.

    .. math:: \rho = \frac{1}{N_m} \sum_{i=1}^{N_m} (\bar x^i - \langle x \rangle)^2, \qquad
              \operatorname{Var}[\rho] = \frac{1}{N_m}
              \operatorname{Var}\bigl[(\bar x^i - \langle x \rangle)^2\bigr]

    (Choo 2000, Eqs. 5.5 and 5.7). Where chains were started from strata :math:`s` that hold the
    fractions :math:`p_s` of the posterior, in other numbers than these fractions,

    .. math:: \rho = \sum_s p_s \rho_s, \qquad
              \operatorname{Var}[\rho] = \sum_s p_s^2 \operatorname{Var}[\rho_s]

    (Eqs. 5.10-5.12), with the fractions taken as known.

    Parameters
    ----------
    idata : DataTree or Dataset
        Draws with dimensions ``chain`` and ``draw``; of a DataTree its group ``posterior``. The
        chains are independent and start in equilibrium.
    reference : mapping of str to array_like, or Dataset
        True means of the variables to evaluate: a number, or as many as the variable has. Give
        logarithms of scales, and draws of them.
    stratum : array_like or DataArray, optional
        The stratum in which each chain started: one label per chain.
    share : mapping of label to float, optional
        Fraction of the posterior in each stratum.

    Returns
    -------
    Dataset
        The variables of ``reference``, along ``statistic``: ``value`` and ``error``, in the
        squared unit of the variable.

    Raises
    ------
    InputError
        If draws, true means, strata and shares do not fit each other, or are not finite.

    Examples
    --------
    >>> import xarray as xr
    >>> from pymc_bnn import studies
    >>> draws = xr.Dataset({"log_sd": (("chain", "draw"), [[0.0, 2.0], [2.0, 4.0]])})
    >>> found = studies.variance_of_means(draws, {"log_sd": 0.0})  # means are 1 and 3
    >>> found["log_sd"].values.tolist()
    [5.0, 4.0]
    """
    squares = squared_deviations(idata, reference, list(reference))
    values, variances = [], []
    for part in strata_of(squares, stratum, share):
        inside = squares.isel(chain=part.members)
        values.append(part.share * inside.mean("chain"))
        variances.append(part.share**2 * inside.var("chain", ddof=1) / len(part.members))
    value = sum(values[1:], values[0])
    error = sum(variances[1:], variances[0]) ** 0.5
    both: list[xr.Dataset] = [value, error]
    return xr.concat(both, pd.Index(["value", "error"], name="statistic"))


def geometric_mean_performance(
    idata: Draws,
    reference: Mapping[Any, Any],
    variables: Sequence[str],
    *,
    stratum: Any = None,
    share: Mapping[Any, float] | None = None,
    samples: int = 1000,
    probability: float = 0.9,
    rng: int | np.random.Generator,
) -> Interval:
    r"""Geometric mean of the variances of means of several variables; smaller is better.

    .. math:: g = \Bigl(\prod_{k=1}^K \rho_k\Bigr)^{1/K}

    (Choo 2000, Eq. 5.8, with K = 4). Its interval has the same probability on either side among
    bootstrap realisations, each of which draws as many chains with replacement (5.3.3), within
    their strata (5.4.3).

    Parameters
    ----------
    idata, reference, stratum, share
        As for :func:`variance_of_means`.
    variables : sequence of str
        Which to combine; every element of an array counts as one.
    samples : int
        Bootstrap realisations.
    probability : float
        Of the interval, between 0 and 1.
    rng : int or Generator
        Seed, or source of random numbers.

    Returns
    -------
    Interval

    Raises
    ------
    InputError
        As :func:`variance_of_means`, or if a variance is 0.

    Examples
    --------
    >>> import xarray as xr
    >>> from pymc_bnn import studies
    >>> means = {"u": [[1.0], [-1.0]], "v": [[4.0], [-4.0]]}
    >>> draws = xr.Dataset({name: (("chain", "draw"), m) for name, m in means.items()})
    >>> studies.geometric_mean_performance(draws, {"u": 0, "v": 0}, ["u", "v"], rng=1)
    Interval(value=4.0, low=4.0, high=4.0)
    """
    squares = squared_deviations(idata, reference, variables)
    strata = strata_of(squares, stratum, share)
    check_bootstrap(samples, probability)
    counts = resample_chains(strata, samples, rng)
    return interval_of(np.exp(_log_performance(squares, counts, strata)), probability)


def compare_performance(
    first: Draws,
    second: Draws,
    reference: Mapping[Any, Any],
    variables: Sequence[str],
    *,
    stratum: Any = None,
    share: Mapping[Any, float] | None = None,
    samples: int = 500,
    probability: float = 0.9,
    rng: int | np.random.Generator,
) -> Interval:
    r"""Ratio of two methods' geometric means; below 1, the first is the better one.

    .. math:: g_\text{first} / g_\text{second}

    Chain :math:`i` of both starts from the same state :math:`i`, and a bootstrap realisation is a
    choice of start states, hence of the same chains of both (Choo 2000, 5.7). What starts have in
    common cancels, so the interval is narrower than those of the two geometric means suggest.

    Parameters
    ----------
    first, second : DataTree or Dataset
        Draws of the two methods, chains in the same order.
    reference, variables, stratum, share, samples, probability, rng
        As for :func:`geometric_mean_performance`.

    Returns
    -------
    Interval

    Raises
    ------
    InputError
        As :func:`geometric_mean_performance`, or if the chains are not pairs.

    Examples
    --------
    >>> import xarray as xr
    >>> from pymc_bnn import studies
    >>> slow = xr.Dataset({"u": (("chain", "draw"), [[2.0], [-6.0], [4.0]])})
    >>> found = studies.compare_performance(slow / 2, slow, {"u": 0}, ["u"], rng=1)
    >>> round(found.low, 6), round(found.value, 6), round(found.high, 6)
    (0.25, 0.25, 0.25)
    """
    pair = [squared_deviations(draws, reference, variables) for draws in (first, second)]
    _check_paired(*pair)
    strata = strata_of(pair[0], stratum, share)
    check_bootstrap(samples, probability)
    counts = resample_chains(strata, samples, rng)
    logs = [_log_performance(squares, counts, strata) for squares in pair]
    return interval_of(np.exp(logs[0] - logs[1]), probability)


def _log_performance(
    squares: xr.Dataset, counts: np.ndarray, strata: Sequence[Stratum]
) -> np.ndarray:
    """Logarithm of g in each realisation; a chain keeps its weight however often it occurs."""
    constant = [name for name, values in squares.items() if not values.any("chain").all()]
    if constant:
        raise InputError(f"variables: {listed(constant)} never left the true mean; leave it out.")
    chains = squares.sizes["chain"]
    cells = [
        values.transpose("chain", ...).values.reshape(chains, -1) for values in squares.values()
    ]
    rho = (counts * chain_weights(strata)) @ np.concatenate(cells, axis=1)
    with np.errstate(divide="ignore"):  # a realisation may consist of chains without deviation
        return np.log(rho).mean(axis=1)


def _check_paired(first: xr.Dataset, second: xr.Dataset) -> None:
    counts = [squares.sizes["chain"] for squares in (first, second)]
    if counts[0] != counts[1]:
        raise InputError(
            f"first and second: {counts[0]} and {counts[1]} chains; "
            "start both from the same states."
        )
    labels = [squares.indexes.get("chain") for squares in (first, second)]
    if labels[0] is not None and labels[1] is not None and not labels[0].equals(labels[1]):
        raise InputError("first and second: chains are labelled differently; use the same order.")
