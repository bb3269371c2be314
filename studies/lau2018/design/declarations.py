"""What an experiment consists of: a network, a sampler and how long it runs."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from ....models import Gaussian, Prior
from .digits import CLASSES, digits


@dataclass(frozen=True)
class Network:
    """A network on the digits; by default the thesis's (Lau 2018, 4.1).

    Parameters
    ----------
    priors : tuple of Prior
        Prior of the weights and biases of each layer; a single one serves all.
    hidden : tuple of int
        Units of each hidden layer.
    inputs : str
        What the network sees, from :data:`.digits.INPUTS`.
    biases : bool
        Whether units have biases.
    activation : str
        What hidden units compute.
    parametrization : {"centered", "noncentered"}
        Of the weights.
    noise : float, optional
        Standard deviation of normal noise around codes of the classes; without it, classes have
        the probabilities that a softmax gives (:mod:`.coding`).
    """

    priors: tuple[Prior, ...] = (Gaussian(),)
    hidden: tuple[int, ...] = (35,)
    inputs: str = "raw"
    biases: bool = False
    activation: str = "tanh"
    parametrization: str = "centered"
    noise: float | None = None

    def prior(self) -> dict[str, Prior]:
        """Prior of each group of weights.

        Examples
        --------
        >>> from pymc_bnn.models import Gaussian
        >>> from pymc_bnn.studies.lau2018.design.declarations import Network
        >>> Network((Gaussian(0.5), Gaussian(2.0))).prior()
        {'w0': Gaussian(sd=0.5), 'w1': Gaussian(sd=2.0)}
        """
        layers = len(self.hidden) + 1
        each = self.priors * layers if len(self.priors) == 1 else self.priors
        if len(each) != layers:
            raise ValueError(f"priors={self.priors!r}: give one, or one for each of {layers}.")
        kinds = ("w", "b") if self.biases else ("w",)
        return {f"{kind}{i}": prior for i, prior in enumerate(each) for kind in kinds}

    def dimension(self) -> int:
        """Number of weights and biases.

        Examples
        --------
        >>> from pymc_bnn.studies.lau2018.design.declarations import Network
        >>> Network(hidden=(35, 35)).dimension()
        3815
        """
        sizes = (digits(self.inputs).X.shape[1], *self.hidden, CLASSES)
        pairs = pairwise(sizes)
        return sum((source + self.biases) * target for source, target in pairs)


@dataclass(frozen=True)
class Sampler:
    """A way of sampling.

    Parameters
    ----------
    name : str
        From :data:`.steps.STEPS`.
    options : mapping
        Arguments of its step method.
    """

    name: str = "nuts"
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Experiment:
    """A row of a table.

    Parameters
    ----------
    table : str
        Which table it belongs to.
    row : str
        Names it in the table: letters, digits and ``_=.-``.
    network : Network
        What is sampled.
    sampler : Sampler
        How.
    chains, tune, draws : int
        Chains, and warm-up and recorded draws of each.
    steps_per_draw : float
        About how many leapfrog steps a draw takes, to say beforehand how long it will last.
    at : mapping
        Values of columns that find the row in the thesis's table.
    seed : int
        Same seed, same draws.
    """

    table: str
    row: str
    network: Network = Network()
    sampler: Sampler = Sampler()
    chains: int = 4
    tune: int = 1000
    draws: int = 1000
    steps_per_draw: float = 700.0  # measured: trees of NUTS on grey levels, warm-up included
    at: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0

    @property
    def key(self) -> str:
        """Name of the result."""
        return f"{self.table}-{self.row}"

    def shortened(self, chains: int, tune: int, draws: int) -> "Experiment":
        """Run shorter than declared, never longer."""
        return replace(
            self,
            chains=min(chains, self.chains),
            tune=min(tune, self.tune),
            draws=min(draws, self.draws),
        )

    def reseeded(self, seed: int) -> "Experiment":
        """Return the same with other random numbers, under another name.

        Examples
        --------
        >>> from pymc_bnn.studies.lau2018.design.declarations import Experiment
        >>> Experiment("layers", "2").reseeded(1).key
        'layers-2-seed1'
        """
        return replace(self, row=f"{self.row}-seed{seed}", seed=self.seed + seed)

    def declaration(self) -> dict[str, Any]:
        """Everything the result depends on, in JSON-able values."""
        network = {**vars(self.network), "priors": [p.to_dict() for p in self.network.priors]}
        sampler = {"name": self.sampler.name, **self.sampler.options}
        sizes = {"chains": self.chains, "tune": self.tune, "draws": self.draws}
        return {"network": network, "sampler": sampler, **sizes, "seed": self.seed}
