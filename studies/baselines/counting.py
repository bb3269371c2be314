"""Regressions of counts that a network has to beat, each with a Poisson predictive distribution."""

from collections.abc import Callable

import numpy as np
import xarray as xr
from scipy.special import i0e, i1e
from scipy.stats import norm, poisson
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import PoissonRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ...models.likelihoods.poisson import LARGEST_MEAN
from ..scores.evaluation import LEVELS
from .cases import Cases

LEAST_MEAN = 1e-10  # so that a count that was held out is never impossible
WORDS = {
    "Poisson regression": "Poisson regression",
    "boosted trees": "boosted trees for the mean of a Poisson distribution",
}


def poisson_regression(X: np.ndarray, y: np.ndarray, new: np.ndarray, seed: int) -> np.ndarray:
    """Poisson regression; weights of standardised inputs have a normal prior of deviation 1."""
    scale = y.mean()  # the solver's tolerance is of targets of about one
    regression = PoissonRegressor(alpha=1 / y.sum(), max_iter=1000)
    fitted = make_pipeline(StandardScaler(), regression).fit(X, y / scale)
    with np.errstate(over="ignore"):  # far from the training cases
        return fitted.predict(new) * scale


def boosted_trees(X: np.ndarray, y: np.ndarray, new: np.ndarray, seed: int) -> np.ndarray:
    """Boosted trees for the logarithm of the mean."""
    trees = HistGradientBoostingRegressor(loss="poisson", random_state=seed)
    return trees.fit(X, y).predict(new)


def count_regressions() -> dict[str, Callable[..., np.ndarray]]:
    """Those of counts; scikit-learn has no Gaussian process for them.

    Examples
    --------
    >>> from pymc_bnn.studies.baselines.counting import count_regressions
    >>> list(count_regressions())
    ['Poisson regression', 'boosted trees']
    """
    return {"Poisson regression": poisson_regression, "boosted trees": boosted_trees}


def score_counts(fit: Callable[..., np.ndarray], cases: Cases, seed: int) -> xr.Dataset:
    r"""Scores of Poisson distributions, of means from 1e-10 to 1e15.

    Their CRPS has the closed form of Wei & Held (2014),

    .. math:: (y - \lambda) (2 F(y) - 1) + 2 \lambda p(y)
              - \lambda e^{-2 \lambda} (I_0(2 \lambda) + I_1(2 \lambda)).

    As of a network, ``pit`` lies anywhere in the jump of a count.
    """
    if not cases.columns.any(axis=1).all():
        raise ValueError("no training case has a count above 0.")
    each = [fit(cases.X, column, cases.new, seed) for column in cases.columns]
    mean = np.clip(np.stack(each, axis=-1), LEAST_MEAN, LARGEST_MEAN)
    observed = cases.observed.reshape(mean.shape)
    up_to, here = poisson.cdf(observed, mean), poisson.pmf(observed, mean)
    spread = mean * (i0e(2 * mean) + i1e(2 * mean))
    place = np.random.default_rng(seed).random(mean.shape)
    cells = ("obs", "output")
    return xr.Dataset(
        {
            "mean": (cells, mean),
            "observed": (cells, observed),
            "crps": (cells, (observed - mean) * (2 * up_to - 1) + 2 * mean * here - spread),
            "pit": (cells, poisson.cdf(observed - 1, mean) + place * here),
            "quantiles": (("quantile", *cells), [_quantile(q, mean) for q in LEVELS]),
            "log_score": ("obs", poisson.logpmf(observed, mean).sum(axis=1)),
        },
        coords={"quantile": list(LEVELS)},
    )


def _quantile(level: float, mean: np.ndarray) -> np.ndarray:
    """Quantile of Poisson distributions; a normal's for means so large that SciPy has none."""
    found = poisson.ppf(level, mean)
    return np.where(np.isfinite(found), found, mean + np.sqrt(mean) * norm.ppf(level))
