"""Chains start where a model has a density, whatever the seed, and end with their draws."""

import numpy as np
import pymc as pm
import pytensor.tensor as pt
import pytest
from pymc_bnn import samplers
from pymc_bnn.samplers.starts import REDRAWS, dispersed_starts

SHORT = {"draws": 4, "tune": 4, "cores": 1, "progressbar": False, "quiet": True}


def half_of_the_plane() -> pm.Model:
    with pm.Model() as model:
        a, b = pm.Normal("a", initval=-0.5), pm.Normal("b", initval=0.5)
        pm.Potential("order", pt.switch(pt.lt(a, b), 0.0, -np.inf))
    return model


def strip(width: float) -> pm.Model:
    with pm.Model() as model:
        a = pm.Normal("a", initval=0.0)
        pm.Potential("walls", pt.switch(pt.lt(pt.abs(a), width), 0.0, -np.inf))
    return model


def test_starts_without_a_density_are_drawn_again() -> None:
    starts = dispersed_starts(half_of_the_plane(), 200, np.random.default_rng(1))
    assert all(start["a"] < start["b"] for start in starts)
    assert len({float(start["a"]) for start in starts}) == 200


def test_starts_that_have_a_density_are_those_of_their_seed() -> None:
    children = np.random.default_rng(2).spawn(5)
    [first, *_] = dispersed_starts(strip(9.0), 5, np.random.default_rng(2))
    children[0].uniform(-1, 1)  # the spread of weights
    assert first["a"] == children[0].uniform(-1, 1)


def test_starts_are_dispersed_as_far_as_a_density_reaches() -> None:
    starts = dispersed_starts(strip(1e-3), 20, np.random.default_rng(3))
    assert len({float(start["a"]) for start in starts}) == 20
    assert all(abs(float(start["a"])) < 1e-3 for start in starts)


def test_where_no_start_has_a_density_it_is_the_initial_point() -> None:
    starts = dispersed_starts(strip(1e-9), REDRAWS, np.random.default_rng(3))
    assert {float(start["a"]) for start in starts} == {0.0}


@pytest.mark.parametrize("temperature", [1.0, [1.0, 4.0]])
def test_a_chain_of_any_seed_starts(temperature: float | list[float]) -> None:
    model = half_of_the_plane()
    step = samplers.NUTS(model=model)
    for seed in range(6):
        drawn = samplers.sample(
            model, chains=2, step=step, seed=seed, temperature=temperature, **SHORT
        )
        assert drawn["posterior"].sizes["draw"] == 4


def test_a_variable_without_elements_costs_no_draws(caplog: pytest.LogCaptureFixture) -> None:
    with pm.Model() as model:
        pm.Normal("none", shape=0)
        pm.Normal("x")
    drawn = samplers.sample(model, chains=1, seed=1, **SHORT)
    assert drawn["posterior"]["x"].shape == (1, 4)
    assert "none has no elements" in caplog.text
    assert not samplers.diagnose(drawn, "x").usable


def test_a_ladder_says_that_nothing_moves_discrete_variables() -> None:
    with pm.Model() as model:
        pm.Bernoulli("z", 0.5)
        pm.Normal("y", observed=1.0)
    with pytest.raises(ValueError, match="z"):
        samplers.sample(model, chains=1, seed=1, temperature=[1.0, 2.0], **SHORT)
