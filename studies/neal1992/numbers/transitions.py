"""Late transitions: sharp declines of the energy while the temperature rises (Figure 3)."""

from typing import NamedTuple

import numpy as np

FIRST, LAST = 20 / 850, 700 / 850  # of the iterations: those of cooling
WINDOW = 20 / 850
SHARP = 100.0  # nats by which the energy falls within a window


class Transition(NamedTuple):
    """The sharpest decline of the energy in which the temperature rises.

    Attributes
    ----------
    decline : float
        By how much it falls within a window, in nats.
    at : float
        Temperature before.
    rise : float
        By how much the temperature rises.
    late : bool
        Whether it falls by more than :data:`SHARP`.
    """

    decline: float
    at: float
    rise: float
    late: bool


def transition(energy: np.ndarray, temperature: np.ndarray) -> Transition:
    """Find the sharpest decline with a rise of temperature.

    Parameters
    ----------
    energy, temperature : ndarray
        Of each iteration of a run of experiment 2.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.studies.neal1992.numbers.transitions import transition
    >>> falls = np.repeat([900.0, 600.0], 425)
    >>> transition(falls, 10.0 + 2.0 * (falls < 700)).late
    True
    >>> transition(falls, 10.0 - np.arange(850) / 100).late
    False
    """
    count = len(energy)
    width = max(1, round(WINDOW * count))
    first, last = round(FIRST * count), round(LAST * count)
    here = np.arange(first, last - width)
    declines = energy[here] - energy[here + width]
    rises = temperature[here + width] - temperature[here]
    with_rise = np.where(rises > 0, declines, -np.inf)
    best = int(np.argmax(with_rise))
    decline = float(with_rise[best])
    if not np.isfinite(decline):
        return Transition(0.0, np.nan, 0.0, False)
    at = float(temperature[here[best]])
    return Transition(decline, at, float(rises[best]), decline > SHARP)
