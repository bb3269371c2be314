"""A precision of weights that is the noise's too: moves of weights alone must leave it out."""

from dataclasses import dataclass
from typing import ClassVar

import arviz as az
import numpy as np
import pymc as pm
import pytensor.tensor as pt
import pytest
from pymc_bnn import models, samplers
from pymc_bnn.samplers.potential.agreement import DisagreementError
from pymc_bnn.samplers.precisions.moves import find_moves
from pymc_bnn.samplers.sweeps.hierarchy_checks import check_moves

SHARED = "w0_precision"


@dataclass(frozen=True)
class SharedNoise(models.GaussianNoise):
    """Noise whose precision is that of the weights."""

    hyperparameters: ClassVar[tuple[str, ...]] = (SHARED,)
    kernel = models.GaussianNoise.kernel

    def observe(self, f: pt.TensorVariable, y: pt.TensorVariable) -> None:
        sd = pm.modelcontext(None)[SHARED] ** np.float64(-0.5)
        pm.Normal("y_obs", f, sd, observed=y, dims=("obs", "output"))


def regression() -> tuple[models.BNN, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12, 3))
    y = X @ [1.0, -1.0, 0.5] + 0.7 * rng.normal(size=12)
    prior = models.NormalInverseGamma(sd=1.0, alpha=4.0)
    return models.BNN(X, y, (), prior=prior, likelihood=SharedNoise(), biases=False), X, y


@pytest.mark.parametrize("step", ["GibbsHMC", "SplitLeapfrog"])
def test_the_posterior_is_that_of_the_conjugate_regression(step: str) -> None:
    model, X, y = regression()
    shape, rate = 2 + 12 / 2, 2 + 0.5 * y @ np.linalg.solve(np.eye(12) + X @ X.T, y)
    settings = {"interweave": True, "model": model}
    chosen = getattr(samplers, step)(20, **settings)
    idata = samplers.sample(
        model,
        draws=2000,
        tune=300,
        chains=2,
        cores=1,
        seed=1,
        step=chosen,
        progressbar=False,
        quiet=True,
    )
    drawn = idata["posterior"].dataset[[SHARED]]
    for method, exact in (("mean", shape / rate), ("sd", shape**0.5 / rate)):
        found = float(drawn.mean()[SHARED] if method == "mean" else drawn.std()[SHARED])
        error = float(az.mcse(drawn, method=method)[SHARED])
        assert abs(found - exact) < 3.5 * error
        assert error < 0.05 * exact


def test_moves_of_it_with_weights_alone_are_refused() -> None:
    model, _, _ = regression()
    step = samplers.GibbsHMC(5, model=model)
    weights = np.arange(3)
    wrong = step.hierarchy._replace(
        moves=find_moves([weights], np.array([0]), np.full(3, -1)), interweaved=np.arange(1)
    )
    check_moves(model, step.hierarchy, step.precisions, "GibbsHMC")
    with pytest.raises(DisagreementError, match="y_obs depends on w0_precision, which would move"):
        check_moves(model, wrong, step.precisions, "GibbsHMC")
