r"""How many round trips replicas make through a ladder, and ladders that are made for a number.

If the log likelihoods of replicas are independent from one attempt to swap to the next, neighbours
that swap with probabilities :math:`a_i`, in turn at even and odd places, let replicas make

.. math:: \frac{n}{2 + 2 \sum_i (1 - a_i) / a_i}

round trips in :math:`n` draws, all together (Syed et al. 2022, Corollary 2). More temperatures make
more of them, up to :math:`n / (2 + 2 \Lambda)`, where :math:`\Lambda` is what the rejections
:math:`1 - a_i` of a fine ladder add up to. Where replicas are slow to forget their log likelihood,
there are fewer.
"""

from bisect import bisect_left

import numpy as np
from xarray import DataTree

from ..options import check_whole
from .groups import ladder_records
from .ladder import equal_acceptance

FINE = 0.95  # acceptance on a ladder that more temperatures hardly make better
STEPS = 200  # acceptances that are tried
MOST_TEMPERATURES = 1000  # each of them is a chain


def expected_round_trips(acceptance: np.ndarray, draws: int) -> float:
    """Round trips of all replicas together, if log likelihoods are independent between draws.

    Parameters
    ----------
    acceptance : ndarray, shape (temperatures - 1,)
        Probability of a swap between neighbours that try.
    draws : int
        Number of draws, each after one attempt of every other pair.

    Returns
    -------
    float

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.samplers.tempering.round_trips import expected_round_trips
    >>> expected_round_trips(np.array([1.0, 0.5, 0.5]), 600)
    100.0
    """
    with np.errstate(divide="ignore"):
        return float(draws / (2 + 2 * np.sum(1 / np.asarray(acceptance) - 1)))


def equal_acceptance_ladder(idata: DataTree, acceptance: float) -> list[float]:
    """Fewest temperatures whose neighbours should swap with a probability.

    Parameters
    ----------
    idata : DataTree
        Pilot draws of ``samplers.sample(temperature=[...])``, whose ends the new ladder has, at
        least 20 of all chains; a geometric ladder, ``np.geomspace(1, 100, 8)``, will do for it.
    acceptance : float
        Least probability, between 0 and 1.

    Returns
    -------
    list of float
        Temperatures, for ``samplers.sample(temperature=...)``; 1 is among them.

    Raises
    ------
    ValueError
        If the acceptance is no probability, the pilot has fewer draws, or the ladder would have
        more than 1000 temperatures.

    Examples
    --------
    >>> import pymc as pm
    >>> from pymc_bnn import samplers
    >>> with pm.Model() as model:
    ...     x = pm.Normal("x", 0, 10)
    ...     y = pm.Normal("y", abs(x), 0.5, observed=5.0)
    >>> run = {"chains": 2, "seed": 1, "progressbar": False, "quiet": True}
    >>> pilot = samplers.sample(model, 200, 200, temperature=[1, 4, 16, 64], **run)
    >>> len(samplers.equal_acceptance_ladder(pilot, 0.7)) > len(
    ...     samplers.equal_acceptance_ladder(pilot, 0.3))
    True
    """
    powers = equal_acceptance(*ladder_records(idata), acceptance, most=MOST_TEMPERATURES)
    with np.errstate(divide="ignore"):
        return np.sort(1.0 / powers).tolist()


def round_trip_ladder(idata: DataTree, round_trips: int, draws: int) -> list[float]:
    """Fewest temperatures with which replicas should make a number of round trips.

    A round trip takes a replica from one end of the ladder to the other and back: what it brings to
    temperature 1 has little to do with what it took away. Neighbours of the new ladder swap equally
    often, which makes the most of its temperatures (Syed et al. 2022).

    Parameters
    ----------
    idata : DataTree
        Pilot draws of ``samplers.sample(temperature=[...])``, whose ends the new ladder has.
    round_trips : int
        Of all replicas of a chain together.
    draws : int
        Draws in which they are to be made.

    Returns
    -------
    list of float
        Temperatures, for ``samplers.sample(temperature=...)``.

    Raises
    ------
    ValueError
        If no ladder between these ends makes as many round trips.

    Examples
    --------
    >>> import numpy as np
    >>> import pymc as pm
    >>> from pymc_bnn import samplers
    >>> with pm.Model() as model:
    ...     x = pm.Normal("x", 0, 10)
    ...     y = pm.Normal("y", abs(x), 0.5, observed=5.0)
    >>> run = {"chains": 2, "seed": 1, "progressbar": False, "quiet": True}
    >>> pilot = samplers.sample(model, 200, 200, temperature=[1, 4, 16, 64], **run)
    >>> ladder = samplers.round_trip_ladder(pilot, round_trips=100, draws=1000)
    >>> ladder[0], len(ladder) < 10
    (1.0, True)
    """
    check_whole(1, round_trips=round_trips, draws=draws)
    records = ladder_records(idata)

    def expected(acceptance: float) -> float:
        pairs = equal_acceptance(*records, acceptance).size - 1
        return expected_round_trips(np.full(pairs, acceptance), draws)

    if (most := expected(FINE)) < round_trips:
        raise ValueError(
            f"round_trips={round_trips}: no ladder makes many more than {most:.0f} in {draws} "
            "draws; give more draws, or a pilot whose hottest temperature is lower."
        )
    tried = np.linspace(0, FINE, STEPS)[1:]
    enough = bisect_left(tried[:-1], True, key=lambda a: expected(float(a)) >= round_trips)
    return equal_acceptance_ladder(idata, float(tried[enough]))
