"""Effective draws per processor second of chains in a batch, and of as many single chains.

Run it from the root of the repository:

    uv run python -m tests.benchmarks.batch_or_single --units 8 --cases 8 16 32 60

The first cases of Auto MPG, in random order, with 6 inputs. The rule of
``samplers/batch/sampling.py`` comes from it.
"""

import argparse
import time
from typing import Any

import arviz as az
import numpy as np
import pymc as pm
from pymc_bnn import models
from pymc_bnn.samplers.batch.sampling import sample_batch
from pymc_bnn.samplers.recommended import recommended_steps
from pymc_bnn.studies.tables.datasets import autompg
from xarray import DataTree

QUIET: Any = {"progressbar": False, "quiet": True, "compute_convergence_checks": False}


def draw(how: str, step: Any, draws: int, chains: int, seed: int) -> DataTree:
    """Sample chains one by one or as a batch."""
    if how != "single":
        rng = np.random.default_rng(seed)
        return sample_batch(step, draws, draws // 2, chains, 1, rng, **QUIET)
    with step.model:
        arguments: Any = {"tune": draws // 2, "chains": chains, "cores": 1, "random_seed": seed}
        return pm.sample(draws, step=step, **arguments, **QUIET)


def worst(values: np.ndarray) -> float:
    """Smallest effective sample size of the columns of (chains, draws, ...)."""
    columns = values.reshape(*values.shape[:2], -1)
    return min(float(az.ess(columns[..., k])) for k in range(columns.shape[-1]))


def main() -> None:
    """Print one line for each way and seed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--units", type=int, default=8)
    parser.add_argument("--chains", type=int, default=8)
    parser.add_argument("--draws", type=int, default=600)
    parser.add_argument("--cases", type=int, nargs="+", default=[8, 16, 32, 60])
    given = parser.parse_args()
    frame = autompg().frame.sample(frac=1.0, random_state=3)
    y = frame.pop("mpg").to_numpy(float)
    X = frame.assign(origin=frame["origin"] == "USA").to_numpy(float)[:, 1:]
    X, y = (X - X.mean(axis=0)) / X.std(axis=0), (y - y.mean()) / y.std()
    for cases in given.cases:
        model = models.normal_inverse_gamma(X[:cases], y[:cases], hidden=(given.units,))
        steps = {
            "single": recommended_steps(model)[0],
            "batch": recommended_steps(model)[0],
            "batch, not collapsed": recommended_steps(model, collapse=False)[0],
        }
        for how, step in steps.items():
            draw(how, step, 3, given.chains, 0)  # nothing is left to compile
            for seed in (1, 2):
                begun = time.process_time()
                posterior = draw(how, step, given.draws, given.chains, seed)["posterior"]
                seconds = time.process_time() - begun
                names = [name for name in posterior if str(name).endswith("precision")]
                found = min(worst(np.log(posterior[name].to_numpy())) for name in names)
                print(
                    f"{cases} cases, {how}: {found:.0f} in {seconds:.2f} s, {found / seconds:.1f}"
                )


if __name__ == "__main__":
    main()
