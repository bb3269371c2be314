"""Every step gives the draws that it gave when its draws were recorded, from the same seed.

A change that is not meant to change any arithmetic leaves them as they are. One that is, and is
tested to be right, records them anew:

    uv run python -m tests.samplers.posteriors.test_same_draws
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pymc as pm
import pytest
from pymc_bnn import models, samplers
from pymc_bnn.samplers.batch.sampling import sample_batch

RECORDED = Path(__file__).parents[2] / "reference" / "draws.json"
X = np.linspace(-1.0, 1.0, 16).reshape(8, 2)
Y = np.sin(3.0 * X[:, 0]) + 0.3 * X[:, 1]
QUIET: Any = {"progressbar": False, "quiet": True, "compute_convergence_checks": False}


def network(prior: Callable = models.normal_inverse_gamma, **arguments: Any) -> models.BNN:
    """Small network for regression."""
    return prior(X, Y, hidden=(3,), **arguments)


def raw() -> models.BNN:
    """Network in the non-centred parametrization."""
    return network(parametrization="noncentered")


def of_all(step: Callable, **arguments: Any) -> Any:
    """Step that moves all variables of the non-centred network."""
    model = raw()
    return step(vars=model.value_vars, model=model, **arguments)


def beside_weights() -> list[Any]:
    """Steps for precisions and, given these, for weights."""
    model = network()
    gibbs = samplers.GibbsPrecision(model=model)
    rest = [value for value in model.value_vars if value not in gibbs.vars]
    return [gibbs, samplers.StaticHMC(rest, n_leapfrog=5, step_sizes="adapt", model=model)]


STEPS: dict[str, Callable[[], Any]] = {
    "GibbsHMC": lambda: samplers.GibbsHMC(5, model=network()),
    "GibbsHMC, not collapsed": lambda: samplers.GibbsHMC(5, collapse=False, model=network()),
    "GibbsHMC, batch": lambda: samplers.GibbsHMC(5, model=network()),
    "GibbsHMC, batch, not collapsed": lambda: samplers.GibbsHMC(5, collapse=False, model=network()),
    "SplitLeapfrog, centred": lambda: samplers.SplitLeapfrog(5, model=network()),
    "SplitLeapfrog, non-centred": lambda: samplers.SplitLeapfrog(5, model=raw()),
    "StaticHMC": lambda: of_all(samplers.StaticHMC, n_leapfrog=5, step_sizes="adapt"),
    "StaticHMC, windows": lambda: of_all(
        samplers.StaticHMC, n_leapfrog=5, window=2, step_sizes="adapt"
    ),
    "GibbsPrecision and StaticHMC": beside_weights,
    "AnnealedHMC": lambda: of_all(samplers.AnnealedHMC, phases=[(3, 0.9, 5.0)], n_leapfrog=5),
    "AnnealedMetropolis": lambda: of_all(
        samplers.AnnealedMetropolis, phases=[(3, 0.9, 5.0)], thin=50
    ),
    "ReplicaExchange": lambda: samplers.ReplicaExchange([1.0, 2.0], n_leapfrog=5, model=network()),
    "NUTS": lambda: of_all(samplers.NUTS),
    "XHMC": lambda: of_all(samplers.XHMC),
    "SGLD": lambda: samplers.SGLD(1e-4, 4, 5, model=network(models.gaussian)),
    "SGHMC": lambda: samplers.SGHMC(1e-4, batch_size=4, model=network(models.gaussian)),
}


def draws(name: str) -> list[float]:
    """Sums over the variables of three draws after three of warm-up."""
    step = STEPS[name]()
    model = step[0].model if isinstance(step, list) else step.model
    if name.startswith("GibbsHMC, batch"):
        tree = sample_batch(step, 3, 3, 8, 1, np.random.default_rng(1), **QUIET)
    else:
        with model:
            tree = pm.sample(3, tune=3, chains=1, cores=1, step=step, random_seed=1, **QUIET)
    dataset = tree["posterior"].dataset[sorted(v.name for v in model.free_RVs)]
    sums = [dataset[name].sum(list(dataset[name].dims[2:])) for name in dataset]
    return np.sum([s.to_numpy() for s in sums], axis=0).ravel().tolist()


@pytest.mark.filterwarnings("ignore:Found chain dimension to be longer than draw")
@pytest.mark.parametrize("name", STEPS)
def test_step_gives_the_recorded_draws(name: str) -> None:
    np.testing.assert_allclose(draws(name), json.loads(RECORDED.read_text())[name], rtol=1e-7)


if __name__ == "__main__":
    found = {name: draws(name) for name in STEPS}
    RECORDED.write_text(json.dumps(found, indent=1) + "\n")
