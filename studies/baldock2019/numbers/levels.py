"""What chains say together, and against each other, with errors that know how they disagree."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ...reproduction.estimates import Estimate

CHAIN = ("direction", "chain")
RERUNS = 1000


def level(values: ArrayLike, errors: ArrayLike) -> Estimate:
    """Mean over chains.

    Its error is the larger of what the chains' own say and of what their spread says, as chains
    that do not leave where they began know nothing of each other. What one chain says of its own
    has one degree of freedom, as the spread of two would have: those that there are differ by up to
    six times what they say.

    Parameters
    ----------
    values, errors : array_like
        Of each chain, with its Monte Carlo standard error.

    Examples
    --------
    >>> from pymc_bnn.studies.baldock2019.numbers.levels import level
    >>> found = level([-10.0, -14.0], [0.3, 0.4])
    >>> found.value, found.error, found.freedom
    (-12.0, 2.0, 1)
    >>> level([-10.0], [0.3]).freedom
    1
    """
    values, errors = np.asarray(values, float), np.asarray(errors, float)
    count = values.size
    if count == 0 or np.isnan(values).any():
        return Estimate(np.nan, np.nan)
    own = float(np.sqrt(np.sum(errors**2))) / count
    spread = float(values.std(ddof=1) / np.sqrt(count)) if count > 1 else 0.0
    if count == 1 and own == 0:
        own = np.inf  # nothing says how far it is off
    freedom = max(count - 1, 1) if spread > own or count == 1 else np.inf
    return Estimate(float(values.mean()), max(own, spread), freedom)


def level_of(rows: pd.DataFrame, name: str) -> Estimate:
    """Mean over the chains of a table, of an error that has its standard error beside it."""
    return level(rows[name].to_numpy(), rows[ERRORS[name]].to_numpy())


ERRORS = {
    "training error": "± training",
    "test error": "± test",
    "log evidence": "±",
}


def differences(
    rows: pd.DataFrame, name: str, each: Sequence[str] = CHAIN, best: float | None = None
) -> dict[float, Estimate]:
    """Errors of each temperature less that of the temperature where it is least, chain by chain.

    Parameters
    ----------
    rows : DataFrame
        Chains of a network at all temperatures.
    name : str
        Of the error.
    each : sequence of str
        Columns that name a chain, or whatever else went through all temperatures.
    best : float, optional
        Temperature whose errors are subtracted, instead of where the mean is least.

    Returns
    -------
    dict of float to Estimate
        By temperature; that which is subtracted is 0 without error.
    """
    values = rows.pivot(index=list(each), columns="temperature", values=name)
    errors = rows.pivot(index=list(each), columns="temperature", values=ERRORS[name])
    best = values.mean().idxmin() if best is None else best
    found = {}
    for temperature in values.columns:
        both = np.hypot(errors[temperature], errors[best]) * float(temperature != best)
        found[float(temperature)] = level(values[temperature] - values[best], both)
    return found


def least_error(rows: pd.DataFrame) -> Estimate:
    """Least test error of a chain at any temperature: the mean over chains, by their spread.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.baldock2019.numbers.levels import least_error
    >>> rows = pd.DataFrame({"direction": "cooling", "chain": [0, 0, 1, 1], "± test": 0.1})
    >>> found = least_error(rows.assign(**{"test error": [3.0, 2.0, 1.0, 4.0]}))
    >>> found.value, found.error, found.freedom
    (1.5, 0.5, 1)
    """
    places = rows.groupby(list(CHAIN))["test error"].idxmin()
    return level_of(rows.loc[places], "test error")


def least(rows: pd.DataFrame, name: str, each: Sequence[str] = CHAIN) -> Estimate:
    """Temperature of the least error, as its logarithm to base ten: the mean over chains.

    Its error is by the spread of the chains' own, or by what the errors beside their numbers move
    the least one if that is more, as chains agree by chance too; and that of a number which is only
    known to lie within a step of the ladder, which all chains share.

    Parameters
    ----------
    rows : DataFrame
        Chains of a network at all temperatures.
    name : str
        Of the error.
    each : sequence of str
        Columns that name a chain, or whatever else went through all temperatures.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.baldock2019.numbers.levels import least
    >>> rows = pd.DataFrame(
    ...     {"chain": [0, 0, 0, 1, 1, 1], "temperature": [0.1, 1.0, 10.0] * 2}
    ... ).assign(error=[3.0, 1.0, 2.0, 2.0, 1.5, 1.0])
    >>> found = least(rows, "error", ["chain"])
    >>> found.value, round(found.error, 3), found.freedom
    (0.5, 0.577, 1)
    """
    values = rows.pivot(index=list(each), columns="temperature", values=name).fillna(np.inf)
    ladder = np.log10(values.columns.to_numpy(float))
    places = values.to_numpy().argmin(axis=1)
    steps = np.diff(ladder)
    beside = np.clip([places - 1, places], 0, steps.size - 1)
    own = ladder[places]
    if own.size < 2:
        return Estimate(float(own.mean()), np.inf)
    spread = max(own.std(ddof=1) / np.sqrt(own.size), _moved(rows, name, each, ladder))
    within = steps[beside].max() / np.sqrt(12.0)
    return Estimate(float(own.mean()), float(np.hypot(spread, within)), own.size - 1)


def _moved(rows: pd.DataFrame, name: str, each: Sequence[str], ladder: np.ndarray) -> float:
    """Standard deviation of the mean place of least errors, as their own errors move it."""
    beside = ERRORS.get(name)
    if beside not in rows:
        return 0.0
    tables = [rows.pivot(index=list(each), columns="temperature", values=n) for n in (name, beside)]
    values, errors = tables[0].fillna(np.inf).to_numpy(), tables[1].fillna(0.0).to_numpy()
    noise = np.random.default_rng(0).normal(size=(RERUNS, *values.shape))
    return float(ladder[(values + errors * noise).argmin(axis=2)].mean(axis=1).std())
