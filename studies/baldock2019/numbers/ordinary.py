"""What exchange does for ordinary tables."""

import numpy as np
import pandas as pd

from ...reproduction.results import Results
from ..design.budgets import Budget
from ..runs.ordinary import WAYS
from ..runs.stages import ordinary_key


def ordinary(results: Results[Budget]) -> pd.DataFrame:
    """R-hat and effective draws per second of both ways, by table, prior and network.

    Where a chain stands still the effective draws are unknown, and count as one of each chain.
    """
    rows = []
    for declared in results.budget.ordinary:
        found = results.load(ordinary_key(declared))
        if found is None:
            continue
        row: dict[str, str | float] = {
            "table": declared.table,
            "prior": declared.variant,
            "units": declared.units,
        }
        for way in WAYS:
            one = found.sel(way=way)
            row[f"R-hat {way}"] = float(one["rhat"])
            for name, ending in (("", ""), ("hyper ", "_hyper")):
                draws = float(one[f"ess{ending}"])
                draws = declared.chains if np.isnan(draws) else draws
                row[f"ESS/s {name}{way}"] = draws / float(one["seconds"])
            row[f"R-hat hyper {way}"] = float(one["rhat_hyper"])
            row[f"seconds {way}"] = float(one["seconds"])
        rows.append(row)
    return pd.DataFrame(rows)
