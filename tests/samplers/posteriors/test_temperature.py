"""Steps temper the likelihood, and nothing else, or refuse to."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pymc as pm
import pytest
from pymc_bnn import models, samplers
from pymc_bnn.samplers import (
    NUTS,
    SGHMC,
    SGLD,
    XHMC,
    GibbsHMC,
    GibbsPrecision,
    SplitLeapfrog,
    StaticHMC,
)
from pymc_bnn.samplers.batch.chains import BatchOfChains
from pymc_bnn.samplers.compiled.memory import initial_point
from pymc_bnn.samplers.potential.agreement import DisagreementError
from pymc_bnn.samplers.potential.temperature import at_temperature, current
from pymc_bnn.samplers.pymc_steps import BlockedStep

from tests.samplers.geweke import WIDEST, tiny_network, z_scores

QUIET: dict[str, Any] = {
    "progressbar": False,
    "quiet": True,
    "compute_convergence_checks": False,
}
STEPS: dict[str, Callable[[models.BNN], list[BlockedStep]]] = {
    "GibbsHMC": lambda m: [GibbsHMC(n_leapfrog=6, step_scale=1.0, collapse=False, model=m)],
    "GibbsHMC, collapsed": lambda m: [GibbsHMC(n_leapfrog=6, step_scale=1.0, model=m)],
    "GibbsHMC in single precision": lambda m: [
        GibbsHMC(n_leapfrog=6, step_scale=1.0, precision="float32", model=m)
    ],
    "GibbsPrecision, StaticHMC": lambda m: [
        GibbsPrecision(model=m),
        StaticHMC(n_leapfrog=6, step_scale=1.0, model=m),
    ],
    "NUTS on everything": lambda m: [
        NUTS(list(m.value_vars), step_scale=0.3, max_treedepth=5, model=m)
    ],
    "GibbsPrecision, SGLD": lambda m: [GibbsPrecision(model=m), SGLD(1e-4, 2, model=m)],
    "SplitLeapfrog": lambda m: [SplitLeapfrog(6, 0.6, model=m)],
    "SplitLeapfrog, tethered, with interweaving": lambda m: [
        SplitLeapfrog(6, 0.6, tether=0.5, interweave=True, model=m)
    ],
}
RAW = "SplitLeapfrog of raw weights"
STEPS[RAW] = lambda m: [SplitLeapfrog(6, 0.5, model=m)]


@cache
def tiny(parametrization: str) -> models.BNN:
    return tiny_network(parametrization=parametrization)


@cache
def steps_of(name: str) -> list[BlockedStep]:
    return STEPS[name](tiny("noncentered" if name == RAW else "centered"))


@pytest.mark.parametrize("temperature", [0.7, 2.5])
@pytest.mark.parametrize("name", STEPS)
def test_tempered_joint_distribution_is_left_invariant(name: str, temperature: float) -> None:
    steps = steps_of(name)
    model = steps[0].model
    with at_temperature(model, temperature):
        scores = z_scores(model, steps, iterations=8000, seed=3)
    assert max(map(abs, scores.values())) < WIDEST, scores


@pytest.mark.parametrize("step", [SGLD, SGHMC, StaticHMC, XHMC, NUTS])
def test_energies_are_tempered(step: type) -> None:
    """Statistics are those of the tempered density."""
    X = np.linspace(-1, 1, 8)[:, None]
    model = models.gaussian(X, np.arange(8) % 3, hidden=(2,), likelihood=models.Categorical())
    arguments = (1e-5, 4) if step in (SGLD, SGHMC) else ()
    kernel, start = step(*arguments, model=model), initial_point(model)
    logp = model.compile_logp(sum=False, mode="FAST_COMPILE")
    for temperature in (1.0, 3.0, np.inf):
        with at_temperature(model, temperature):
            kernel.setup_chain(np.random.default_rng(1), tune=0, draws=1)
            point, [statistics] = kernel.step(start)
        *prior, likelihood = (float(np.sum(term)) for term in logp(point))
        expected = sum(prior) + likelihood / temperature
        assert statistics["model_logp"] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("likelihood", ["bernoulli", "categorical"])
def test_at_infinite_temperature_the_prior_is_sampled(likelihood: str) -> None:
    X = np.linspace(-1, 1, 40)[:, None]
    model = models.gaussian(X, np.arange(40) % 2, hidden=(2,), likelihood=likelihood)
    idata = samplers.sample(
        model, 2000, 500, chains=2, cores=1, temperature=np.inf, thin=5, seed=1, **QUIET
    )
    weights = idata["posterior"]["w0"].values.ravel()
    assert idata.attrs["temperature"] == np.inf
    assert abs(weights.mean()) < 4 / np.sqrt(4000)
    assert abs(weights.var() - 1) < 4 * np.sqrt(2 / 4000)


def test_what_a_user_observes_and_potentials_are_tempered() -> None:
    """The normal posterior of a mean, with a potential that is one more observation."""
    with pm.Model() as model:
        mean = pm.Normal("mean", 0.0, 1.0)
        pm.Normal("seen", mean, 1.0, observed=[1.0, 2.0])
        pm.Potential("also_seen", -0.5 * (mean - 3.0) ** 2)
    idata = samplers.sample(model, 4000, 500, 2, 1, temperature=3.0, seed=1, **QUIET)
    drawn = idata["posterior"]["mean"].values.ravel()
    precision = 1.0 + 3 / 3.0
    assert abs(drawn.mean() - (1.0 + 2.0 + 3.0) / 3.0 / precision) < 0.04
    assert abs(drawn.var() - 1.0 / precision) < 0.04


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_other_processes_have_the_temperature_too(start: str) -> None:
    X = np.linspace(-1, 1, 8)[:, None]
    model = models.normal_inverse_gamma(X, X[:, 0], hidden=(2,))
    runs = [
        samplers.sample(
            model, 5, 5, 2, cores, seed=4, temperature=7.0, collapse=False, **QUIET, **context
        )
        for cores, context in ((1, {}), (2, {"mp_ctx": start}))
    ]
    untempered = samplers.sample(model, 5, 5, 2, 1, seed=4, collapse=False, **QUIET)
    first, second, other = (run["posterior"]["w0"].values for run in (*runs, untempered))
    assert np.array_equal(first, second)
    assert not np.array_equal(first, other)


def test_a_kernel_that_ignores_the_temperature_is_found() -> None:
    X = np.linspace(-1, 1, 8)[:, None]
    model = models.gaussian(X, X[:, 0], hidden=(2,))
    step = StaticHMC(model=model)
    step.conditional.inverse_temperature = type("Stuck", (), {"get_value": lambda *_, **__: 1.0})()
    with pytest.raises(DisagreementError, match="gradient"):
        step._check_agreement()


@pytest.mark.parametrize("temperature", [0, -1.0, True, "hot", np.nan])
def test_no_temperature_is_refused(temperature: Any) -> None:
    model = models.gaussian(np.eye(3), np.arange(3.0), hidden=(2,))
    with pytest.raises(ValueError, match=r"temperature=.*: give a positive number"):
        samplers.sample(model, 5, 5, temperature=temperature)


def test_steps_that_cannot_temper_are_refused() -> None:
    X = np.linspace(-1, 1, 8)[:, None]
    model = models.normal_inverse_gamma(X, X[:, 0], hidden=(2,))
    untempered = type("Untempered", (StaticHMC,), {"tempers": False})
    cold = untempered(n_leapfrog=3, model=model)
    with pytest.raises(ValueError, match=r"Untempered cannot temper the likelihood; leave"):
        samplers.sample(model, 5, 5, step=cold, temperature=2.0, **QUIET)
    for temperature in (2.0, np.inf):
        with at_temperature(model, temperature), pytest.raises(ValueError, match="cannot temper"):
            cold.setup_chain(np.random.default_rng(1), 0, 5)
    with model, pytest.raises(ValueError, match="NUTS cannot temper"):
        samplers.sample(model, 5, 5, step=pm.NUTS(), temperature=2.0, **QUIET)
    weights = StaticHMC(model=model)
    with pytest.raises(ValueError, match=r"PyMC's own steps sample .*noise_precision"):
        samplers.sample(model, 5, 5, step=weights, temperature=2.0, **QUIET)
    sweeps = GibbsHMC(3, model=model)
    with at_temperature(model, 2.0), pytest.raises(ValueError, match="batch of chains cannot"):
        BatchOfChains(sweeps, [initial_point(model)], [np.random.default_rng(1)], 0, 5)


def test_a_model_is_at_temperature_1_again_afterwards() -> None:
    model = pm.Model()
    with pytest.raises(KeyError), at_temperature(model, 5.0):
        raise KeyError
    assert current(model) == 1.0
