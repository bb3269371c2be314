"""Whether a fit is biased, as those of stochastic gradients are, and by how much."""

from typing import Any

import xarray as xr

from ...samplers import EnergyBias, measure_energy_bias
from ...samplers.diagnosis.energy_bias import attached_energy_bias, is_biased

QUIET = {"progressbar": False, "quiet": True, "compute_convergence_checks": False}


def bias_of(idata: xr.DataTree, seed: int, cores: int | None = None) -> EnergyBias | None:
    """Return the bias of a fit's mean energy, or None if its sampler is exact.

    Parameters
    ----------
    idata : DataTree
        Draws of one network.
    seed : int
        For the short exact run that measures it, unless the draws carry the result of one (see
        :meth:`.EnergyBias.attach`).
    cores : int, optional
        Processes of that run; by default one per processor.

    Returns
    -------
    EnergyBias or None
    """
    if not is_biased(idata):
        return None
    attached = attached_energy_bias(idata)
    return attached or measure_energy_bias(idata, seed=seed, cores=cores, **QUIET)


def bias_columns(bias: EnergyBias | None) -> dict[str, Any]:
    """Columns of a comparison where some fit is biased."""
    if bias is None:
        return {"biased": False, "energy_bias": 0.0, "energy_bias_mcse": 0.0}
    return {"biased": True, "energy_bias": bias.difference, "energy_bias_mcse": bias.mcse}
