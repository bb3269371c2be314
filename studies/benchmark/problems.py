"""The five networks on which leapfrog steps are timed."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from sklearn.datasets import load_digits

from ...models import BNN, Categorical, Gaussian, GaussianNoise, NormalInverseGamma
from ..choo2000.design.network import choo_network


def robot_arm(cases: int = 200, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    r"""Generate MacKay's robot arm problem as Neal (1992) uses it.

    .. math::
        y_1 &= 2.0 \cos x_1 + 1.3 \cos(x_1 + x_2) + e_1 \\
        y_2 &= 2.0 \sin x_1 + 1.3 \sin(x_1 + x_2) + e_2, \qquad e \sim N(0, 0.05^2)

    Parameters
    ----------
    cases : int
        Number of cases.
    seed : int
        For joint angles and noise.

    Returns
    -------
    X, y : ndarray, shape (cases, 2)
        Angles of the joints in radians, and positions of the end of the arm.

    Examples
    --------
    >>> from pymc_bnn.studies.benchmark.problems import robot_arm
    >>> X, y = robot_arm()
    >>> bool((abs(X[:, 0]) >= 0.453).all()), y.shape
    (True, (200, 2))
    """
    rng = np.random.default_rng(seed)
    x1 = rng.uniform(0.453, 1.932, cases) * rng.choice([-1.0, 1.0], cases)
    x2 = rng.uniform(0.534, 3.142, cases)
    y1 = 2.0 * np.cos(x1) + 1.3 * np.cos(x1 + x2)
    y2 = 2.0 * np.sin(x1) + 1.3 * np.sin(x1 + x2)
    y = np.column_stack([y1, y2]) + 0.05 * rng.standard_normal((cases, 2))
    return np.column_stack([x1, x2]), y


def _robot_network() -> BNN:
    X, y = robot_arm()
    noise = GaussianNoise(sd=0.05, alpha=0.5)
    return BNN(X, y, hidden=(16,), prior=NormalInverseGamma(sd=1.0, alpha=0.5), likelihood=noise)


def _digits_network() -> BNN:
    X, y = load_digits(return_X_y=True)
    return BNN(X[:500] / 16, y[:500], hidden=(35,), prior=Gaussian(), likelihood=Categorical())


def _deep_network() -> BNN:
    rng = np.random.default_rng(1)
    X = rng.standard_normal((500, 256)) / 16
    y = np.argmax(X @ rng.standard_normal((256, 10)), axis=1)
    return BNN(X, y, hidden=(40, 40, 40), prior=Gaussian(), likelihood=Categorical())


@dataclass(frozen=True)
class Problem:
    """A network to time.

    Attributes
    ----------
    name : str
        Its letter.
    title : str
        What it is.
    build : callable
        Builds the model.
    n_leapfrog : int
        Leapfrog steps per trajectory.
    thin : int
        Trajectories per recorded draw of ours, so many that the draw costs little beside them.
    targets : tuple of float
        At most: ours over floor. At least: nutpie and ``pm.HamiltonianMC`` over ours.
    """

    name: str
    title: str
    build: Callable[[], BNN]
    n_leapfrog: int
    thin: int
    targets: tuple[float, float, float]


PROBLEMS = {
    p.name: p
    for p in (
        Problem("a", "Choo 2-8-1, 8 cases", choo_network, 400, 40, (1.4, 6.0, 14.0)),
        Problem("b", "Choo 2-20-1, 8 cases", lambda: choo_network(20), 400, 20, (1.4, 3.0, 8.0)),
        Problem("c", "robot arm 2-16-2, 200 cases", _robot_network, 200, 5, (1.4, 8.0, 6.0)),
        Problem("d", "digits 64-35-10, 500 cases", _digits_network, 50, 1, (1.15, 2.0, 1.7)),
        Problem("e", "256-40-40-40-10, 500 cases", _deep_network, 20, 1, (1.15, 1.8, 1.6)),
    )
}
