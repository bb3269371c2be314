r"""Covariances of draws that come one at a time (Welford 1962; Lau 2018, 2.8, Algorithm 14)."""

import numpy as np

from ...models.simd.kernels import jit
from ..pymc_steps import DataClassState, WithSamplingState, dataclass_state

PRIOR_DRAWS, PRIOR_VARIANCE = 5, 1e-3  # what Stan shrinks an estimate towards


@jit
def add_products(sums, difference, share):  # type: ignore[no-untyped-def]  # numba infers the types
    """Add ``share * outer(difference, difference)`` to the lower triangle of a matrix in place."""
    for i in range(difference.size):
        multiple = share * difference[i]
        for j in range(i + 1):
            sums[i, j] += multiple * difference[j]


@dataclass_state
class WelfordState(DataClassState):
    """What has been added."""

    count: int
    mean: np.ndarray
    sums: np.ndarray


class Welford(WithSamplingState):
    """Running mean, and sums of squares or of products of deviations from it.

    Parameters
    ----------
    size : int
        Number of components.
    dense : bool
        Whether to estimate covariances too, not variances alone.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.samplers.step_sizes.welford import Welford
    >>> moments = Welford(1, dense=False)
    >>> for draw in np.random.default_rng(1).normal(7.0, 2.0, size=10_000):
    ...     moments.add(np.array([draw]))
    >>> moments.scale().round(1)
    array([2.])
    """

    _state_class = WelfordState

    def __init__(self, size: int, dense: bool):
        self.count, self.mean = 0, np.zeros(size)
        self.sums = np.zeros((size, size) if dense else size)

    def add(self, draw: np.ndarray) -> None:
        """Learn from a draw of shape (size,)."""
        self.count += 1
        difference = draw - self.mean
        self.mean = self.mean + difference / self.count
        share = (self.count - 1) / self.count
        if self.sums.ndim == 1:
            self.sums = self.sums + share * difference**2
        else:
            add_products(self.sums, difference, share)

    def scale(self) -> np.ndarray | None:
        r"""Square root of the estimated covariance.

        The estimate of :math:`n` draws is shrunk as in Stan, for it is noisy:
        :math:`\frac{n}{n + 5} \hat\Sigma + \frac{5}{n + 5} 10^{-3} I`.

        Returns
        -------
        ndarray or None
            Standard deviations, shape (size,), or a lower Cholesky factor, shape (size, size):
            that of the variances alone where rounding leaves the covariance without one. None
            for fewer than two draws.
        """
        if self.count < 2:
            return None
        weight = self.count + PRIOR_DRAWS
        prior = PRIOR_DRAWS * PRIOR_VARIANCE / weight
        covariance = self.sums * (self.count / (weight * (self.count - 1)))
        if covariance.ndim == 1:
            return np.sqrt(covariance + prior)
        np.fill_diagonal(covariance, covariance.diagonal() + prior)
        try:
            return np.linalg.cholesky(covariance)
        except np.linalg.LinAlgError:
            return np.diag(np.sqrt(covariance.diagonal()))
