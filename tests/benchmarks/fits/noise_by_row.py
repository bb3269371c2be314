"""Whether noise by row, or what pilots choose, predicts better than the same noise for all rows.

Run it from the root of the repository:

    uv run --with statsmodels==0.15.0 --with plotly==7.1.0 \
        python -m tests.benchmarks.fits.noise_by_row --csv docs/noise_by_row.csv

Tables that played no part in making the rule of :mod:`pymc_bnn.studies.structure.noise`, the first
two of five folds of each. Both kinds of noise have the layers that pilots with the same noise
choose, and otherwise the defaults of :class:`pymc_bnn.studies.BNNRegressor`; what pilots choose is
one of both. Gains are over the same noise, row by row over both folds, with standard errors:
above 0 the same noise is worse. Seconds are of one processor, for a fold, choices not included.
"""

import argparse
import warnings
from importlib import import_module
from time import process_time
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from pymc_bnn import studies
from pymc_bnn.studies.peers.numbers import USABLE
from pymc_bnn.studies.structure.noise import BY_ROW, choose_noise
from pymc_bnn.studies.tables.encoding import learn_encoding
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold
from sklearn.utils import check_random_state
from threadpoolctl import threadpool_limits

FOLDS, TAKEN, SEED = 5, 2, 0


class Fold(NamedTuple):
    """Scores of the two kinds of noise on a fold, of each row, and which one pilots choose."""

    log_score: np.ndarray
    squared_error: np.ndarray
    seconds: list[float]
    usable: list[bool]
    by_row: bool


def engel() -> tuple[pd.DataFrame, str]:
    """Expenditure of 235 households on food, by their income."""
    return _statsmodels("engel"), "foodexp"


def cancer() -> tuple[pd.DataFrame, str]:
    """Deaths in 301 counties, by their population."""
    return _statsmodels("cancer"), "cancer"


def carshare() -> tuple[pd.DataFrame, str]:
    """Hours that cars are used in 249 zones of Montreal, by place and hour of the peak."""
    return import_module("plotly.data").carshare(), "car_hours"


def macrodata() -> tuple[pd.DataFrame, str]:
    """Inflation in 203 quarters of the United States, by eleven other columns."""
    frame = _statsmodels("macrodata")
    return frame.drop(columns=["quarter", "realint"]), "infl"  # real interest is less inflation


def sunspots() -> tuple[pd.DataFrame, str]:
    """Sunspots of 307 years, by those of the two years before."""
    spots = _statsmodels("sunspots")["SUNACTIVITY"]
    frame = pd.DataFrame({"last": spots.shift(1), "before": spots.shift(2), "now": spots})
    return frame.dropna(), "now"


TABLES = (engel, cancer, carshare, macrodata, sunspots)


def _statsmodels(name: str) -> pd.DataFrame:
    return import_module(f"statsmodels.datasets.{name}").load_pandas().data


def fold_of(frame: pd.DataFrame, target: str, fold: int) -> Fold:
    """Fit both kinds of noise without a fold, and score them on it."""
    train, test = list(KFold(FOLDS).split(frame))[fold]
    encoding = learn_encoding(frame, target, "regression", train)
    X = encoding.inputs(frame)
    y = np.asarray(encoding.targets(frame[target]), float)
    part = X.iloc[train], y[train]
    seed = int(check_random_state(SEED + fold).randint(2**31))  # that of an estimator
    options: dict[str, Any] = {"seed": seed, "cores": 1}
    hidden = studies.choose_structure(*part, "gaussian_noise", **options).hidden
    log_score, squared, seconds, usable = [], [], [], []
    for likelihood in ("gaussian", "heteroscedastic"):
        begun = process_time()
        model = studies.BNNRegressor(
            hidden=hidden, likelihood=likelihood, cores=1, random_state=SEED + fold
        ).fit(*part)
        seconds.append(process_time() - begun)
        log_score.append(model.log_density(X.iloc[test], y[test]))
        squared.append((y[test] - model.predict(X.iloc[test])) ** 2)
        usable.append(model.grade_ in USABLE)
    by_row = choose_noise(*part, hidden, **options).name == BY_ROW
    return Fold(np.array(log_score), np.array(squared), seconds, usable, by_row)


def row(name: str, frame: pd.DataFrame, target: str) -> dict[str, Any]:
    """Gains on one table."""
    order = np.random.default_rng(SEED).permutation(len(frame))
    frame = frame.iloc[order].reset_index(drop=True)
    found = [fold_of(frame, target, fold) for fold in range(TAKEN)]
    always = _gain([one.log_score[1] - one.log_score[0] for one in found])
    chosen = _gain([one.by_row * (one.log_score[1] - one.log_score[0]) for one in found])
    squared = _gain([one.squared_error[0] - one.squared_error[1] for one in found])
    return {
        "table": name,
        "rows": len(frame),
        "inputs": frame.shape[1] - 1,
        "log score": float(np.mean(np.concatenate([one.log_score[0] for one in found]))),
        "by row": always[0],
        "± by row": always[1],
        "chosen": chosen[0],
        "± chosen": chosen[1],
        "by row is chosen": sum(one.by_row for one in found),
        "squared error": squared[0],
        "± squared error": squared[1],
        "usable": sum(one.usable[0] for one in found),
        "usable by row": sum(one.usable[1] for one in found),
        "seconds": float(np.mean([one.seconds[0] for one in found])),
        "seconds by row": float(np.mean([one.seconds[1] for one in found])),
    }


def _gain(parts: list[np.ndarray]) -> tuple[float, float]:
    gain = np.concatenate(parts)
    return float(gain.mean()), float(gain.std(ddof=1) / np.sqrt(len(gain)))


def main() -> None:
    """Print a table, and write it where wanted, after each table of which it is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--csv", help="file to write")
    given = parser.parse_args()
    rows = []
    for table in TABLES:
        with threadpool_limits(1), warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # grades are in the table
            rows.append(row(table.__name__, *table()))
        print(pd.DataFrame(rows).to_string(index=False), flush=True)
        if given.csv:
            pd.DataFrame(rows).to_csv(given.csv, index=False, float_format="%.3g")


if __name__ == "__main__":
    main()
