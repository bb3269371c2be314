r"""The limit of networks with ever more units, fitted without sampling weights (chapter 2).

Given the precisions, outputs are a Gaussian process with normal noise. What is unknown are one to
four precisions, whose posterior is drawn from by importance sampling around its mode.
"""

from dataclasses import dataclass
from typing import Any

import arviz  # noqa: F401  # brings the accessor azstats
import numpy as np
import xarray as xr
from scipy.linalg import cho_solve, cholesky, solve_triangular
from scipy.optimize import minimize
from scipy.special import logsumexp
from scipy.stats import gamma, multivariate_t

from ....models.activations import TANH
from ....models.wide_layers import mean_products
from ...tables.robot_arm import RobotArm
from ..design.budgets import Budget
from ..design.networks import ALPHA, OMEGA, data_set
from .fits import CASES, MIDDLE, OUTPUT_SD, measured

PRECISIONS = ("w0", "b0", "w1", "noise")  # of all of them the logarithm is moved
ROUNDS, PROPOSALS = 8, 100  # of four unknowns, each with the moments of all before
DRAWS = 20  # that predictions are made of, each as good as an independent one
DEGREES = 3.0  # of freedom of a proposal
CURVED = 1e-3  # step of the differences that give the curvature
FLATTEST = 0.1  # curvature that is believed
LIMITS = ("scaled", "unscaled", "learnt")


@dataclass(frozen=True)
class Limit:
    r"""Outputs of a network of so many tanh units that they are a Gaussian process.

    .. math:: K(x, x') = 1 + \lambda_1^{-1} s^2 E[\tanh(u) \tanh(v)], \qquad
              \mathrm{cov}(u, v) = \lambda_0^{-1} x^T x' + \lambda_b^{-1}

    Parameters
    ----------
    X, y : ndarray
        Training cases.
    output_sd : float
        :math:`s`, standard deviation of the output weights times the root of the width.
    learnt : bool
        Whether the :math:`\lambda` are unknown, with mean 1, or 1.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.studies.neal1995.runs.limits import Limit
    >>> limit = Limit(np.zeros((1, 2)), np.zeros((1, 2)), output_sd=2.0, learnt=False)
    >>> limit.covariance(np.zeros(4), limit.X, limit.X).round(4)  # tanh of a normal bias
    array([2.5772])
    """

    X: np.ndarray
    y: np.ndarray
    output_sd: float
    learnt: bool

    @property
    def free(self) -> np.ndarray:
        """Which of the precisions are unknown."""
        return np.array([self.learnt] * 3 + [True])

    def covariance(self, logs: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Covariance of an output at some inputs with that at others.

        Parameters
        ----------
        logs : ndarray, shape (4,)
            Logarithms of the precisions.
        first, second : ndarray, shapes (..., inputs) that broadcast
            The inputs.
        """
        input_variance, bias_variance, output_variance, _ = np.exp(-logs)
        own = [input_variance * (x**2).sum(axis=-1) + bias_variance for x in (first, second)]
        across = input_variance * (first * second).sum(axis=-1) + bias_variance
        return 1.0 + output_variance * self.output_sd**2 * mean_products(TANH, across, *own)

    def root(self, logs: np.ndarray) -> np.ndarray:
        """Cholesky factor of the covariance of noisy outputs."""
        noisy = np.exp(-logs[-1]) * np.eye(len(self.X))
        lower = np.tril_indices(len(self.X))
        noisy[lower] += self.covariance(logs, self.X[lower[0]], self.X[lower[1]])
        return cholesky(noisy, lower=True)

    def log_density(self, found: np.ndarray) -> float:
        """Unnormalised log posterior of the unknown logarithms.

        It is -inf where outputs have variances so large that the noise is lost in rounding.
        """
        logs = self.whole(found)
        means = np.array([1.0, 1.0, 1.0, OMEGA])[self.free]
        prior = gamma.logpdf(np.exp(found), ALPHA / 2, scale=means / (ALPHA / 2)) + found
        try:
            root = self.root(logs)
        except np.linalg.LinAlgError:
            return -np.inf
        scaled = solve_triangular(root, self.y, lower=True)
        determinant = self.y.shape[1] * np.log(np.diag(root)).sum()
        return float(prior.sum() - determinant - 0.5 * (scaled**2).sum())

    def whole(self, found: np.ndarray) -> np.ndarray:
        """Logarithms of all precisions from those that are unknown."""
        logs = np.zeros(len(PRECISIONS))
        logs[self.free] = found
        return logs

    def predict(self, draws: np.ndarray, new: np.ndarray) -> np.ndarray:
        """Mean outputs at new inputs, given each of some draws of the unknown logarithms."""
        predicted = []
        for number, found in enumerate(draws):
            logs = self.whole(found)
            if number == 0 or self.learnt:  # it does not depend on the noise
                across = self.covariance(logs, new[:, None], self.X)
            predicted.append(across @ cho_solve((self.root(logs), True), self.y))
        return np.array(predicted)


def draw_precisions(limit: Limit, rng: np.random.Generator) -> tuple[np.ndarray, float]:
    """Draw from the posterior of the unknown logarithms.

    Returns
    -------
    ndarray, shape (draws, unknown)
        Of equal weights.
    float
        Pareto's k of the weights of the proposals; above 0.7 draws are not to be believed.
    """
    start = np.log([1.0, 1.0, 1.0, 2 * OMEGA])[limit.free]
    options = {"maxiter": 1000, "xatol": 1e-3, "fatol": 1e-3}
    mode = minimize(lambda x: -limit.log_density(x), start, method="Nelder-Mead", options=options).x
    proposals = [multivariate_t(mode, _spread(limit, mode), df=DEGREES, seed=rng)]
    proposed, density = np.empty((0, mode.size)), np.empty(0)
    while True:
        new = proposals[-1].rvs(PROPOSALS).reshape(PROPOSALS, -1)
        proposed = np.concatenate([proposed, new])
        density = np.append(density, [limit.log_density(x) for x in new])
        mixture = logsumexp([one.logpdf(proposed) for one in proposals], axis=0)
        weights, k = _weights(density - mixture)
        if len(proposals) == (ROUNDS if limit.learnt else 1):
            break
        spread = np.atleast_2d(np.cov(proposed, rowvar=False, aweights=weights))
        proposals.append(multivariate_t(weights @ proposed, spread, df=DEGREES, seed=rng))
    ticks = (rng.random() + np.arange(DRAWS)) / DRAWS
    chosen = np.searchsorted(np.cumsum(weights)[:-1], ticks)
    return rng.permutation(proposed[chosen]), k


def _weights(logs: np.ndarray) -> tuple[np.ndarray, float]:
    """Pareto-smoothed weights that sum to 1, and their k."""
    # as of leave-one-out, where the weight is the inverse of a density
    smoothed, k = xr.DataArray(-logs, dims="draw").azstats.psislw(dim="draw")
    return np.exp(smoothed.to_numpy() - logsumexp(smoothed.to_numpy())), float(k)


def _spread(limit: Limit, mode: np.ndarray) -> np.ndarray:
    """Inverse curvature of the log posterior at its mode."""
    count, steps = mode.size, CURVED * np.eye(mode.size)
    curvature = np.empty((count, count))
    for i in range(count):
        for j in range(i + 1):
            moves = steps[i] + steps[j], steps[i] - steps[j]
            there = [limit.log_density(mode + sign * move) for move in moves for sign in (1, -1)]
            second = (there[0] + there[1] - there[2] - there[3]) / (4 * CURVED**2)
            curvature[i, j] = curvature[j, i] = -second
    values, vectors = np.linalg.eigh(curvature)
    return (vectors / np.maximum(values, FLATTEST)) @ vectors.T


def limit_key(prior: str) -> str:
    """Name the result of a prior."""
    return f"limit-{prior}"


def fit_limit(prior: str, budget: Budget, seed: int) -> xr.Dataset:
    """Fit the limit to all data sets.

    Parameters
    ----------
    prior : str
        "scaled", "unscaled" or "learnt", as of the networks; unscaled, the covariance is that of
        the widest of them.
    budget : Budget
        How many data sets.
    seed : int
        Of the random numbers.

    Returns
    -------
    Dataset
        As of :func:`.fits.fit_width`, with Pareto's ``k``.
    """
    more = (budget.widest / MIDDLE) ** 0.5 if prior == "unscaled" else 1.0
    rows = []
    for number in range(budget.fitted):
        rng, arm = np.random.default_rng([seed, number]), data_set(CASES, number)
        rows.append(_fit(arm, OUTPUT_SD * more, prior == "learnt", rng))
    return xr.concat([xr.Dataset(row) for row in rows], "set")


def _fit(arm: RobotArm, output_sd: float, learnt: bool, rng: np.random.Generator) -> dict[str, Any]:
    X, new = arm.X.to_numpy(), arm.X_truth.to_numpy()
    limit = Limit(X, arm.y.to_numpy(), output_sd, learnt)
    found, k = draw_precisions(limit, rng)
    predicted, fitted = limit.predict(found, new), limit.predict(found, X)
    sizes = np.exp(-0.5 * np.array([limit.whole(one)[0] for one in found])).mean()
    return measured(predicted, fitted, np.full(X.shape[1], sizes), arm) | {"k": k}
