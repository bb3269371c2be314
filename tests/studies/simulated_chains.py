"""Chains whose means are evaluated."""

import numpy as np
import xarray as xr

LABELS = np.array(["out", "in", "out", "out", "in", "in", "out"])
SHARE = {"out": 0.8, "in": 0.2}


def draws_of(**variables: np.ndarray) -> xr.Dataset:
    """Put arrays that start with chain and draw into a posterior."""
    return xr.Dataset(
        {
            name: (("chain", "draw", *(f"{name}_{i}" for i in range(values.ndim - 2))), values)
            for name, values in variables.items()
        }
    )


def seven_chains() -> xr.Dataset:
    """Seven chains of two scalars and an array."""
    rng = np.random.default_rng(11)
    return draws_of(
        u=rng.normal(1.0, 2.0, (7, 5)),
        v=rng.normal(0.0, 1.0, (7, 5)),
        w=rng.normal(0.0, 1.0, (7, 5, 2, 3)),
    )
