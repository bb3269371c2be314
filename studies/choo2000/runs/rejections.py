"""How often trajectories are rejected as they grow longer (Choo 2000, chapter 6), and cures."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import xarray as xr

from ....models import BNN
from ....samplers import GibbsHMC, SplitLeapfrog
from ...reproduction.units import Unit, load_unit
from ..design.budgets import SECONDS_TO_START, Budget
from ..design.methods import TETHER
from ..design.network import HYPERPARAMETERS, choo_network
from .chains import start_points
from .trials import master_key, posterior_means

TETHERED_SCALE = 0.2  # of tethered trajectories, whose steps have to suit all that they visit
LENGTHS = (17, 50, 150, 500, 2000)
LONGEST = 17067  # of the thesis's chains
TO_LONGEST = ("6.2", "6.6")  # figures that go so far
FEWER = 4  # times fewer trajectories as long as that: from each start state 12, as the thesis's 50


@dataclass(frozen=True)
class Curve:
    """A sampler whose rejection rate is measured at several lengths of trajectories.

    Parameters
    ----------
    figure : str
        Of the thesis; ``"beyond"`` for more.
    title : str
        What it is.
    width : int
        Hidden units.
    method : {"gibbs", "a", "tethered_a", "b", "estimated_b"}
        Gibbs, Dynamical A, with tethers, or B, or B with curvatures at posterior means.
    step_scale : float
        Step size adjustment factor.
    hyper_ratio : float
        That of the log precisions over it.
    hyper_splits, parameter_splits : int
        Parts of the updates.
    order : {"random", "symmetric"}
        How trajectories are made reversible.
    """

    figure: str
    title: str
    width: int
    method: str
    step_scale: float
    hyper_ratio: float = 1.0
    hyper_splits: int = 1
    parameter_splits: int = 1
    order: str = "random"

    @property
    def lengths(self) -> tuple[int, ...]:
        """Leapfrog steps of the trajectories.

        Examples
        --------
        >>> from pymc_bnn.studies.choo2000.runs.rejections import curves
        >>> [max(curve.lengths) for curve in curves((8, 20)) if curve.figure in ("6.2", "6.7")]
        [17067, 17067, 17067, 2000, 2000]
        """
        return (*LENGTHS, LONGEST) if self.figure in TO_LONGEST else LENGTHS

    @property
    def key(self) -> str:
        """Key of the result."""
        splits = f"{self.hyper_splits}-{self.parameter_splits}-{self.order}"
        where = f"{self.figure}-{self.method}-{self.width}"
        return f"rejections-{where}-{self.step_scale}-{self.hyper_ratio}-{splits}"


def curves(widths: tuple[int, ...]) -> list[Curve]:
    """All curves for networks of some widths: Figures 6.2 and 6.5-6.7, and beyond.

    Examples
    --------
    >>> from pymc_bnn.studies.choo2000.runs.rejections import curves
    >>> [curve.hyper_splits for curve in curves((8,)) if curve.figure == "6.7"]
    [1, 100]
    """
    thesis = [
        Curve("6.2", "Gibbs", 20, "gibbs", 0.283),
        Curve("6.2", "Dynamical A", 20, "a", 0.32),
        Curve("6.2", "Dynamical B", 20, "b", 0.16),
        Curve("6.5", "not split", 8, "b", 0.01),
        Curve("6.5", "weights in 2", 8, "b", 0.01, parameter_splits=2),
        Curve("6.5", "precisions in 2", 8, "b", 0.01, hyper_splits=2),
        *(Curve("6.6", f"{scale}, equal", 16, "b", scale) for scale in (0.32, 0.64)),
        *(Curve("6.6", f"{scale}, 1/100", 16, "b", scale, 0.01) for scale in (0.32, 0.64)),
        Curve("6.7", "not split", 8, "b", 0.2),
        Curve("6.7", "precisions in 100", 8, "b", 0.2, hyper_splits=100),
    ]
    beyond = [
        curve
        for width in widths
        for curve in (
            Curve("beyond", "Gibbs", width, "gibbs", 0.3),
            Curve("beyond", "Dynamical A", width, "a", 0.32),
            Curve("beyond", "A, smaller steps", width, "a", TETHERED_SCALE),
            Curve("beyond", "A, tethered", width, "tethered_a", TETHERED_SCALE),
        )
    ]
    beyond += [
        curve
        for width in dict.fromkeys((widths[0], widths[-1]))
        for curve in (
            Curve("beyond", "A, precisions 1/10", width, "a", 0.32, 0.1),
            Curve("beyond", "Dynamical B", width, "b", 0.08),
            Curve("beyond", "B, posterior estimates", width, "estimated_b", 0.08),
            Curve("beyond", "B, posterior estimates, 1/10", width, "estimated_b", 0.08, 0.1),
        )
    ]
    return [curve for curve in thesis if curve.width in widths] + beyond


def measure_rejections(
    folder: Path, curve: Curve, repeats: int, seed: tuple[int, ...]
) -> xr.Dataset:
    """Measure a curve from all start states of its width.

    Parameters
    ----------
    folder : Path
        Where the master runs are.
    curve : Curve
        The sampler.
    repeats : int
        Trajectories from each start state, one after the other; a quarter of them of the longest.
    seed : tuple of int
        Same seed, same rates.

    Returns
    -------
    Dataset
        ``rejection`` of each start state along ``n_leapfrog`` and ``start``, a mean of one minus
        the acceptance probability, and the ``stratum`` of the starts.
    """
    states = load_unit(folder, master_key(curve.width), "starts")
    strata = states["stratum"].to_numpy()
    rates = np.empty((len(curve.lengths), states.sizes["start"]))
    for i, length in enumerate(curve.lengths):
        model, step = _build(folder, curve, length, trajectories(length, repeats))
        rngs = np.random.default_rng([*seed, length]).spawn(rates.shape[1])
        for k, point in enumerate(start_points(model, states)):
            step.setup_chain(rngs[k], tune=0, draws=1)
            _, (found,) = step.step(point)
            rates[i, k] = 1.0 - found["acceptance_rate"]
    return xr.Dataset(
        {"rejection": (("n_leapfrog", "start"), rates)},
        coords={"n_leapfrog": list(curve.lengths), "stratum": ("start", strata)},
        attrs={"figure": curve.figure, "title": curve.title, "width": curve.width},
    )


def trajectories(length: int, repeats: int) -> int:
    """Trajectories from each start state.

    Examples
    --------
    >>> from pymc_bnn.studies.choo2000.runs.rejections import trajectories
    >>> [trajectories(length, 50) for length in (2000, 17067)]
    [50, 12]
    """
    return max(1, repeats // FEWER) if length == LONGEST else repeats


def _build(
    folder: Path, curve: Curve, length: int, repeats: int
) -> tuple[BNN, GibbsHMC | SplitLeapfrog]:
    centered = curve.method in ("gibbs", "a", "tethered_a")
    model = choo_network(curve.width, "centered" if centered else "noncentered")
    scale = curve.step_scale
    if curve.method == "gibbs":
        return model, GibbsHMC(length, scale, interweave=False, thin=repeats, model=model)
    given: dict[str, Any] = {}
    if curve.method == "estimated_b":
        means = posterior_means(folder, curve.width)
        found = {name: np.exp(-2 * means[letter]) for letter, name in HYPERPARAMETERS.items()}
        given = {"step_sizes": found}
    elif curve.method == "tethered_a":
        given = {"tether": TETHER}
    return model, SplitLeapfrog(
        length,
        scale,
        hyper_step_scale=scale * curve.hyper_ratio,
        hyper_splits=curve.hyper_splits,
        parameter_splits=curve.parameter_splits,
        order=curve.order,
        thin=repeats,
        model=model,
        **given,
    )


def rejection_units(folder: Path, budget: Budget, seed: int) -> list[Unit]:
    """Declare all curves.

    Examples
    --------
    >>> from pathlib import Path
    >>> from pymc_bnn.studies.choo2000.design.budgets import BUDGETS
    >>> from pymc_bnn.studies.choo2000.runs.rejections import rejection_units
    >>> rejection_units(Path(), BUDGETS["smoke"], 0)[0].key
    'rejections-6.5-b-8-0.01-1.0-1-1-random'
    """
    if budget.repeats == 0:
        return []
    units = []
    for curve in curves(budget.widths):
        each = 0.3e-6 if curve.method == "gibbs" else 1e-6 + 1e-6 * curve.hyper_splits / 2
        steps = 50 * sum(n * trajectories(n, budget.repeats) for n in curve.lengths)
        seconds = SECONDS_TO_START + steps * each * (0.5 + curve.width / 16)
        seeds = (seed, crc32(curve.key.encode()))
        arguments = (folder, curve, budget.repeats, seeds)
        units.append(Unit(curve.key, measure_rejections, arguments, seconds))
    return units
