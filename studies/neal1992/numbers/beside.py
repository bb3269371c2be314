"""Tables of integrators, priors, and of what is left of an error after longer runs."""

import numpy as np
import pandas as pd

from ...pages.kept_tables import Tables
from ...reproduction.estimates import Estimate
from ...reproduction.rates import mean_of
from ..design.priors import ANNEALED, LOGISTIC, OURS, PRIORS
from .evidence import LOG_EVIDENCE, bridged, laddered, measured

SCORES = ["log score", "excess", "covered outside"]


def integrators_by_target(tables: Tables) -> pd.DataFrame:
    """Integrators and masses at each target: means over data sets."""
    if "integrators" not in tables:
        return pd.DataFrame()
    found = tables["integrators"].groupby(["target", "integrator"], sort=False)
    means = found[["acceptance", "step_size", "outputs", "energy"]].mean().reset_index()
    counts = found.size().to_numpy()
    names = {"step_size": "step size per gradient", "outputs": "ESS per million, outputs"}
    means = means.rename(columns={**names, "energy": "ESS per million, energy"})
    return means.assign(**{"data sets": counts})


def by_prior(tables: Tables) -> pd.DataFrame:
    """Evidence and scores of each prior on each data set, by samplers that do not lag.

    Runs that anneal the report's network measure its evidence, and have a row of their own. Scores
    of its prior are those of the recommended sampler, on the data sets where priors are compared.
    """
    if "priors" not in tables:
        return pd.DataFrame()
    table = tables["priors"].replace({"prior": {LOGISTIC: ANNEALED}})
    sets = tables.get("sets", pd.DataFrame({"fit": []}))
    fits = sets[sets["fit"] == LOGISTIC]
    if fits.empty:
        return table
    fits = fits[fits["data set"].isin(table["data set"])]
    return pd.concat([table, fits[["data set", *SCORES]].assign(prior=LOGISTIC)])


def of_priors(tables: Tables) -> pd.DataFrame:
    """Each prior, and by how much it differs from ours on the same data sets."""
    table, rows = by_prior(tables), []
    there = set(table.get("prior", ()))
    for name in [name for name in (*PRIORS, LOGISTIC, ANNEALED) if name in there]:
        found = table[table["prior"] == name]
        row = {"prior": name, "data sets": len(found)}
        for what in (LOG_EVIDENCE, *SCORES):
            if what == LOG_EVIDENCE:
                less = measured(tables, name)
            else:
                less = less_than(table, name, OURS, what)
            row |= {what: found[what].mean()}
            if name != OURS and what != "covered outside":
                row |= {f"{what} less ours": less.value, f"± {what}": less.error}
            if what == LOG_EVIDENCE and np.isfinite(bridged(tables, name).value):
                by_ladder = laddered(tables, name)
                row |= {"by ladder, less ours": by_ladder.value, "± by ladder": by_ladder.error}
        rows.append(row | ({"lag": found["lag"].mean()} if name == ANNEALED else {}))
    return pd.DataFrame(rows).replace(np.inf, np.nan)


def less_than(table: pd.DataFrame, name: str, other: str, what: str) -> Estimate:
    """Mean over data sets of a prior's number less another's; both vary by their own errors too."""
    each = table.pivot(index="data set", columns="prior", values=what)
    if not {name, other} <= set(each):
        return Estimate(np.nan, np.inf)
    return mean_of(each[name] - each[other])


def typical(table: pd.DataFrame) -> int:
    """Run of experiment 2 with the median test error; of an even number the lower of two.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.neal1992.numbers.beside import typical
    >>> typical(pd.DataFrame({"run": [0, 1, 2, 3], "test error": [579.0, 450.0, 430.0, 443.0]}))
    3
    """
    ordered = table.sort_values(["test error", "run"])["run"]
    return int(ordered.iloc[(len(ordered) - 1) // 2])


def without_sampling_error(tables: Tables) -> Estimate:
    """Excess that short chains would have if they were endless.

    With :math:`B` that of the posterior mean and :math:`V` the variance of a chain's average, one
    chain has :math:`B + V` on average and :math:`k` chains together have :math:`B + V / k`, so that
    :math:`B` is :math:`k / (k - 1)` times the latter less the former over :math:`k - 1`.
    """
    if not {"sets", "starts"} <= set(tables):
        return Estimate(np.nan, np.inf)
    of = {name: tables[name][tables[name]["fit"] == "short"] for name in ("sets", "starts")}
    if of["sets"].empty:
        return Estimate(np.nan, np.inf)
    single = of["starts"].groupby("data set")["excess"]
    count = single.size()
    if not (count > 1).all():
        return Estimate(np.nan, np.inf)
    together = of["sets"].set_index("data set")["excess"]
    return mean_of((count * together - single.mean()) / (count - 1))
