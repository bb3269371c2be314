"""Ladders of temperatures, and how often neighbours on them swap."""

import numpy as np
from scipy.special import erfcinv

from .records import ordered

MEASURABLE = 0.01  # acceptances below are too few to rest a length on
# The spread of log likelihoods, on which steps rest, is off by 0.96 / sqrt(n) of itself for n
# normal draws: by a fifth for 20.
FEWEST_DRAWS = 20
MOST_TEMPERATURES = 10_000
# From posterior to prior, to find out how many temperatures that takes.
PILOT = np.array([1.0, 2.0, 4.0, 1e1, 3e1, 1e2, 1e3, 1e4, 1e6, np.inf])
PILOT_DRAWS = 200
ONE_DEVIATION = (0.158655, 0.841345)  # of a normal distribution, either side


def swap_acceptance(log_likelihood: np.ndarray, inverse_temperatures: np.ndarray) -> np.ndarray:
    r"""Expected probability that neighbouring temperatures swap their states.

    Replicas :math:`x` at :math:`\beta_i` and :math:`y` at :math:`\beta_j` swap with probability
    :math:`\min(1, e^{(\beta_i - \beta_j) (\ell(y) - \ell(x))})`. Its mean is over all pairs of a
    draw of the one and a draw of the other temperature, also of different chains: exact, and in
    :math:`O(n \log n)`, as among draws in order each :math:`y` sees all :math:`x` below it with
    probability 1, and a sum of exponentials of those above.

    Parameters
    ----------
    log_likelihood : ndarray
        Log likelihoods of the draws, shape (chains, draws, temperatures).
    inverse_temperatures : ndarray
        Inverse temperatures, shape (temperatures,), in any order.

    Returns
    -------
    ndarray
        Probabilities, shape (temperatures - 1,), from the coldest pair of neighbours to the
        hottest.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.samplers.tempering.ladder import swap_acceptance
    >>> records = np.array([[[-1.0, -2.0], [-3.0, -2.0]]])
    >>> swap_acceptance(records, np.array([1.0, 0.0])).round(3)
    array([0.684])
    """
    values, powers = ordered(log_likelihood, inverse_temperatures)
    draws = values.reshape(-1, powers.size)
    steps = np.diff(powers)
    found = [_acceptance(draws[:, k + 1], draws[:, k], steps[k]) for k in range(steps.size)]
    return np.array(found[::-1])


def equal_acceptance(
    log_likelihood: np.ndarray,
    inverse_temperatures: np.ndarray,
    acceptance: float,
    most: int = MOST_TEMPERATURES,
) -> np.ndarray:
    r"""Fewest temperatures whose neighbours swap with a given probability, from a pilot run.

    Normal energies with standard deviation :math:`\sigma` swap over a small step
    :math:`\Delta\beta` with probability :math:`\mathrm{erfc}(\sigma \Delta\beta / 2)`. So the
    ladder has equal steps of at most :math:`2 \, \mathrm{erfc}^{-1}(a)` in the length
    :math:`\int \sigma \, d\beta`. Between two temperatures of the pilot run, that length is

    - as their own acceptance tells, where it is at least 0.01. This holds for other than normal
      energies too, and gives the pilot's ladder back if that is as wanted;
    - else the integral, with :math:`\sigma` half the distance of the quantiles that one standard
      deviation of a normal distribution is between, as the prior's tail is heavy.

    Inside an interval :math:`1/\sigma` is linear in :math:`\beta`, as it is for :math:`D` weights
    with normal prior and likelihood, where :math:`\sigma = \sqrt{D/2} / (\beta + \beta_0)` if all
    have one scale. Steps next to 0 are thus as tiny as the spread in the prior asks. Draws of
    likelihood 0 are left out; next to the prior the acceptance is lower by their share.

    Parameters
    ----------
    log_likelihood : ndarray
        Log likelihoods of the pilot run's draws, shape (chains, draws, temperatures).
    inverse_temperatures : ndarray
        Its inverse temperatures, shape (temperatures,), in any order; at least two.
    acceptance : float
        Least probability of a swap between neighbours, between 0 and 1.
    most : int
        How many temperatures there may be.

    Returns
    -------
    ndarray
        Inverse temperatures from the largest to the smallest of the pilot run, both in it, and 1
        if it is between.

    Raises
    ------
    ValueError
        If the pilot run has fewer than 20 draws of all chains, from which no ladder can be told, or
        the ladder would have more temperatures than there may be.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.samplers.tempering.ladder import equal_acceptance
    >>> powers = np.array([1.0, 0.1, 0.0])
    >>> draws = -np.random.default_rng(1).gamma(5.0, 1 / (0.01 + powers), size=(1, 10_000, 3))
    >>> equal_acceptance(draws, powers, 0.5).round(2)
    array([1.  , 0.65, 0.42, 0.28, 0.18, 0.11, 0.07, 0.04, 0.03, 0.01, 0.01,
           0.  ])
    """
    if not 0 < acceptance < 1:
        raise ValueError(f"acceptance is {acceptance:g}: give a number between 0 and 1.")
    values, powers = ordered(log_likelihood, inverse_temperatures)
    if powers.size < 2:
        raise ValueError("inverse_temperatures has one entry: a pilot run needs at least 2.")
    if (number := values.shape[0] * values.shape[1]) < FEWEST_DRAWS:
        raise ValueError(
            f"the pilot run has {number} draw(s) of all chains: give at least {FEWEST_DRAWS}, as "
            "fewer do not tell how widely log likelihoods spread."
        )
    draws = [column[np.isfinite(column)] for column in values.reshape(-1, powers.size).T]
    spreads = np.array([_spread(column) for column in draws])
    knots = np.concatenate(([0.0], np.cumsum(_lengths(draws, powers, spreads))))
    ends = np.array([powers[0], 1.0, powers[-1]])
    ends = np.unique(ends[(ends >= powers[0]) & (ends <= powers[-1])])
    marks = _position(ends, powers, spreads, knots)
    counts = np.ceil(np.diff(marks) / (2 * erfcinv(acceptance)) - 1e-9).astype(int)
    if (number := int(counts.sum()) + 1) > most:
        raise ValueError(
            f"acceptance={acceptance:g} takes {number} temperatures, and {most} are the most: give "
            "a lower one, or a pilot run between nearer temperatures."
        )
    rungs = [np.linspace(marks[i], marks[i + 1], max(1, n) + 1)[1:-1] for i, n in enumerate(counts)]
    inner = _power(np.concatenate(rungs), powers, spreads, knots)
    return np.sort(np.concatenate((ends, inner)))[::-1]


def _acceptance(cold: np.ndarray, hot: np.ndarray, step: float) -> float:
    """Mean of min(1, exp(step * (y - x))) over all x of the cold and y of the hot draws."""
    cold, hot = np.sort(cold), np.sort(hot)
    below = np.searchsorted(cold, hot, side="right")
    above = np.logaddexp.accumulate(-step * cold[::-1])[
        ::-1
    ]  # log sums of exp(-step * x) from x up
    above = np.append(above, -np.inf)[below]
    rest = np.exp(np.where(below < cold.size, step * hot + above, -np.inf))
    return float(np.mean(below + rest) / cold.size)


def _spread(draws: np.ndarray) -> float:
    """Robust standard deviation, above 0."""
    if not draws.size:
        raise ValueError("log_likelihood is -inf in all draws of the prior: draw more of them.")
    low, high = np.quantile(draws, ONE_DEVIATION)
    return max((high - low) / 2, np.finfo(float).tiny)


def _lengths(draws: list[np.ndarray], powers: np.ndarray, spreads: np.ndarray) -> np.ndarray:
    """Thermodynamic lengths of the intervals between neighbours."""
    lengths = []
    for k, step in enumerate(np.diff(powers)):
        accepted = _acceptance(draws[k + 1], draws[k], step)
        ratio = np.log(spreads[k] / spreads[k + 1])
        integral = step * spreads[k + 1] / _mean_exponential(-ratio)
        lengths.append(2 * erfcinv(accepted) if accepted >= MEASURABLE else integral)
    return np.array(lengths)


def _mean_exponential(rate: float) -> float:
    """Mean of exp(rate * t) for t from 0 to 1."""
    return float(np.expm1(rate) / rate) if abs(rate) > 1e-9 else 1.0


def _position(
    chosen: np.ndarray, powers: np.ndarray, spreads: np.ndarray, knots: np.ndarray
) -> np.ndarray:
    """Lengths at which inverse temperatures lie."""
    k, ratio = _interval(chosen, powers, spreads)
    share = (chosen - powers[k]) / (powers[k + 1] - powers[k])
    return knots[k] + (knots[k + 1] - knots[k]) * np.log1p(share * np.expm1(ratio)) / ratio


def _power(
    lengths: np.ndarray, powers: np.ndarray, spreads: np.ndarray, knots: np.ndarray
) -> np.ndarray:
    """Inverse temperatures at given lengths."""
    k, ratio = _interval(lengths, knots, spreads)
    share = (lengths - knots[k]) / (knots[k + 1] - knots[k])
    return powers[k] + (powers[k + 1] - powers[k]) * np.expm1(share * ratio) / np.expm1(ratio)


def _interval(
    chosen: np.ndarray, ends: np.ndarray, spreads: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Intervals in which values lie, and the logarithms, not 0, by which spreads fall there."""
    k = np.clip(np.searchsorted(ends, chosen, side="right") - 1, 0, ends.size - 2)
    ratio = np.log(spreads[k] / spreads[k + 1])
    return k, np.where(np.abs(ratio) > 1e-9, ratio, 1e-9)
