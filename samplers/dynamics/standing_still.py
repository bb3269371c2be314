"""Say which chains never moved, at the end of sampling."""

import logging

import numpy as np
import pymc as pm
from xarray import DataTree

LEAST_DRAWS = 10  # fewer may all be rejected in a chain that moves well

_log = logging.getLogger("pymc")


def say_what_stands_still(idata: DataTree, model: pm.Model) -> None:
    """Warn in PyMC's log of continuous variables that are the same in all draws of a chain.

    Parameters
    ----------
    idata : DataTree
        The draws.
    model : pm.Model
        Their model.

    Examples
    --------
    >>> import numpy as np
    >>> import pymc as pm
    >>> import xarray as xr
    >>> from pymc_bnn.samplers.dynamics.standing_still import say_what_stands_still
    >>> with pm.Model() as model:
    ...     x = pm.Normal("x")
    >>> draws = {"x": (("chain", "draw"), np.random.default_rng(0).normal(size=(2, 10)))}
    >>> say_what_stands_still(xr.DataTree.from_dict({"posterior": xr.Dataset(draws)}), model)
    """
    if "posterior" not in idata:  # nothing was recorded
        return
    posterior = idata["posterior"].dataset
    if posterior.sizes["draw"] < LEAST_DRAWS:
        return
    still: dict[tuple[int, ...], list[str]] = {}
    for variable in model.free_RVs:
        name = str(variable.name)
        if name not in posterior or not np.issubdtype(variable.dtype, np.floating):
            continue
        values = posterior[name]
        same = (values == values.isel(draw=0)).all([d for d in values.dims if d != "chain"])
        chains = tuple(int(chain) for chain in np.asarray(same["chain"])[same.to_numpy()])
        if chains and values.size:
            still.setdefault(chains, []).append(name)
    for chains, names in still.items():
        which = "chain" if len(chains) == 1 else "chains"
        _log.warning(
            f"{', '.join(names)} never moved in {posterior.sizes['draw']} draws of {which} "
            f"{', '.join(map(str, chains))}: nothing was accepted. Do not use these draws; take "
            "smaller steps, a longer warm-up, or another start."
        )
