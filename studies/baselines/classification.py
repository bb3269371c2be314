"""Classifiers that a network has to beat."""

from collections.abc import Callable

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF, ConstantKernel
from sklearn.linear_model import LogisticRegression

MOST_ROWS, MOST_CLASSES = 500, 5  # of a Gaussian process, which takes one for each class


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
