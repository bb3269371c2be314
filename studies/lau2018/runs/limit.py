r"""Prior scales for networks on codes, chosen on infinitely wide ones by the training cases alone.

With normal priors, whose standard deviation in the last layer is :math:`v / \sqrt{H}`, the outputs
of ever wider networks become a Gaussian process (Neal 1996, 2.1), which regression on codes turns
into linear algebra. Its covariance has a closed form for units that compute the error function,
:math:`\mathrm{erf}(\sqrt{\pi} a / 2)` beside :math:`\tanh a` (Williams 1998, eq. 11).
"""

from itertools import product

import numpy as np
import xarray as xr
from scipy.linalg import cho_factor, cho_solve, eigh
from scipy.special import softmax

from ..design.digits import CASES, Digits, digits
from .coding import codes
from .fits import fold_rows
from .scores import log_of

FIRST = tuple(0.01 * 2**i for i in range(8))  # of weights and biases of the first layer
SPREADS = (1.0, 2.0, 4.0)  # of the outputs, less their hidden units' values
NOISES = (0.2, 0.3, 0.5, 0.7)  # trajectories cost in proportion to its inverse
FOLDS = 5
DRAWS = 50
# finer and wider than the grid above: what the best scales in hindsight are of
FINER = tuple(0.01 * 2 ** (i / 2) for i in range(15))
RATIOS = tuple(0.05 * 2 ** (i / 2) for i in range(-12, 9))  # of the noise to the outputs


def covariance(X: np.ndarray, Z: np.ndarray, sd: float) -> np.ndarray:
    r"""Covariance of an output of infinitely many hidden units, for :math:`v = 1`.

    Parameters
    ----------
    X, Z : ndarray, shapes (cases, inputs) and (others, inputs)
        Between which cases.
    sd : float
        Standard deviation of the weights and biases of the first layer.

    Returns
    -------
    ndarray, shape (cases, others)

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.studies.lau2018.runs.limit import covariance
    >>> covariance(np.eye(2), np.eye(2), 100.0).round(2)  # nearly steps
    array([[0.99, 0.33],
           [0.33, 0.99]])
    """
    one, other = (
        sd * np.sqrt(np.pi) / 2 * np.column_stack([np.ones(len(cases)), cases]) for cases in (X, Z)
    )
    sizes = [1 + 2 * (rows**2).sum(axis=1) for rows in (one, other)]
    return 2 / np.pi * np.arcsin(2 * one @ other.T / np.sqrt(np.outer(*sizes)))


def held_out(data: Digits, first: float, spread: float, noise: float, seed: int = 0) -> np.ndarray:
    """Class probabilities of training cases, each predicted without its block.

    Parameters
    ----------
    data : Digits
        The images.
    first, spread, noise : float
        Standard deviations: of the first layer, of the outputs, and of the noise around codes.
    seed : int
        Of the draws of outputs over which class probabilities are averaged.

    Returns
    -------
    ndarray, shape (500, 10)
    """
    y, full = codes(data.y), spread**2 * covariance(data.X, data.X, first)
    draws = np.random.default_rng(seed).normal(size=(DRAWS, *y.shape))
    probability = np.zeros_like(y)
    for rows in fold_rows(FOLDS):
        others = np.setdiff1d(np.arange(CASES), rows)
        known, between = full[np.ix_(others, others)], full[np.ix_(rows, others)]
        factor = cho_factor(known + noise**2 * np.eye(len(others)))
        mean = between @ cho_solve(factor, y[others])
        explained = (between.T * cho_solve(factor, between.T)).sum(axis=0)
        sd = np.sqrt(np.maximum(np.diag(full)[rows] - explained, 0.0))
        f = mean + draws[:, rows] * sd[:, None]
        probability[rows] = softmax(2 * f / noise**2, axis=-1).mean(axis=0)
    return probability


def score_scales(inputs: str) -> xr.Dataset:
    """Score all scales of a grid by K-fold.

    Parameters
    ----------
    inputs : str
        What the network sees, from :data:`.digits.INPUTS`.

    Returns
    -------
    Dataset
        Along ``setting``, the best first: ``first``, ``spread`` and ``noise`` of
        :func:`held_out`, ``log_score``, the log probability per training case in nats, and
        ``error``, the share of wrong classes.
    """
    data, rows = digits(inputs), []
    for setting in product(FIRST, SPREADS, NOISES):
        probability = held_out(data, *setting)
        log_score = log_of(probability, data.y).mean()
        rows.append((*setting, log_score, np.mean(probability.argmax(axis=1) != data.y)))
    columns = np.array(sorted(rows, key=lambda row: -row[3])).T
    names = ("first", "spread", "noise", "log_score", "error")
    return xr.Dataset({n: ("setting", c) for n, c in zip(names, columns, strict=True)})


def wrong_classes(data: Digits, first: float, ratios: tuple[float, ...]) -> np.ndarray:
    r"""Which digits that are not trained on infinitely wide networks on codes err on.

    The most probable class is that of the largest posterior mean, as all outputs of a case have one
    variance. With eigenvalues :math:`\lambda` and eigenvectors :math:`U` of the covariance
    :math:`K` of the training cases for :math:`v = 1`, the means are
    :math:`k^T U (\lambda + r^2)^{-1} U^T y`, which depend on the noise and :math:`v` through their
    ratio :math:`r` alone (Neal 1996, 2.1; Williams 1998).

    Parameters
    ----------
    data : Digits
        The images.
    first : float
        Standard deviation of the weights and biases of the first layer.
    ratios : tuple of float
        Standard deviations of the noise over those of the outputs.

    Returns
    -------
    ndarray of bool, shape (ratios, 1297)
        The 797 between the sets, and then the 500 test cases.
    """
    X = np.concatenate([data.X_between, data.X_test])
    truth = np.concatenate([data.y_between, data.y_test])
    known, between = (covariance(cases, data.X, first) for cases in (data.X, X))
    means = _means(known, between, codes(data.y), ratios)
    return np.array([mean.argmax(axis=1) != truth for mean in means])


def _means(
    known: np.ndarray, between: np.ndarray, y: np.ndarray, ratios: tuple[float, ...]
) -> list[np.ndarray]:
    """Posterior means of cases by their covariances with those whose codes are known."""
    values, vectors = eigh(known)
    between, y = between @ vectors, vectors.T @ y
    return [between @ (y / (np.maximum(values, 0.0) + ratio**2)[:, None]) for ratio in ratios]


def log_evidence(data: Digits, first: float, ratios: tuple[float, ...]) -> np.ndarray:
    r"""Log evidence of infinitely wide networks on codes, at the best scale of the outputs.

    Codes are normal with covariance :math:`v^2 (K + r^2 I)`, whose :math:`v^2` of most evidence is
    the mean of :math:`u^2 / (\lambda + r^2)` over the codes' coordinates :math:`u` along the
    eigenvectors of :math:`K`.

    Parameters
    ----------
    data, first, ratios
        As for :func:`wrong_classes`.

    Returns
    -------
    ndarray, shape (ratios,)
        In nats.

    Examples
    --------
    >>> from pymc_bnn.studies.lau2018.design.digits import digits
    >>> from pymc_bnn.studies.lau2018.runs.limit import log_evidence
    >>> smooth, noisy = log_evidence(digits("centred"), 0.08, (0.05, 0.8))
    >>> bool(smooth > noisy)
    True
    """
    values, vectors = eigh(covariance(data.X, data.X, first))
    y = vectors.T @ codes(data.y)
    found = []
    for ratio in ratios:
        variances = np.maximum(values, 0.0) + ratio**2
        scale = np.mean(y**2 / variances[:, None])
        each = np.log(2 * np.pi * scale * variances) + 1
        found.append(-0.5 * y.shape[1] * each.sum())
    return np.array(found)


def held_out_squares(data: Digits, first: float, ratios: tuple[float, ...]) -> np.ndarray:
    """Mean squared errors of codes of training cases, each predicted without its block.

    Parameters
    ----------
    data, first, ratios
        As for :func:`wrong_classes`.

    Returns
    -------
    ndarray, shape (ratios,)
    """
    y, full = codes(data.y), covariance(data.X, data.X, first)
    squares = np.zeros(len(ratios))
    for rows in fold_rows(FOLDS):
        others = np.setdiff1d(np.arange(CASES), rows)
        known, between = full[np.ix_(others, others)], full[np.ix_(rows, others)]
        means = _means(known, between, y[others], ratios)
        squares += [((y[rows] - mean) ** 2).sum() for mean in means]
    return squares / y.size


def count_errors(inputs: str) -> xr.Dataset:
    """Count errors of infinitely wide networks on digits that are not trained on, over a grid.

    Parameters
    ----------
    inputs : str
        What the network sees, from :data:`.digits.INPUTS`.

    Returns
    -------
    Dataset
        Along ``setting``: ``first`` and ``ratio`` of :func:`wrong_classes`, how many of the digits
        ``between`` the sets and of the ``test`` cases are wrong, and what training cases say:
        :func:`log_evidence` as ``evidence`` and :func:`held_out_squares` as ``squares``.
    """
    data, rows = digits(inputs), []
    for first in FINER:
        wrong = wrong_classes(data, first, RATIOS)
        said = log_evidence(data, first, RATIOS), held_out_squares(data, first, RATIOS)
        for ratio, row, evidence, squares in zip(RATIOS, wrong, *said, strict=True):
            rows.append((first, ratio, row[:-CASES].sum(), row[-CASES:].sum(), evidence, squares))
    names = ("first", "ratio", "between", "test", "evidence", "squares")
    columns = np.array(rows).T
    return xr.Dataset({n: ("setting", c) for n, c in zip(names, columns, strict=True)})
