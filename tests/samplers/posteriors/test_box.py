"""Networks with weights between walls, against quadrature."""

from collections.abc import Callable
from functools import cache
from typing import Any

import arviz as az
import numpy as np
import pymc as pm
import pytest
from pymc_bnn import models, samplers
from pymc_bnn.samplers.cooling.chains_at_temperatures import ChainsAtTemperatures
from pymc_bnn.samplers.potential.temperature import at_temperature
from pymc_bnn.samplers.pymc_steps import BlockedStep
from scipy.integrate import trapezoid
from xarray import DataTree

FACTOR = 2.0
WIDEST = 4.3  # eight scores a step: false alarms are fewer than 1 in 1000
RNG = np.random.default_rng(0)
X = RNG.normal(size=(12, 1))
Y = (X[:, 0] + 0.3 * RNG.normal(size=12) > 0).astype(int)
QUIET: dict[str, Any] = {"progressbar": False, "quiet": True, "chains": 4, "cores": 1, "seed": 1}
QUIET["compute_convergence_checks"] = False
STEPS: dict[str, Callable[[models.BNN], BlockedStep]] = {
    "static": lambda m: samplers.StaticHMC(
        n_leapfrog=7, step_sizes="adapt", jitter="uniform", model=m
    ),
    "windows": lambda m: samplers.StaticHMC(
        n_leapfrog=7, window=3, step_sizes="adapt", jitter="uniform", model=m
    ),
    "NUTS": lambda m: samplers.NUTS(max_treedepth=6, model=m),
}


def network(walls: str) -> models.BNN:
    """A logistic regression, half of whose posterior leans against a wall."""
    prior = models.Box(FACTOR, walls)
    return models.BNN(X, Y, hidden=(), prior=prior, likelihood="bernoulli")


@cache
def by_quadrature() -> tuple[list[float], float]:
    """Means of weight, bias and their squares, and the log evidence."""
    grid = np.linspace(-FACTOR / np.sqrt(2), FACTOR / np.sqrt(2), 801)
    weight, bias = np.meshgrid(grid, grid, indexing="ij")
    margin = (2 * Y - 1)[:, None, None] * (X[:, :1, None] * weight + bias)
    density = np.exp(-np.logaddexp(0, -margin).sum(axis=0))

    def integral(values: np.ndarray) -> float:
        return float(trapezoid(trapezoid(values, grid), grid))

    total = integral(density)
    moments = [integral(density * h) / total for h in (weight, bias, weight**2, bias**2)]
    return moments, float(np.log(total / (grid[-1] - grid[0]) ** 2))


def moments_of(idata: DataTree, moments: list[float]) -> dict[str, float]:
    """Standardised differences between means over four chains and the moments."""
    w, b = (idata["posterior"][v].values.reshape(4, -1) for v in ("w0", "b0"))
    values = {"w": w, "b": b, "w²": w**2, "b²": b**2}
    return {
        what: float((draws.mean() - moment) / az.mcse(draws, method="mean"))
        for (what, draws), moment in zip(values.items(), moments, strict=True)
    }


@pytest.mark.parametrize("walls", ["reflect", "reject"])
@pytest.mark.parametrize("name", STEPS)
def test_draws_have_the_moments_of_the_posterior(name: str, walls: str) -> None:
    model = network(walls)
    idata = samplers.sample(model, 4000, 500, step=STEPS[name](model), **QUIET)
    found = moments_of(idata, by_quadrature()[0])
    assert max(map(abs, found.values())) < WIDEST, found
    largest = max(float(abs(idata["posterior"][v]).max()) for v in ("w0", "b0"))
    assert largest <= FACTOR / np.sqrt(2)


@pytest.mark.parametrize("name", STEPS)
def test_chains_survive_a_flat_target(name: str) -> None:
    """Where nothing is rejected warm-up makes steps long; coordinates must not lose their digits.

    A chain that warms up on the prior alone goes on to the posterior, as it does when it cools or
    is swapped.
    """
    model = network("reflect")
    with at_temperature(model, np.inf):
        step = STEPS[name](model)
        chains = ChainsAtTemperatures(model, [step], [model.initial_point()] * 4, 500, 2000, RNG)
        uniform, _ = chains.draw()
    wall = FACTOR / np.sqrt(2)
    found = moments_of(uniform, [0.0, 0.0, wall**2 / 3, wall**2 / 3])
    assert max(map(abs, found.values())) < WIDEST, found
    assert max(abs(x) for point in chains.points for x in point.values()) <= wall
    idata, acceptance = chains.draw()
    found = moments_of(idata, by_quadrature()[0])
    assert max(map(abs, found.values())) < WIDEST, found
    assert 0.6 < acceptance < 0.95  # dual averaging has found its way back from the longest steps


@pytest.mark.parametrize("walls", ["reflect", "reject"])
def test_evidence_is_that_of_the_box(walls: str) -> None:
    found = samplers.evidence(
        network(walls), draws=500, temperatures=[1, 4, np.inf], n_leapfrog=7, **QUIET
    )
    _, exact = by_quadrature()
    assert abs(found.log_evidence - exact) < 4 * found.standard_error < 0.6


def test_steps_are_those_for_weights_that_are_not_normal() -> None:
    steps = samplers.recommended_steps(network("reflect"), n_leapfrog=3)
    assert [step.name for step in steps] == ["static_hmc"]
    noisy = models.BNN(X, X[:, 0], hidden=(2,), prior=models.Box(), likelihood="gaussian_noise")
    names = [step.name for step in samplers.recommended_steps(noisy, n_leapfrog=3)]
    assert names == ["gibbs_precision", "static_hmc"]


@pytest.mark.parametrize("walls", ["reflect", "reject"])
@pytest.mark.parametrize(
    "step", [samplers.StaticHMC, samplers.GibbsHMC, samplers.SplitLeapfrog], ids=str
)
def test_steps_that_need_normal_weights_refuse_others(step: type, walls: str) -> None:
    with pytest.raises(ValueError, match=r"needs normal priors, which w0\w*, b0\w* have not"):
        step(model=network(walls))


def test_what_differs_between_copies_is_refused() -> None:
    """The virial of XHMC is larger in copies far away; a correlation has another sign in some."""
    model = network("reflect")
    for step, words in (
        (lambda: samplers.XHMC(model=model), "XHMC is not the same in all copies of w0, b0"),
        (
            lambda: samplers.StaticHMC(step_sizes="adapt", metric="dense", model=model),
            'metric="dense" is not the same in all copies of w0, b0',
        ),
    ):
        with pytest.raises(ValueError, match=words):
            step()
    assert samplers.XHMC(model=network("reject")).name == "xhmc"


def test_starts_lie_in_the_box_of_common_initialisation() -> None:
    model = network("reject")
    starts = samplers.starts.dispersed_starts(model, 200, np.random.default_rng(0))
    sizes = np.array([abs(start["w0"]).max() for start in starts])
    assert 1 < sizes.max() * np.sqrt(2) < 2
    logp = model.compile_logp(mode="FAST_COMPILE")
    assert all(np.isfinite(logp(start)) for start in starts[:3])


def test_a_chain_starts_and_ends_in_any_copy_of_the_interval() -> None:
    """What is recorded is the point in the interval, whichever copy the chain is in."""
    with pm.Model() as model:
        fold = models.priors.reflection.Reflected(0.0, 3.0)
        pm.Uniform("x", 0, 3, default_transform=fold)
    logp = model.compile_logp(mode="FAST_COMPILE")
    densities = [logp({"x_reflected__": np.array(x)}) for x in (-7.3, 0.2, 2.9, 31.0)]
    assert densities == pytest.approx([-np.log(3)] * 4)
