"""Evidence by the paper's bridge (4.3)."""

import numpy as np
import xarray as xr
from threadpoolctl import threadpool_limits

from ....samplers import bridge_evidence
from ..design.budgets import Bridges
from ..design.images import cases
from ..design.networks import NETWORKS

CASES = 500


def bridge(name: str, declared: Bridges, leapfrogs: int, seed: list[int]) -> xr.Dataset:
    """Estimate the log evidence of a network with walls that reject.

    Returns
    -------
    Dataset
        ``log_evidence`` and ``error`` in nats, and ``cautions``, all in one text.
    """
    data = cases(CASES)
    with threadpool_limits(1, user_api="blas"):
        model = NETWORKS[name].build(data.X, data.y, "reject")
        found = bridge_evidence(
            model,
            declared.bridges,
            declared.trajectories,
            declared.chains,
            leapfrogs,
            seed=np.random.default_rng(seed),
        )
    return xr.Dataset(
        {
            "log_evidence": found.log_evidence,
            "error": found.standard_error,
            "cautions": " ".join(found.cautions),
        }
    )
