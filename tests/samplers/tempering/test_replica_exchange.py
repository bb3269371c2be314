"""Replicas have the tempered posteriors, at every temperature, whatever moves them."""

from typing import Any

import arviz as az
import numpy as np
import pymc as pm
import pytest
import xarray as xr
from pymc_bnn import models, samplers
from pymc_bnn.samplers import NUTS, GibbsHMC, ReplicaExchange, StaticHMC
from pymc_bnn.samplers.potential.temperature import at_temperature
from pymc_bnn.samplers.tempering import wanted
from pymc_bnn.samplers.tempering.log_likelihood import LogLikelihood
from scipy import stats
from scipy.integrate import quad

LADDER = [0.5, 1.0, 3.0, np.inf]
QUIET: dict[str, Any] = {"progressbar": False, "quiet": True, "compute_convergence_checks": False}
RUN: dict[str, Any] = {"draws": 2000, "tune": 500, "chains": 2, "cores": 1, "seed": 4, **QUIET}
WIDEST = 4.3  # of up to 60 scores, with errors that are themselves estimated


def z_scores(values: xr.DataArray, expected: np.ndarray) -> np.ndarray:
    """Means less what is expected, in Monte Carlo standard errors."""
    error = az.mcse(values, method="mean")
    return ((values.mean(("chain", "draw")) - expected) / error).values


def at_all(idata: xr.DataTree, name: str) -> xr.DataArray:
    """Draws of a variable at all temperatures of the ladder, in its order."""
    here = idata["posterior"][name].expand_dims(temperature=[1.0])
    both = [here, idata["tempered_posterior"][name]]
    return xr.concat(both, "temperature", join="outer").sel(temperature=LADDER)


@pytest.fixture(scope="module")
def linear() -> xr.DataTree:
    with pm.Model() as model:
        x = pm.Normal("x", 0, [1.0, 0.5], shape=2)
        pm.Normal("y", (DESIGN * x).sum(axis=1), 0.7, observed=TARGETS)
    return samplers.sample(model, temperature=LADDER, **RUN)


DESIGN = np.array([[1.0, 0.2], [0.3, -0.7], [0.9, 1.1], [-0.4, 0.8]])
TARGETS = np.array([0.9, -0.1, 1.7, 0.2])


def test_tempered_posteriors_of_a_linear_model_are_exact(linear: xr.DataTree) -> None:
    """Means, second moments and log likelihoods against the closed form."""
    x, found = at_all(linear, "x"), linear["replica_exchange"]
    for place, temperature in enumerate(LADDER):
        beta = 1 / temperature
        cov = np.linalg.inv(np.diag([1.0, 4.0]) + beta * DESIGN.T @ DESIGN / 0.49)
        mean = cov @ DESIGN.T @ TARGETS * beta / 0.49
        here = x.isel(temperature=place)
        assert np.abs(z_scores(here, mean)).max() < WIDEST
        assert np.abs(z_scores((here - mean) ** 2, np.diag(cov))).max() < WIDEST
        misfit = TARGETS - DESIGN @ mean
        squares = misfit @ misfit + np.trace(DESIGN @ cov @ DESIGN.T)
        expected = -0.5 * squares / 0.49 - 4 * np.log(0.7 * np.sqrt(2 * np.pi))
        likelihood = found["log_likelihood"].isel(temperature=place)
        assert abs(z_scores(likelihood, expected)) < WIDEST


def test_the_log_likelihood_is_that_of_temperature_one() -> None:
    with pm.Model() as model:
        x = pm.Normal("x")
        pm.Normal("y", x, observed=1.0)
    found = LogLikelihood(model)
    with at_temperature(model, 5.0):
        assert found({"x": np.array(0.0)}) == pytest.approx(stats.norm.logpdf(1.0))


def test_each_temperature_learns_its_own_step_size(linear: xr.DataTree) -> None:
    """Posterior and prior differ in width, so that one step size cannot suit both."""
    rates = linear["replica_exchange"]["acceptance_rate"].mean(("chain", "draw"))
    assert ((rates > 0.7) & (rates < 0.97)).all(), rates


def test_replicas_wander_through_the_whole_ladder(linear: xr.DataTree) -> None:
    replica = linear["replica_exchange"]["replica"]
    assert (np.sort(replica, axis=-1) == np.arange(len(LADDER))).all()
    visited = [np.unique(replica[0, :, place]).size for place in range(len(LADDER))]
    assert visited == [len(LADDER)] * len(LADDER)


def test_gibbs_draws_of_precisions_are_tempered_in_every_replica() -> None:
    """A gamma precision and a mean, moved by GibbsPrecision and StaticHMC."""
    y = np.array([0.4, -1.2, 2.2, 0.3, -0.8, 1.9])
    with pm.Model() as model:
        tau = pm.Gamma("tau", 2, 1.5)
        pm.Normal("y", 0, tau=tau, observed=y)
        mean = pm.Normal("mean", 0, 2)
        pm.Normal("z", mean, 1, observed=[1.0, 1.5, 0.3])
    idata = samplers.sample(model, temperature=LADDER, n_leapfrog=8, **RUN)
    for place, temperature in enumerate(LADDER):
        beta = 1 / temperature
        shape, rate = 2 + 3 * beta, 1.5 + 0.5 * beta * y @ y
        here = at_all(idata, "tau").isel(temperature=place)
        assert abs(z_scores(here, shape / rate)) < WIDEST
        assert abs(z_scores((here - shape / rate) ** 2, shape / rate**2)) < WIDEST
        precision = 0.25 + 3 * beta
        here = at_all(idata, "mean").isel(temperature=place)
        assert abs(z_scores(here, 2.8 * beta / precision)) < WIDEST


def test_replicas_of_a_network_have_the_posteriors_of_single_temperatures() -> None:
    X = np.linspace(-1, 1, 12)[:, None]
    model = models.normal_inverse_gamma(X, np.sin(3 * X[:, 0]), hidden=(2,))
    ladder = [1.0, 2.0, 5.0]
    idata = samplers.sample(model, temperature=ladder, n_leapfrog=30, thin=3, **RUN)
    assert idata.attrs["pymc_bnn_model"]
    for temperature in ladder[1:]:
        alone = samplers.sample(model, temperature=temperature, n_leapfrog=30, thin=3, **RUN)
        for name in ("w0_precision", "noise_precision"):
            here = np.log(idata["tempered_posterior"][name].sel(temperature=temperature))
            other = np.log(alone["posterior"][name])
            error = np.hypot(az.mcse(here, method="mean"), az.mcse(other, method="mean"))
            assert abs(here.mean() - other.mean()) < WIDEST * error


def test_both_modes_in_the_right_proportion_where_single_chains_keep_one() -> None:
    with pm.Model() as model:
        x = pm.Normal("x", 1.5, 3)
        pm.Normal("y", abs(x), 0.3, observed=3.0)

    def density(value: float) -> float:
        return stats.norm.pdf(value, 1.5, 3) * stats.norm.pdf(3.0, abs(value), 0.3)

    above, below = quad(density, 0, 10)[0], quad(density, -10, 0)[0]
    ladder = np.append(np.geomspace(1, 60, 6), np.inf)
    idata = samplers.sample(model, temperature=ladder, **RUN)
    score = z_scores((idata["posterior"]["x"] > 0).astype(float), above / (above + below))
    assert abs(score) < WIDEST
    alone = samplers.sample(model, **RUN)["posterior"]["x"]
    assert np.unique((alone > 0).mean("draw")).tolist() in ([0.0], [1.0], [0.0, 1.0])


def test_one_temperature_gives_the_draws_of_the_steps_alone() -> None:
    """To the last bit, in one process and in two, with one step and with several."""
    X = np.linspace(-1, 1, 8)[:, None]
    plain = models.normal_inverse_gamma(X, X[:, 0], hidden=(2,))
    added = models.normal_inverse_gamma(X, X[:, 0], hidden=(2,))
    with added:
        pm.Potential("small", -0.1 * (added["w0"] ** 4).sum())
    for model in (plain, added):
        run = RUN | {"draws": 20, "tune": 20, "n_leapfrog": 10}
        expected = samplers.sample(model, **run)["posterior"]
        for cores in (1, 2):
            found = samplers.sample(model, temperature=[1.0], **run | {"cores": cores})["posterior"]
            xr.testing.assert_equal(found.to_dataset(), expected.to_dataset())


def test_a_ladder_is_the_same_in_one_process_and_in_two() -> None:
    X = np.linspace(-1, 1, 8)[:, None]
    model = models.gaussian(X, X[:, 0], hidden=(2,))
    run = RUN | {"draws": 20, "tune": 20, "n_leapfrog": 10, "temperature": LADDER}
    one, two = (samplers.sample(model, **run | {"cores": cores}) for cores in (1, 2))
    for group in ("posterior", "replica_exchange", "tempered_posterior"):
        xr.testing.assert_equal(one[group].to_dataset(), two[group].to_dataset())


def test_a_ladder_goes_on_from_its_sampling_state() -> None:
    with pm.Model() as model:
        x = pm.Normal("x")
        pm.Normal("y", x, observed=1.0)
        step, other = (ReplicaExchange([1, 4, 16], model=model) for _ in range(2))
    point = model.initial_point()
    step.setup_chain(np.random.default_rng(1), tune=5, draws=10)
    for _ in range(7):
        point, _ = step.step(point)
    other.setup_chain(np.random.default_rng(2), tune=5, draws=10)
    other.sampling_state = step.sampling_state
    ends = [s.step(point)[1][0]["tempered_values"] for s in (step, other)]
    np.testing.assert_array_equal(*ends)


def test_draws_at_other_temperatures_are_left_out_where_they_fill_the_memory(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """With a line that says so; what the evidence needs is kept."""
    with pm.Model() as model:
        x = pm.Normal("x")
        pm.Normal("y", x, observed=1.0)
    run = {"temperature": [1, 3], "draws": 10, "tune": 10, "chains": 1, "seed": 1, **QUIET}
    kept = samplers.sample(model, **run)
    monkeypatch.setattr(wanted, "MOST_BYTES", 2 * 20 * 8 - 1)
    with caplog.at_level("INFO"):
        found = samplers.sample(model, **run)
    assert "not kept, as they would take 0.0 GB" in caplog.text
    assert "tempered_posterior" in kept.children
    assert "tempered_posterior" not in found.children
    expected = kept["replica_exchange"].to_dataset()
    xr.testing.assert_equal(found["replica_exchange"].to_dataset(), expected)


def test_what_is_refused() -> None:
    X = np.linspace(-1, 1, 8)[:, None]
    network = models.gaussian(X, X[:, 0], hidden=(2,))
    with pm.Model() as empty:
        pm.Normal("x")
    with pm.Model() as mixed:
        k = pm.Bernoulli("k", 0.5)
        x = pm.Normal("x")
        pm.Normal("y", x + k, observed=0.0)
    wrong = (
        [2, 3],
        [1, 1],
        [4, 1],
        [1, "2"],
        [1, -2],
        [],
        [[1, 2]],
        [1, np.inf, np.inf],
        [1e-320, 1],
    )
    for ladder in wrong:
        with pytest.raises(ValueError, match="temperature"):
            samplers.sample(network, temperature=ladder, **RUN)  # type: ignore[arg-type]  # wrong
    with pytest.raises(ValueError, match="Nothing in the model is observed"):
        ReplicaExchange([1, 2], model=empty)
    for some in ([1], [1, 2]):
        with pytest.raises(ValueError, match="No step of pymc_bnn moves k, as discrete"):
            ReplicaExchange(some, model=mixed)
    untempered = type("Untempered", (StaticHMC,), {"tempers": False})
    steps = [samplers.GibbsPrecision(model=network), untempered(model=network)]
    with pytest.raises(ValueError, match="Untempered cannot temper"):
        ReplicaExchange([1, 2], steps=steps, model=network)
    with pytest.raises(ValueError, match="iterations_per_swap=0"):
        ReplicaExchange([1, 2], iterations_per_swap=0, model=network)
    step = GibbsHMC(model=network)
    with pytest.raises(ValueError, match="n_leapfrog: give them to the steps"):
        ReplicaExchange([1, 2], steps=[step], n_leapfrog=4, model=network)


def test_a_ladder_runs_under_pm_sample_with_given_steps() -> None:
    with pm.Model() as model:
        x = pm.Normal("x", shape=3)
        pm.Normal("y", x, observed=np.zeros(3))
        moves = [NUTS([x]), StaticHMC([x], n_leapfrog=3, step_sizes="adapt")]
        step = ReplicaExchange([1, 2], steps=moves, iterations_per_swap=2, record=False)
        idata = pm.sample(draws=10, tune=10, chains=2, cores=1, step=step, random_seed=1, **QUIET)
    assert "tempered_values" not in idata["sample_stats"]
    assert idata["sample_stats"]["tempered_log_likelihood"].shape == (2, 10, 2)
    values = idata["posterior"]["x"].values
    expected = stats.norm.logpdf(values).sum(-1)
    recorded = idata["sample_stats"]["tempered_log_likelihood"].values[..., 0]
    np.testing.assert_allclose(recorded, expected)
    assert model.initial_point()["x"].shape == (3,)


def test_warm_up_learns_scales_in_all_iterations_between_swaps() -> None:
    """Windows of adaptation are planned for the iterations that a replica makes."""
    with pm.Model() as model:
        x = pm.Normal("x", 0.0, [1.0, 50.0])
        pm.Normal("y", x[0], 10.0, observed=0.0)
        moves = StaticHMC([x], n_leapfrog=10, step_sizes="adapt")
        step = ReplicaExchange([1, 2], steps=moves, iterations_per_swap=50)
    step.setup_chain(np.random.default_rng(1), 15, 0)
    point = model.initial_point()
    for _ in range(15):
        point, _ = step.step(point)
    for rung in step._rungs:
        first, second = rung.adaptation.scale
        assert 0.5 < first < 2.0
        assert 25 < second < 100


def test_models_and_steps_that_do_not_fit_are_refused() -> None:
    """Steps of another model, flat priors at infinity, names that the groups need."""
    with pm.Model() as model:
        pm.Normal("y", pm.Normal("x"), observed=1.0)
    with pm.Model() as twin:
        pm.Normal("y", pm.Normal("x"), observed=-1.0)
    with pm.Model() as flat:
        pm.Normal("y", pm.Flat("x"), observed=1.0)
    with pm.Model() as weather:
        pm.Normal("y", pm.Normal("temperature"), observed=1.0)
    step = NUTS(model=twin)
    with pytest.raises(ValueError, match="No step of this model moves x"):
        samplers.sample(model, temperature=[1, 2], step=[step], **RUN)
    with pytest.raises(ValueError, match="steps: x of another model"):
        ReplicaExchange([1, 2], steps=[NUTS(model=model), step], model=model)
    for temperature in (np.inf, [1, np.inf]):
        with pytest.raises(ValueError, match="The prior of x is flat"):
            samplers.sample(flat, temperature=temperature, **RUN)
    with pytest.raises(ValueError, match="named temperature"):
        samplers.sample(weather, temperature=[1, 2], **RUN)
    exchange = ReplicaExchange([1, 2], steps=step, model=twin)
    with pytest.raises(ValueError, match="give one of them"):
        samplers.sample(twin, temperature=[1, 2], step=exchange, **RUN)
    run = RUN | {"draws": 5, "tune": 5}
    assert "replica_exchange" in samplers.sample(twin, step=[exchange], **run).children
    for several in ([exchange, exchange], (step, exchange)):
        with pytest.raises(ValueError, match=r"step: replica exchange moves all .* give it alone"):
            samplers.sample(twin, step=several, **RUN)


def test_blocks_of_scalars_and_starts_that_users_give() -> None:
    """Two steps of a variable each, of which all say in the statistics; and bounds on the prior."""
    with pm.Model() as model:
        a, b = pm.Normal("a"), pm.Uniform("b", 0, 1, default_transform=None)
        pm.Normal("y", a, b, observed=[0.5, -0.5])
        steps = [StaticHMC([v], n_leapfrog=4, step_sizes="adapt") for v in (a, b)]
    run = RUN | {"draws": 10, "tune": 10, "initvals": {"b": 0.5}}
    idata = samplers.sample(model, temperature=[1, 4, np.inf], step=steps, **run)
    assert idata["sample_stats"]["n_steps"].max() == 8  # both blocks; fewer beyond the bounds
    assert idata["tempered_posterior"]["b"].min() > 0


def test_progress_is_shown_of_several_steps_that_move_a_replica_together() -> None:
    """One iteration has one set of statistics, of which all steps show theirs."""
    X = np.linspace(-1, 1, 6)[:, None]
    model = models.normal_inverse_gamma(X, X[:, 0], (), likelihood="student_t_noise")
    step = ReplicaExchange([1.0, 2.0], model=model, rng=1)
    step.setup_chain(np.random.default_rng(1), 0, 1)
    _, found = step.step(model.initial_point(0))
    updates = step._make_progressbar_update_functions()
    [shown] = [update(one) for update, one in zip(updates, found, strict=True)]
    assert {"divergences", "acceptance_rate"} <= set(shown)
    assert set(step._progressbar_config(1)[1]) <= set(shown)
