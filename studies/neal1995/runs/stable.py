"""Functions from stable priors, whose sums have no Gaussian limit (chapter 2)."""

from dataclasses import dataclass

import numpy as np
import xarray as xr
from scipy.stats import binom

from ....models import BNN, Gaussian, Stable, draw_functions
from ....models.forward_pass import outputs
from ....models.prior_functions import prior_draws
from ...silence import without_pymcs_words
from .functions import GRID, MOST, SHOWN

INPUT, BIAS, OUTPUT = 2.0, 2.0, 0.5  # standard deviations of normal weights and biases
FREQUENCIES = np.array([0.2, 0.5, 1.0, 2.0])
PLACES = 20, 40  # of the grid, at -2/3 and 2/3


@dataclass(frozen=True)
class StableFamily:
    """Networks of steps with stable weights to the output.

    Parameters
    ----------
    index : float
        Of the stable distribution; 2 is normal.
    units : int
        Hidden units.
    """

    index: float
    units: int

    @property
    def key(self) -> str:
        """Name of the result."""
        return f"stable-{self.index:g}-{self.units}"


STABLE = tuple(
    StableFamily(index, units) for index in (1.0, 1.5, 2.0) for units in (10, 100, 1000, 10_000)
)


def stable_network(family: StableFamily) -> BNN:
    """Declare a network of one input, whose scales shrink with width^(-1/index)."""
    wide: Stable | Gaussian = Gaussian(family.units**-0.5)
    if family.index < 2:
        wide = Stable(family.index, scaled=True)
    prior = {"w0": Gaussian(INPUT), "b0": Gaussian(BIAS), "w1": wide, "b1": Gaussian(OUTPUT)}
    X = np.linspace(-2.0, 2.0, GRID)[:, None]
    return BNN(X, np.sin(X[:, 0]), (family.units,), "step", prior=prior)


def draw_stable(family: StableFamily, draws: int, seed: int) -> xr.Dataset:
    r"""Draw functions and compare their distribution with the one in closed form.

    With :math:`c(t) = |t|^\alpha / 2^{\alpha / 2}`, what a function of :math:`H` steps is at a
    point, less its bias, has the characteristic function :math:`e^{-c(t)}` for every :math:`H`: a
    sum of as many stable numbers with signs. Between two points it changes by twice the weights of
    the units whose thresholds lie between. Their number is binomial, with the probability
    :math:`p` that one does, so that the change has

    .. math:: \sum_k \mathrm{Bin}(k; H, p)\, e^{-c(2 t) k / H}.

    Returns
    -------
    Dataset
        ``functions`` to show; ``z``, the differences of both characteristic functions in standard
        errors; ``shares``, the sum of squared shares of units in the sum of squared weights, and
        its ``shares_error``.
    """
    with without_pymcs_words():
        return _drawn(family, draws, seed)


def _drawn(family: StableFamily, draws: int, seed: int) -> xr.Dataset:
    model, grid = stable_network(family), np.linspace(-2.0, 2.0, GRID)[:, None]
    rng = np.random.default_rng([seed, family.units, round(10 * family.index)])
    each, two = max(1, min(draws, MOST // (3 * family.units))), grid[list(PLACES)]
    found, shares = [], []
    for _ in range(-(-draws // each)):
        drawn = prior_draws(model, each, rng)
        found.append(outputs(model, drawn, two)[..., 0])
        squares = drawn.weights["w1"][..., 0] ** 2
        shares.append(((squares / squares.sum(axis=1, keepdims=True)) ** 2).sum(axis=1))
    values, concentrated = np.concatenate(found)[:draws], np.concatenate(shares)[:draws]
    value, change = values[:, 0], values[:, 1] - values[:, 0]
    z = [_z_scores(value, _value(family)), _z_scores(change, _change(family, two))]
    shown = draw_functions(model, grid, SHOWN, rng).to_numpy()[..., 0]
    return xr.Dataset(
        {
            "functions": (("function", "point"), shown),
            "z": (("of", "frequency"), np.array(z)),
            "shares": concentrated.mean(),
            "shares_error": concentrated.std(ddof=1) / np.sqrt(draws),
        }
    )


def _z_scores(values: np.ndarray, expected: np.ndarray) -> np.ndarray:
    waves = np.cos(np.multiply.outer(FREQUENCIES, values))
    error = waves.std(axis=1, ddof=1) / np.sqrt(values.size)
    return (waves.mean(axis=1) - expected) / error


def _alone(family: StableFamily, t: np.ndarray) -> np.ndarray:
    return np.abs(t) ** family.index / 2 ** (family.index / 2)


def _value(family: StableFamily) -> np.ndarray:
    return np.exp(-_alone(family, FREQUENCIES) - (OUTPUT * FREQUENCIES) ** 2 / 2)


def _change(family: StableFamily, points: np.ndarray) -> np.ndarray:
    across = points @ points.T * INPUT**2 + BIAS**2
    size = np.sqrt(np.diag(across))
    between = np.arccos(across[0, 1] / size.prod()) / np.pi
    count = np.arange(family.units + 1)
    chances = binom.pmf(count, family.units, between)
    each = _alone(family, 2 * FREQUENCIES)[:, None] * count / family.units
    return np.exp(-each) @ chances
