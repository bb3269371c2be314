"""Tables that follow from those that are kept."""

import numpy as np
import pandas as pd

from ...pages.kept_tables import Tables
from ..design.networks import NETWORKS, WIDTHS
from ..design.sweeps import HOTTER
from ..runs.bridging import CASES
from .evidence import BRIDGE, LADDERS, PAPER
from .heat import effective_draws
from .ladders import WIDE, evidence_of, widened_ladders
from .levels import widened

FEWEST = 5.0  # effective draws of an energy whose variance is told
CLEAR = 2.0  # standard errors of a difference
MEANS = [
    "training error",
    "test error",
    "predictive",
    "wrong %",
    "filled",
    "heat capacity",
    "acceptance",
]
BY = ["network", "cases", "walls", "direction", "temperature"]


def curves(tables: Tables) -> pd.DataFrame:
    """Means over chains at each temperature, and the test error of minimised networks."""
    table = tables.get("temperatures", pd.DataFrame())
    if table.empty:
        return table
    found = table.assign(**{"heat capacity": known_capacities(table)})
    found = found.groupby(BY, sort=False)[MEANS].mean().reset_index()
    known = tables.get("minimised", pd.DataFrame())
    if known.empty:
        return found.assign(minimised=np.nan)
    of = known.set_index(["network", "cases"])["test error"]
    keys = zip(found["network"], found["cases"], strict=True)
    return found.assign(minimised=[of.get(key, np.nan) for key in keys])


def known_capacities(table: pd.DataFrame) -> pd.Series:
    """Heat capacities of chains, but those whose energies are worth fewer than five draws.

    What an energy drifts by, as a chain has not arrived, would count as heat.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.baldock2019.numbers.derived import known_capacities
    >>> row = {"cases": 50, "temperature": 2.0, "heat capacity": 8.25}  # a variance of 33
    >>> rows = pd.DataFrame([row | {"± training": error} for error in (0.02, 0.06)])
    >>> known_capacities(rows).tolist()
    [8.25, nan]
    """
    prior = ~np.isfinite(table["temperature"])
    return table["heat capacity"].where(prior | (effective_draws(table) >= FEWEST))


def curves_of(network: str, walls: str, tables: Tables) -> pd.DataFrame:
    """Curves of one network with walls of one kind."""
    found = curves(tables)
    if found.empty:
        return found
    rows = (found["network"] == network) & (found["walls"] == walls)
    return found[rows].drop(columns=["network", "walls"]).reset_index(drop=True)


def stopping(tables: Tables) -> pd.DataFrame:
    """Where annealing would stop early (3.4): at the last temperature before errors clearly rise.

    Test cases stand for validation cases, so that what is gained is what could be gained at best.
    """
    table = tables.get("temperatures", pd.DataFrame())
    if table.empty or "direction" in tables.get("exchanges", pd.DataFrame()):
        return pd.DataFrame()  # replicas of a ladder do not go from temperature to temperature
    rows = (table["direction"] == "cooling") & (table["walls"] == "reflect")
    cooled = widened(table[rows])
    cooled = cooled[cooled["temperature"] < HOTTER[0]]
    rows = []
    for (network, cases, chain), one in cooled.groupby(["network", "cases", "chain"], sort=False):
        path = one.sort_values("temperature", ascending=False).reset_index(drop=True)
        # a chain that is annealed knows its own errors alone
        noise = np.hypot(path["± test"].to_numpy()[1:], path["± test"].to_numpy()[:-1])
        rises = np.flatnonzero(np.diff(path["test error"]) > CLEAR * noise)
        stop = path.iloc[int(rises[0]) if rises.size else -1]
        best = path.loc[path["test error"].idxmin()]
        rows.append(
            {
                "network": network,
                "cases": cases,
                "chain": chain,
                "stops at T": stop["temperature"],
                "error there": stop["test error"],
                "± there": stop["wide ± test"],
                "best T": best["temperature"],
                "least error": best["test error"],
                "± least": best["wide ± test"],
            }
        )
    return pd.DataFrame(rows)


def evidence_by_way(tables: Tables) -> pd.DataFrame:
    """Log evidence by each way of getting it, with means over chains."""
    table = tables.get("evidence", pd.DataFrame())
    rows = []
    if table.empty:
        return table
    table = widened_ladders(table)
    for (network, cases), one in table.groupby(["network", "cases"], sort=False):
        row = {"network": NETWORKS[str(network)].title, "cases": cases}
        for by in (PAPER, BRIDGE, *LADDERS):
            here = one[one["by"] == by]
            found, sign = evidence_of(here), WIDE if by in LADDERS else "±"
            row |= {by: found.wide.value, f"{sign} {by}": found.wide.error}
        rows.append(row)
    return pd.DataFrame(rows).dropna(axis="columns", how="all")  # ways that were not run


def widths(tables: Tables) -> pd.DataFrame:
    """Log evidence of M(3) less that of M(1), by the width of the box and the way of the chains."""
    table = tables.get("evidence", pd.DataFrame())
    if table.empty:
        return table
    table = widened_ladders(table)
    table = table[table["cases"] == CASES]
    rows = []
    for factor, names in WIDTHS.items():
        for by in LADDERS:
            deep, shallow = (
                evidence_of(table[(table["network"] == n) & (table["by"] == by)]).wide
                for n in names
            )
            rows.append(
                {
                    "factor": factor,
                    "chains": by,
                    "M(3)": deep.value,
                    "M(1)": shallow.value,
                    "M(3) less M(1)": deep.value - shallow.value,
                    WIDE: float(np.hypot(deep.error, shallow.error)),
                }
            )
    found = pd.DataFrame(rows)
    return found[np.isfinite(found["M(3) less M(1)"])]
