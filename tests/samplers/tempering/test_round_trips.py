"""Ladders for a number of round trips: replicas that forget at once make as many."""

import numpy as np
import pytest
import xarray as xr
from pymc_bnn.samplers.tempering.ladder import swap_acceptance
from pymc_bnn.samplers.tempering.round_trips import (
    equal_acceptance_ladder,
    expected_round_trips,
    round_trip_ladder,
)
from pymc_bnn.samplers.tempering.swaps import round_trips, swap

from ..marginal_likelihood.exact_draws import linear

PILOT = np.append(np.geomspace(1, 0.01, 8), 0.0)
MODEL = linear(20)


def pilot() -> xr.DataTree:
    """Independent draws of a linear model at each temperature."""
    draws = MODEL.log_likelihood(PILOT, (4, 500), np.random.default_rng(1))
    with np.errstate(divide="ignore"):
        coords = {"temperature": 1 / PILOT}
    dims = ("chain", "draw", "temperature")
    return xr.DataTree.from_dict(
        {"replica_exchange": xr.Dataset({"log_likelihood": (dims, draws)}, coords)}
    )


def trips_of_forgetful_replicas(powers: np.ndarray, draws: int) -> int:
    """Round trips where log likelihoods are drawn anew before each attempt to swap."""
    rng = np.random.default_rng(2)
    energies = MODEL.log_likelihood(powers, (1, draws), rng)[0]
    labels, walk = np.arange(powers.size), np.empty((draws, powers.size), int)
    for draw in range(draws):
        order, _ = swap(energies[draw], powers, draw % 2, rng.random(powers.size - 1))
        walk[draw] = labels = labels[order]
    return round_trips(walk)


@pytest.mark.parametrize("wanted", [60, 250])
def test_forgetful_replicas_make_as_many_round_trips_as_asked(wanted: int) -> None:
    draws = 5000
    ladder = np.array(round_trip_ladder(pilot(), wanted, draws))
    assert (ladder[0], ladder[-1]) == (1.0, np.inf)
    assert trips_of_forgetful_replicas(1 / ladder, draws) > 0.9 * wanted
    fewer = np.delete(ladder, ladder.size // 2)  # one of them is worth it
    assert trips_of_forgetful_replicas(1 / fewer, draws) < wanted


@pytest.mark.parametrize("wanted", [0.3, 0.7])
def test_neighbours_swap_as_often_as_asked(wanted: float) -> None:
    ladder = np.array(equal_acceptance_ladder(pilot(), wanted))
    draws = MODEL.log_likelihood(1 / ladder, (4, 2000), np.random.default_rng(3))
    found = swap_acceptance(draws, 1 / ladder)
    assert found.min() > wanted - 0.05
    assert np.median(found) < wanted + 0.15


def test_expected_round_trips_of_two_temperatures() -> None:
    """A pair that tries in every other draw and always swaps is back after four draws."""
    assert expected_round_trips(np.array([1.0]), 400) == 200.0  # two replicas
    assert expected_round_trips(np.array([0.0]), 400) == 0.0


def test_what_no_ladder_can_do() -> None:
    with pytest.raises(
        ValueError, match=r"round_trips=90: no ladder makes many more than \d+ in 100"
    ):
        round_trip_ladder(pilot(), 90, 100)
    with pytest.raises(ValueError, match="draws=0: give a whole number"):
        round_trip_ladder(pilot(), 5, 0)
    with pytest.raises(ValueError, match="have no ladder of temperatures"):
        round_trip_ladder(xr.DataTree(), 5, 5)


def test_a_pilot_that_is_too_short_to_tell_makes_no_ladder() -> None:
    short = pilot().isel(chain=[0], draw=slice(19))
    for make in (
        lambda: equal_acceptance_ladder(short, 0.5),
        lambda: round_trip_ladder(short, 1, 9),
    ):
        with pytest.raises(ValueError, match=r"has 19 draw\(s\) of all chains: give at least 20"):
            make()
    enough = pilot().isel(chain=[0, 1], draw=slice(10))
    assert len(equal_acceptance_ladder(enough, 0.5)) > 3


def test_a_ladder_without_end_is_refused() -> None:
    # steps are erfc^-1(a), close to 1 - a
    with pytest.raises(ValueError, match=r"acceptance=0.9999 takes \d{5} temperatures, and 1000"):
        equal_acceptance_ladder(pilot(), 0.9999)
