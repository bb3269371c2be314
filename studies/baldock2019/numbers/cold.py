"""What temperature does to regressions on ordinary tables."""

import pandas as pd

from ...reproduction.results import Results
from ..design.budgets import Budget
from ..runs.stages import cold_key


def cold(results: Results[Budget]) -> pd.DataFrame:
    """Test errors of each split at each temperature."""
    rows = []
    for declared in results.budget.cold:
        for split in range(declared.splits):
            found = results.load(cold_key(declared, split))
            if found is None:
                continue
            for temperature in found["temperature"].values:
                one = found.sel(temperature=temperature)
                rows.append(
                    {
                        "table": declared.table,
                        "units": declared.units,
                        "split": split,
                        "temperature": float(temperature),
                        "test error": float(one["error"]),
                        "RMSE": float(one["rmse"]),
                        "R-hat": float(one["rhat"]),
                    }
                )
    return pd.DataFrame(rows)
