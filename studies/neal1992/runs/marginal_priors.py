r"""Densities of weights under the priors that are compared, with their scales integrated out.

A normal group of :math:`k` weights whose precision is gamma, of mean :math:`1` and shape
:math:`1/2`, is multivariate t with one degree of freedom. Scales of other groups are integrated
over by trapezia in their logarithm, :math:`\log u`:

.. math:: \log p(w) = \log \sum_j e^{\ell(w \mid u_j) + \log p(u_j) + \log u_j} + \log \Delta .

They err by less than :math:`10^{-9}` for groups of up to 100 weights between :math:`10^{-6}` and
:math:`10^6`. The more weights share a scale the narrower the integrand is, so that larger groups
need a smaller :math:`\Delta`; and a single weight says the least of its scale, so that weights
beyond these sizes need a wider range.
"""

from collections.abc import Callable, Iterable

import numpy as np
from scipy.special import gammaln, logsumexp

from ..design.priors import EACH_UNIT, HEAVY, LOGISTIC, OURS
from .predicting import Weights

GROUPS = ("w0", "b0", "w1", "b1")
DEGREES = 4.0  # of the t prior
# wider than weights are, as densities of scales fall as powers alone
LOG_SCALES = np.linspace(np.log(1e-8), np.log(1e11), 720)


def log_density(name: str, weights: Weights) -> np.ndarray:
    """Log density of the weights of each draw under a prior.

    Parameters
    ----------
    name : str
        Of the prior, one of :data:`BLOCKS`.
    weights : mapping of str to ndarray
        Groups ``w0``, ``b0``, ``w1`` and ``b1``, draws first.

    Returns
    -------
    ndarray, shape (draws,)

    Examples
    --------
    One weight, of precision 1 or so in each group, is Cauchy:

    >>> import numpy as np
    >>> from pymc_bnn.studies.neal1992.runs.marginal_priors import log_density
    >>> weights = {name: np.zeros((1, 1)) for name in ("w0", "b0", "w1", "b1")}
    >>> bool(np.isclose(log_density("normal, scale learnt", weights)[0], -4 * np.log(np.pi)))
    True
    """
    blocks, of_block = BLOCKS[name]
    return np.sum([of_block(block) for block in blocks(weights)], axis=0)


def _by_group(weights: Weights) -> Iterable[np.ndarray]:
    for name in GROUPS:
        yield weights[name].reshape(len(weights[name]), -1)


def _by_unit(weights: Weights) -> Iterable[np.ndarray]:
    """The weights out of each unit, and biases by group."""
    for name in GROUPS:
        if name.startswith("b"):
            yield weights[name]
        else:
            yield from np.moveaxis(weights[name], 1, 0)


def _by_scale(weights: Weights) -> Iterable[np.ndarray]:
    """The report's three groups, the last one of all weights of the outputs."""
    *first, w1, b1 = _by_group(weights)
    yield from (*first, np.concatenate([w1, b1], axis=-1))


def _normal(w: np.ndarray) -> np.ndarray:
    half = (1.0 + w.shape[-1]) / 2
    constant = gammaln(half) - gammaln(0.5) - w.shape[-1] / 2 * np.log(np.pi)
    return constant - half * np.log1p((w**2).sum(axis=-1))


def _over_scales(w: np.ndarray, shape: Callable, log_prior: np.ndarray) -> np.ndarray:
    """Integrate over scales, with densities of weights over their scale, and the prior of its log.

    Weights are taken one by one, for all draws and scales at once.
    """
    total = np.tile(log_prior - w.shape[-1] * LOG_SCALES, (len(w), 1))
    for column in w.T:
        total += shape(column[:, None] * np.exp(-LOG_SCALES))
    return logsumexp(total, axis=1) + np.log(LOG_SCALES[1] - LOG_SCALES[0])


def _student(w: np.ndarray) -> np.ndarray:
    """Groups of t weights; their precision is u**-2, whose logarithm moves twice as fast as u's."""
    half = (DEGREES + 1) / 2
    constant = gammaln(half) - gammaln(DEGREES / 2) - 0.5 * np.log(np.pi * DEGREES)
    precision = np.exp(-2 * LOG_SCALES)
    log_prior = 0.5 * np.log(0.5 * precision) - 0.5 * precision - gammaln(0.5) + np.log(2)
    return _over_scales(w, lambda z: constant - half * np.log1p(z**2 / DEGREES), log_prior)


def _logistic(w: np.ndarray) -> np.ndarray:
    """Groups of the report (Eqs. 28-29), of scale u = s / (1 - s) with s uniform."""
    log_prior = LOG_SCALES - 2 * np.logaddexp(0.0, LOG_SCALES)
    return _over_scales(w, lambda z: -np.abs(z) - 2 * np.log1p(np.exp(-np.abs(z))), log_prior)


Block = Callable[[np.ndarray], np.ndarray]
BLOCKS: dict[str, tuple[Callable[[Weights], Iterable[np.ndarray]], Block]] = {
    OURS: (_by_group, _normal),
    EACH_UNIT: (_by_unit, _normal),
    HEAVY: (_by_group, _student),
    LOGISTIC: (_by_scale, _logistic),
}
