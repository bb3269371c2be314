"""A precision of weights that is the noise's too: moves of weights alone must leave it out."""

from dataclasses import dataclass
from typing import ClassVar

import arviz as az
import numpy as np
import pymc as pm
import pytensor.tensor as pt
import pytest
from pymc_bnn import models, samplers

SHARED = "w0_precision"


@dataclass(frozen=True)
class SharedNoise(models.GaussianNoise):
    """Noise whose precision is that of the weights."""

    hyperparameters: ClassVar[tuple[str, ...]] = (SHARED,)
    kernel = models.GaussianNoise.kernel

    def observe(self, f: pt.TensorVariable, y: pt.TensorVariable) -> None:
        sd = pm.modelcontext(None)[SHARED] ** np.float64(-0.5)
        pm.Normal("y_obs", f, sd, observed=y, dims=("obs", "output"))


@pytest.mark.parametrize("step", ["GibbsHMC", "SplitLeapfrog"])
def test_the_posterior_is_that_of_the_conjugate_regression(step: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12, 3))
    y = X @ [1.0, -1.0, 0.5] + 0.7 * rng.normal(size=12)
    prior = models.NormalInverseGamma(sd=1.0, alpha=4.0)
    model = models.BNN(X, y, (), prior=prior, likelihood=SharedNoise(), biases=False)
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
