"""Time step methods inside ``pm.sample``."""

from time import perf_counter
from typing import Any

import numpy as np
import pymc as pm

from ..timing import whole

QUIET: dict[str, Any] = {"progressbar": False, "quiet": True, "compute_convergence_checks": False}


class InsidePyMC:
    """Time step methods inside ``pm.sample``, with all that it does for a draw.

    The clock runs from the second draw to the last one: what ``pm.sample`` does once, before and
    after sampling, does not count.

    Parameters
    ----------
    model : pm.Model
        The model.
    steps : list of step methods
        One of them reports ``n_steps``.
    """

    def __init__(self, model: pm.Model, steps: list):
        self.model, self.steps = model, steps
        self._seconds_per_draw = 0.0

    def __call__(self, seconds: float) -> float:
        """Sample for about so many seconds and return microseconds per leapfrog step."""
        if not self._seconds_per_draw:
            self._run(5)
        return self._run(int(np.clip(seconds / self._seconds_per_draw, 5, 100_000)))

    def _run(self, draws: int) -> float:
        times, leapfrogs = np.empty(draws), np.empty(draws)

        def record(trace: Any, draw: Any) -> None:
            times[draw.draw_idx] = perf_counter()
            leapfrogs[draw.draw_idx] = sum(s.get("n_steps", 0) for s in draw.stats)

        with self.model:
            idata = pm.sample(
                draws=draws,
                tune=0,
                chains=1,
                cores=1,
                step=self.steps,
                random_seed=1,
                callback=record,
                **QUIET,
            )
        whole(idata, 1, draws)
        elapsed = times[-1] - times[0]
        self._seconds_per_draw = elapsed / (draws - 1)
        return float(1e6 * elapsed / leapfrogs[1:].sum())
