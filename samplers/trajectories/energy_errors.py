"""Errors in the energy of trajectories by their step size (Neal 1995, 3.3, Fig. 3.3)."""

from collections.abc import Sequence

import numpy as np
import xarray as xr
from pymc.blocking import PointType

from ..steps.gibbs_hmc import GibbsHMC

LEAPFROGS = 100  # of each trajectory, as in the thesis


def energy_errors(
    step: GibbsHMC,
    points: Sequence[PointType],
    factors: Sequence[float],
    trajectories: int,
    rng: np.random.Generator,
) -> xr.Dataset:
    """Follow trajectories of several step sizes from the same states with the same momenta.

    Each factor in turn makes the move to the state that all go on from, so that these are draws of
    the posterior.

    Parameters
    ----------
    step : GibbsHMC
        Its factor and length are set here; precisions are drawn before each trajectory.
    points : sequence of dict
        Starts of chains.
    factors : sequence of float
        Step size adjustment factors.
    trajectories : int
        Of each chain and factor.
    rng : Generator
        Where random numbers come from.

    Returns
    -------
    Dataset
        ``error``, the change of the total energy by ``chain``, ``trajectory`` and ``factor``; of
        one that is not a number infinity.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import models, samplers
    >>> from pymc_bnn.samplers.trajectories.energy_errors import energy_errors
    >>> model = models.normal_inverse_gamma(np.eye(4), np.arange(4.0), hidden=())
    >>> step, rng = samplers.GibbsHMC(model=model), np.random.default_rng(1)
    >>> found = energy_errors(step, [model.initial_point(0)], [0.1, 10.0], 20, rng)["error"]
    >>> [bool(abs(found.sel(factor=f)).max() < 1) for f in (0.1, 10.0)]
    [True, False]
    """
    step.n_leapfrog, step.thin = LEAPFROGS, 1
    errors = np.empty((len(points), trajectories, len(factors)))
    for chain, (start, child) in enumerate(zip(points, rng.spawn(len(points)), strict=True)):
        point = start
        step.setup_chain(child, 0, trajectories)
        for i, seed in enumerate(child.integers(2**63, size=trajectories)):
            ends = []
            for j, factor in enumerate(factors):
                step.rng, step.step_scale = np.random.default_rng(seed), float(factor)
                end, (found,) = step.step(point)
                errors[chain, i, j] = found["energy_error"]
                ends.append(end)
            point = ends[i % len(factors)]
    dims = ("chain", "trajectory", "factor")
    whole = np.nan_to_num(errors, nan=np.inf, posinf=np.inf, neginf=-np.inf)
    return xr.Dataset({"error": (dims, whole)}, {"factor": np.array(factors, float)})
