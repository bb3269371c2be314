"""Chains start at moderate weights, within the bounds of a prior."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pymc as pm
import pytest
from pymc_bnn import models
from pymc_bnn.models.priors.base import Group
from pymc_bnn.samplers.potential.agreement import density_of
from pymc_bnn.samplers.starts import dispersed_starts

X = np.random.default_rng(2).normal(size=(8, 9))


@pytest.mark.parametrize("parametrization", ["centered", "noncentered"])
def test_logistic_weights_start_as_networks_are_initialised(parametrization: str) -> None:
    """Uniform levels of scales have a heavy tail, of units so steep that no chain comes back."""
    own = models.Logistic()
    prior = {"w0": own, "b0": own, "w1": own, "b1": models.Logistic(scale_of="w1")}
    model = models.BNN(X, X[:, 0], (64,), prior=prior, parametrization=parametrization)
    starts = dispersed_starts(model, 30, np.random.default_rng(1))
    levels = np.array([start["w0_scale_level_reflected__"] for start in starts])
    scales = np.pi / np.sqrt(3) * levels / (1 - levels)
    assert 0.5 / 3 < scales.min() < 0.6 / 3
    assert 1.6 / 3 < scales.max() < 2.0 / 3  # of nine inputs
    if parametrization == "noncentered":
        a = np.array([start["w0_raw_reflected__"] for start in starts])
        weights = np.log(a / (1 - a)) * (levels / (1 - levels))[:, None, None]
    else:
        weights = np.array([start["w0"] for start in starts])
    spread = weights.std(axis=(1, 2)) / scales
    np.testing.assert_allclose(spread, 1.0, atol=0.2)
    for start in starts[:3]:
        assert np.isfinite(density_of(model)(start).total)


@dataclass(frozen=True)
class Positive(models.Prior):
    """Half-normal weights that start near some place."""

    place: float

    def scale(self, group: Group) -> np.float64:
        return np.float64(300.0)

    def declare(self, group: Group, scale: Any, parametrization: str) -> Any:
        return pm.HalfNormal(group.name, scale, dims=group.dims)

    def initial(self, group: Group, rng: np.random.Generator, spread: float = 1.0) -> np.ndarray:
        return self.place * (1.0 + rng.random(group.shape))

    def words(self) -> str:
        return "half-normal"


class Usual(Positive):
    """Half-normal weights whose author says nothing of starts."""

    initial = models.Prior.initial


def test_weights_start_where_the_prior_says_within_its_bounds() -> None:
    def model(prior: models.Prior) -> models.BNN:
        return models.BNN(X, X[:, 0], hidden=(), prior=prior)

    [start] = dispersed_starts(model(Positive(100.0)), 1, np.random.default_rng(0))
    assert np.all((start["w0_log__"] > np.log(100.0)) & (start["w0_log__"] < np.log(200.0)))
    usual = model(Usual(0.0))
    [start] = dispersed_starts(usual, 1, np.random.default_rng(0))
    assert np.all(np.abs(start["w0_log__"] - usual.initial_point()["w0_log__"]) < 1.0)
    with pytest.raises(ValueError, match=r"Positive\.initial returned weights where w0 has"):
        dispersed_starts(model(Positive(-100.0)), 1, np.random.default_rng(0))
