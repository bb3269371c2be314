"""Replicas in lanes: the tempered posteriors, the draws of a batch, the groups of a ladder."""

from typing import Any

import arviz as az
import numpy as np
import pymc as pm
import pytensor.tensor as pt
import pytest
import xarray as xr
from pymc_bnn import models, samplers
from pymc_bnn.samplers.batch.chains import BatchOfChains
from pymc_bnn.samplers.batch.network.potential import network_of
from pymc_bnn.samplers.potential.agreement import DisagreementError
from pymc_bnn.samplers.starts import dispersed_starts
from pymc_bnn.samplers.tempering.lanes import ladder as lanes
from pymc_bnn.samplers.tempering.lanes.ladder import LadderInLanes
from pymc_bnn.samplers.tempering.lanes.sampling import Exchange, suit_lanes
from scipy import stats

QUIET: dict[str, Any] = {"progressbar": False, "quiet": True, "compute_convergence_checks": False}
LADDER = [
    0.5,
    1.0,
    1.7,
    3.0,
    5.0,
    12.0,
    40.0,
    200.0,
    np.inf,
]  # two packs, one of them of one replica
WIDEST = 4.3
X = np.array([-1.2, -0.7, -0.1, 0.4, 0.9, 1.3])[:, None]
Y = np.array([-0.9, -0.2, -0.3, 0.5, 0.3, 1.1])
SHAPE, SD = 4.0, 0.5


def two_weights() -> models.BNN:
    """The network ``w1 tanh(w0 x)`` with noise of unknown precision, which quadrature can do."""
    noise = models.GaussianNoise(sd=SD, alpha=2 * SHAPE)
    return models.BNN(
        X, Y, hidden=(1,), prior=models.Gaussian(sd=1.0), likelihood=noise, biases=False
    )


FUNCTIONS = {
    "log_precision": lambda w0, logs: logs,
    "small": lambda w0, logs: abs(w0) < 0.7,
    "both": lambda w0, logs: np.tanh(logs - 1.0) * np.minimum(abs(w0), 2.0),
}


def expected(beta: float) -> dict[str, float]:
    """Means under the tempered posterior, with the second weight integrated out."""
    w0, logs = np.linspace(-6, 6, 1201)[:, None], np.linspace(-5, 6, 1401)[None]
    tau, units = np.exp(logs), np.tanh(w0 * X[:, 0])
    scale = 1.0 + beta * tau * (units**2).sum(axis=1, keepdims=True)
    explained = beta * tau * (units @ Y)[:, None] ** 2 / scale
    density = -0.5 * beta * tau * (Y @ Y - explained) - 0.5 * np.log(scale)
    density += 0.5 * beta * Y.size * logs + SHAPE * logs - SHAPE * SD**2 * tau - 0.5 * w0**2
    weight = np.exp(density - density.max())
    weight /= weight.sum()
    return {name: float((weight * f(w0, logs)).sum()) for name, f in FUNCTIONS.items()}


@pytest.fixture(scope="module")
def draws() -> xr.DataTree:
    return samplers.sample(
        two_weights(),
        2500,
        500,
        chains=2,
        cores=1,
        temperature=LADDER,
        n_leapfrog=6,
        thin=2,
        target_accept=0.65,
        seed=2,
        **QUIET,
    )


def test_replicas_have_the_tempered_posteriors(draws: xr.DataTree) -> None:
    """Against quadrature: Gibbs draws, collapsed moves, trajectories and swaps are all tempered."""
    model = two_weights()
    assert suit_lanes(model, Exchange([samplers.GibbsHMC(model=model)], np.array(LADDER)))
    for temperature in LADDER:
        group = draws["tempered_posterior"].to_dataset() if temperature != 1 else None
        here = draws["posterior"] if group is None else group.sel(temperature=temperature)
        w0 = here["w0"].squeeze(drop=True)
        logs = np.log(here["noise_precision"].squeeze(drop=True))
        for name, mean in expected(1 / temperature).items():
            values = 1.0 * FUNCTIONS[name](w0, logs)
            score = (values.mean() - mean) / az.mcse(values, method="mean")
            assert abs(score) < WIDEST, (temperature, name, float(score))


def test_log_likelihoods_are_those_of_the_draws(draws: xr.DataTree) -> None:
    for temperature in (1.0, 12.0, np.inf):
        group = draws["tempered_posterior"].to_dataset() if temperature != 1 else None
        here = draws["posterior"] if group is None else group.sel(temperature=temperature)
        here = here.isel(chain=1, draw=slice(0, None, 400))
        mean = here["w1"].values[:, :, 0] * np.tanh(here["w0"].values[:, :, 0] * X[:, 0])
        sd = here["noise_precision"].values.reshape(-1, 1) ** -0.5
        found = draws["replica_exchange"]["log_likelihood"].sel(temperature=temperature)
        found = found.isel(chain=1, draw=slice(0, None, 400))
        np.testing.assert_allclose(found, stats.norm.logpdf(Y, mean, sd).sum(axis=1), rtol=1e-9)


def test_each_temperature_learns_its_own_step_size(draws: xr.DataTree) -> None:
    found = draws["replica_exchange"]
    rates = found["acceptance_rate"].mean(("chain", "draw"))
    assert ((rates > 0.55) & (rates < 0.75)).all(), rates
    assert (np.sort(found["replica"], axis=-1) == np.arange(len(LADDER))).all()
    visited = [np.unique(found["replica"][0, :, place]).size for place in range(len(LADDER))]
    assert visited == [len(LADDER)] * len(LADDER)


def test_one_temperature_gives_the_draws_of_a_batch() -> None:
    """To the last bit, also where a draw consists of several iterations."""
    model = two_weights()
    step = samplers.GibbsHMC(n_leapfrog=5, target_accept=0.7, model=model)
    [start] = dispersed_starts(model, 1, np.random.default_rng(3))
    several = samplers.GibbsHMC(n_leapfrog=5, target_accept=0.7, thin=3, model=model)
    for one, iterations in ((step, 1), (several, 1), (step, 3)):
        batch = BatchOfChains(several if iterations > 1 else one, [start], rng(), 0, 40)
        list(batch.blocks())
        swapping = np.random.default_rng(0)
        found = LadderInLanes(one, np.ones(1), [start], rng(), swapping, 0, 40, iterations)
        found.advance()
        np.testing.assert_array_equal(found.records.q, batch.records.q)
        np.testing.assert_array_equal(found.records.log_precision, batch.records.log_precision)


def rng() -> list[np.random.Generator]:
    return [np.random.default_rng(1)]


def test_the_result_is_that_of_replicas_one_after_another() -> None:
    """Groups, variables, dimensions and types, also with a step that users give."""
    model = two_weights()
    run = {"draws": 6, "tune": 4, "chains": 2, "cores": 2, "seed": 1, **QUIET}
    options = {"temperature": LADDER, "n_leapfrog": 3}
    step = samplers.ReplicaExchange(
        LADDER, 2, steps=samplers.GibbsHMC(n_leapfrog=3, model=model), model=model
    )
    turn = samplers.sample(model, callback=lambda **_: None, **options, **run)
    for found in (
        samplers.sample(model, **options, **run),
        samplers.sample(model, step=step, **run),
    ):
        assert set(found.children) == set(turn.children)
        for group in ("posterior", "sample_stats", "replica_exchange", "tempered_posterior"):
            ours, theirs = found[group].to_dataset(), turn[group].to_dataset()
            assert {n: (v.dims, v.dtype) for n, v in ours.items()} == {
                n: (v.dims, v.dtype) for n, v in theirs.items()
            }
            xr.testing.assert_equal(ours.coords.to_dataset(), theirs.coords.to_dataset())
    assert found["sample_stats"]["n_steps"].max() == 6


def test_iterations_between_swaps_are_counted_as_one_after_another() -> None:
    """Steps too large for half of the trajectories, some of which diverge."""
    model, run = two_weights(), {"draws": 300, "tune": 0, "chains": 2, "cores": 1, "seed": 1}
    moves = samplers.GibbsHMC(n_leapfrog=3, step_scale=2.5, jitter="uniform", model=model)
    found = []
    for options in ({}, {"callback": lambda **_: None}):
        step = samplers.ReplicaExchange(LADDER, 4, steps=moves, model=model)
        idata = samplers.sample(model, step=step, **options, **run, **QUIET)
        stats, ladder = idata["sample_stats"], idata["replica_exchange"]
        np.testing.assert_array_equal(stats["diverging"], ladder["diverging"].sel(temperature=1))
        found.append([float(stats[n].mean()) for n in ("acceptance_rate", "diverging")])
        assert stats["n_steps"].max() == 4 * 3
        # six or seven in each iteration
        assert 20 < stats["interweave_evaluations"].mean() < 32
    lanes, turn = np.array(found)
    assert abs(lanes - turn).max() < 0.1, found
    assert (turn > 0.1).all()
    assert (turn < 0.9).all()


class Counting(samplers.ReplicaExchange):
    """What a user may make of replica exchange."""

    iterations = 0

    def step(self, point: Any) -> Any:
        type(self).iterations += 1
        return super().step(point)


def test_methods_of_a_users_subclass_are_run() -> None:
    model = two_weights()
    moves = samplers.GibbsHMC(n_leapfrog=3, model=model)
    step = Counting(LADDER, steps=moves, model=model)
    samplers.sample(model, 6, 4, chains=2, cores=1, step=step, seed=1, **QUIET)
    assert Counting.iterations == 2 * 10


def test_a_kernel_of_another_likelihood_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    model = two_weights()
    step = samplers.GibbsHMC(n_leapfrog=5, model=model)
    starts = dispersed_starts(model, 4, np.random.default_rng(3))
    wrong = network_of(model, step.conditional.network_layout)._replace(cases=5)
    monkeypatch.setattr(lanes, "network_of", lambda *_: wrong)
    monkeypatch.setattr(lanes, "check_batch", lambda *_: None)
    generators = np.random.default_rng(1).spawn(5)
    with pytest.raises(DisagreementError, match="the log likelihood"):
        LadderInLanes(step, np.arange(1.0, 5.0), starts, generators[1:], generators[0], 0, 5)


def test_ladders_of_networks_without_precisions_are_kept() -> None:
    X = np.linspace(-1, 1, 6)[:, None]
    model = models.BNN(X, np.arange(6) % 3, (2,), prior=models.Gaussian(), likelihood="categorical")
    run: dict[str, Any] = {"chains": 2, "cores": 1, "n_leapfrog": 3, "seed": 1}
    idata = samplers.sample(model, 20, 20, temperature=[1, 2, 4, 8], **run, **QUIET)
    assert dict(idata["tempered_posterior"].sizes)["temperature"] == 3


def test_ctrl_c_leaves_chains_of_the_same_length(monkeypatch: pytest.MonkeyPatch) -> None:
    """One block of draws is made by both, and another by one of them."""
    advance, calls = LadderInLanes.advance, []

    def interrupted(ladder: LadderInLanes) -> None:
        calls.append(ladder)
        if len(calls) > 3:
            raise KeyboardInterrupt
        advance(ladder)

    monkeypatch.setattr(LadderInLanes, "advance", interrupted)
    run = {"draws": 10_000, "tune": 10, "chains": 2, "cores": 1, "seed": 1, **QUIET}
    found = samplers.sample(two_weights(), temperature=LADDER, n_leapfrog=3, **run)
    for group in ("posterior", "replica_exchange", "tempered_posterior"):
        assert found[group].sizes["draw"] == calls[0].block - 10


def test_terms_that_came_after_the_step_are_refused() -> None:
    """Lanes do not look at the graph of such a term."""
    model = models.gaussian(X, Y, hidden=(2,))
    step = samplers.GibbsHMC(5, step_scale=0.1, model=model)
    with model:
        pm.Potential("late", pt.switch(abs(model["w0"]).max() > 100.0, -1e6, 0.0))
    ladder = np.geomspace(1.0, 40.0, 8)
    assert suit_lanes(model, Exchange([step], ladder))
    with pytest.raises(ValueError, match="The model got or lost late after GibbsHMC was made"):
        samplers.sample(model, draws=4, tune=0, chains=1, step=step, temperature=ladder, **QUIET)
