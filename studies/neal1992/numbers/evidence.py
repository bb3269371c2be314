"""Evidence of priors beside that of the recommended one: by ladders, and by bridges."""

import numpy as np
import pandas as pd

from ...pages.kept_tables import Tables
from ...reproduction.estimates import Estimate
from ...reproduction.rates import mean_of
from ...reproduction.results import Results
from ..design.budgets import Budget
from ..design.priors import ANNEALED, LOGISTIC, OURS
from ..runs.stages import bridged_key

LOG_EVIDENCE, RATIO = "log evidence", "log ratio"
ONE_SIDED = f"{RATIO}, one-sided"  # by draws of our posterior alone
OF_BRIDGES = {
    "log_ratio": RATIO,
    "standard_error": f"± {RATIO}",
    "one_sided": ONE_SIDED,
    "cautions": "cautions",
}
NOWHERE = Estimate(np.nan, np.inf)


def bridges(results: Results[Budget]) -> pd.DataFrame:
    """Each bridge from our prior to another one, on each data set."""
    rows = []
    for number in range(results.budget.believed):
        found = results.load(bridged_key(number))
        for name in found["prior"].to_numpy() if found is not None else ():
            one = found.sel({"prior": name})
            row = {"prior": str(name), "data set": number}
            rows.append(row | {title: one[key].item() for key, title in OF_BRIDGES.items()})
    return pd.DataFrame(rows)


def bridged(tables: Tables, name: str) -> Estimate:
    """Mean over data sets of a prior's log evidence less ours, by bridges between posteriors."""
    return _mean(_by_bridges(tables, name))


def one_sided(tables: Tables, name: str) -> Estimate:
    """The same by draws of our posterior alone."""
    return _mean(_by_bridges(tables, name, ONE_SIDED))


def laddered(tables: Tables, name: str) -> Estimate:
    """Mean over data sets of a prior's log evidence less ours, each by a ladder of its own."""
    return _mean(_by_ladders(tables, name))


def measured(tables: Tables, name: str) -> Estimate:
    """By bridges where there are some, else by ladders or annealed runs."""
    found = bridged(tables, name)
    return found if np.isfinite(found.value) else laddered(tables, name)


def apart(tables: Tables, name: str) -> Estimate:
    """Mean over data sets of what ladders, or annealed runs, say less what bridges do.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.neal1992.numbers.evidence import apart
    >>> from pymc_bnn.studies.neal1992.design.priors import HEAVY, OURS
    >>> sets = {"data set": [0, 1]}
    >>> ladders = [
    ...     pd.DataFrame(sets | {"prior": name, "log evidence": found})
    ...     for name, found in {OURS: [9.0, 9.0], HEAVY: [5.0, 6.0]}.items()
    ... ]
    >>> bridged = pd.DataFrame(sets | {"prior": HEAVY, "log ratio": [-1.0, -2.0]})
    >>> apart({"priors": pd.concat(ladders), "bridged": bridged}, HEAVY).value
    -2.0
    """
    bridge = LOGISTIC if name == ANNEALED else name
    found, other = _by_ladders(tables, name), _by_bridges(tables, bridge)
    return NOWHERE if found.empty or other.empty else _mean((found - other).dropna())


def cautioned(tables: Tables, name: str) -> str:
    """Say on how many data sets the draws of a bridge gave cautions."""
    rows = tables["bridged"][tables["bridged"]["prior"] == name]
    return f"{int((rows['cautions'] > 0).sum())} of {len(rows)}"


def _by_bridges(tables: Tables, name: str, column: str = RATIO) -> pd.Series:
    if "bridged" not in tables:
        return pd.Series(dtype=float)
    rows = tables["bridged"][tables["bridged"]["prior"] == name]
    return rows.set_index("data set")[column]


def _by_ladders(tables: Tables, name: str) -> pd.Series:
    if "priors" not in tables:
        return pd.Series(dtype=float)
    table = tables["priors"].replace({"prior": {LOGISTIC: ANNEALED}})
    each = table.pivot(index="data set", columns="prior", values=LOG_EVIDENCE)
    there = {name, OURS} <= set(each)
    return each[name] - each[OURS] if there else pd.Series(dtype=float)


def _mean(values: pd.Series) -> Estimate:
    return mean_of(values) if len(values) else NOWHERE
