"""Findings about the replicas of a ladder."""

from collections.abc import Iterator

import numpy as np

from ..tempering.travel import LEAST_SWAPS
from .evidence import Evidence
from .findings import Finding


def ladder(seen: Evidence) -> Iterator[Finding]:
    """Replicas that do not travel, which leaves chains in the modes that they began in."""
    travel = seen.travel
    if travel is None:
        return
    if travel.cut:
        yield Finding(
            "ladder",
            "warning",
            float(np.nanmin(travel.swapped)),
            LEAST_SWAPS,
            "",
            f"{travel.cut}, and chains are as good as alone.",
            "Put temperatures between them; samplers.equal_acceptance_ladder(idata, 0.4) says "
            "which.",
        )
    elif travel.still:
        yield Finding(
            "ladder",
            "warning",
            0.0,
            1.0,
            "",
            f"{travel.still}.",
            "Draw more, or take a ladder for as many round trips as are wanted: "
            "samplers.round_trip_ladder.",
        )


CHECKS = (ladder,)
