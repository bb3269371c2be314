"""Regressions that a network has to beat, each with a normal predictive distribution."""

from collections.abc import Callable

import numpy as np
import xarray as xr
from scipy.stats import norm
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.linear_model import BayesianRidge
from sklearn.model_selection import KFold, cross_val_predict

from ..scores.evaluation import LEVELS
from .cases import Cases

MOST_ROWS = 1000  # of a Gaussian process, whose time grows with their cube
MOST_LENGTHS = 20  # inputs with a length scale each; of more all share one
FOLDS = 5
WORDS = {
    "linear": "a linear model",
    "gaussian process": "a Gaussian process",
    "boosted trees": "boosted trees, whose noise is that of cross-validated residuals",
}

Predicted = tuple[np.ndarray, np.ndarray]
"""Mean and standard deviation of each case to predict."""


def linear(X: np.ndarray, y: np.ndarray, new: np.ndarray, seed: int) -> Predicted:
    """Linear model with normal weights and noise, their scales estimated."""
    return BayesianRidge().fit(X, y).predict(new, return_std=True)


def gaussian_process(X: np.ndarray, y: np.ndarray, new: np.ndarray, seed: int) -> Predicted:
    """Gaussian process with a squared exponential kernel and noise, by the largest likelihood.

    Bounds of its scales are those of standardised targets, which counts and others are not.
    """
    centre, scale = y.mean(), y.std() or 1.0
    inputs = X.shape[1]
    lengths = np.ones(inputs if inputs <= MOST_LENGTHS else 1)
    kernel = ConstantKernel() * RBF(lengths, (1e-2, 1e4)) + WhiteKernel(0.1, (1e-8, 1e2))
    fitted = GaussianProcessRegressor(kernel, random_state=seed).fit(X, (y - centre) / scale)
    mean, sd = fitted.predict(new, return_std=True)
    return mean * scale + centre, sd * scale


def boosted_trees(X: np.ndarray, y: np.ndarray, new: np.ndarray, seed: int) -> Predicted:
    """Boosted trees; the noise is that of cross-validated residuals."""
    trees = HistGradientBoostingRegressor(random_state=seed)
    folds = KFold(min(FOLDS, len(y)), shuffle=True, random_state=seed)
    residuals = y - cross_val_predict(trees, X, y, cv=folds)
    mean = trees.fit(X, y).predict(new)
    return mean, np.full(len(new), np.sqrt(np.mean(residuals**2)))


def regressions(rows: int) -> dict[str, Callable[..., Predicted]]:
    """Those that can be fitted to so many rows.

    Examples
    --------
    >>> from pymc_bnn.studies.baselines.regression import regressions
    >>> list(regressions(300)), list(regressions(30_000))
    (['linear', 'gaussian process', 'boosted trees'], ['linear', 'boosted trees'])
    """
    found = {"linear": linear}
    if rows <= MOST_ROWS:
        found["gaussian process"] = gaussian_process
    return {**found, "boosted trees": boosted_trees}


def score_normals(fit: Callable[..., Predicted], cases: Cases, seed: int) -> xr.Dataset:
    """Scores of normal distributions, with the CRPS of Gneiting & Raftery (2007, Eq. 21)."""
    if not np.ptp(cases.columns, axis=1).all():  # what scatter they have is not to be learnt
        raise ValueError("training targets are all alike.")
    each = [fit(cases.X, column, cases.new, seed) for column in cases.columns]
    mean, sd = np.moveaxis(np.array(each), 0, -1)
    if not (sd > 0).all():
        raise ValueError("it predicts without scatter.")
    observed = cases.observed.reshape(mean.shape)
    cells = ("obs", "output")
    z = (observed - mean) / sd
    below = norm.cdf(z)
    return xr.Dataset(
        {
            "mean": (cells, mean),
            "observed": (cells, observed),
            "crps": (cells, sd * (z * (2 * below - 1) + 2 * norm.pdf(z) - np.pi**-0.5)),
            "pit": (cells, below),
            "quantiles": (("quantile", *cells), [mean + sd * norm.ppf(q) for q in LEVELS]),
            "log_score": ("obs", norm.logpdf(observed, mean, sd).sum(axis=1)),
        },
        coords={"quantile": list(LEVELS)},
    )
