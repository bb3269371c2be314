"""A linear network with exact leave-one-out densities, by one-dimensional quadrature."""

import numpy as np
from pymc_bnn import models
from scipy.special import logsumexp
from scipy.stats import gamma, multivariate_normal


def outlying_data(outputs: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Cases on a plane, but for the first: far out in the inputs and off in the targets."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(16, 2))
    noise = rng.normal(scale=0.1, size=(16, outputs))
    X[0], noise[0] = [2.5, 2.0], 0.6 / np.sqrt(outputs)
    return X, X @ np.array([[1.0, -1.0], [-0.5, 0.3]])[:, :outputs] + noise


def linear_network(X: np.ndarray, y: np.ndarray) -> models.BNN:
    """Standard normal weights, and a noise precision that the data hardly overrule."""
    noise = models.GaussianNoise(sd=0.3, alpha=4.0)
    return models.gaussian(X, y, hidden=(), likelihood=noise)


def exact_loo(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Log density of each case given all others, under :func:`linear_network`."""
    whole = _log_evidence(X, y)
    return np.array(
        [whole - _log_evidence(np.delete(X, i, 0), np.delete(y, i, 0)) for i in range(len(X))]
    )


def _log_evidence(X: np.ndarray, y: np.ndarray) -> float:
    """Log density of the targets: weights are integrated out in closed form, the precision not."""
    log_precision = np.linspace(np.log(1e-2), np.log(1e3), 1501)
    precision = np.exp(log_precision)
    # mean sd**-2 and shape alpha / 2; the Jacobian of the logarithm comes on top
    prior = gamma(2.0, scale=0.3**-2 / 2.0).logpdf(precision) + log_precision
    covariance = X @ X.T + 1.0
    density = np.zeros(len(precision))
    for k, p in enumerate(precision):
        normal = multivariate_normal(np.zeros(len(y)), covariance + np.eye(len(y)) / p)
        density[k] = sum(normal.logpdf(column) for column in y.T)
    return logsumexp(prior + density) + np.log(log_precision[1] - log_precision[0])
