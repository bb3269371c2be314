"""How fast the runs of experiment 2 move in their hyperparameters."""

import numpy as np

from ..design.networks import LARGE, data_set
from ..design.schedules import LAST
from .chains import LEVEL, Run, weights
from .predicting import effective, outputs
from .tightness import PRIOR


def effective_of_runs(found: Run, number: int, rng: np.random.Generator) -> float:
    """Effective draws of the hyperparameters at the end of a run, median."""
    kept = slice(-max(2, round(LAST * len(found.accepted))), None)
    levels = {name: values[kept] for name, values in found.levels.items()}
    scales = [values for name, values in levels.items() if name.endswith(LEVEL)]
    arm = data_set(LARGE[1], number)
    errors = outputs(weights(levels), arm.X) - arm.y.to_numpy()
    squares = (errors**2).sum(axis=(1, 2))
    noise = rng.gamma((PRIOR + arm.y.size) / 2, 2 / (PRIOR + squares))
    return float(np.median([effective(values) for values in (*scales, noise)]))
