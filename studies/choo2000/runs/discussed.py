"""What the thesis says of one network each: rejections in the region G, and slow precisions.

Section 5.4.3 speaks of 20 hidden units, section 6.2.3 of 16.
"""

from pathlib import Path
from zlib import crc32

import numpy as np
import xarray as xr

from ....samplers import GibbsHMC
from ...reproduction.units import Unit, load_unit
from ..design.budgets import SECONDS_TO_START, Budget
from ..design.methods import SLOWED
from ..design.network import choo_network
from ..design.starts import is_inside
from .chains import start_points
from .master import N_LEAPFROG, STEP_SCALES
from .trials import master_key, trial_key, trial_unit

REGION_WIDTH = 20
REGION_KEY = f"region-rejections-{REGION_WIDTH}"
MOST = 1000  # states of either kind
SLOWED_WIDTH, SLOWED_SETTING, STAGE = 16, (17067, 0.32), "thesis"
SLOWED_KEY = trial_key(SLOWED, SLOWED_WIDTH, *SLOWED_SETTING, STAGE)


def region_rejections(folder: Path, width: int, seed: tuple[int, ...]) -> xr.Dataset:
    """Start a trajectory of the old method from states in the region G, and from others.

    The states are those of the master run with interweaving, evenly spaced. They are far enough
    apart to be independent, and many more than the start states of chains.

    Parameters
    ----------
    folder : Path
        Where the master runs are.
    width : int
        Hidden units.
    seed : tuple of int
        Same seed, same trajectories.

    Returns
    -------
    Dataset
        ``rejection`` along ``start``, one minus the acceptance probability, and the ``stratum``.
    """
    draws = load_unit(folder, master_key(width, True), "draws")
    inside = is_inside(draws).to_numpy()
    places = [evenly(np.flatnonzero(kind)) for kind in (~inside, inside)]
    states = draws.isel(draw=np.concatenate(places)).rename(draw="start")
    model = choo_network(width)
    step = GibbsHMC(N_LEAPFROG[False], STEP_SCALES[width], interweave=False, model=model)
    points = start_points(model, states)
    rates = np.empty(len(points))
    for k, rng in enumerate(np.random.default_rng(seed).spawn(len(points))):
        step.setup_chain(rng, tune=0, draws=1)
        _, (found,) = step.step(points[k])
        rates[k] = 1.0 - found["acceptance_rate"]
    strata = np.repeat(["outside", "inside"], [place.size for place in places])
    return xr.Dataset({"rejection": ("start", rates)}, {"stratum": ("start", strata)})


def evenly(places: np.ndarray, most: int = MOST) -> np.ndarray:
    """Take as many places as may be, at even distances.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.studies.choo2000.runs.discussed import evenly
    >>> evenly(np.arange(10), 3).tolist(), evenly(np.arange(2), 3).tolist()
    ([0, 4, 9], [0, 1])
    """
    if places.size <= most:
        return places
    return places[np.linspace(0, places.size - 1, most).astype(int)]


def discussed_units(folder: Path, budget: Budget, seed: int) -> list[Unit]:
    """Declare the trajectories from G, and the chains of B with slow precisions.

    Examples
    --------
    >>> from pathlib import Path
    >>> from pymc_bnn.studies.choo2000.design.budgets import BUDGETS
    >>> from pymc_bnn.studies.choo2000.runs.discussed import discussed_units
    >>> [unit.key for unit in discussed_units(Path(), BUDGETS["desk"], 0)]
    ['thesis-slowed_b-16-17067-0.32', 'region-rejections-20']
    """
    units = []
    if budget.repeats and SLOWED_WIDTH in budget.widths:
        given = SLOWED, SLOWED_WIDTH, SLOWED_SETTING, seed, STAGE
        units.append(trial_unit(folder, budget, *given))
    if budget.repeats and REGION_WIDTH in budget.widths:
        arguments = folder, REGION_WIDTH, (seed, crc32(REGION_KEY.encode()))
        units.append(Unit(REGION_KEY, region_rejections, arguments, 2 * SECONDS_TO_START))
    return units
