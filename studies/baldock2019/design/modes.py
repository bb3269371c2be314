"""Small networks whose posteriors have separate modes, which the paper's digits do not show."""

from dataclasses import dataclass

import numpy as np

from ....models import BNN, Gaussian, GaussianNoise

VAGUE = 5.0  # standard deviation of weights
NOISE = 0.1
CASES = 100
LOW = 80.0  # nats; log likelihoods between 75 and 82 hardly occur with three units


@dataclass(frozen=True)
class Modes:
    """A network that is sampled by chains alone and by ladders.

    Parameters
    ----------
    units : int
        Hidden tanh units.
    mirrored : bool
        Whether half of the cases are mirror images of the others. The posterior then is its own
        mirror image, so that networks that fit one side better and those that fit the other side
        better have probabilities of a half each.
    temperatures : int
        Of a ladder from 1 to 1000.
    chains, ladders : int
        Chains that are sampled alone, and ladders.
    tune, draws : int
        Of both.
    """

    units: int
    mirrored: bool = False
    temperatures: int = 16
    chains: int = 8
    ladders: int = 4
    tune: int = 1000
    draws: int = 4000

    def ladder(self) -> list[float]:
        """Temperatures of a ladder.

        Examples
        --------
        >>> from pymc_bnn.studies.baldock2019.design.modes import Modes
        >>> [round(temperature) for temperature in Modes(3, temperatures=4).ladder()]
        [1, 10, 100, 1000]
        """
        return [float(t) for t in np.geomspace(1, 1000, self.temperatures)]

    def data(self) -> tuple[np.ndarray, np.ndarray]:
        """Make the cases: a wavy function of one input, with normal noise.

        Examples
        --------
        >>> from pymc_bnn.studies.baldock2019.design.modes import Modes
        >>> X, y = Modes(3, mirrored=True).data()
        >>> X.shape, bool((X[:50] == -X[50:]).all()), bool((y[:50] == y[50:]).all())
        ((100, 1), True, True)
        """
        rng = np.random.default_rng(0)
        count = CASES // 2 if self.mirrored else CASES
        x = rng.normal(size=count)
        x = np.abs(x) if self.mirrored else x
        f = 0.3 + 0.4 * x + 0.5 * np.sin(2.7 * x) + 1.1 / (1 + x**2)
        y = f + NOISE * rng.normal(size=count)
        if self.mirrored:
            x, y = np.concatenate([x, -x]), np.concatenate([y, y])
        return x[:, None], y

    def build(self) -> BNN:
        """Declare the network, with vague priors and a noise that is learnt."""
        X, y = self.data()
        return BNN(X, y, (self.units,), "tanh", Gaussian(VAGUE), GaussianNoise(NOISE))
