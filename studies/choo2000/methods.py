"""The samplers that the study compares, by name."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from ...models import BNN
from ...samplers import GibbsHMC
from .network import choo_network

Build = Callable[[int, int, float, int], tuple[BNN, Any]]

_network = lru_cache(maxsize=8)(choo_network)  # what was found out about a model is kept with it


def _gibbs(interweave: bool) -> Build:
    def build(width: int, n_leapfrog: int, step_scale: float, thin: int) -> tuple[BNN, Any]:
        model = _network(width)
        return model, GibbsHMC(
            n_leapfrog, step_scale, interweave=interweave, thin=thin, model=model
        )

    return build


# each builds the model and its step method from hidden units, leapfrog steps of a trajectory,
# step size adjustment factor and trajectories per recorded draw
METHODS: dict[str, Build] = {
    "gibbs": _gibbs(interweave=False),
    "interweaved_gibbs": _gibbs(interweave=True),
}

# passes through the network per leapfrog step, Table 5.5
PASSES = {"gibbs": 2, "interweaved_gibbs": 2, "dynamical_a": 4, "dynamical_b": 6}
