r"""MacKay's Gaussian approximation of a network with one hidden layer, by the evidence framework.

Weights are at the mode :math:`\hat w` given the precisions of their groups, :math:`a_g`, and of the
noise, :math:`b`; these are at the mode of the evidence that the approximation gives (MacKay 1992),
times their own gamma priors. With :math:`J` the slopes of the outputs at :math:`\hat w` the
curvature is that of Gauss and Newton, :math:`A = b J^T J + \mathrm{diag}(a)`, and

.. math:: \log p(y \mid a, b) \approx -\tfrac{b}{2} S - \sum_g \tfrac{a_g}{2} |w_g|^2
          + \sum_g \tfrac{k_g}{2} \log a_g + \tfrac{m}{2} \log \tfrac{b}{2 \pi}
          - \tfrac12 \log |A| .

The model is that of :func:`.networks.our_network`, so that its evidence is that of sampling.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.optimize import least_squares
from scipy.special import gammaln

from .....models import BNN
from ..tightness import slopes

OUTER, INNER = 40, 8  # updates of the precisions, and evaluations for each
CLOSE = 1e-2  # relative change of precisions at which they have settled
FIRST_NOISE = 0.1  # standard deviation
SPREAD = 0.5  # of starts


@dataclass
class Approximation:
    """A normal distribution of the weights.

    Attributes
    ----------
    shapes : dict of str to tuple of int
        Of the groups.
    weights : ndarray
        The mode, all groups in their order.
    covariance : ndarray
        Of the weights.
    noise : float
        Precision of the noise.
    log_evidence : float
        With all modes that only rename units or change their signs.
    """

    shapes: dict[str, tuple[int, ...]]
    weights: np.ndarray
    precisions: np.ndarray = field(default_factory=lambda: np.ones(4))
    noise: float = FIRST_NOISE**-2
    covariance: np.ndarray = field(default_factory=lambda: np.zeros(0))
    log_evidence: float = -np.inf

    def groups(self) -> dict[str, np.ndarray]:
        """Weights by group."""
        sizes = [int(np.prod(shape)) for shape in self.shapes.values()]
        parts = np.split(self.weights, np.cumsum(sizes)[:-1])
        return {
            name: part.reshape(shape)
            for part, (name, shape) in zip(parts, self.shapes.items(), strict=True)
        }

    def outputs(self, inputs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Outputs at the mode, and their slopes, shape (cases, outputs, weights)."""
        w = self.groups()
        hidden = np.tanh(inputs @ w["w0"] + w["b0"])
        found = slopes(inputs, hidden, w["w1"])
        flat = [found[name].reshape(len(inputs), -1, w[name].size) for name in self.shapes]
        return hidden @ w["w1"] + w["b1"], np.concatenate(flat, axis=-1)

    def repeated(self, values: np.ndarray) -> np.ndarray:
        """A number of each group, for each of its weights."""
        return np.repeat(values, [int(np.prod(shape)) for shape in self.shapes.values()])


def fit(model: BNN, X: np.ndarray, y: np.ndarray, rng: np.random.Generator) -> Approximation:
    """Find a mode and its approximation from a random start.

    Parameters
    ----------
    model : BNN
        A network of :func:`.networks.our_network`.
    X, y : ndarray
        Its cases.
    rng : Generator
        For the start.
    """
    shapes = groups_of(model)
    size = sum(int(np.prod(shape)) for shape in shapes.values())
    now = Approximation(shapes, SPREAD * rng.standard_normal(size))
    priors = _priors(model)
    for _ in range(OUTER):
        before = np.append(now.precisions, now.noise)
        _find_mode(now, X, y)
        _update(now, X, y, priors)
        if np.allclose(np.append(now.precisions, now.noise), before, rtol=CLOSE):
            break
    _find_mode(now, X, y)
    _update(now, X, y, priors)
    return now


def groups_of(model: BNN) -> dict[str, tuple[int, ...]]:
    """Groups of weights of a network with one hidden layer, and their shapes."""
    return {name: tuple(model[name].eval().shape) for name in ("w0", "b0", "w1", "b1")}


def _priors(model: BNN) -> tuple[np.ndarray, np.ndarray]:
    """Shapes and rates of the gamma priors of the precisions, that of the noise last."""
    own: list[Any] = [*(model.priors[name] for name in ("w0", "b0", "w1", "b1")), model.likelihood]
    shapes = np.array([one.alpha / 2 for one in own])
    return shapes, shapes * np.array([one.sd**2 for one in own])


def _find_mode(now: Approximation, X: np.ndarray, y: np.ndarray) -> None:
    root, scale = np.sqrt(now.repeated(now.precisions)), np.sqrt(now.noise)

    def residuals(w: np.ndarray) -> np.ndarray:
        now.weights = w
        return np.append(scale * (now.outputs(X)[0] - y), root * w)

    def jacobian(w: np.ndarray) -> np.ndarray:
        now.weights = w
        return np.vstack([scale * now.outputs(X)[1].reshape(-1, w.size), np.diag(root)])

    now.weights = least_squares(residuals, now.weights, jacobian, method="lm", max_nfev=INNER).x


def _update(
    now: Approximation, X: np.ndarray, y: np.ndarray, priors: tuple[np.ndarray, np.ndarray]
) -> None:
    """Compute covariance and evidence, then move the precisions to where the latter is largest."""
    found, J = now.outputs(X)
    J, squares = J.reshape(y.size, -1), float(((found - y) ** 2).sum())
    weights = np.array([(w**2).sum() for w in now.groups().values()])
    sizes = np.array([w.size for w in now.groups().values()])
    curvature = now.noise * J.T @ J + np.diag(now.repeated(now.precisions))
    now.covariance = np.linalg.inv(curvature)
    traces = np.array(
        [part.sum() for part in np.split(np.diag(now.covariance), np.cumsum(sizes)[:-1])]
    )
    known = np.append(sizes - now.precisions * traces, 0.0)  # of a group: "well-determined" weights
    known[-1] = y.size - known.sum()
    every = np.append(now.precisions, now.noise)
    fits = np.append(weights, squares)
    now.log_evidence = float(
        0.5 * np.append(sizes, y.size) @ np.log(every)
        - 0.5 * every @ fits
        - 0.5 * y.size * np.log(2 * np.pi)
        - 0.5 * np.linalg.slogdet(curvature)[1]
        + _of_precisions(every, known, *priors)
        + copies(now.shapes["b0"][0])
    )
    shapes, rates = priors
    moved = (known + 2 * shapes) / (fits + 2 * rates)
    now.precisions, now.noise = moved[:-1], float(moved[-1])


def _of_precisions(
    every: np.ndarray, known: np.ndarray, shapes: np.ndarray, rates: np.ndarray
) -> float:
    """Log prior of the log precisions, and their share of the integral by its curvature."""
    prior = shapes * np.log(rates * every) - rates * every - gammaln(shapes)
    return float(prior.sum() + 0.5 * np.log(4 * np.pi / (known + 2 * shapes)).sum())


def copies(hidden: int) -> float:
    """Logarithm of the number of modes that are one network.

    Examples
    --------
    >>> from pymc_bnn.studies.neal1992.runs.approximations.evidence_framework import copies
    >>> round(copies(8), 2)
    16.15
    """
    return float(gammaln(hidden + 1) + hidden * np.log(2.0))
