r"""Random factors of the step size, drawn anew for every trajectory.

A random step size keeps a trajectory's length from matching a period of the dynamics, and lets
some trajectories through where a fixed one would be rejected for long (Neal 1992, Eq. 23).
"""

from collections.abc import Callable

import numpy as np

from ...models.data.choices import choose, is_between

Jitter = Callable[[np.random.Generator, float, int], np.ndarray]


def uniform(rng: np.random.Generator, spread: float, size: int) -> np.ndarray:
    r"""Draw from :math:`U(1 - \nu, 1 + \nu)`."""
    return 1.0 + spread * (2.0 * rng.random(size) - 1.0)


def log_normal(rng: np.random.Generator, spread: float, size: int) -> np.ndarray:
    r"""Draw :math:`\exp(\nu Z)` with standard normal :math:`Z`."""
    return np.exp(spread * rng.standard_normal(size))


def cauchy(rng: np.random.Generator, spread: float, size: int) -> np.ndarray:
    r"""Draw :math:`\exp(\nu C)` with standard Cauchy :math:`C` (Neal 1992, Eq. 23)."""
    return np.exp(np.clip(spread * rng.standard_cauchy(size), -700.0, 700.0))


JITTERS: dict[str, Jitter] = {"uniform": uniform, "log-normal": log_normal, "cauchy": cauchy}


def jitter_factor(kind: str | None, rng: np.random.Generator, spread: float) -> float:
    """Draw the factor of one trajectory's step size.

    Parameters
    ----------
    kind : {None, "uniform", "log-normal", "cauchy"}
        Distribution; None is the constant 1.
    rng : Generator
        Where the random number comes from.
    spread : float
        Spread of the distribution around 1.

    Returns
    -------
    float
        A positive factor.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.samplers.step_sizes.jitter import jitter_factor
    >>> jitter_factor(None, np.random.default_rng(0), 0.1)
    1.0
    """
    return 1.0 if kind is None else float(jitter_factors(kind, rng, spread, 1)[0])


def jitter_factors(
    kind: str | None, rng: np.random.Generator, spread: float, size: int
) -> np.ndarray:
    """Draw the factors of many trajectories' step sizes.

    Parameters
    ----------
    kind, rng, spread
        As for :func:`jitter_factor`.
    size : int
        Number of trajectories.

    Returns
    -------
    ndarray, shape (size,)
        Positive factors.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.samplers.step_sizes.jitter import jitter_factors
    >>> jitter_factors(None, np.random.default_rng(0), 0.1, 2)
    array([1., 1.])
    """
    return np.ones(size) if kind is None else JITTERS[kind](rng, spread, size)


def check_jitter(kind: str | None, spread: float) -> None:
    """Refuse an unknown jitter, or a spread that could turn the step size around."""
    if kind is not None:
        choose("jitter", kind, JITTERS)
    if not is_between(spread, 0, np.inf) or (kind == "uniform" and spread >= 1):
        raise ValueError(
            f"jitter_spread={spread!r}: give a number of at least 0, below 1 for uniform jitter."
        )
