"""Heat capacities at temperatures, and means of them between temperatures, with errors."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pandas as pd

from ...pages.kept_tables import Tables
from ...reproduction.estimates import Estimate
from ..design.sweeps import HOTTER
from .levels import Level, level, widened

TWICE = 2.0  # a peak that falls to less than half on both sides is narrower than two steps


class Excess(NamedTuple):
    """A heat capacity at or between temperatures, less twice those of both sides.

    Parameters
    ----------
    places : tuple of float
        The temperature, or the two that it lies between.
    left, right : Estimate
        Over twice the heat capacity on the colder and on the hotter side.
    """

    places: tuple[float, ...]
    left: Estimate
    right: Estimate

    @property
    def lesser(self) -> Estimate:
        """What is less clearly above zero, in standard errors."""
        return min(self.left, self.right, key=lambda one: one.value / one.error)


def energies(rows: pd.DataFrame) -> dict[float, Level]:
    """Mean energies in nats, over chains, by rising temperature."""
    found = {}
    for temperature, one in widened(rows).groupby("temperature"):
        names = "training error", "± training", "wide ± training"
        values, *errors = (one[name] * one["cases"] for name in names)
        found[float(temperature)] = Level(*(level(values, each) for each in errors))
    return found


def effective_draws(rows: pd.DataFrame) -> np.ndarray:
    r"""Draws that a mean energy is worth, :math:`C T^2 / s^2` by its standard error :math:`s`.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.baldock2019.numbers.heat import effective_draws
    >>> row = {"cases": 50, "temperature": 2.0, "± training": 0.02, "heat capacity": 8.25}
    >>> effective_draws(pd.DataFrame([row])).round(6).tolist()
    [33.0]
    """
    variance = (rows["heat capacity"] * rows["temperature"] ** 2).to_numpy()
    square = (rows["± training"] * rows["cases"]).to_numpy() ** 2
    return np.divide(variance, square, out=np.full_like(variance, np.inf), where=square > 0)


def capacities(rows: pd.DataFrame) -> dict[float, Estimate]:
    r"""Heat capacities :math:`C = \mathrm{var} E / T^2`, over chains, by rising temperature.

    A chain's standard error is :math:`C \sqrt{2 / (n - 1)}`, as of a normal energy, for the
    :math:`n = C T^2 / s^2` effective draws that its mean energy's standard error :math:`s` tells
    of. Where an energy has two values, as at a transition, this is more than the error is.

    Parameters
    ----------
    rows : DataFrame
        Chains of a network at finite temperatures.

    Returns
    -------
    dict of float to Estimate
        By temperature; without limits where draws are worth a single one.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.baldock2019.numbers.heat import capacities
    >>> row = {"cases": 50, "temperature": 2.0, "± training": 0.02, "heat capacity": 8.25}
    >>> found = capacities(pd.DataFrame([row]))[2.0]  # 33 effective draws
    >>> round(found.value, 6), round(found.error, 6)
    (8.25, 2.0625)
    """
    found = {}
    for temperature, one in rows.groupby("temperature"):
        capacity, spare = one["heat capacity"].to_numpy(), effective_draws(one) - 1
        share = np.divide(2, spare, out=np.full_like(spare, np.inf), where=spare > 0)
        known = capacity > 0  # a chain that stands still knows nothing of it
        errors = np.multiply(capacity, np.sqrt(share), out=np.full_like(spare, np.inf), where=known)
        found[float(temperature)] = level(capacity, errors)
    return found


def between(rows: pd.DataFrame) -> dict[tuple[float, float], Estimate]:
    """Mean heat capacities between neighbours, which changes of the mean energy are, over steps."""
    found, known = {}, energies(rows)
    for cold, hot in pairwise(known):
        change, step = known[hot].minus(known[cold]), hot - cold
        found[cold, hot] = Estimate(change.value / step, change.error / step, change.freedom)
    return found


def peaks(rows: pd.DataFrame) -> list[Excess]:
    """Heat capacities at each temperature but the first and the last, over twice those beside."""
    known = capacities(rows)
    ladder = list(known)
    sides = zip(ladder[:-2], ladder[1:-1], ladder[2:], strict=True)
    return [_over((here,), known[here], known[cold], known[hot]) for cold, here, hot in sides]


def jumps(rows: pd.DataFrame) -> list[Excess]:
    """Mean heat capacities of each step, over twice those at both of its ends."""
    known = capacities(rows)
    return [
        _over(ends, mean, *(known[end] for end in ends)) for ends, mean in between(rows).items()
    ]


def _over(places: tuple[float, ...], here: Estimate, cold: Estimate, hot: Estimate) -> Excess:
    twice = (Estimate(TWICE * one.value, TWICE * one.error, one.freedom) for one in (cold, hot))
    return Excess(places, *(here.minus(one) for one in twice))


def within_paper(tables: Tables, network: str) -> pd.DataFrame:
    """Chains of a network between reflecting walls, at the paper's temperatures."""
    table = tables.get("temperatures", pd.DataFrame())
    if table.empty:
        return table
    rows = (table["network"] == network) & (table["walls"] == "reflect")
    return table[rows & (table["temperature"] < HOTTER[0])]


def heat(networks: tuple[str, ...], tables: Tables) -> pd.DataFrame:
    """Heat capacities at temperatures, and their means up to the next."""
    rows = []
    for network in networks:
        found = within_paper(tables, network)
        for cases, chains in found.groupby("cases") if len(found) else ():
            named = {"network": network, "cases": cases}
            rows += [named | row for row in _steps(chains)]
    return pd.DataFrame(rows)


def _steps(chains: pd.DataFrame) -> list[dict]:
    rows = []
    means = {cold: mean for (cold, _), mean in between(chains).items()}
    for temperature, here in capacities(chains).items():
        mean = means.get(temperature, Estimate(np.nan, np.nan))
        row = {"temperature": temperature, "heat capacity": here.value, "±": here.error}
        rows.append(row | {"up to the next": mean.value, "± up to it": mean.error})
    return rows
