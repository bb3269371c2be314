"""The networks of the paper: M(3), M(3*) and M(1) (3.1, 3.2, 4.1)."""

from dataclasses import dataclass
from math import e

import numpy as np

from ....models import BNN, Box, Likelihood
from .logistic_outputs import LogisticOutputs

UNITS = 40
FLOOR = float(-np.log(e / (e + 9)))  # per case, of outputs between 0 and 1


@dataclass(frozen=True)
class Network:
    """A network of logistic units with a uniform prior.

    Parameters
    ----------
    title : str
        The paper's name for it.
    layers : int
        Hidden layers of 40 units.
    factor : float
        Of the box prior (Eq. 11).
    likelihood : Likelihood or str
        Of the digits.
    """

    title: str
    layers: int
    factor: float
    likelihood: str | Likelihood = "categorical"

    def build(self, X: np.ndarray, y: np.ndarray, walls: str = "reflect") -> BNN:
        """Declare the model of training cases.

        Examples
        --------
        >>> from pymc_bnn.studies.baldock2019.design.images import cases
        >>> from pymc_bnn.studies.baldock2019.design.networks import NETWORKS
        >>> data = cases(50)
        >>> model = NETWORKS["M3"].build(data.X, data.y)
        >>> sum(int(np.prod(group.shape)) for group in model.groups.values())
        13970
        """
        hidden, prior = (UNITS,) * self.layers, Box(self.factor, walls)
        return BNN(X, y, hidden, "logistic", prior, self.likelihood)


NETWORKS = {
    "M3": Network("M(3)", 3, 50.0),
    "M3star": Network("M(3*)", 3, 1000.0, LogisticOutputs()),
    "M1": Network("M(1)", 1, 50.0),
    "M3narrow": Network("M(3) in half the box", 3, 25.0),
    "M1narrow": Network("M(1) in half the box", 1, 25.0),
    "M3wide": Network("M(3) in twice the box", 3, 100.0),
    "M1wide": Network("M(1) in twice the box", 1, 100.0),
}
WIDTHS = {25.0: ("M3narrow", "M1narrow"), 50.0: ("M3", "M1"), 100.0: ("M3wide", "M1wide")}


def start(model: BNN, rng: np.random.Generator, spread: float = 1.0) -> dict[str, np.ndarray]:
    r"""Draw weights uniformly between ±spread :math:`/ \sqrt{k}`, as values of the model (3.2)."""
    return {
        str(value.name): model.priors[name].initial(group, rng, spread)
        for (name, group), value in zip(model.groups.items(), model.value_vars, strict=True)
    }


def walls_of(model: BNN) -> dict[str, float]:
    """Where the walls of each group of weights stand."""
    found = {}
    for name, group in model.groups.items():
        prior = model.priors[name]
        assert isinstance(prior, Box)
        found[name] = prior.wall(group)
    return found
