"""Evidence of models whose evidence is known, and of Choo's eight cases by several estimators.

Run it from the root of the repository:

    uv run python -m tests.benchmarks.tempering.evidence_of_known_models \
        --csv docs/evidence_of_known_models.csv

Linear networks of 1 to 50 weights, with known noise and with its precision learnt, have a closed
form, beside which stand a ladder and a bridge. The network of Choo (2000, Table 5.1) with 8 hidden
units has none: there estimators are beside the mean of all others, weighted by their precision.
Seconds are of both processors, the pilot run of a ladder included, without what compiles.
"""

import argparse
import logging
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pymc as pm
from pymc_bnn import samplers
from pymc_bnn.studies.choo2000.design.network import choo_network
from scipy import stats

CASES = 60
QUIET = {"cores": 2, "progressbar": False, "quiet": True}
CHAINS = {"chains": 4, **QUIET}


def linear(weights: int, learnt: bool) -> tuple[pm.Model, float]:
    """A linear network, and its log evidence."""
    rng = np.random.default_rng(weights)
    X = rng.normal(size=(CASES, weights))
    y = X @ rng.normal(size=weights) / np.sqrt(weights) + 0.5 * rng.normal(size=CASES)
    covariance = np.eye(CASES) + X @ X.T / weights
    with pm.Model() as model:
        sd = pm.Gamma("precision", 2.0, 0.5) ** -0.5 if learnt else 0.5
        w = pm.Normal("w", 0.0, sd / np.sqrt(weights), shape=weights)
        pm.Normal("y", (X * w).sum(axis=1), sd, observed=y)
    if learnt:
        return model, float(stats.multivariate_t(np.zeros(CASES), covariance / 4, df=4).logpdf(y))
    exact = stats.multivariate_normal(np.zeros(CASES), covariance / 4).logpdf(y)
    return model, float(exact)


def timed(measure: Callable[..., Any]) -> tuple[Any, float]:
    """What is measured, and the seconds that it took."""
    begun = time.perf_counter()
    return measure(seed=1), time.perf_counter() - begun


def known() -> Iterator[dict[str, Any]]:
    """A row for each linear network and way."""
    for learnt in (False, True):
        for weights in (1, 5, 50):
            model, exact = linear(weights, learnt)
            options = {"n_leapfrog": 20} if learnt else {}
            ways = {
                "ladder": partial(samplers.evidence, model, **CHAINS, **options),
                "bridge": partial(samplers.bridge_evidence, model, n_leapfrog=20, centre="mean"),
            }
            ways["ladder"](draws=4, seed=1)  # nothing is left to compile
            for name, measure in ways.items():
                draws = {"draws": 500} if name == "ladder" else {}
                found, seconds = timed(partial(measure, **draws))
                precision = "learnt" if learnt else "known"
                yield _row(f"{weights} weights, precision {precision}", name, found, seconds, exact)


def choo() -> list[dict[str, Any]]:
    """A row for each estimator on Choo's eight cases, beside all others."""
    model = choo_network(8)
    samplers.evidence(model, draws=4, n_leapfrog=100, seed=1, **CHAINS)
    ladder = partial(samplers.sample, model, 1000, 300, n_leapfrog=100, **CHAINS)
    temperatures = [1.0, 1.17, 1.53, 2.57, 5.8, 19.0, 170.0, 4600.0, np.inf]
    draws, seconds = timed(partial(ladder, temperature=temperatures))
    what = "Choo's eight cases"
    rows = []
    for method in ("mbar", "stepping_stone"):  # the prior's mean log likelihood is beyond float64
        rows.append(_row(what, method, samplers.evidence(draws, method), seconds))
    annealed, seconds = timed(partial(samplers.annealed_evidence, model, n_leapfrog=100))
    rows.append(_row(what, "annealed, both directions", annealed.both, seconds))
    found, seconds = timed(partial(samplers.sequential_evidence, model, chains=4))
    rows.append(_row(what, "sequential", found, seconds))
    return rows


def _row(model: str, way: str, found: Any, seconds: float, exact: float = np.nan) -> dict[str, Any]:
    value, error = (
        (found.log_evidence, found.standard_error) if hasattr(found, "log_evidence") else found
    )
    return {
        "model": model,
        "by": way,
        "log evidence": value,
        "error": error,
        "exactly": exact,
        "errors off": (value - exact) / error,
        "seconds": seconds,
    }


def main() -> None:
    """Print a line for each model and way, and write them where wanted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--csv", type=Path, help="file to write")
    given = parser.parse_args()
    logging.disable()
    rows = []
    for row in known():
        rows.append(row)
        print(row, flush=True)
    rows += choo()
    table = pd.DataFrame(rows)
    print(table.to_string(index=False))
    if given.csv:
        table.to_csv(given.csv, index=False, float_format="%.5g")


if __name__ == "__main__":
    main()
