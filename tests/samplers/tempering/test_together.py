"""Replicas that JAX moves have the tempered posteriors; what it cannot move is refused."""

import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import arviz as az
import numpy as np
import pymc as pm
import pytest
import xarray as xr
from pymc_bnn import models, samplers
from pymc_bnn.samplers.starts import dispersed_starts
from scipy import stats
from scipy.integrate import quad

from tests.samplers.tempering import jax_runs

pytest.importorskip("jax")

LADDER = [0.5, 1.0, 3.0, np.inf]
RUN: dict[str, Any] = {"draws": 1500, "tune": 300, "chains": 2, "seed": 4, "n_leapfrog": 10}
WIDEST = 4.3  # of up to 60 scores, with errors that are themselves estimated


@pytest.fixture(scope="module")
def apart() -> Iterator[ProcessPoolExecutor]:
    """A process where JAX may run: none is forked from it."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        yield pool


def z_scores(values: xr.DataArray, expected: Any) -> np.ndarray:
    """Means less what is expected, in Monte Carlo standard errors."""
    error = az.mcse(values, method="mean")
    return np.abs((values.mean(("chain", "draw")) - expected) / error).values


def at_all(found: dict[str, xr.Dataset], name: str) -> xr.DataArray:
    """Draws of a variable at all temperatures of the ladder, in its order."""
    here = found["posterior"][name].expand_dims(temperature=[1.0])
    both = [here, found["tempered_posterior"][name]]
    return xr.concat(both, "temperature", join="outer").sel(temperature=LADDER)


def test_tempered_posteriors_of_a_linear_model_are_exact(apart: ProcessPoolExecutor) -> None:
    """Means, second moments and log likelihoods against the closed form."""
    found = apart.submit(jax_runs.run, "linear", temperature=LADDER, **RUN).result()
    x, likelihood = at_all(found, "x"), found["replica_exchange"]["log_likelihood"]
    for place, temperature in enumerate(LADDER):
        beta = 1 / temperature
        design, here = jax_runs.DESIGN, x.isel(temperature=place)
        cov = np.linalg.inv(np.diag([1.0, 4.0]) + beta * design.T @ design / 0.49)
        mean = cov @ design.T @ jax_runs.TARGETS * beta / 0.49
        assert z_scores(here, mean).max() < WIDEST
        assert z_scores((here - mean) ** 2, np.diag(cov)).max() < WIDEST
        misfit = jax_runs.TARGETS - design @ mean
        squares = misfit @ misfit + np.trace(design @ cov @ design.T)
        expected = -0.5 * squares / 0.49 - 4 * np.log(0.7 * np.sqrt(2 * np.pi))
        assert z_scores(likelihood.isel(temperature=place), expected) < WIDEST


def test_trajectories_are_those_of_leapfrog_steps(apart: ProcessPoolExecutor) -> None:
    """Each replica's on its own tempered density, whose gradient is linear."""
    begin, momenta, end, error, acceptance = apart.submit(jax_runs.path, 9, 0.05).result()
    design = jax_runs.DESIGN

    def energy(x: np.ndarray, p: np.ndarray, beta: float) -> float:
        misfit = jax_runs.TARGETS - design @ x
        prior = 0.5 * (x[0] ** 2 + 4 * x[1] ** 2)
        return float(prior + beta * 0.5 * misfit @ misfit / 0.49 + 0.5 * p @ p)

    for place, beta in enumerate(jax_runs.INVERSE):
        x, p = begin[place].copy(), momenta[place].copy()
        start = energy(x, p, beta)
        for _ in range(9):
            for half in range(2):
                slope = [1, 4] * x - beta * design.T @ (jax_runs.TARGETS - design @ x) / 0.49
                p = p - 0.025 * slope
                x = x + (0.05 * p if half == 0 else 0.0)
        np.testing.assert_allclose(end[place], x, rtol=1e-10)
        np.testing.assert_allclose(error[place], energy(x, p, beta) - start, atol=1e-10)
    assert np.abs(error).min() > 1e-6
    np.testing.assert_allclose(acceptance, np.exp(np.minimum(0, -error)), atol=1e-12)


def test_evidence_is_that_of_the_closed_form(apart: ProcessPoolExecutor) -> None:
    found, error = apart.submit(jax_runs.evidence).result()
    cov = jax_runs.DESIGN @ np.diag([1.0, 0.25]) @ jax_runs.DESIGN.T + 0.49 * np.eye(4)
    exact = stats.multivariate_normal(np.zeros(4), cov).logpdf(jax_runs.TARGETS)
    assert abs(found - exact) < 3.5 * error
    assert error < 0.05


@pytest.mark.parametrize("kind", ["reflect", "reject"])
def test_walls_bound_the_tempered_posteriors(apart: ProcessPoolExecutor, kind: str) -> None:
    found = apart.submit(jax_runs.run, kind, temperature=LADDER, **RUN).result()
    x = at_all(found, "x")
    assert float(np.abs(x).max()) <= 1
    for place, temperature in enumerate(LADDER):
        noise = 0.5 * np.sqrt(temperature)
        exact = (
            stats.truncnorm((-1 - 0.8) / noise, (1 - 0.8) / noise, 0.8, noise)
            if np.isfinite(temperature)
            else stats.uniform(-1, 2)
        )
        here = x.isel(temperature=place)
        assert z_scores(here, exact.mean()) < WIDEST
        assert z_scores((here - exact.mean()) ** 2, exact.var()) < WIDEST


def test_replicas_cross_between_modes(apart: ProcessPoolExecutor) -> None:
    """The share of a mode, which no single chain would find, and round trips."""
    ladder = [1.0, 2.0, 5.0, 12.0, 30.0, 100.0, np.inf]
    options = {**RUN, "temperature": ladder, "thin": 2}
    found = apart.submit(jax_runs.run, "two modes", **options).result()
    positive = found["posterior"]["x"] > 0

    def density(x: float) -> float:
        return float(np.exp(-0.5 * ((x - 1.5) / 3) ** 2 - 0.5 * ((3 - abs(x)) / 0.3) ** 2))

    above, below = quad(density, 0, 9, points=[3])[0], quad(density, -9, 0, points=[-3])[0]
    assert z_scores(positive.astype(float), above / (above + below)) < WIDEST
    assert set(np.unique(found["sample_stats"]["transitions"])) == {2}


def test_impossible_parameters_have_no_density(apart: ProcessPoolExecutor) -> None:
    """JAX leaves PyMC's checks of parameters out, and a gamma function goes on below zero."""
    found = apart.submit(jax_runs.run, "shape", initvals={"x": 1.0}, **RUN).result()
    x = found["posterior"]["x"]
    assert float(x.min()) > 0

    def density(value: float) -> float:
        return stats.norm.pdf(value, 0.5, 1.0) * stats.gamma.pdf(0.7, value)

    total, first = quad(density, 0, 8)[0], quad(lambda v: v * density(v), 0, 8)[0]
    assert z_scores(x, first / total) < WIDEST


def test_iterations_leave_the_joint_distribution_as_it_is(apart: ProcessPoolExecutor) -> None:
    """Prior draws and data that they simulate, then transitions given the data."""
    found = apart.submit(jax_runs.invariance, 1500, 4).result()
    assert 0.35 < found[:, 5].mean() < 0.65
    assert abs(found[:, 4].mean() - 5) / np.sqrt(10 / len(found)) < WIDEST  # of five cases
    scaled = found[:, :4] / [1, 1, 1, 0.4] + [0, 0, 0, 0.5 / 0.4]
    for power, spread in ((1, 1.0), (2, np.sqrt(2.0)), (4, np.sqrt(96.0))):
        score = ((scaled**power).mean(axis=0) - {1: 0, 2: 1, 4: 3}[power]) / spread
        assert np.abs(score * np.sqrt(len(scaled))).max() < WIDEST
    assert stats.kstest(scaled.ravel(), "norm").pvalue > 1e-4


def test_same_seed_same_draws_from_a_saved_state_too(apart: ProcessPoolExecutor) -> None:
    short = {**RUN, "draws": 20, "tune": 30, "temperature": LADDER}
    first, second = (apart.submit(jax_runs.run, "network", **short).result() for _ in range(2))
    for name in first["posterior"]:
        assert (first["posterior"][name] == second["posterior"][name]).all()
    alone, went_on = apart.submit(jax_runs.goes_on).result()
    np.testing.assert_array_equal(alone, went_on)


def test_warm_up_reaches_its_acceptance_at_each_temperature(apart: ProcessPoolExecutor) -> None:
    options = {**RUN, "target_accept": 0.65, "metric": "unit", "temperature": LADDER}
    found = apart.submit(jax_runs.run, "many", **options).result()
    acceptance = found["replica_exchange"]["acceptance_rate"].mean(("chain", "draw"))
    assert np.all(np.abs(acceptance - 0.65) < 0.12)


@pytest.mark.parametrize(
    ("part", "named"),
    [(0, "log prior"), (1, "log likelihood"), (2, "gradient by x"), (3, "gradient by x")],
)
def test_what_jax_computes_is_held_against_the_graph(
    apart: ProcessPoolExecutor, part: int, named: str
) -> None:
    assert apart.submit(jax_runs.disagrees, part).result().startswith("DisagreementError")
    assert named in apart.submit(jax_runs.disagrees, part).result()


def test_chains_run_in_turn_once_jax_has_run(apart: ProcessPoolExecutor) -> None:
    said = apart.submit(jax_runs.afterwards).result()
    assert any("JAX has run in this process" in text for text in said)
    assert any(text.startswith("Sequential sampling (2 chains in 1 job)") for text in said)


def test_without_a_point_to_compare_at_a_model_is_refused(apart: ProcessPoolExecutor) -> None:
    with pytest.raises(ValueError, match=r"no point near the initial one .* initval="):
        apart.submit(jax_runs.run, "far", **RUN).result()


def test_single_precision_is_refused(apart: ProcessPoolExecutor) -> None:
    said = apart.submit(jax_runs.in_single_precision).result()
    assert len(said) == 2
    assert all("computes in double precision" in text for text in said)


def test_chains_in_forked_processes_are_refused(apart: ProcessPoolExecutor) -> None:
    assert "give cores=1" in apart.submit(jax_runs.forked).result()


def test_starts_leave_out_what_pymc_cannot_turn_back() -> None:
    assert dispersed_starts(jax_runs.lkj(), 2, np.random.default_rng(1)) == [{}, {}]


def test_some_variables_are_recorded(apart: ProcessPoolExecutor) -> None:
    short = {**RUN, "draws": 5, "tune": 5, "temperature": LADDER, "var_names": ["noise_precision"]}
    found = apart.submit(jax_runs.run, "network", **short).result()
    assert list(found["tempered_posterior"]) == list(found["posterior"]) == ["noise_precision"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cores": 2}, 'cores=2: backend="jax" runs chains in turn'),
        ({"method": "nuts"}, "method='nuts': backend=\"jax\" moves all"),
        ({"temperature": 2.0}, r"temperature=2.0: backend=\"jax\" takes a ladder"),
        ({"jitter": "cauchy"}, 'jitter: backend="jax" takes n_leapfrog, thin'),
        ({"metric": "dense"}, "metric with backend"),
        ({"n_leapfrog": 0}, "n_leapfrog=0: give a whole number"),
        ({"thin": 0}, "thin=0: give a whole number"),
        ({"target_accept": 2.0}, "target_accept=2.0: give a number between 0 and 1"),
    ],
)
def test_options_that_jax_does_not_take_are_refused(
    apart: ProcessPoolExecutor, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        apart.submit(jax_runs.run, "linear", **options).result()


def test_models_that_jax_does_not_move_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pm.Model() as discrete:
        pm.Normal("y", pm.Poisson("n", 2), 1, observed=1.0)
    with pm.Model() as empty:
        pm.Normal("x")
    with pm.Model() as fixed:
        pm.Normal("y", 0, 1, observed=1.0)
    with pytest.raises(ValueError, match="no free variable"):
        samplers.sample(fixed, backend="jax")
    with pm.Model() as flat:
        pm.Normal("y", pm.Flat("x"), 1, observed=1.0)
    with pytest.raises(ValueError, match="cannot move the discrete variable"):
        samplers.sample(discrete, backend="jax")
    with pytest.raises(ValueError, match="nothing in the model is observed"):
        samplers.sample(empty, backend="jax")
    with pytest.raises(ValueError, match="The prior of x is flat"):
        samplers.sample(flat, backend="jax", temperature=[1, np.inf])
    with pytest.raises(ValueError, match="leave step out"):
        samplers.sample(
            flat, backend="jax", step=samplers.StaticHMC(model=flat, step_sizes="adapt")
        )
    monkeypatch.setitem(sys.modules, "jax", None)
    X = np.linspace(-1, 1, 5)[:, None]
    with pytest.raises(ValueError, match=r'backend="jax" needs JAX: pip install'):
        samplers.sample(models.gaussian(X, X[:, 0], hidden=(2,)), backend="jax")


def test_an_undefined_likelihood_is_none_for_jax_too() -> None:
    with pm.Model() as model:
        x = pm.Normal("x", 0, 1, initval=1.0)
        pm.Normal("y", pm.math.sqrt(x), 0.5, observed=0.7)
    run: dict[str, Any] = {"progressbar": False, "quiet": True, "cores": 1, "chains": 1}
    idata = samplers.sample(
        model,
        200,
        100,
        temperature=[1, 5, np.inf],
        backend="jax",
        seed=1,
        initvals={"x": 1.0},
        **run,
    )
    found = idata["replica_exchange"]["log_likelihood"].sel(temperature=np.inf).values
    assert np.isneginf(found).any()
    assert not np.isnan(found).any()
