"""SplitLeapfrog as a step method: statistics, ``pm.sample``, learning, refusals."""

from collections.abc import Callable
from typing import Any

import cloudpickle
import numpy as np
import pymc as pm
import pytest
from pymc_bnn import models, samplers
from pymc_bnn.samplers.compiled.memory import initial_point
from pymc_bnn.samplers.potential.temperature import at_temperature
from xarray import DataTree

X = np.random.default_rng(0).normal(size=(8, 2))
Y = np.tanh(X[:, 0]) - X[:, 1]
TWO = np.column_stack([Y, Y**2])
CLASSES = (Y > 0).astype(int) + (Y > 1).astype(int)
NIG = models.NormalInverseGamma(sd=1.0, alpha=4.0)
SOME_FIXED = {"w0": models.ARD(), "b0": models.Gaussian(0.5), "w1": models.Scaled(), "b1": NIG}
QUIET: dict[str, Any] = {
    "progressbar": False,
    "quiet": True,
    "compute_convergence_checks": False,
    "chains": 2,
}


def network(y: np.ndarray = Y, parametrization: str = "centered", **options: Any) -> models.BNN:
    arguments = {"hidden": (3,), "prior": NIG, **options}
    return models.BNN(X, y, parametrization=parametrization, **arguments)


NETWORKS: dict[str, Callable[..., models.BNN]] = {
    "one hidden layer": network,
    "precisions of units": lambda **form: network(prior=models.ARD(), **form),
    "two hidden layers": lambda **form: network(hidden=(3, 2), **form),
    "no biases": lambda **form: network(biases=False, **form),
    "some groups of fixed scale": lambda **form: network(prior=SOME_FIXED, **form),
    "linear": lambda **form: network(hidden=(), **form),
    "two outputs": lambda **form: network(TWO, **form),
}
OWN_NOISE = models.GaussianNoise(0.5, 4.0, per_output=True)
COMBINATIONS: dict[str, tuple[Callable[[], models.BNN], dict[str, Any]]] = {
    **{f"centred, {n}": (lambda n=n: NETWORKS[n](), {}) for n in NETWORKS},
    **{f"raw, {n}": (lambda n=n: NETWORKS[n](parametrization="noncentered"), {}) for n in NETWORKS},
    "centred, noise of each output": (lambda: network(TWO, likelihood=OWN_NOISE), {}),
    "raw, noise of each output": (lambda: network(TWO, "noncentered", likelihood=OWN_NOISE), {}),
    "centred, two classes": (lambda: network((Y > 0).astype(int), likelihood="bernoulli"), {}),
    "raw, three classes": (lambda: network(CLASSES, "noncentered", likelihood="categorical"), {}),
    "interweaved": (network, {"interweave": True}),
    "interweaved, thinned, precisions of units": (
        lambda: NETWORKS["precisions of units"](),
        {"interweave": True, "thin": 3, "order": "symmetric"},
    ),
    "raw, thinned, in parts": (
        lambda: network(parametrization="noncentered"),
        {"thin": 3, "hyper_splits": 2, "parameter_splits": 3, "step_sizes": "learnt"},
    ),
}


@pytest.fixture(scope="module", params=COMBINATIONS)
def step(request: pytest.FixtureRequest) -> samplers.SplitLeapfrog:
    build, options = COMBINATIONS[request.param]
    return samplers.SplitLeapfrog(6, 0.2, model=build(), **options)


@pytest.fixture(scope="module")
def raw() -> samplers.SplitLeapfrog:
    model = network(parametrization="noncentered")
    return samplers.SplitLeapfrog(5, 0.2, step_sizes="learnt", model=model)


def test_log_posterior_is_the_models_at_the_point_returned(step: samplers.SplitLeapfrog) -> None:
    logp = step.model.compile_logp(mode="FAST_COMPILE")
    step.setup_chain(np.random.default_rng(5), tune=5, draws=10)
    point, outcomes = initial_point(step.model), []
    for _ in range(15):
        point, (statistics,) = step.step(point)
        assert statistics["model_logp"] == pytest.approx(float(logp(point)), rel=1e-9, abs=1e-9)
        # fewer than asked for where the raw form's unbounded steps led the energy to infinity
        assert 1 <= statistics["n_steps"] <= 6 * step.thin
        outcomes.append(statistics["trajectory_accepted"])
    assert sum(outcomes) > 5
    scale, step.step_scale = step.step_scale, 3.0  # to reject
    for _ in range(5):
        point, (statistics,) = step.step(point)
        assert statistics["model_logp"] == pytest.approx(float(logp(point)), rel=1e-9, abs=1e-9)
        outcomes.append(statistics["trajectory_accepted"])
    step.step_scale = scale
    assert not all(outcomes)


def test_energy_is_the_log_posteriors_and_the_momenta(step: samplers.SplitLeapfrog) -> None:
    """Where hardly anything moves, the momenta stay those that the generator gave."""
    factors = step.step_scale, step.hyper_step_scale, step.thin
    step.step_scale, step.hyper_step_scale, step.thin = 1e-9, 1e-9, 1
    size = sum(step.model.initial_point()[v.name].size for v in step.vars)
    step.setup_chain(np.random.default_rng(2), tune=0, draws=1)
    rng = np.random.default_rng(2)
    _, (statistics,) = step.step(initial_point(step.model))
    kinetic = 0.5 * (rng.standard_normal(size) ** 2).sum()
    assert statistics["energy"] + statistics["model_logp"] == pytest.approx(kinetic, rel=1e-5)
    assert abs(statistics["energy_error"]) < 1e-5
    step.step_scale, step.hyper_step_scale, step.thin = factors


def test_log_posterior_is_tempered(step: samplers.SplitLeapfrog) -> None:
    logp, accepted = step.model.compile_logp(sum=False, mode="FAST_COMPILE"), 0
    for temperature in (0.5, 3.0, np.inf):
        point = initial_point(step.model)
        with at_temperature(step.model, temperature):
            step.setup_chain(np.random.default_rng(5), tune=0, draws=10)
            for _ in range(5):
                point, (statistics,) = step.step(point)
                *prior, likelihood = (float(np.sum(term)) for term in logp(point))
                expected = sum(prior) + likelihood / temperature
                assert statistics["model_logp"] == pytest.approx(expected, rel=1e-9, abs=1e-9)
                accepted += statistics["trajectory_accepted"]
    assert accepted > 5


@pytest.mark.parametrize("temperature", [1.0, 3.0])
def test_energy_error_is_of_second_order_in_the_step_scales(
    step: samplers.SplitLeapfrog, temperature: float
) -> None:
    factors = step.step_scale, step.hyper_step_scale, step.thin, step.n_leapfrog
    step.thin = 1
    errors = []
    rng = np.random.default_rng(3)
    starts = []
    for _ in range(40):
        start = initial_point(step.model)
        starts.append({k: np.asarray(v + 0.3 * rng.normal(size=v.shape)) for k, v in start.items()})
    for scale, n in ((0.04, 20), (0.02, 40)):
        step.step_scale = step.hyper_step_scale = scale
        step.n_leapfrog = n
        found = []
        for seed, start in enumerate(starts):
            with at_temperature(step.model, temperature):
                step.setup_chain(np.random.default_rng(seed), tune=0, draws=1)
                found.append(step.step(start)[1][0]["energy_error"])
        errors.append(found)
    step.step_scale, step.hyper_step_scale, step.thin, step.n_leapfrog = factors
    # not of their means: steps have no bound where the curvature passes zero (Eq. 4.43)
    ratio = np.nanmedian(np.abs(np.divide(*errors)))
    assert abs(ratio / 4 - 1) < 0.2, ratio


def test_log_precisions_take_the_geometric_means_of_warm_up_and_keep_them(
    raw: samplers.SplitLeapfrog,
) -> None:
    point = initial_point(raw.model)
    raw.setup_chain(np.random.default_rng(4), tune=10, draws=5)
    seen = []
    for _ in range(10):
        point, _ = raw.step(point)
        seen.append(raw.precisions.ravel(point))
    assert np.ptp(seen, axis=0).min() > 0
    np.testing.assert_allclose(raw.estimate, np.mean(seen, axis=0), rtol=1e-12)
    raw.stop_tuning()
    frozen = raw.estimate.copy()
    for _ in range(5):
        point, _ = raw.step(point)
    np.testing.assert_array_equal(raw.estimate, frozen)
    raw.setup_chain(np.random.default_rng(4), tune=10, draws=5)
    np.testing.assert_array_equal(raw.estimate, raw.first_estimate)


def test_new_data_reach_the_trajectories_of_raw_weights() -> None:
    model = network(parametrization="noncentered")
    step = samplers.SplitLeapfrog(5, 0.2, model=model)
    fresh = samplers.SplitLeapfrog(5, 0.2, model=model.with_data(2 * X[:5], -Y[:5]))
    logp, outcomes = model.compile_logp(mode="FAST_COMPILE"), []
    with model:
        pm.set_data({"X": 2 * X[:5], "y": -Y[:5, None]})
    for each in (step, fresh):
        each.setup_chain(np.random.default_rng(5), tune=0, draws=1)
        point, (statistics,) = each.step(initial_point(model))
        outcomes.append(point)
        assert statistics["model_logp"] == pytest.approx(float(logp(point)), rel=1e-9)
    for name in outcomes[0]:
        np.testing.assert_allclose(outcomes[0][name], outcomes[1][name], rtol=1e-12)


def test_step_sizes_of_hot_weights_are_those_of_fewer_cases() -> None:
    """Each case twice at T = 2 is each case once: energies, step sizes and all."""
    for form in ("centered", "noncentered"):
        once = network(parametrization=form)
        twice = once.with_data(np.repeat(X, 2, axis=0), np.repeat(Y, 2))
        found = []
        for model, temperature in ((once, 1.0), (twice, 2.0)):
            step = samplers.SplitLeapfrog(5, 0.2, model=model)
            with at_temperature(model, temperature):
                step.setup_chain(np.random.default_rng(5), tune=0, draws=1)
                found.append(step.step(initial_point(once))[0])
        for name in found[0]:
            np.testing.assert_allclose(found[0][name], found[1][name], rtol=1e-8)


def equal(a: DataTree, b: DataTree) -> bool:
    return all(a["posterior"][name].equals(b["posterior"][name]) for name in a["posterior"])


def test_same_seed_gives_the_same_draws_in_one_process_and_in_two(
    raw: samplers.SplitLeapfrog,
) -> None:
    with raw.model:
        one, two, other = (
            pm.sample(6, tune=6, step=raw, cores=cores, random_seed=seed, **QUIET)
            for cores, seed in ((1, 6), (2, 6), (1, 7))
        )
    assert equal(one, two)
    assert not equal(one, other)
    assert one["posterior"]["w0"].dims == ("chain", "draw", "input", "hidden_0")
    first, second = (one["posterior"]["w1"].sel(chain=c).values for c in (0, 1))
    assert not np.array_equal(first, second)
    for name, (kind, _) in samplers.SplitLeapfrog.stats_dtypes_shapes.items():
        recorded = one["sample_stats"]["lp" if name == "model_logp" else name]
        assert recorded.dtype == np.dtype(kind), name
        assert recorded.dims == ("chain", "draw")


def test_pickled_step_takes_the_same_steps(raw: samplers.SplitLeapfrog) -> None:
    copy = cloudpickle.loads(cloudpickle.dumps(raw))
    results = []
    for each in (raw, copy):
        each.setup_chain(np.random.default_rng(8), tune=5, draws=1)
        point = initial_point(raw.model)
        for _ in range(5):
            point, _ = each.step(point)
        results.append({**point, "estimate": each.estimate})
    for name in results[0]:
        np.testing.assert_array_equal(results[0][name], results[1][name])


def test_other_steps_may_move_the_same_variables() -> None:
    model = network()
    logp = model.compile_logp(mode="FAST_COMPILE")
    with model:
        steps = [samplers.SplitLeapfrog(4, 0.2), pm.NUTS([model["noise_precision"]])]
        idata = pm.sample(5, tune=5, step=steps, cores=1, random_seed=9, **QUIET)
    assert len(np.unique(idata["posterior"]["noise_precision"])) > 5
    assert len(np.unique(idata["posterior"]["w0_precision"])) > 5
    draw = idata["posterior"].isel(chain=0, draw=-1)
    point = {}
    for name in initial_point(model):
        value = draw[name.removesuffix("_log__")].values
        point[name] = np.log(value) if name.endswith("_log__") else value
    assert np.isfinite(logp(point))


@pytest.mark.parametrize(
    ("parametrization", "options", "message"),
    [
        ("centered", {"n_leapfrog": 0}, "n_leapfrog=0: give a positive whole number"),
        ("centered", {"n_leapfrog": 1.5}, "n_leapfrog=1.5"),
        ("centered", {"hyper_splits": 0}, "hyper_splits=0"),
        ("centered", {"parameter_splits": -1}, "parameter_splits=-1"),
        ("centered", {"thin": 0}, "thin=0"),
        ("centered", {"step_scale": 0}, "step_scale=0: give a positive number"),
        ("centered", {"hyper_step_scale": -1}, "hyper_step_scale=-1: give a positive number"),
        ("centered", {"hyper_step_scale": np.inf}, "hyper_step_scale=inf"),
        ("centered", {"step_sizes": "learned"}, "learnt"),
        ("centered", {"order": "weights"}, "symmetric"),
        ("centered", {"step_sizes": "learnt"}, 'need parametrization="noncentered"'),
        ("centered", {"step_sizes": {"w0_precision": 1.0}}, 'need parametrization="noncentered"'),
        ("centered", {"tether": 0.0}, "tether=0.0: give a positive number"),
        ("noncentered", {"tether": 1.0}, 'tether needs parametrization="centered"'),
        ("noncentered", {"interweave": True}, 'needs parametrization="centered"'),
        ("noncentered", {"step_sizes": {"w9_precision": 1.0}}, "w0_precision"),
        ("noncentered", {"step_sizes": {"w0_precision": 0.0}}, "give a positive number"),
        *(
            ("noncentered", {"step_sizes": {"w0_precision": bad}}, "give a positive number.$")
            for bad in ("a", "1.0", None, np.inf, np.nan, [1.0, 2.0], [[1.0], [1.0, 2.0]], [])
        ),
        ("noncentered", {"step_sizes": {"w0_precision": np.eye(2)}}, r"\[0., 1.\]\]\): give a"),
    ],
)
def test_bad_arguments_are_refused_in_one_line(
    parametrization: str, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        samplers.SplitLeapfrog(model=network(parametrization=parametrization), **options)
    assert "\n" not in str(caught.value)


def test_estimates_of_a_precision_are_one_number_or_one_of_each_element() -> None:
    model = NETWORKS["precisions of units"](parametrization="noncentered")
    step = samplers.SplitLeapfrog(2, step_sizes={"w0_precision": [2.0, 3.0]}, model=model)
    where = step.precisions.slices["w0_precision_log__"]
    np.testing.assert_array_equal(step.estimate[where], np.log([2.0, 3.0]))
    with pytest.raises(ValueError, match=r"=\[1, 2, 3\]: give a positive number, or 2 of them\."):
        samplers.SplitLeapfrog(2, step_sizes={"w0_precision": [1, 2, 3]}, model=model)


def test_models_that_are_no_network_are_refused() -> None:
    with pm.Model():
        pm.Normal("x")
        with pytest.raises(ValueError, match="needs a pymc_bnn network; use NUTS"):
            samplers.SplitLeapfrog()


@pytest.mark.parametrize("parametrization", ["centered", "noncentered"])
def test_other_hyperpriors_and_added_variables_are_refused(parametrization: str) -> None:
    with pytest.raises(ValueError, match="needs a network of weights and conjugate precisions"):
        samplers.SplitLeapfrog(
            model=models.horseshoe(X, Y, hidden=(2,), parametrization=parametrization)
        )
    with network(parametrization=parametrization):
        pm.Normal("extra")
        with pytest.raises(ValueError, match="alone, and there are extra"):
            samplers.SplitLeapfrog()
    with network(parametrization=parametrization) as model:
        pm.Potential("link", -(model["w0"].sum() ** 2))
        with pytest.raises(ValueError, match="there are link"):
            samplers.SplitLeapfrog()
