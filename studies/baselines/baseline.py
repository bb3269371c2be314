"""Simpler models, fitted to the cases of a network and scored as it is."""

import warnings
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
import xarray as xr
from scipy.stats import norm
from sklearn.exceptions import ConvergenceWarning

from ...models.bnn import BNN
from ...models.data.targets import as_inputs
from .classification import classifiers
from .regression import regressions


@dataclass(frozen=True)
class Baseline:
    """A simpler model's scores.

    Parameters
    ----------
    name : str
        What it is called.
    scores : Dataset
        Of held-out cases, as of :func:`.evaluation.score_cases`.
    seconds : float
        To fit it and to predict.
    """

    name: str
    scores: xr.Dataset
    seconds: float


def fit_baselines(model: BNN, test: tuple[Any, Any], seed: int = 0) -> dict[str, Baseline]:
    """Fit simpler models to a network's training cases, and score them on held-out cases.

    Parameters
    ----------
    model : BNN
        The network, for its cases; its draws are not needed.
    test : (X, y)
        Held-out cases, in the scale of the network.
    seed : int
        For those that need random numbers.

    Returns
    -------
    dict of str to Baseline
        A linear model, a Gaussian process where rows allow it, and boosted trees, by scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import models
    >>> from pymc_bnn.studies.baselines.baseline import fit_baselines
    >>> X = np.linspace(-1, 1, 30)[:, None]
    >>> found = fit_baselines(models.gaussian(X, X[:, 0] ** 2), (X, X[:, 0] ** 2))
    >>> list(found)
    ['linear', 'gaussian process', 'boosted trees']
    """
    X, y = (model[name].get_value(borrow=True) for name in ("X", "y"))
    new, _ = as_inputs(test[0], model.inputs)
    observed = model.likelihood.encode(test[1], model.classes).values
    classifies = model.likelihood.classifies
    ways: dict[str, Any] = (
        classifiers(len(X), len(model.classes or ())) if classifies else regressions(len(X))
    )
    found = {}
    for name, fit in ways.items():
        begun = perf_counter()
        with warnings.catch_warnings():
            # length scales at their bounds are inputs that do not matter
            warnings.simplefilter("ignore", ConvergenceWarning)
            if classifies:
                scores = _classes(fit(X, y, new, seed), observed, len(model.outputs))
            else:
                each = [fit(X, column, new, seed) for column in y.reshape(len(y), -1).T]
                mean, sd = np.moveaxis(np.array(each), 0, -1)
                scores = _numbers(mean, sd, observed.reshape(len(new), -1))
        found[name] = Baseline(name, scores, perf_counter() - begun)
    return found


def _numbers(mean: np.ndarray, sd: np.ndarray, observed: np.ndarray) -> xr.Dataset:
    """Scores of normal distributions, with the CRPS of Gneiting & Raftery (2007, Eq. 21)."""
    cells = ("obs", "output")
    z = (observed - mean) / sd
    below = norm.cdf(z)
    return xr.Dataset(
        {
            "mean": (cells, mean),
            "observed": (cells, observed),
            "crps": (cells, sd * (z * (2 * below - 1) + 2 * norm.pdf(z) - np.pi**-0.5)),
            "pit": (cells, below),
            "log_score": ("obs", norm.logpdf(observed, mean, sd).sum(axis=1)),
        }
    )


def _classes(probability: np.ndarray, observed: np.ndarray, outputs: int) -> xr.Dataset:
    of_observed = probability[np.arange(len(observed)), observed]
    return xr.Dataset(
        {
            "probability": (("obs", "output"), probability[:, -outputs:]),
            "predicted": ("obs", probability.argmax(axis=1)),
            "observed": ("obs", observed),
            "log_score": ("obs", np.log(np.maximum(of_observed, np.finfo(float).tiny))),
        }
    )
