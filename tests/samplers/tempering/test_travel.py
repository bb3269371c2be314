"""Ladders whose replicas do not travel are named; replicas begin where users say."""

from typing import Any

import numpy as np
import pymc as pm
import pytest
import xarray as xr
from pymc_bnn import models, samplers
from pymc_bnn.samplers.tempering import exchange_step
from pymc_bnn.samplers.tempering.lanes import sampling
from pymc_bnn.samplers.tempering.travel import travel_of

QUIET: dict[str, Any] = {"progressbar": False, "quiet": True, "compute_convergence_checks": False}
RUN: dict[str, Any] = {"draws": 100, "tune": 100, "chains": 2, "cores": 1, "seed": 1, **QUIET}


def recorded(replica: np.ndarray, swapped: np.ndarray) -> xr.DataTree:
    """A ladder of two temperatures, as draws have it."""
    group = xr.Dataset(
        {
            "replica": (("chain", "draw", "temperature"), replica),
            "swap_probability": (("chain", "draw", "colder"), swapped),
        },
        {"chain": [3, 7], "temperature": [1.0, 9.0], "colder": [1.0]},
    )
    return xr.DataTree.from_dict({"replica_exchange": group})


def test_a_pair_that_hardly_swaps_and_chains_without_a_round_trip_are_named() -> None:
    there = np.array([[0, 1], [1, 0]])
    walking = np.tile(there, (10, 1))
    replica = np.stack([walking, np.tile(there[0], (20, 1))])
    travel = travel_of(recorded(replica, np.full((2, 20, 1), 0.5)))
    assert travel is not None
    assert travel.round_trips == {3: 18, 7: 0}
    assert travel.cut == ""
    assert travel.still.startswith("No replica of chain 7 went from one end")
    swapped = np.full((2, 20, 1), 0.04)
    swapped[:, ::2] = np.nan  # every other pair tries
    cut = travel_of(recorded(replica, swapped))
    assert cut is not None
    assert cut.cut.startswith("Replicas at temperatures 1 and 9 swap with probability 0.04 only")
    assert travel_of(xr.DataTree()) is None
    group = recorded(replica, swapped)["replica_exchange"].to_dataset()
    thinned = group.assign_coords(draw=np.arange(20)).isel(draw=slice(None, None, 2))
    assert travel_of(xr.DataTree.from_dict({"replica_exchange": thinned})) is None


def test_colder_replicas_than_the_posteriors_are_left_out() -> None:
    """A replica at 0.1 that never swaps takes nothing from others; chains may have one name."""
    walking = np.tile([[2, 0, 1], [2, 1, 0]], (10, 1))
    swapped = np.tile([0.0, 0.5], (2, 20, 1))
    group = xr.Dataset(
        {
            "replica": (("chain", "draw", "temperature"), np.stack([walking, walking])),
            "swap_probability": (("chain", "draw", "colder"), swapped),
        },
        {"chain": [0, 0], "temperature": [0.1, 1.0, 9.0], "colder": [0.1, 1.0]},
    )
    travel = travel_of(xr.DataTree.from_dict({"replica_exchange": group}))
    assert travel is not None
    assert (travel.cut, travel.still, travel.round_trips) == ("", "", {0: 18})
    without = group.sel(temperature=[0.1, 9.0])
    few = travel_of(xr.DataTree.from_dict({"replica_exchange": without}))
    assert few is not None
    assert (few.cut, few.still) == ("", "")


def test_a_cut_ladder_is_a_finding_and_a_caution() -> None:
    with pm.Model() as model:
        pm.Normal("y", pm.Normal("x", 0.0, 100.0), 0.1, observed=np.full(50, 3.0))
    cut = samplers.sample(model, temperature=[1.0, np.inf], **RUN)
    [found] = [f for f in samplers.diagnose(cut).findings if f.name == "ladder"]
    assert found.severity == "warning"
    assert "1 and inf swap" in found.problem
    assert any("chains 0, 1 went" in said for said in samplers.evidence(cut).cautions)
    close = samplers.sample(model, temperature=[1.0, 1.5], **RUN)
    assert all(f.name != "ladder" for f in samplers.diagnose(close).findings)


def test_potentials_are_said_to_be_taken_for_likelihood() -> None:
    with pm.Model() as model:
        x = pm.Normal("x")
        pm.Normal("y", x, observed=1.0)
        pm.Potential("above", pm.math.log(pm.math.sigmoid(x)))
    ladder = [1.0, 3.0, np.inf]
    bridge = {"bridges": 2, "trajectories": 4, "chains": 2, "n_leapfrog": 5, "seed": 1}
    for found in (
        samplers.evidence(model, temperatures=ladder, **RUN),
        samplers.bridge_evidence(model, **bridge),
        samplers.annealed_evidence(model, runs=2, tune=5, seed=1),
    ):
        said = found.assumed[-1]
        assert said.startswith("The potentials of the model (above) belong to the likelihood")


@pytest.mark.parametrize("way", ["lanes", "in turn"])
def test_all_replicas_begin_at_a_point_that_is_given(
    way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    X = np.linspace(-1, 1, 8)[:, None]
    network = models.normal_inverse_gamma(X, X[:, 0], hidden=(2,))
    module: Any = sampling if way == "lanes" else exchange_step
    starts, kept = module.replica_starts, []

    def spy(*given: Any, **named: Any) -> Any:
        kept.append(starts(*given, **named))
        return kept[-1]

    monkeypatch.setattr(module, "replica_starts", spy)
    run = RUN | {"draws": 3, "tune": 3, "chains": 1, "temperature": [1.0, 2.0, 4.0, 8.0]}
    step = {} if way == "lanes" else {"callback": lambda **_: None}
    samplers.sample(network, **run, **step)
    given = {"w0": np.full((1, 2), 0.25)}
    samplers.sample(network, initvals=given, **run, **step)
    samplers.sample(network, initvals=None, **run, **step)
    own, together, none = ([start["w0"].ravel()[0] for start in each] for each in kept)
    assert len(set(own)) == 4
    assert together == [0.25] * 4
    assert none == own


def test_a_step_forgets_where_its_replicas_were_told_to_begin() -> None:
    with pm.Model() as model:
        pm.Normal("y", pm.Normal("x"), observed=1.0)
    step = samplers.ReplicaExchange([1.0, 4.0], model=model)
    samplers.sample(model, step=step, initvals={"x": 2.0}, **RUN | {"draws": 2, "tune": 2})
    assert not step.begins_together
