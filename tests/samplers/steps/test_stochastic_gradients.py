"""SGLD and SGHMC have the stationary distribution of their discretization, to Monte Carlo error."""

import pickle

import arviz as az
import cloudpickle
import numpy as np
import pymc as pm
import pytest
from pymc_bnn import models, samplers
from pymc_bnn.samplers import SGHMC, SGLD, GibbsPrecision, PolynomialDecay
from pymc_bnn.samplers.compiled.memory import initial_point
from pymc_bnn.samplers.steps.bases.stochastic_gradient import StochasticGradientStep
from xarray import DataArray

from ..geweke import WIDEST as WIDEST_OF_MANY
from ..geweke import tiny_network, z_scores
from ..linear_dynamics import (
    NOISE_SD,
    Posterior,
    langevin_covariance,
    linear_network,
    momentum_covariance,
    momentum_variance,
    posterior,
)

WIDEST = 4.4  # false alarms below 1 in 1000 for some 60 comparisons
DRAWS = 10_000


@pytest.fixture(scope="module")
def network() -> models.BNN:
    return linear_network()


def chain(step: StochasticGradientStep, draws: int, seed: int = 1) -> tuple[np.ndarray, list[dict]]:
    """Draws of (w0, b0) from the posterior mean on, and the statistics."""
    model = step.model
    start = {**initial_point(model), "noise_precision_log__": np.array(-2 * np.log(NOISE_SD))}
    mean = posterior(model, len(model["X"].get_value())).mean
    point = {**start, "w0": mean[:2, None], "b0": mean[2:]}
    step.setup_chain(np.random.default_rng(seed), tune=0, draws=draws)
    step.stop_tuning()
    found, statistics = [], []
    for _ in range(draws):
        point, [stats] = step.step(point)
        found.append(np.concatenate([point["w0"].ravel(), point["b0"]]))
        statistics.append(stats)
    return np.array(found), statistics


def z_of(values: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """Differences of means from what is expected, in Monte Carlo standard errors."""
    draws = DataArray(values[None], dims=("chain", "draw", "k"))
    error = az.mcse(draws, method="mean").values
    return (values.mean(axis=0) - expected) / error


def moments_z(q: np.ndarray, target: Posterior, covariance: np.ndarray) -> np.ndarray:
    """Of the mean, the variances and the covariances."""
    i, j = np.triu_indices(3)
    distance = q - target.mean
    values = np.column_stack([distance, distance[:, i] * distance[:, j]])
    return z_of(values, np.concatenate([np.zeros(3), covariance[i, j]]))


@pytest.mark.parametrize(("batch_size", "share"), [(6, 1.5), (3, 1.0), (1, 0.6)])
def test_langevin_moments_are_those_of_its_map(
    network: models.BNN, batch_size: int, share: float
) -> None:
    target = posterior(network, batch_size)
    epsilon = share / np.linalg.eigvalsh(target.hessian).max()
    expected = langevin_covariance(target, epsilon)
    q, statistics = chain(SGLD(epsilon, batch_size, thin=10, model=network), DRAWS)
    assert np.abs(moments_z(q, target, expected)).max() < WIDEST
    # such draws tell the discretization from the posterior
    assert np.abs(moments_z(q, target, np.linalg.inv(target.hessian))).max() > 2 * WIDEST
    assert all(stats["biased"] for stats in statistics)


def test_variance_of_langevin_dynamics_has_a_closed_form(network: models.BNN) -> None:
    """An autoregression of first order: 1 / (h (1 - epsilon h / 4)) along each eigenvector."""
    target = posterior(network, 6)
    h, axes = np.linalg.eigh(target.hessian)
    epsilon = 1.5 / h.max()
    q, _ = chain(SGLD(epsilon, 6, thin=20, model=network), DRAWS, seed=2)
    squares = ((q - target.mean) @ axes) ** 2
    assert np.abs(z_of(squares, 1 / (h * (1 - epsilon * h / 4)))).max() < WIDEST


SETTINGS = {
    "all cases": (6, 0.6, {"n_leapfrog": 3}),
    "all cases, two updates": (6, 0.3, {"n_leapfrog": 2, "friction": 0.4}),
    "all cases, noise estimated": (6, 0.3, {"friction": 0.1, "noise_estimate": 0.08}),
    "all cases, hot": (6, 0.3, {"temperature": 3.0, "velocity_sd": 0.3}),
    "minibatches": (3, 0.2, {"friction": 0.1}),
    "single cases, thinned": (1, 0.1, {"friction": 0.2, "thin": 2}),
}


@pytest.mark.parametrize("name", SETTINGS)
def test_momentum_moments_are_those_of_its_map(network: models.BNN, name: str) -> None:
    batch_size, share, changed = SETTINGS[name]
    target = posterior(network, batch_size)
    eta = share / np.linalg.eigvalsh(target.hessian).max()
    options = {"n_leapfrog": 4, "friction": 0.05, **changed}
    temperature = options.get("temperature", 1.0)
    expected = momentum_covariance(
        target,
        eta,
        options["n_leapfrog"],
        options["friction"],
        options.get("noise_estimate", 0.0),
        temperature,
        options.get("velocity_sd", np.sqrt(eta * temperature)),
    )
    q, statistics = chain(SGHMC(eta, batch_size, model=network, **options), DRAWS)
    assert np.abs(moments_z(q, target, expected)).max() < WIDEST
    assert np.abs(moments_z(q, target, np.linalg.inv(target.hessian))).max() > 2 * WIDEST
    assert statistics[0]["n_steps"] == options["n_leapfrog"] * options.get("thin", 1)


def test_momentum_covariance_agrees_with_its_closed_form(network: models.BNN) -> None:
    target = posterior(network, 6)
    h, axes = np.linalg.eigh(target.hessian)
    eta = 0.3 / h.max()
    covariance = momentum_covariance(target, eta, 7, 0.1, 0.0, 1.0, np.sqrt(eta))
    variances = [momentum_variance(each, eta, 7, 0.1) for each in h]
    np.testing.assert_allclose(np.diag(axes.T @ covariance @ axes), variances, rtol=1e-8)


@pytest.mark.parametrize("n_leapfrog", [2, 5, 50])
def test_fresh_velocities_heat_by_one_update(n_leapfrog: int) -> None:
    """Without friction, small steps sample at the temperature L / (L - 1), as documented."""
    variance = momentum_variance(1.0, 1e-4 / n_leapfrog**2, n_leapfrog, 1e-9)
    assert variance == pytest.approx(n_leapfrog / (n_leapfrog - 1), rel=1e-4)


@pytest.mark.parametrize("method", ["SGLD", "SGHMC"])
def test_small_steps_agree_with_the_conjugate_posterior(network: models.BNN, method: str) -> None:
    target = posterior(network, 6)
    largest = np.linalg.eigvalsh(target.hessian).max()
    step = {
        "SGLD": lambda: SGLD(0.03 / largest, 6, thin=200, model=network),
        "SGHMC": lambda: SGHMC(0.02 / largest, 6, n_leapfrog=100, friction=0.05, model=network),
    }[method]()
    q, _ = chain(step, DRAWS)
    assert np.abs(moments_z(q, target, np.linalg.inv(target.hessian))).max() < WIDEST


def test_the_mean_energy_is_less_biased_the_smaller_the_step(network: models.BNN) -> None:
    target = posterior(network, 6)
    h = np.linalg.eigvalsh(target.hessian)
    base, biases = None, []
    for k, share in enumerate((2.0, 1.0, 0.5)):
        step = SGLD(share / h.max(), 6, thin=round(30 / share), model=network)
        q, statistics = chain(step, DRAWS, seed=k)
        energy = np.array([stats["energy"] for stats in statistics])
        distance = q - target.mean
        quadratic = 0.5 * np.einsum("ki,ij,kj->k", distance, target.hessian, distance)
        # energies are those of all cases at the recorded draws, up to one constant
        base = energy[0] - quadratic[0] if base is None else base
        np.testing.assert_allclose(energy - base, quadratic, rtol=1e-8, atol=1e-8)
        expected = 0.5 * (1 / (1 - share / h.max() * h / 4)).sum()
        assert abs(z_of(quadratic[:, None], np.array([expected]))[0]) < WIDEST
        biases.append(quadratic.mean() - 1.5)
    assert biases[0] > 2 * biases[1] > 2 * 1.5 * biases[2] > 0


def steps_of(model: models.BNN) -> dict[str, StochasticGradientStep]:
    return {
        "SGLD": SGLD(5e-4, 4, thin=400, model=model),
        "SGHMC": SGHMC(1e-4, 4, n_leapfrog=60, friction=0.02, model=model),
    }


@pytest.mark.parametrize("method", ["SGLD", "SGHMC"])
def test_small_steps_almost_leave_the_joint_distribution_invariant(method: str) -> None:
    """With hyperparameters that another step moves; the bias is below what this can see."""
    model = tiny_network()
    steps = [GibbsPrecision(interweave=False, model=model), steps_of(model)[method]]
    scores = z_scores(model, steps, iterations=8000, seed=6)
    assert max(map(abs, scores.values())) < WIDEST_OF_MANY, scores


@pytest.fixture(scope="module")
def tiny() -> models.BNN:
    return tiny_network()


def draw(model: models.BNN, seed: int, step: StochasticGradientStep, **options: int) -> np.ndarray:
    settings = {"draws": 6, "tune": 3, "chains": 2, "cores": 1, **options}
    idata = samplers.sample(
        model,
        step=[GibbsPrecision(model=model), step],
        seed=seed,
        progressbar=False,
        quiet=True,
        compute_convergence_checks=False,
        **settings,
    )
    return idata["posterior"]["w0"].values


def test_the_same_seed_gives_the_same_draws(tiny: models.BNN) -> None:
    for step in (SGLD(1e-3, 2, thin=5, model=tiny), SGHMC(1e-3, 2, 5, model=tiny)):
        first = draw(tiny, 3, step)
        np.testing.assert_array_equal(draw(tiny, 3, step), first)
        np.testing.assert_array_equal(draw(tiny, 3, step, cores=2), first)
        assert (draw(tiny, 4, step) != first).all()


def test_a_copy_in_another_process_goes_on_alike(tiny: models.BNN) -> None:
    step = SGLD(PolynomialDecay(1e-2), 2, thin=3, model=tiny)
    copy = pickle.loads(cloudpickle.dumps(step))
    points = []
    for one in (step, copy):
        one.setup_chain(np.random.default_rng(1), tune=0, draws=2)
        point, _ = one.step(initial_point(tiny))
        points.append(one.step(point)[0])
    np.testing.assert_array_equal(points[0]["w0"], points[1]["w0"])


def test_step_sizes_follow_the_schedule_through_warm_up(tiny: models.BNN) -> None:
    schedule = PolynomialDecay(scale=0.01, shift=2.0, exponent=0.7, lower_bound=0.0011)
    step = SGLD(schedule, 2, thin=5, model=tiny)
    with tiny:
        idata = pm.sample(
            draws=6,
            tune=2,
            chains=2,
            cores=1,
            step=[GibbsPrecision(model=tiny), step],
            random_seed=1,
            progressbar=False,
            quiet=True,
            compute_convergence_checks=False,
        )
    last = np.arange(3, 9) * 5 - 1  # updates before the last one of each draw
    expected = np.maximum(0.01 * (2.0 + last) ** -0.7, 0.0011)
    sizes = idata["sample_stats"]["step_size"].values
    np.testing.assert_allclose(sizes, np.broadcast_to(expected, (2, 6)), rtol=1e-12)
    assert sizes[0, 0] > 0.0011 == sizes[0, -1]


def test_numbers_of_the_schedule() -> None:
    decay = PolynomialDecay(scale=8.0, shift=1.0, exponent=1.0)
    np.testing.assert_allclose(decay(0, 3), [8.0, 4.0, 8 / 3])
    np.testing.assert_allclose(decay(3, 1), [2.0])
    np.testing.assert_allclose(PolynomialDecay(1.0, 4.0, 0.75)(12, 1), [1 / 8])


def test_running_away_is_a_divergence_and_the_weights_stay(tiny: models.BNN) -> None:
    for step in (SGLD(1e200, 2, model=tiny), SGHMC(1e200, 2, model=tiny)):
        step.setup_chain(np.random.default_rng(1), tune=0, draws=1)
        step.stop_tuning()
        start = {name: np.asarray(value + 0.1) for name, value in initial_point(tiny).items()}
        point, [stats] = step.step(start)
        assert stats["diverging"]
        assert stats["divergences"] == 1
        assert stats["n_steps"] < 50
        np.testing.assert_array_equal(point["w0"], start["w0"])
        density = tiny.compile_logp(mode="FAST_COMPILE")(point)
        assert stats["energy"] == pytest.approx(-float(density), rel=1e-10)


def test_a_chain_comes_back_from_energies_that_no_posterior_has() -> None:
    """Counts grow with the exponential of the outputs: large steps end at finite, huge energies."""
    rng = np.random.default_rng(2)
    X, _ = rng.normal(size=(13, 1)), rng.normal(size=13)
    model = models.gaussian(X, rng.poisson(np.exp(X[:, 0])), hidden=(), likelihood="poisson")
    step = SGHMC(2e-3, batch_size=5, n_leapfrog=60, model=model)
    with model:
        idata = pm.sample(
            draws=150,
            tune=150,
            chains=2,
            cores=1,
            step=step,
            random_seed=1,
            discard_tuned_samples=False,
            progressbar=False,
            quiet=True,
            compute_convergence_checks=False,
        )
    for group in ("warmup_sample_stats", "sample_stats"):
        stats = idata[group].dataset
        assert float(stats["energy"].max()) < 1e4
        assert bool(stats["diverging"].any())
        moved = idata[group.replace("sample_stats", "posterior")]["w0"].diff("draw") != 0
        assert bool((moved.sum("draw") > 5).all())


@pytest.mark.parametrize("hot", [{"temperature": 1e4}, {"velocity_sd": 1.0}])
def test_energies_of_hot_draws_are_no_divergences(hot: dict[str, float]) -> None:
    """Lau's Algorithm 16 as printed has a temperature of one over the learning rate."""
    X = np.linspace(-1, 1, 200)[:, None]
    model = models.gaussian(X, X[:, 0], hidden=())
    step = SGHMC(1e-4, 20, 10, friction=0.1, model=model, **hot)
    step.setup_chain(np.random.default_rng(1), tune=0, draws=300)
    step.stop_tuning()
    point, slopes = initial_point(model), []
    for _ in range(300):
        point, [stats] = step.step(point)
        assert not stats["diverging"]
        slopes.append(float(np.ravel(point["w0"])[0]))
    assert np.std(slopes) > 0.5


def test_other_data_are_seen(network: models.BNN) -> None:
    step = SGLD(1e-3, 3, thin=4, model=network)
    before, _ = chain(step, 2)
    y = network["y"].get_value()
    network["y"].set_value(y + 5.0)
    after, _ = chain(step, 2)
    network["y"].set_value(y)
    again, _ = chain(step, 2)
    assert (before != after).all()
    np.testing.assert_array_equal(before, again)


@pytest.mark.parametrize("method", [SGLD, SGHMC])
@pytest.mark.parametrize("name", ["X", "y"])
def test_data_changed_in_place_are_seen_by_the_next_chain(method: type, name: str) -> None:
    network, other = linear_network(), linear_network()
    step = method(1e-3, 3, model=network)
    chain(step, 2)
    network[name].get_value(borrow=True)[...] *= 1.5
    other[name].set_value(network[name].get_value())
    found, expected = (chain(s, 4)[0] for s in (step, method(1e-3, 3, model=other)))
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda m: SGLD(0.0, 2, model=m), "step_size=0.0: give a positive number"),
        (lambda m: SGLD("small", 2, model=m), "step_size='small': give .* PolynomialDecay"),
        (lambda m: SGLD(0.1, 0, model=m), "batch_size=0: give a whole number of at least 1"),
        (lambda m: SGLD(0.1, 5, model=m), "batch_size=5: the model has 4 cases; give no more"),
        (lambda m: SGLD(0.1, 2, 1.5, model=m), "thin=1.5: give a whole number"),
        (lambda m: SGHMC(-1.0, 2, model=m), "learning_rate=-1.0: give a positive number"),
        (lambda m: SGHMC(0.1, 2, 1, model=m), "n_leapfrog=1: give a whole number of at least 2"),
        (lambda m: SGHMC(0.1, 2, friction=1.1, model=m), "friction=1.1: give a number above 0"),
        (
            lambda m: SGHMC(0.1, 2, noise_estimate=0.02, model=m),
            "noise_estimate=0.02: give a number from 0 to friction=0.01",
        ),
        (lambda m: SGHMC(0.1, 2, temperature=0.0, model=m), "temperature=0.0: give a positive"),
        (lambda m: SGHMC(0.1, 2, velocity_sd=-1.0, model=m), "velocity_sd=-1.0: give a positive"),
        (lambda m: PolynomialDecay(0.1, exponent=0.5), "exponent=0.5: give a number above 0.5"),
        (lambda m: PolynomialDecay(0.1, exponent=None), "exponent=None: give a number above 0.5"),
        (lambda m: PolynomialDecay(0.1, exponent="0.6"), "exponent='0.6': give a number above"),
        (lambda m: PolynomialDecay(-0.1), "scale=-0.1: give a positive"),
        (lambda m: PolynomialDecay(0.1, lower_bound=None), "lower_bound=None: give 0 or a positi"),
        (lambda m: PolynomialDecay(0.1, lower_bound="a"), "lower_bound='a': give 0 or a positive"),
        (lambda m: PolynomialDecay(0.1, lower_bound=-1), "lower_bound=-1: give 0 or a positive"),
        (
            lambda m: SGLD(0.1, 2, model=m.reparametrized("noncentered")),
            "SGLD needs the centred parametrization",
        ),
        (
            lambda m: SGLD(0.1, 2, model=with_potential()),
            "SGLD needs nothing added that depends on the weights, and the model has seen, p; use",
        ),
        (lambda m: SGLD(0.1, 2, model=tiny_network(models.Box(1.0))), "SGLD needs normal weights"),
        (lambda m: SGHMC(0.1, 2, model=normal()), "SGHMC needs a pymc_bnn network"),
    ],
)
def test_arguments_are_checked(tiny: models.BNN, build: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        build(tiny)


def with_potential() -> models.BNN:
    with tiny_network() as model:
        pm.Potential("p", -(model["w0"] ** 4).sum())
        pm.Normal("seen", model["w1"].sum(), observed=1.0)
    return model


def normal() -> pm.Model:
    with pm.Model() as model:
        pm.Normal("x")
    return model
