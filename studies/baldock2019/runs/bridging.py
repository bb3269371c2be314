"""Evidence by the paper's bridge (4.3)."""

import numpy as np
import xarray as xr
from pymc.blocking import PointType
from threadpoolctl import threadpool_limits

from ....models import BNN
from ....samplers import bridge_evidence, minimize
from ..design.budgets import Bridges
from ..design.images import cases
from ..design.networks import NETWORKS, start, walls_of
from .measuring import DESCENT

CASES = 500
TRIES = 20  # starts for each minimum within the walls


def bridge(name: str, declared: Bridges, leapfrogs: int, seed: list[int]) -> xr.Dataset:
    """Estimate the log evidence of a network with walls that reject.

    Each chain has a minimum of its own, that Algorithm 3 finds from a start of its own.

    Returns
    -------
    Dataset
        ``log_evidence`` and ``error`` in nats, and ``cautions``, all in one text.
    """
    data = cases(CASES)
    with threadpool_limits(1, user_api="blas"):
        model = NETWORKS[name].build(data.X, data.y, "reject")
        rng = np.random.default_rng(seed)
        found = bridge_evidence(
            model,
            declared.bridges,
            declared.trajectories,
            declared.chains,
            leapfrogs,
            centre="start",
            initvals=minima_within(model, declared.chains, rng),
            seed=rng,
        )
    return xr.Dataset(
        {
            "log_evidence": found.log_evidence,
            "error": found.standard_error,
            "cautions": " ".join(found.cautions),
        }
    )


def minima_within(model: BNN, count: int, rng: np.random.Generator) -> list[PointType]:
    """Find minima by Algorithm 3; those outside the walls, which it does not know, are left out."""
    found: list[PointType] = []
    for _ in range(TRIES * count):
        [point] = minimize(model, DESCENT, start(model, rng), of="likelihood").points
        walls = walls_of(model).values()
        if all(np.all(np.abs(w) < wall) for w, wall in zip(point.values(), walls, strict=True)):
            found.append(point)
        if len(found) == count:
            return found
    raise ValueError(f"{TRIES * count} starts lead to {len(found)} minima within the walls.")
