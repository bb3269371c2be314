"""Classifiers that a network has to beat."""

from collections.abc import Callable

import numpy as np
import xarray as xr
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF, ConstantKernel
from sklearn.linear_model import LogisticRegression

from .cases import Cases

MOST_ROWS, MOST_CLASSES = 500, 5  # of a Gaussian process, which takes one for each class
WORDS = {
    "linear": "logistic regression",
    "gaussian process": "a Gaussian process",
    "boosted trees": "boosted trees",
}


def linear(X: np.ndarray, y: np.ndarray, new: np.ndarray, seed: int) -> np.ndarray:
    """Logistic regression with scikit-learn's penalty."""
    return LogisticRegression(max_iter=1000).fit(X, y).predict_proba(new)


def gaussian_process(X: np.ndarray, y: np.ndarray, new: np.ndarray, seed: int) -> np.ndarray:
    """Gaussian process with a squared exponential kernel, by Laplace's approximation."""
    kernel = ConstantKernel() * RBF(np.sqrt(X.shape[1]), (1e-2, 1e4))
    return GaussianProcessClassifier(kernel, random_state=seed).fit(X, y).predict_proba(new)


def boosted_trees(X: np.ndarray, y: np.ndarray, new: np.ndarray, seed: int) -> np.ndarray:
    """Boosted trees."""
    return HistGradientBoostingClassifier(random_state=seed).fit(X, y).predict_proba(new)


def classifiers(rows: int, classes: int) -> dict[str, Callable[..., np.ndarray]]:
    """Those that can be fitted to so many rows and classes.

    Examples
    --------
    >>> from pymc_bnn.studies.baselines.classification import classifiers
    >>> list(classifiers(300, 3)), list(classifiers(300, 10))
    (['linear', 'gaussian process', 'boosted trees'], ['linear', 'boosted trees'])
    """
    found = {"linear": linear}
    if rows <= MOST_ROWS and classes <= MOST_CLASSES:
        found["gaussian process"] = gaussian_process
    return {**found, "boosted trees": boosted_trees}


def score_classes(fit: Callable[..., np.ndarray], cases: Cases, seed: int) -> xr.Dataset:
    """Scores of probabilities; refused if a class has no training case."""
    present = np.unique(cases.y)
    if len(present) < cases.classes:
        raise ValueError(f"only {len(present)} of {cases.classes} classes have a row.")
    probability = fit(cases.X, cases.y, cases.new, seed)
    of_observed = probability[np.arange(len(cases.observed)), cases.observed]
    return xr.Dataset(
        {
            "probability": (("obs", "output"), probability[:, -cases.outputs :]),
            "predicted": ("obs", probability.argmax(axis=1)),
            "observed": ("obs", cases.observed),
            "log_score": ("obs", np.log(np.maximum(of_observed, np.finfo(float).tiny))),
        }
    )
