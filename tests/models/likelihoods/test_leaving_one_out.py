"""Leave-one-out and WAIC of noise that is integrated out, against refits."""

import warnings

import arviz as az
import numpy as np
import xarray as xr
from pymc_bnn import models
from pymc_bnn.studies import waic
from scipy import stats
from scipy.integrate import simpson
from scipy.special import logsumexp
from xarray import DataTree

from .test_integrated_noise import NOISE, log_integral


def test_both_are_those_of_refits() -> None:
    """One weight: integrals over it and over the precision are sums on a grid."""
    rng = np.random.default_rng(5)
    x = rng.normal(size=(12, 1))
    y = 0.8 * x + 0.5 * rng.normal(size=(12, 1))
    model = models.BNN(x, y, (), prior=models.Gaussian(1.0), likelihood=NOISE, biases=False)
    grid = np.linspace(-4, 4, 4001)
    weights = grid[:, None, None]
    log_prior = stats.norm.logpdf(grid)

    def log_joint(keep: np.ndarray) -> np.ndarray:
        squares = ((y - weights * x[None]) ** 2)[:, keep].sum(axis=(1, 2))
        half = (3.0 + keep.sum()) / 2
        constant = np.array([log_integral(np.zeros(int(keep.sum())))])
        return log_prior + constant - half * np.log1p(squares / (3.0 * 0.49))

    def evidence(keep: np.ndarray) -> float:
        values = log_joint(keep)
        return float(np.log(simpson(np.exp(values - values.max()), x=grid)) + values.max())

    everything = np.ones(12, bool)
    exact = [evidence(everything) - evidence(everything & (np.arange(12) != i)) for i in range(12)]
    density = np.exp(log_joint(everything) - logsumexp(log_joint(everything)))
    drawn = rng.choice(grid, p=density, size=20_000)
    squares = ((y - drawn[:, None, None] * x[None]) ** 2).sum(axis=(1, 2))
    given = {"w0": (("chain", "draw", "input", "output"), drawn.reshape(2, -1, 1, 1))}
    scale = np.sqrt((3.0 * 0.49 + squares) / 15.0)
    for name, values in (("squared_error", squares), ("noise_scale", scale)):
        given[name] = (("chain", "draw"), values.reshape(2, -1))
    coords = {"chain": [0, 1], "draw": range(10_000)}

    idata = DataTree.from_dict({"posterior": xr.Dataset(given, coords=coords)})
    trees = DataTree.from_dict({"log_likelihood": model.log_likelihood(idata).to_dataset(name="y")})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        loo = az.loo(trees, pointwise=True, reff=1.0)
        criterion = waic(trees)
    np.testing.assert_allclose(loo.elpd_i.values, exact, atol=0.02)
    np.testing.assert_allclose(criterion.elpd_i.values, exact, atol=0.04)  # to the third cumulant
    new = model.log_likelihood(idata, x, y).values.reshape(-1, 12)
    assert abs(logsumexp(new, axis=0) - np.log(20_000) - exact).max() > 0.1  # given itself
