"""Eight chains of a network as a pack, and one by one."""

from typing import Any

import numpy as np
from pymc_bnn import models
from pymc_bnn.samplers.batch.network.potential import network_of
from pymc_bnn.samplers.batch.network.registers import WIDTH, room_for
from pymc_bnn.samplers.compiled.memory import initial_point
from pymc_bnn.samplers.potential.conditional import Conditional
from pymc_bnn.samplers.potential.rest import Rest

LIKELIHOODS = {"gaussian_noise": 2, "bernoulli": 1, "categorical": 3}


def network(
    likelihood: str, hidden: tuple[int, ...], cases: int, activation: str = "tanh"
) -> models.BNN:
    rng = np.random.default_rng(len(hidden) + cases)
    X, outputs = rng.normal(size=(cases, 3)), LIKELIHOODS[likelihood]
    y: Any = rng.normal(size=(cases, outputs))
    if likelihood == "gaussian_noise":
        likelihood = models.GaussianNoise(sd=0.5, per_output=True)
    else:
        y = np.arange(cases) % max(outputs, 2)
    return models.normal_inverse_gamma(
        X, y, hidden=hidden, likelihood=likelihood, activation=activation
    )


class Both:
    """Eight chains of a network's weights as a pack, and one by one."""

    def __init__(self, model: models.BNN, seed: int = 0):
        self.conditional = Conditional(model, model.groups)
        self.rest = self.conditional.compile_rest(gradient=True)
        self.model, self.size = model, self.conditional.layout.size
        self.network = network_of(model, self.conditional.network_layout)
        self.rng = np.random.default_rng(seed)
        points = [self.point() for _ in range(WIDTH)]
        self.points, self.parameters = points, [self.conditional.parameters(p) for p in points]
        self.q = np.array([self.conditional.layout.ravel(p) for p in points])

    def point(self) -> dict[str, np.ndarray]:
        start = initial_point(self.model)
        return {k: np.asarray(v + 0.7 * self.rng.normal(size=v.shape)) for k, v in start.items()}

    def vectors(self, name: str) -> np.ndarray:
        return lanes(np.array([getattr(p, name) for p in self.parameters]))

    def data(self, chain: int, rest: Rest | None = None) -> Any:
        rest = self.rest if rest is None else rest
        return self.conditional.data(rest, self.points[chain], self.parameters[chain])


def lanes(values: np.ndarray) -> np.ndarray:
    """Chains along the last axis, of numbers given with chains along the first."""
    room = room_for(values.shape[1])
    room[:] = values.T.ravel()
    return room


def by_chain(vectors: np.ndarray) -> np.ndarray:
    return vectors.reshape(-1, WIDTH).T
