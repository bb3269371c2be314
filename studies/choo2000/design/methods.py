"""The samplers that the study compares, by name."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from ....models import BNN
from ....samplers import GibbsHMC, SplitLeapfrog
from .network import HYPERPARAMETERS, choo_network

TETHER = 0.2  # of log precisions along a trajectory
SLOWED = "slowed_b"  # B with a small factor of precisions, section 6.2.3

Build = Callable[[int, int, float, int, Mapping[str, float]], tuple[BNN, Any]]

_network = lru_cache(maxsize=8)(choo_network)  # what was found out about a model is kept with it


@dataclass(frozen=True)
class Method:
    """A sampler with its cost.

    Parameters
    ----------
    title : str
        What it is.
    passes : int
        Passes through the network per leapfrog step, as Table 5.5 counts them.
    sweep_passes : int
        About how many more per trajectory, for interweaving.
    build : callable
        Makes the model and its step method, from hidden units, leapfrog steps of a trajectory,
        step size adjustment factor, trajectories per recorded draw, and posterior means of the
        log standard deviations.
    """

    title: str
    passes: int
    sweep_passes: int
    build: Build


def _gibbs(interweave: bool, collapse: bool = False) -> Build:
    def build(
        width: int, n_leapfrog: int, step_scale: float, thin: int, means: Mapping[str, float]
    ) -> tuple[BNN, Any]:
        model = _network(width)
        options: dict[str, Any] = {"interweave": interweave, "collapse": collapse, "thin": thin}
        return model, GibbsHMC(n_leapfrog, step_scale, model=model, **options)

    return build


def _split(
    parametrization: str, estimated: bool = False, hyper_ratio: float = 1.0, **options: Any
) -> Build:
    def build(
        width: int, n_leapfrog: int, step_scale: float, thin: int, means: Mapping[str, float]
    ) -> tuple[BNN, Any]:
        model = _network(width, parametrization)
        found = {name: np.exp(-2 * means[letter]) for letter, name in HYPERPARAMETERS.items()}
        given: dict[str, Any] = {"step_sizes": found} if estimated else {}
        given["hyper_step_scale"] = hyper_ratio * step_scale
        step = SplitLeapfrog(n_leapfrog, step_scale, thin=thin, model=model, **given, **options)
        return model, step

    return build


METHODS = {
    "gibbs": Method("Gibbs", 2, 0, _gibbs(interweave=False)),
    "dynamical_a": Method("Dynamical A", 4, 0, _split("centered")),
    "dynamical_b": Method("Dynamical B", 6, 0, _split("noncentered")),
    "interweaved_gibbs": Method("Interweaved Gibbs", 2, 23, _gibbs(interweave=True)),
    "interweaved_a": Method("Interweaved A", 4, 23, _split("centered", interweave=True)),
    "tethered_a": Method(
        "Tethered A, interweaved", 4, 23, _split("centered", tether=TETHER, interweave=True)
    ),
    "estimated_b": Method("B, posterior estimates", 6, 0, _split("noncentered", estimated=True)),
    "collapsed_gibbs": Method("Collapsed Gibbs", 2, 26, _gibbs(interweave=True, collapse=True)),
}
SAMPLERS = METHODS | {  # with one that is run at a single setting
    SLOWED: Method("B, precisions 1/100", 6, 0, _split("noncentered", hyper_ratio=0.01))
}
THESIS = ("gibbs", "dynamical_a", "dynamical_b")
RECOMMENDED = "collapsed_gibbs"
ALONE = "interweaved_gibbs"  # what the recommended one adds to
