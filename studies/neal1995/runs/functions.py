"""Functions from priors of networks of any width, beside the limit (chapter 2)."""

from dataclasses import dataclass

import numpy as np
import xarray as xr

from ....models import BNN, Gaussian, draw_functions, limiting_covariance

GRID = 61  # points of a function
EVERY = 10  # of them are looked at
MOST = 2_000_000  # weights that are drawn at once
SHOWN = 6  # functions


@dataclass(frozen=True)
class Family:
    """Networks that functions are drawn from.

    Parameters
    ----------
    activation : str
        What hidden units compute.
    hidden : tuple of int
        Hidden units.
    """

    activation: str
    hidden: tuple[int, ...]

    @property
    def key(self) -> str:
        """Name of the result."""
        return f"functions-{self.activation}-{'x'.join(map(str, self.hidden))}"


FAMILIES = (
    *(Family(activation, (n,)) for activation in ("tanh", "relu") for n in (10, 100, 1000, 10_000)),
    *(Family(activation, (200, 200)) for activation in ("tanh", "relu")),
)


def prior_network(family: Family) -> BNN:
    """Declare a network of one input whose weights have standard deviations width^(-1/2).

    Weights and biases of the first layer have 2, later biases 0.5.
    """
    layers = range(1, len(family.hidden) + 1)
    prior = {"w0": Gaussian(2.0), "b0": Gaussian(2.0)}
    prior |= {f"w{i}": Gaussian(family.hidden[i - 1] ** -0.5) for i in layers}
    prior |= {f"b{i}": Gaussian(0.5) for i in layers}
    X = np.linspace(-2.0, 2.0, GRID)[:, None]
    return BNN(X, np.sin(X[:, 0]), family.hidden, family.activation, prior=prior)


def draw(family: Family, draws: int, seed: int) -> xr.Dataset:
    """Draw functions and compare their covariance with the limit's.

    Returns
    -------
    Dataset
        ``functions`` to show; ``z`` of each covariance, the difference to the limit in standard
        errors; ``excess``, the kurtosis of an output over that of a normal number, and its
        standard error if there is none.
    """
    model, rng = prior_network(family), np.random.default_rng([seed, sum(family.hidden)])
    grid = np.linspace(-2.0, 2.0, GRID)[:, None]
    weights = sum(int(np.prod(group.shape)) for group in model.groups.values())
    each = max(1, min(draws, MOST // weights))
    chunks = [draw_functions(model, grid, each, rng) for _ in range(-(-draws // each))]
    found = np.concatenate([chunk.to_numpy()[..., 0] for chunk in chunks])[:draws]
    some, limit = found[:, ::EVERY], limiting_covariance(model, grid[::EVERY])
    first, second = np.triu_indices(some.shape[1])
    products = some[:, first] * some[:, second]
    error = products.std(axis=0, ddof=1) / np.sqrt(draws)
    middle = some[:, some.shape[1] // 2]
    return xr.Dataset(
        {
            "functions": (("function", "point"), found[:SHOWN]),
            "z": ("pair", (products.mean(axis=0) - limit[first, second]) / error),
            "excess": np.mean(middle**4) / np.mean(middle**2) ** 2 - 3.0,
            "excess_error": np.sqrt(24.0 / draws),
        }
    )
