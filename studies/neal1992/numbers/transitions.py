"""What runs go through: times of no progress (Figure 2), and late transitions (Figure 3)."""

from typing import NamedTuple

import numpy as np

FIRST, LAST = 20 / 850, 700 / 850  # of the iterations: those of cooling
WINDOW = 20 / 850
QUARTER = 0.25  # of the iterations
LEVEL = 10.0  # temperature near which the report sees the transition


class Transition(NamedTuple):
    """The fall of the energy from that of poor networks to that of good ones.

    Attributes
    ----------
    coldest : float
        The lowest temperature before.
    rise : float
        By how much the temperature rises from there within some iterations of the fall.
    late : bool
        Whether the temperature had fallen below :data:`LEVEL` before.
    """

    coldest: float
    rise: float
    late: bool


def most_rejected(training: np.ndarray) -> float:
    """Share of rejected trajectories where it is largest, over a quarter of the iterations.

    Parameters
    ----------
    training : ndarray
        Training error after each iteration; it stays the same where a trajectory is rejected.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.studies.neal1992.numbers.transitions import most_rejected
    >>> most_rejected(np.array([5.0, 4.0, 4.0, 4.0, 3.0, 2.0, 1.5, 1.0]))
    1.0
    """
    rejected = np.diff(training) == 0
    width = max(1, round(QUARTER * len(training)))
    return float(np.convolve(rejected, np.full(width, 1.0 / width), "valid").max())


def transition(energy: np.ndarray, temperature: np.ndarray) -> Transition:
    """Find where the energy falls for good below the middle of its range.

    Parameters
    ----------
    energy, temperature : ndarray
        Of each iteration of a run of experiment 2.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.studies.neal1992.numbers.transitions import transition
    >>> falls = np.repeat([900.0, 600.0], 425)
    >>> cools = np.linspace(24.0, 1.0, 850)
    >>> transition(falls, cools).late, transition(falls, cools - 5.0).late
    (False, True)
    """
    count = len(energy)
    here = slice(round(FIRST * count), round(LAST * count))
    energy, temperature = energy[here], temperature[here]
    middle = (energy.max() + energy.min()) / 2
    fall = int(np.flatnonzero(energy > middle)[-1]) if np.ptp(energy) else 0
    coldest = float(temperature[: fall + 1].min())
    after = temperature[fall : fall + max(1, round(WINDOW * count))]
    return Transition(coldest, float(after.max()) - coldest, coldest < LEVEL)
