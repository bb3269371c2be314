"""Why the thesis's measure can hardly tell the methods apart: twelve draws leave little room."""

import numpy as np
import pandas as pd

from ..design.budgets import SUPER_TRANSITIONS
from ..design.methods import METHODS
from ..design.published import COMBINED
from .results import Results


def floors(results: Results) -> pd.DataFrame:
    r"""Table of g beside what twelve independent draws would give.

    By Eq. 5.6 the variance of means is :math:`T / N_s` times the posterior variance, and twelve
    super-transitions give twelve draws: with :math:`T = 1`, as if each were independent,
    :math:`g = \prod_k (\operatorname{Var}[\log \sigma_k] / 12)^{1/4}`.
    """
    rows = []
    for width in results.widths:
        summary = results.master(width, True, "summary")
        if summary is None:
            continue
        sd = summary["sd"].sel(hyperparameter=COMBINED).to_numpy()
        floor = float(np.exp(np.mean(np.log(sd**2 / SUPER_TRANSITIONS))))
        for method in results.methods:
            key = results.again(method, width)
            if key is None:
                continue
            ours, every = (results.performance(width, key, every).value for every in (False, True))
            rows.append([METHODS[method].title, width, floor, ours, every])
    columns = ["method", "hidden units", "floor of 12 draws"]
    return pd.DataFrame(rows, columns=[*columns, "g, 12 draws", "g, all draws"])


def saturation(table: pd.DataFrame) -> str:
    """Say how near the floor the thesis's figures are, and what all draws show.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.choo2000.numbers.saturation import saturation
    >>> row = {"method": "Gibbs", "hidden units": 8, "floor of 12 draws": 0.075,
    ...        "thesis recomputed": 0.09, "g, 12 draws": 0.1, "g, all draws": 0.05}
    >>> saturation(pd.DataFrame([row])).split(":")[0]
    "The thesis's figures, recomputed, are 1.20 to 1.20 times what twelve independent draws give"
    """
    if table.empty:
        return "No results to compare yet."
    ratio = (table["thesis recomputed"] / table["floor of 12 draws"]).dropna()
    head = "No figures of the thesis to compare."
    if len(ratio):
        head = (
            f"The thesis's figures, recomputed, are {ratio.min():.2f} to {ratio.max():.2f} times "
            "what twelve independent draws give: its measure could not have shown a large gain of "
            "a method whose draws are at best independent."
        )
    lines = []
    for name, rows in table.groupby("method", sort=False):
        gain = rows["g, 12 draws"] / rows["g, all draws"]
        lines.append(
            f"- {name}: all draws make g {gain.min():.1f} to {gain.max():.1f} times smaller."
        )
    return "\n\n".join([head, "\n".join(lines)])
