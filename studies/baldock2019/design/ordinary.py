"""Ordinary tables, which are sampled with and without replica exchange in the same time."""

from dataclasses import dataclass

import numpy as np
from sklearn.datasets import make_friedman1

from ....models import BNN, VARIANTS
from ...choo2000.design.network import CHOO_CASES
from ...tables.datasets import load_dataset
from ...tables.table import prepare

LADDER = tuple(float(t) for t in np.geomspace(1, 30, 8))
FRIEDMAN, CHOO = "Friedman 1, 1000 rows", "Choo, 8 rows"
TABLES = ("autompg", "diabetes", "wine", FRIEDMAN, CHOO)
NETWORKS = ((8,), (32,), (8, 8))
PRIORS = (
    "gaussian",
    "scaled",
    "normal_inverse_gamma",
    "ard",
    "horseshoe",
    "regularized_horseshoe",
)


@dataclass(frozen=True)
class Ordinary:
    """A network on a table, with one of the priors of a comparison.

    Parameters
    ----------
    table : str
        Of :data:`TABLES`.
    variant : str
        Of :data:`PRIORS`.
    hidden : tuple of int
        Tanh units of each hidden layer.
    seconds : float
        Of sampling, for each way.
    chains : int
        Chains alone, and ladders.
    """

    table: str
    variant: str
    hidden: tuple[int, ...]
    seconds: float = 12.0
    chains: int = 4

    @property
    def units(self) -> str:
        """The hidden layers in words.

        Examples
        --------
        >>> from pymc_bnn.studies.baldock2019.design.ordinary import Ordinary
        >>> Ordinary("wine", "ard", (8, 8)).units
        '8-8'
        """
        return "-".join(map(str, self.hidden))

    def build(self) -> BNN:
        """Declare the network on the table's training cases."""
        declare = VARIANTS[self.variant]
        if self.table == CHOO:
            return declare(CHOO_CASES[:, :2], CHOO_CASES[:, 2], hidden=self.hidden)
        if self.table == FRIEDMAN:
            X, y = make_friedman1(1000, 10, noise=1.0, random_state=0)
            return declare(np.sqrt(12) * (X - 0.5), (y - y.mean()) / y.std(), hidden=self.hidden)
        data = prepare(load_dataset(self.table), seed=0)
        return declare(data.X, data.y, hidden=self.hidden, likelihood=data.likelihood)
