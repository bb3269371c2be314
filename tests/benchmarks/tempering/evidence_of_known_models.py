"""Evidence of models whose evidence is known, and of Choo's network by several estimators.

Run it from the root of the repository:

    uv run python -m tests.benchmarks.tempering.evidence_of_known_models

Linear networks of 1 to 50 weights, with the noise known and with its precision learnt, against the
closed form, by a ladder and by a bridge; then the network of Choo (2000, Table 5.1) with 8 hidden
units, by each estimator, with the seconds that the ladder took on two cores.
"""

import logging
import time
from functools import partial

import numpy as np
import pymc as pm
from pymc_bnn import samplers
from pymc_bnn.studies.choo2000.design.network import choo_network
from scipy import stats

CASES = 60
QUIET = {"chains": 4, "cores": 2, "progressbar": False, "quiet": True}


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


def main() -> None:
    """Print a line for each model."""
    logging.disable()
    for learnt in (False, True):
        for weights in (1, 5, 50):
            model, exact = linear(weights, learnt)
            options = {"n_leapfrog": 20} if learnt else {}
            ladder = partial(samplers.evidence, draws=500, **QUIET, **options)
            bridge = partial(samplers.bridge_evidence, n_leapfrog=20, centre="mean")
            for name, measure in (("ladder", ladder), ("bridge", bridge)):
                begun = time.perf_counter()
                found = measure(model, seed=1)
                seconds = time.perf_counter() - begun
                score = (found.log_evidence - exact) / found.standard_error
                print(
                    f"{weights} weights, precision {'learnt' if learnt else 'known'}, {name}: "
                    f"{found.log_evidence:.3f} +- {found.standard_error:.3f}, exactly {exact:.3f}: "
                    f"{score:+.1f} standard errors, {seconds:.0f} s",
                    flush=True,
                )
    model = choo_network(8)
    samplers.sample(model, 5, 5, temperature=[1, 2], seed=0, n_leapfrog=100, **QUIET)
    ladder = [1.0, 1.17, 1.53, 2.57, 5.8, 19.0, 170.0, 4600.0, np.inf]
    begun = time.perf_counter()
    draws = samplers.sample(model, 1000, 300, temperature=ladder, seed=1, n_leapfrog=100, **QUIET)
    print(f"Choo's network with 8 units: {time.perf_counter() - begun:.0f} s")
    for method in ("mbar", "stepping_stone", "thermodynamic_integration"):
        found = samplers.evidence(draws, method)
        print(f"  {method}: {found.log_evidence:.3f} +- {found.standard_error:.3f}")
        for caution in found.cautions:
            print(f"    {caution}")
    for centre in ("minimum", "mean"):
        found = samplers.bridge_evidence(model, centre=centre, seed=1)
        print(f"  bridge, {centre}: {found.log_evidence:.3f} +- {found.standard_error:.3f}")
        for caution in found.cautions:
            print(f"    {caution}")


if __name__ == "__main__":
    main()
