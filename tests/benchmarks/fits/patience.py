"""Whether draws of a regressor can be used if its chains go on, and how long that takes.

Run it from the root of the repository; folds that the table has already are left as they are:

    uv run --with statsmodels==0.15.0 --with plotly==7.1.0 \
        python -m tests.benchmarks.fits.patience --csv docs/patience.csv

Folds of tables of the study of peers, with the defaults of
:class:`pymc_bnn.studies.BNNRegressor` but for ``patience``. *Before* is what draws can be used for
without it: chains that go on were not usable before, for want of mixing alone. Seconds are of one
processor, pilots and compilation included.
"""

import argparse
import warnings
from pathlib import Path
from time import process_time
from typing import Any

import pandas as pd
from pymc_bnn.studies import BNNRegressor
from pymc_bnn.studies.peers.budgets import BUDGETS
from pymc_bnn.studies.peers.fits import cases_of
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

TABLES = ("tips", "diabetes", "star98", "autompg", "boston", "grunfeld", "gapminder")
PATIENCE = 8


def row(table: str, fold: int) -> dict[str, Any]:
    """What the draws of one fit can be used for."""
    cases = cases_of(table, fold, BUDGETS["desk"], 0)
    begun = process_time()
    network = BNNRegressor(patience=PATIENCE, cores=1, random_state=fold)
    network.fit(cases.X, cases.y)
    seconds = process_time() - begun
    return {
        "table": table,
        "fold": fold,
        "rows": len(cases.y),
        "hidden": "-".join(map(str, network.hidden_)),
        "before": network.grade_ if network.times_ == 1 else "not yet",
        "grade": network.grade_,
        "times": network.times_,
        "log score": network.log_density(cases.new, cases.observed).mean(),
        "seconds": seconds,
    }


def main() -> None:
    """Print a table, and write it where wanted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--csv", type=Path, help="file to add to")
    parser.add_argument("--folds", type=int, default=2)
    given = parser.parse_args()
    known = pd.read_csv(given.csv) if given.csv and given.csv.exists() else pd.DataFrame()
    rows = known.to_dict("records")
    done = {(one["table"], one["fold"]) for one in rows}
    for fold in range(given.folds):
        for table in TABLES:
            if (table, fold) in done:
                continue
            with threadpool_limits(1), warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                rows.append(row(table, fold))
            print(pd.DataFrame(rows).to_string(index=False), flush=True)
            if given.csv:
                pd.DataFrame(rows).to_csv(given.csv, index=False, float_format="%.4g")


if __name__ == "__main__":
    main()
