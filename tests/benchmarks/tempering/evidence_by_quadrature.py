"""Evidence of networks of one and of two weights by every estimator, beside quadrature.

Run it from the root of the repository:

    uv run python -m tests.benchmarks.tempering.evidence_by_quadrature \
        --csv docs/evidence_by_quadrature.csv

Both networks classify nine cases, so that neither has a closed form. Every estimator runs three
times, with seeds 1 to 3; how far each is from quadrature is counted in its own standard errors. The
estimators of a ladder share its draws. The network of two weights has two modes of equal mass,
which the bridge's assumption excludes, so that it has no bridge.
"""

import argparse
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from pymc_bnn import models, samplers
from scipy.special import expit, log_expit, logsumexp
from scipy.stats import norm

SEEDS = range(1, 4)
SD = 2.0  # of every weight
X = np.linspace(-2.0, 2.0, 9)
Y = (np.random.default_rng(1).random(9) < expit(1.5 * X)).astype(int)
GRID = np.linspace(-14.0, 14.0, 1401)  # seven standard deviations of the prior
TEMPERATURES = [1 / power if power else np.inf for power in (np.linspace(1, 0, 17) ** 5).tolist()]
QUIET = {"cores": 2, "progressbar": False, "quiet": True, "compute_convergence_checks": False}
STEPS = {"n_leapfrog": 10}


def network(weights: int) -> models.BNN:
    """The network ``w x``, or ``v tanh(w x)``, of the logit of a class."""
    hidden = (1,) if weights == 2 else ()
    prior, data = models.Gaussian(sd=SD), (X[:, None], Y)
    return models.BNN(*data, hidden, prior=prior, likelihood="bernoulli", biases=False)


def exact(weights: int) -> float:
    """Log evidence by quadrature on a grid."""
    signs = 2.0 * Y - 1.0
    units = GRID[:, None] * X if weights == 1 else np.tanh(GRID[:, None] * X)
    outer = np.ones(1) if weights == 1 else GRID
    density = log_expit(outer[:, None, None] * units * signs).sum(axis=2)
    density = density + norm.logpdf(GRID, 0.0, SD)
    density += norm.logpdf(outer, 0.0, SD)[:, None] if weights == 2 else 0.0
    return float(logsumexp(density) + weights * np.log(GRID[1] - GRID[0]))


def by_ladder(model: models.BNN, seed: int) -> dict[str, tuple[float, float]]:
    """Three estimators from the same draws."""
    run = {"temperature": TEMPERATURES, "chains": 4, "seed": seed, **STEPS, **QUIET}
    draws = samplers.sample(model, 500, 200, **run)
    found = {}
    for method in ("mbar", "stepping_stone", "thermodynamic_integration"):
        one = samplers.evidence(draws, method)
        found[method] = one.log_evidence, one.standard_error
    return found


def annealed(model: models.BNN, seed: int) -> dict[str, tuple[float, float]]:
    """Weights of both directions, and integrals along the same runs."""
    found = samplers.annealed_evidence(model, runs=50, moves=4, seed=seed, **STEPS)
    return {"annealed, both": found.both, "annealed, integrated": found.integrated.both}


def bridge(model: models.BNN, seed: int) -> dict[str, tuple[float, float]]:
    """From a fitted quadratic; sixteen chains, whose spread is the error."""
    run = {"bridges": 20, "trajectories": 50, "chains": 16, "n_leapfrog": 10, "seed": seed}
    found = samplers.bridge_evidence(model, **run)
    return {"bridge": (found.log_evidence, found.standard_error)}


def sequential(model: models.BNN, seed: int) -> dict[str, tuple[float, float]]:
    """From one case to the next."""
    found = samplers.sequential_evidence(model, 300, 100, seed=seed, **STEPS)
    return {"sequential": (found.log_evidence, found.standard_error)}


def measured(weights: int) -> Iterator[dict[str, Any]]:
    """A row for each estimator of a network."""
    model, truth = network(weights), exact(weights)
    ways: list[Callable] = [by_ladder, annealed, sequential, *([bridge] if weights == 1 else [])]
    for way in ways:
        runs = [way(model, seed) for seed in SEEDS]
        for name in runs[0]:
            values, errors = np.array([run[name] for run in runs]).T
            scores = (values - truth) / errors
            yield {
                "weights": weights,
                "by": name,
                "exactly": truth,
                "log evidence": values.mean(),
                "error": np.sqrt(np.mean(errors**2)),
                "within two errors": int(np.sum(np.abs(scores) <= 2)),
                "runs": len(scores),
                "largest errors off": scores[np.argmax(np.abs(scores))],
            }


def main() -> None:
    """Print a line for each network and estimator, and write them where wanted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--csv", type=Path, help="file to write")
    given = parser.parse_args()
    logging.disable()
    rows = []
    for weights in (1, 2):
        for row in measured(weights):
            rows.append(row)
            print(row, flush=True)
    if given.csv:
        pd.DataFrame(rows).to_csv(given.csv, index=False, float_format="%.5g")


if __name__ == "__main__":
    main()
