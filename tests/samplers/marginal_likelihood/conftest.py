"""A model whose evidence has a closed form."""

import numpy as np
import pymc as pm
import pytest
from scipy import stats


@pytest.fixture(scope="module")
def regression() -> tuple[pm.Model, float]:
    """Normal weights with variances in units of the noise: a multivariate t density of targets."""
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(12, 3)), rng.normal(size=12)
    with pm.Model() as model:
        tau = pm.Gamma("tau", 2, 1.5)
        w = pm.Normal("w", 0, 2 * tau**-0.5, shape=3)
        pm.Normal("y", (X * w).sum(axis=1), tau=tau, observed=y)
    scale = (np.eye(12) + 4 * X @ X.T) * 1.5 / 2
    return model, float(stats.multivariate_t(np.zeros(12), scale, df=4).logpdf(y))
