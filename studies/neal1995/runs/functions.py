"""Functions from priors of networks of any width, beside the limit (chapter 2)."""

from dataclasses import dataclass

import numpy as np
import xarray as xr
from scipy.stats import norm

from ....models import BNN, Gaussian, draw_functions, limiting_covariance
from ....models.forward_pass import outputs
from ....models.prior_functions import prior_draws
from ...silence import without_pymcs_words

GRID = 61  # points of a function
EVERY = 10  # of them are looked at
MOST = 2_000_000  # weights that are drawn at once
SHOWN = 6  # functions
NARROW = 300  # units of as many networks as one of so many is drawn, which takes as long


@dataclass(frozen=True)
class Family:
    """Networks that functions are drawn from.

    Parameters
    ----------
    activation : str
        What hidden units compute.
    hidden : tuple of int
        Hidden units.
    skip : bool
        Whether the input is connected to the output directly too.
    """

    activation: str
    hidden: tuple[int, ...]
    skip: bool = False

    @property
    def key(self) -> str:
        """Name of the result."""
        sizes = "x".join(map(str, self.hidden))
        return f"functions-{self.activation}-{sizes}{'-skip' if self.skip else ''}"

    def draws(self, draws: int) -> int:
        """Networks to draw, where so many are of wide ones."""
        return draws * max(1, NARROW // sum(self.hidden))


UNITS = "tanh", "relu", "step"
FAMILIES = (
    *(Family(activation, (n,)) for activation in UNITS for n in (10, 100, 1000, 10_000)),
    *(Family(activation, (200,) * depth) for depth in (2, 3) for activation in UNITS),
    *(Family(activation, (200,) * depth, skip=True) for depth in (2, 3) for activation in UNITS),
)


def prior_network(family: Family) -> BNN:
    """Declare a network of one input whose weights have standard deviations width^(-1/2).

    Weights and biases of the first layer have 2, later biases and direct connections 0.5.
    """
    layers = range(1, len(family.hidden) + 1)
    prior = {"w0": Gaussian(2.0), "b0": Gaussian(2.0)}
    prior |= {f"w{i}": Gaussian(family.hidden[i - 1] ** -0.5) for i in layers}
    prior |= {f"b{i}": Gaussian(0.5) for i in layers}
    prior |= {"skip": Gaussian(0.5)} if family.skip else {}
    X, activation = np.linspace(-2.0, 2.0, GRID)[:, None], family.activation
    return BNN(X, np.sin(X[:, 0]), family.hidden, activation, prior=prior, skip=family.skip)


def draw(family: Family, draws: int, seed: int) -> xr.Dataset:
    """Draw functions and compare their covariance with the limit's.

    Returns
    -------
    Dataset
        ``functions`` to show; ``z`` of each covariance, the difference to the limit in standard
        errors; ``excess``, the kurtosis of an output over that of a normal number, with its
        standard error, and ``excess_expected`` of one layer in closed form.
    """
    with without_pymcs_words():
        return _drawn(family, draws, seed)


def _drawn(family: Family, draws: int, seed: int) -> xr.Dataset:
    model, draws = prior_network(family), family.draws(draws)
    own = sum(family.hidden), UNITS.index(family.activation), *([1] if family.skip else [])
    rng = np.random.default_rng([seed, *own])
    grid = np.linspace(-2.0, 2.0, GRID)[:, None]
    at = grid[::EVERY]
    weights = sum(int(np.prod(group.shape)) for group in model.groups.values())
    each = max(1, min(draws, MOST // weights))
    chunks = [
        outputs(model, prior_draws(model, each, rng), at)[..., 0] for _ in range(-(-draws // each))
    ]
    some = np.concatenate(chunks)[:draws]
    limit = limiting_covariance(model, at)
    first, second = np.triu_indices(some.shape[1])
    products = some[:, first] * some[:, second]
    error = products.std(axis=0, ddof=1) / np.sqrt(draws)
    middle = some[:, some.shape[1] // 2]
    shown = draw_functions(model, grid, SHOWN, rng).to_numpy()[..., 0]
    return xr.Dataset(
        {
            "functions": (("function", "point"), shown),
            "z": ("pair", (products.mean(axis=0) - limit[first, second]) / error),
            **_excess(middle),
            "excess_expected": _expected_excess(model) if len(family.hidden) == 1 else np.nan,
        }
    )


def _excess(values: np.ndarray) -> dict[str, float]:
    square, fourth = np.mean(values**2), np.mean(values**4)
    each = (values**4 - 2 * fourth / square * values**2) / square**2
    error = each.std(ddof=1) / np.sqrt(values.size)
    return {"excess": fourth / square**2 - 3.0, "excess_error": error}


def _expected_excess(model: BNN) -> float:
    r"""Excess kurtosis of a sum of :math:`H` units in the middle of the inputs, where they are 0.

    .. math:: 3 H \sigma_w^4\, \mathrm{Var}(h^2) / (H \sigma_w^2\, E h^2 + \sigma_b^2)^2
    """
    nodes = np.linspace(-10.0, 10.0, 100_001)
    density = norm.pdf(nodes) / norm.pdf(nodes).sum()
    squares = model.activation.array(float(model.scales["b0"]) * nodes) ** 2
    mean, (units,) = density @ squares, model.hidden
    weight, bias = float(model.scales["w1"]) ** 2, float(model.scales["b1"]) ** 2
    spread = density @ (squares - mean) ** 2
    return 3 * units * weight**2 * spread / (units * weight * mean + bias) ** 2
