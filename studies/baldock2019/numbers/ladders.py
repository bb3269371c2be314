"""Log evidence by ladders, with errors as large as chains that begin alike differ by."""

from dataclasses import replace

import numpy as np
import pandas as pd

from ...pages.kept_tables import Tables
from .evidence import LADDERS
from .heat import effective_draws
from .levels import Level, level, level_of

EVIDENCE, OWN = "log evidence", "±"
WIDE, PAIRS = "wide ±", "pairs"
BEGUN = ["network", "cases", "by"]  # chains that begin in one way
ALONE = 1.0  # degrees of freedom of a factor that other networks gave


def ratios(table: pd.DataFrame) -> pd.DataFrame:
    """Squares of the spread of chains that begin alike, over those of their own errors.

    Parameters
    ----------
    table : DataFrame
        Log evidences, as :func:`.evidence.evidence` gives them.

    Returns
    -------
    DataFrame
        ``square`` and ``pairs``, by network, of each kind that has two chains or more.
    """
    rows = table[table["by"].isin(LADDERS)]
    kinds = rows.assign(own=rows[OWN] ** 2).groupby(BEGUN)
    own, pairs = kinds["own"].mean(), kinds.size() - 1
    square = kinds[EVIDENCE].var() / own.where(own > 0)
    found = pd.DataFrame({"square": square, PAIRS: pairs}).reset_index()
    return found[(found[PAIRS] > 0) & found["square"].notna()]


def factor(found: pd.DataFrame) -> float:
    """By how much own errors are too small, by ratios of chains that begin alike; 1 or more."""
    if found.empty:
        return 1.0
    return max(1.0, float(np.sqrt(np.average(found["square"], weights=found[PAIRS]))))


def factors(table: pd.DataFrame) -> pd.DataFrame:
    """Factor of each network, and how many degrees of freedom it has.

    A pair of chains says little of its own, so that those of a network are taken together, with
    all numbers of cases and both directions. Networks are not, as they differ: where one has no
    pair, the factor of all is what there is, and worth one degree of freedom.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.baldock2019.numbers.ladders import factors
    >>> named = {"network": ["M3", "M3", "M1"], "cases": 50, "by": "cooling", "±": 1.0}
    >>> table = pd.DataFrame(named | {"log evidence": [-9.0, -1.0, -9.0]})
    >>> factors(table)["factor"].round(2).to_dict()
    {'M3': 5.66, 'M1': 5.66}
    """
    found = ratios(table)
    each = {}
    for network in table["network"].unique():
        own = found[found["network"] == network]
        pooled = own.empty and len(found) > 0
        pairs = ALONE if pooled else float(own[PAIRS].sum()) or np.inf
        each[network] = {"factor": factor(found if pooled else own), PAIRS: pairs}
    return pd.DataFrame.from_dict(each, orient="index", columns=["factor", PAIRS])


def widened_ladders(table: pd.DataFrame) -> pd.DataFrame:
    """Log evidences with errors that are multiplied by the factors of their networks.

    Those of ladders alone are: a bridge and the paper have the spread of their chains.
    """
    each = factors(table).reindex(table["network"].to_numpy())
    ladders = table["by"].isin(LADDERS).to_numpy()
    wide = np.where(ladders, table[OWN] * each["factor"].to_numpy(), table[OWN])
    return table.assign(**{WIDE: wide, PAIRS: np.where(ladders, each[PAIRS], np.inf)})


def evidence_of(rows: pd.DataFrame) -> Level:
    """Mean over chains of one network, of :func:`widened_ladders`."""
    wide = level(rows[EVIDENCE], rows[WIDE])
    freedom = float(np.min([wide.freedom, *rows[PAIRS]]))
    return Level(level_of(rows, EVIDENCE), replace(wide, freedom=freedom))


def corrections(tables: Tables) -> pd.DataFrame:
    """What the correction of second order adds to trapezia, of each ladder (in nats).

    Returns
    -------
    DataFrame
        ``nats``, and the ``draws`` that the mean energy is worth where it is worth fewest, of all
        finite temperatures from 1 up.
    """
    known = tables["evidence"].set_index([*BEGUN, "chain"])[EVIDENCE]
    table = tables["temperatures"]
    table = table[(table["walls"] == "reflect") & (table["temperature"] > 1 - 1e-9)]
    rows = []
    for key, one in table.groupby(["network", "cases", "direction", "chain"], sort=False):
        one = one.sort_values("temperature", ascending=False)
        energy = one["training error"] * one["cases"]
        trapezia = float(np.trapezoid(-energy, 1 / one["temperature"]))
        draws = effective_draws(one[np.isfinite(one["temperature"])]).min()
        if key in known.index:
            rows.append({"nats": float(known[key]) - trapezia, "draws": float(draws)})
    return pd.DataFrame(rows, columns=["nats", "draws"])
