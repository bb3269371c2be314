"""Evidence of models whose evidence is known, and of Choo's eight cases by several estimators.

Run it from the root of the repository, all of it or one of its parts, whose rows are replaced:

    uv run python -m tests.benchmarks.tempering.evidence_of_known_models \
        --part annealed --csv docs/evidence_of_known_models.csv

Linear networks of 1 to 50 weights, with known noise and with its precision learnt, have a closed
form, beside which stand a ladder and a bridge. The network of Choo (2000, Table 5.1) with 8 hidden
units has none: there estimators are beside the mean of all others, weighted by their precision.
Lengths of the annealed and of the sequential estimate follow from one pilot run of each with
another seed, for an error below 0.1 nats; 500 annealing runs gave 0.116, and were doubled. Seconds
are those of all processors added up, the pilot run of a ladder included, without what compiles.
"""

import argparse
import logging
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

from .horseshoe_chains import seconds

SECONDS = "processor seconds"
ANNEALED = {"runs": 1000, "thin": 4, "n_leapfrog": 100}
SEQUENTIAL = {"draws": 4000, "chains": 4, "n_leapfrog": 100}
CHOO = "Choo's eight cases"
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
    """What is measured, and the processor seconds that it took."""
    begun = seconds()
    return measure(seed=1), seconds() - begun


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
                found, took = timed(partial(measure, **draws))
                precision = "learnt" if learnt else "known"
                yield _row(f"{weights} weights, precision {precision}", name, found, took, exact)


def choo_by_ladder() -> Iterator[dict[str, Any]]:
    """Two rows of one ladder on Choo's eight cases."""
    model = choo_network(8)
    samplers.evidence(model, draws=4, n_leapfrog=100, seed=1, **CHAINS)
    ladder = partial(samplers.sample, model, 1000, 300, n_leapfrog=100, **CHAINS)
    temperatures = [1.0, 1.17, 1.53, 2.57, 5.8, 19.0, 170.0, 4600.0, np.inf]
    draws, took = timed(partial(ladder, temperature=temperatures))
    for method in ("mbar", "stepping_stone"):  # the prior's mean log likelihood is beyond float64
        yield _row(CHOO, method, samplers.evidence(draws, method), took)


def choo_annealed() -> Iterator[dict[str, Any]]:
    """A row of annealing runs on Choo's eight cases."""
    model = choo_network(8)
    samplers.annealed_evidence(model, runs=2, tune=4, seed=1, n_leapfrog=4, thin=4)
    found, took = timed(partial(samplers.annealed_evidence, model, **ANNEALED))
    yield _row(CHOO, "annealed, both directions", found.both, took)


def choo_by_cases() -> Iterator[dict[str, Any]]:
    """A row of the sequential estimate on Choo's eight cases."""
    model = choo_network(8)
    samplers.sequential_evidence(model, draws=4, tune=4, seed=1, n_leapfrog=4)
    measure = partial(samplers.sequential_evidence, model, **SEQUENTIAL)
    yield _row(CHOO, "sequential", *timed(measure))


def _row(model: str, way: str, found: Any, took: float, exact: float = np.nan) -> dict[str, Any]:
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
        SECONDS: took,
    }


PARTS = {
    "known": known,
    "ladder": choo_by_ladder,
    "annealed": choo_annealed,
    "sequential": choo_by_cases,
}


def main() -> None:
    """Print a line for each model and way, and write them where wanted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--csv", type=Path, help="file to write")
    parser.add_argument("--part", choices=PARTS, help="one part alone")
    given = parser.parse_args()
    logging.disable()
    rows = []
    for part in [given.part] if given.part else PARTS:
        for row in PARTS[part]():
            rows.append(row)
            print(row, flush=True)
    table = pd.DataFrame(rows)
    print(table.to_string(index=False))
    if given.csv and given.csv.exists():
        before = pd.read_csv(given.csv)
        both = pd.concat([before, table])
        table = both.drop_duplicates(["model", "by"], keep="last")
    if given.csv:
        table.to_csv(given.csv, index=False, float_format="%.5g")


if __name__ == "__main__":
    main()
