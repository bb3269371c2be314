"""Effective draws a second, and how far seconds of the same work differ."""

from collections.abc import Mapping

import pandas as pd

from ...pages.kept_tables import Tables
from ..rules.mixing import LEAST

# rows that are one network, sampled with the same seed: the same draws, each timed by itself
SAME_RUN = {
    "termination": "nuts",
    "scaled_priors": "normal-35",
    "trajectories": "dynamic",
    "information_criterion": "35",
}


def rates(table: pd.DataFrame, column: str, title: str) -> str:
    """Write how many effective draws a second brings, where there are enough to say so.

    Parameters
    ----------
    table : DataFrame
        By rows, with seconds.
    column : str
        Of effective draws.
    title : str
        Of what.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.lau2018.words.rates import rates
    >>> table = pd.DataFrame({"ESS": [300.0, 9.0], "seconds": [60.0, 1.0]}, ["nuts", "static"])
    >>> rates(table, "ESS", "the variance")
    'Effective draws of the variance per second: nuts 5; too few (below 100) for static.'
    """
    enough = table[column] >= LEAST
    per = table[column][enough] / table["seconds"][enough]
    parts = [", ".join(f"{row} {value:.2g}" for row, value in per.items())]
    few = ", ".join(str(row) for row in table.index[~enough])
    parts.append(f"too few (below {LEAST:g}) for {few}" if few else "")
    return f"Effective draws of {title} per second: {'; '.join(part for part in parts if part)}."


def timed(tables: Tables) -> str:
    """Say how far seconds of the same draws are apart; empty unless they were timed twice.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.lau2018.words.rates import timed
    >>> one = pd.DataFrame({"row": ["nuts"], "seconds": [90.0]})
    >>> other = pd.DataFrame({"row": ["dynamic"], "seconds": [79.0]})
    >>> timed({"termination": one, "trajectories": other})
    'Seconds vary: the same draws (nuts, dynamic) took 79 to 90 s.'
    """
    seconds = _of_same_run(tables)
    if len(seconds) < 2:
        return ""
    low, high = min(seconds.values()), max(seconds.values())
    return f"Seconds vary: the same draws ({', '.join(seconds)}) took {low:.3g} to {high:.3g} s."


def _of_same_run(tables: Tables) -> Mapping[str, float]:
    found = {}
    for name, row in SAME_RUN.items():
        table = tables.get(name, pd.DataFrame({"row": []}))
        same = table[table["row"] == row]
        if len(same):
            found[row] = float(same["seconds"].iloc[0])
    return found
