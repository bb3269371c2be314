"""Numbers about algorithms of chapter 2: windows that grow, and the first step size."""

import numpy as np
import pandas as pd

from ..runs.first_steps import FIRST_STEPS_KEY, WAYS
from ..runs.windows import N_LEAPFROG, WINDOWS_KEY
from .results import Results

VARIANCE, UNKNOWN = "variance after an update", "± quadrature"
LEAPFROGS = "leapfrogs, {}"


def windows(results: Results) -> pd.DataFrame:
    """Variance of a standard normal after one update, by rule and step size.

    Its error is the difference to an integral over half as many points along a line.
    """
    found = results.load(WINDOWS_KEY)
    if found is None:
        return pd.DataFrame()
    rows = []
    for update in found["update"].values:
        for size in found["step_size"].values:
            fine, coarse = found["variance"].sel(update=update, step_size=size).values
            row = {"row": str(update), "step size": float(size), "leapfrog steps": N_LEAPFROG}
            rows.append({**row, VARIANCE: fine, UNKNOWN: abs(fine - coarse)})
    return pd.DataFrame(rows)


def first_steps(results: Results) -> pd.DataFrame:
    """Warm-ups from both first step sizes, start by start."""
    found = results.load(FIRST_STEPS_KEY)
    if found is None:
        return pd.DataFrame()
    columns = {
        "first step": "first",
        "leapfrogs": "n_steps",
        "divergences": "diverging",
        "last step": "step_size",
    }
    table = {"row": [f"start {chain + 1}" for chain in range(found.sizes["chain"])]}
    for title, name in columns.items():
        for way, values in zip(WAYS, found[name].transpose("way", "chain").values, strict=True):
            table[f"{title}, {way}"] = list(np.asarray(values, float))
    return pd.DataFrame(table)
