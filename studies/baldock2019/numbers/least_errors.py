"""Where errors are least, of chains that went through temperatures, and what errors differ by."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ...reproduction.estimates import Estimate
from .levels import CHAIN, ERRORS, WIDE, level, levels_of, over_directions

RERUNS = 1000


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
    >>> from pymc_bnn.studies.baldock2019.numbers.least_errors import least_error
    >>> rows = pd.DataFrame({"direction": "cooling", "chain": [0, 0, 1, 1], "± test": 0.1})
    >>> rows["wide ± test"] = 0.2
    >>> found = least_error(rows.assign(**{"test error": [3.0, 2.0, 1.0, 4.0]}))
    >>> found.value, found.error, found.freedom
    (1.5, 0.5, 1)
    """
    places = rows.groupby(list(CHAIN))["test error"].idxmin()
    there = rows.loc[places]
    return over_directions(there, lambda one: levels_of(one, "test error")).wider


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
    >>> from pymc_bnn.studies.baldock2019.numbers.least_errors import least
    >>> rows = pd.DataFrame(
    ...     {"chain": [0, 0, 0, 1, 1, 1], "temperature": [0.1, 1.0, 10.0] * 2}
    ... ).assign(error=[3.0, 1.0, 2.0, 2.0, 1.5, 1.0])
    >>> found = least(rows, "error", ["chain"])
    >>> found.value, round(found.error, 3), found.freedom
    (0.5, 0.577, 1)
    """
    own, ladder, within = _places(rows, name, each)
    if own.size < 2:
        return Estimate(float(own.mean()), np.inf)
    spread = max(own.std(ddof=1) / np.sqrt(own.size), _moved(rows, name, each, ladder))
    return Estimate(float(own.mean()), float(np.hypot(spread, within)), own.size - 1)


def least_if_alike(rows: pd.DataFrame, name: str, each: Sequence[str] = CHAIN) -> Estimate:
    """What :func:`least` would be if all chains had their least error there, without doubt.

    So many chains cannot say more, between temperatures that are so far from each other.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.baldock2019.numbers.least_errors import least_if_alike
    >>> rows = pd.DataFrame(
    ...     {"chain": [0, 0, 0, 1, 1, 1], "temperature": [0.1, 1.0, 10.0] * 2}
    ... ).assign(error=[3.0, 1.0, 2.0, 2.0, 1.5, 1.0])
    >>> found = least_if_alike(rows, "error", ["chain"])
    >>> found.value, round(found.error, 3), found.freedom
    (0.5, 0.289, 1)
    """
    own, _, within = _places(rows, name, each)
    error = within if own.size > 1 else np.inf
    return Estimate(float(own.mean()), float(error), max(own.size - 1, 1))


def _places(
    rows: pd.DataFrame, name: str, each: Sequence[str]
) -> tuple[np.ndarray, np.ndarray, float]:
    """Where each chain has its least error, all temperatures, and the error of a step.

    Temperatures are logarithms to base ten.
    """
    values = rows.pivot(index=list(each), columns="temperature", values=name).fillna(np.inf)
    ladder = np.log10(values.columns.to_numpy(float))
    places = values.to_numpy().argmin(axis=1)
    steps = np.diff(ladder)
    beside = np.clip([places - 1, places], 0, steps.size - 1)
    return ladder[places], ladder, float(steps[beside].max() / np.sqrt(12.0))


def _moved(rows: pd.DataFrame, name: str, each: Sequence[str], ladder: np.ndarray) -> float:
    """Standard deviation of the mean place of least errors, as their own errors move it."""
    beside = next((b for b in (WIDE.get(name), ERRORS.get(name)) if b in rows), None)
    if beside is None:
        return 0.0
    tables = [rows.pivot(index=list(each), columns="temperature", values=n) for n in (name, beside)]
    values, errors = tables[0].fillna(np.inf).to_numpy(), tables[1].fillna(0.0).to_numpy()
    noise = np.random.default_rng(0).normal(size=(RERUNS, *values.shape))
    return float(ladder[(values + errors * noise).argmin(axis=2)].mean(axis=1).std())
