"""Chains of steps that are compiled once in a process, for all data sets and starts."""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from ....models import BNN
from ....samplers import AnnealedMetropolis, GibbsHMC, GibbsPrecision, StaticHMC
from ....samplers.one_chain import iterate_chain
from ....samplers.pymc_steps import CompoundStep
from ....samplers.starts import dispersed_starts
from ...reproduction.unit_store import load_unit
from ..design.networks import GROUPS, Point, data_set, give_data, network, quantities
from ..design.settings import ETA, UNCORRECTED, Setting
from .stochastic_dynamics import StochasticDynamics

WEIGHTS = (*GROUPS, "b1")
PROPOSALS = 1000  # of the Metropolis algorithm for one draw of the precisions


class Followed(NamedTuple):
    """What became of a chain.

    Attributes
    ----------
    point : dict of str to ndarray
        Its end.
    found : ndarray, shape (draws, quantities)
        Quantities of its draws.
    acceptance : float
        Mean acceptance.
    seconds : float
        Of the processor.
    """

    point: Point
    found: np.ndarray
    acceptance: float
    seconds: float


@lru_cache(maxsize=2)
def declared(size: tuple[int, int]) -> BNN:
    """Declare the network of a size, whose data are given later."""
    return network(data_set(size[1], 0), size[0])


@lru_cache(maxsize=32)
def compiled(size: tuple[int, int], setting: Setting, thin: int) -> tuple[Any, ...]:
    """Compile the steps of a setting; the last of them moves the weights."""
    model = declared(size)
    given: dict[str, Any] = {"n_leapfrog": setting.leapfrogs, "step_scale": setting.eta}
    precisions = GibbsPrecision(interweave=False, model=model)
    if setting.method in ("windows", "partial"):
        given["window" if setting.method == "windows" else "partial_gradients"] = int(setting.more)
        step = StaticHMC(model=model, **given)
        return precisions, step
    if setting.method == "Metropolis":
        moved = [model[name] for name in WEIGHTS]
        walk = AnnealedMetropolis(moved, (), setting.eta, None, thin=PROPOSALS, model=model)
        return precisions, walk
    if setting.method == UNCORRECTED:
        return precisions, StochasticDynamics(model=model, **given)
    woven = setting.method == "interweaving"
    kept = setting.more if setting.method == "persistence" else 0.0
    return (GibbsHMC(thin=thin, interweave=woven, persistence=kept, model=model, **given),)


def prepare(size: tuple[int, int], number: int) -> BNN:
    """Give the network of a size a data set."""
    arm, model = data_set(size[1], number), declared(size)
    give_data(model, arm.X, arm.y)
    return model


def begin(size: tuple[int, int], number: int, seed: int) -> Point:
    """Dispersed start of a data set, the same for all settings."""
    return dispersed_starts(prepare(size, number), 1, np.random.default_rng([seed, number]))[0]


def follow(
    steps: Sequence[Any], point: Point, rng: np.random.Generator, draws: int, measure: Any = None
) -> Followed:
    """Follow a chain without warm-up.

    Parameters
    ----------
    steps : sequence of step methods
        Applied in turn for a draw.
    point : dict of str to ndarray
        Its start.
    rng : Generator
        Where random numbers come from.
    draws : int
        Draws.
    measure : callable, optional
        What to record of a point; by default :func:`.networks.quantities`.
    """
    chain = iterate_chain(CompoundStep(steps), point, rng, draws=draws)
    found, accepted, begun = [], 0.0, process_time()
    for point, [*_, one], _ in chain:
        found.append((measure or quantities)(point))
        accepted += float(one["acceptance_rate"])
    return Followed(point, np.array(found), accepted / draws, process_time() - begun)


def plain(size: tuple[int, int], leapfrogs: int, thin: int, woven: bool = False) -> tuple[Any, ...]:
    """Compile Hamiltonian Monte Carlo with the thesis's factor, with interweaving or without."""
    method = "interweaving" if woven else "HMC"
    return compiled(size, Setting(method, leapfrogs, ETA), thin)


def as_state(point: Point) -> xr.Dataset:
    """Keep a point."""
    return xr.Dataset(
        {f"state_{k}": ([f"{k}_{i}" for i in range(v.ndim)], v) for k, v in point.items()}
    )


def state(folder: Path, key: str) -> Point:
    """Load a point that was kept."""
    found = load_unit(folder, key)
    kept = [name for name in found if str(name).startswith("state_")]
    return {str(name).removeprefix("state_"): found[name].to_numpy() for name in kept}
