"""Priors and units of Neal's (1995) chapter 2: stable weights by quadrature, networks of steps."""

from collections.abc import Callable
from typing import Any

import arviz as az
import numpy as np
import pymc as pm
import pytest
from pymc_bnn import models, samplers
from pymc_bnn.samplers import NUTS, GibbsHMC, SplitLeapfrog
from pymc_bnn.samplers.pymc_steps import BlockedStep
from scipy import stats
from scipy.integrate import trapezoid

from tests.samplers.geweke import WIDEST, tiny_network, z_scores, z_scores_of_one_iteration

X = np.array([[-1.0], [0.2], [1.5]])
Y = np.array([[-2.1], [0.9], [2.0]])
NOISE, INDEX, SD = 1.5, 1.2, 0.4
STEPS: dict[str, Callable[[models.BNN], BlockedStep]] = {
    "GibbsHMC": lambda m: GibbsHMC(n_leapfrog=6, step_scale=0.8, model=m),
    "SplitLeapfrog": lambda m: SplitLeapfrog(6, 0.5, model=m),
    "NUTS": lambda m: NUTS(list(m.value_vars), step_scale=0.3, max_treedepth=5, model=m),
}


@pytest.mark.parametrize("parametrization", ["centered", "noncentered"])
def test_stable_weights_have_the_posterior_of_their_density(parametrization: str) -> None:
    with pm.Model() as model:
        prior = models.Stable(INDEX, SD)
        f = models.network(X, hidden=(), prior=prior, biases=False, parametrization=parametrization)
        pm.Normal("y", f, NOISE, observed=Y[:, 0])
    quiet: dict[str, Any] = {"progressbar": False, "quiet": True, "cores": 1}
    idata = samplers.sample(model, 4000, 1000, chains=4, random_seed=3, **quiet)
    grid = np.linspace(-3.0, 5.0, 1601)
    density = stats.levy_stable(INDEX, 0.0, scale=SD / np.sqrt(2.0)).pdf(grid)
    density *= np.exp(-(((Y - X * grid) / NOISE) ** 2).sum(axis=0) / 2)
    weight = idata["posterior"]["f_w0"].values.reshape(4, -1)
    for function in (np.tanh, lambda w: w**2, lambda w: np.exp(-4 * w**2)):
        expected = trapezoid(function(grid) * density, grid) / trapezoid(density, grid)
        found = function(weight)
        z = (found.mean() - expected) / az.mcse(found, method="mean")
        assert abs(z) < WIDEST


def test_networks_of_stable_weights_are_sampled_exactly() -> None:
    """Angles, waiting times and weights move together, by one step from draws that are exact."""
    others = models.NormalInverseGamma(sd=1.0, alpha=6.0)
    network = tiny_network({**dict.fromkeys(("w0", "b0", "b1"), others), "w1": models.Stable(1.2)})
    step = NUTS(list(network.value_vars), step_scale=0.3, max_treedepth=4, model=network)
    scores = z_scores_of_one_iteration(network, [step], iterations=6000, seed=2)
    assert {"w1_angle_interval__", "w1_waiting_log__", "w1"} <= set(scores)
    assert max(map(abs, scores.values())) < WIDEST, scores


@pytest.mark.parametrize("name", STEPS)
def test_networks_of_steps_are_sampled_exactly(name: str) -> None:
    """Gradients say nothing of the weights before a step; the accept test knows the energy."""
    network = tiny_network(activation="step")
    scores = z_scores(network, [STEPS[name](network)], iterations=15_000, seed=4)
    assert max(map(abs, scores.values())) < WIDEST, scores


@pytest.mark.parametrize("kind", [samplers.SGHMC, samplers.SGLD])
def test_steps_that_reject_nothing_are_refused(kind: Callable[..., Any]) -> None:
    with pytest.raises(ValueError, match=r"of step units do not follow their gradients.*StaticHMC"):
        kind(1e-3, 2, model=tiny_network(activation="step"))
