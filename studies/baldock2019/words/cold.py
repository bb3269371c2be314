"""What the page says of temperatures of regressions."""

import pandas as pd

from ...pages.kept_tables import Tables
from ...reproduction.claims import Claim, write
from ..numbers.least_errors import differences, least
from . import judgements as rules
from .best import best_within, of_best
from .judgements import says


def summed(tables: Tables) -> pd.DataFrame:
    """Means over splits at each temperature, and differences to T = 1, split by split."""
    table = tables.get("cold", pd.DataFrame())
    rows = []
    if table.empty:
        return table
    for (name, units), one in table.groupby(["table", "units"], sort=False):
        found = differences(one.assign(**EXACT), "test error", ["split"], best=1.0)
        for temperature, at in one.groupby("temperature"):
            estimate = found[float(temperature)]
            rows.append(
                {
                    "table": name,
                    "units": units,
                    "temperature": temperature,
                    "test error": at["test error"].mean(),
                    "less that at 1": estimate.value,
                    "±": estimate.error,
                    "RMSE": at["RMSE"].mean(),
                    "largest R-hat": at["R-hat"].max(),
                }
            )
    return pd.DataFrame(rows)


EXACT = {"± test": 0.0}  # of a split, as all are compared by their own spread


def _unlike(rows: pd.DataFrame) -> str:
    """Say at which temperatures chains of a split do not agree; empty if there is none."""
    largest = rows.groupby("temperature")["R-hat"].max()
    apart = largest[largest > rules.APART]
    if apart.empty:
        return ""
    places = ", ".join(f"{t:g}" for t in apart.index)
    return f"chains at T = {places} do not agree: R-hat up to {apart.max():.3g}"


def cold(tables: Tables) -> str:
    """Conclude on the best temperature of regressions."""
    claims = []
    for (name, units), one in tables["cold"].groupby(["table", "units"], sort=False):
        rows = one.assign(**EXACT)
        best = least(rows, "test error", ["split"])
        means = rows.groupby("temperature")["test error"].mean()
        colder = {
            f"T = {t:g}": estimate
            for t, estimate in differences(rows, "test error", ["split"], best=1.0).items()
            if t != 1.0
        }
        unlike = _unlike(rows)
        said = [
            f"{of_best(best, means.index)}; least mean {means.min():.3g} at T = {means.idxmin():g}",
            *filter(None, [unlike]),
        ]
        more = f". Less that at T = 1: {says(colder, 'nats')}"
        text = f"The best temperature of {units} units on {name} is about 1"
        verdict = rules.cautioned(best_within(best, 1 / rules.NEAR, rules.NEAR), unlike)
        claims.append(Claim(text, verdict, "; ".join(said) + more, "best"))
    return write(claims)
