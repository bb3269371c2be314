"""Hand-made draws, for tests that need no sampler."""

import numpy as np
import xarray as xr
from pymc_bnn import models


def hand_made_draws(
    model: models.BNN, chains: int = 2, draws: int = 5, seed: int = 0
) -> xr.DataTree:
    """Draws of the weights and hyperparameters from a fixed generator."""
    rng = np.random.default_rng(seed)
    posterior = {}
    for name, group in model.groups.items():
        values = rng.normal(size=(chains, draws, *group.shape))
        posterior[name] = (("chain", "draw", *group.dims), values)
    for name in model.likelihood.hyperparameters:
        dims = model.named_vars_to_dims.get(name, ())
        shape = [len(model.coords[dim]) for dim in dims]
        values = rng.gamma(4.0, 5.0, size=(chains, draws, *shape))
        if name == "class_shares":
            values /= values.sum(axis=-1, keepdims=True)
        posterior[name] = (("chain", "draw", *dims), values)
    named = {d: list(values) for d, values in model.coords.items() if values is not None}
    coordinates = {**named, "chain": np.arange(chains), "draw": np.arange(draws)}
    return xr.DataTree.from_dict({"posterior": xr.Dataset(posterior, coords=coordinates)})
