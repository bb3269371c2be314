"""Recommended steps, plain ``pm.sample``, larger models, reproducibility."""

import logging
import os
import subprocess
import sys
from collections.abc import Callable
from copy import copy, deepcopy
from itertools import product
from typing import Any

import arviz as az
import cloudpickle
import numpy as np
import pymc as pm
import pytensor.tensor as pt
import pytest
from pymc_bnn import models, samplers
from pymc_bnn.samplers.compiled.memory import initial_point
from pymc_bnn.samplers.given_starts import check_initvals
from pymc_bnn.samplers.starts import dispersed_starts
from scipy import stats
from xarray import DataTree

X = np.random.default_rng(0).normal(size=(10, 2))
Y = np.tanh(X[:, 0]) - X[:, 1]
# of one group, as every one more compiles for seconds
ONE_HORSESHOE = dict.fromkeys(("b0", "w1", "b1"), models.Gaussian()) | {
    "w0": models.ConjugateHorseshoe()
}
QUIET = {"progressbar": False, "quiet": True, "compute_convergence_checks": False}


@pytest.fixture(scope="module")
def network() -> models.BNN:
    return models.normal_inverse_gamma(X, Y, hidden=(3,))


def names(steps: list) -> list[str]:
    return [step.name for step in steps]


@pytest.mark.parametrize(
    ("variant", "options", "expected"),
    [
        (models.gaussian, {}, "gibbs_hmc"),
        (models.ard, {}, "gibbs_hmc"),
        (models.gaussian, {"likelihood": "bernoulli"}, "gibbs_hmc"),
        (models.horseshoe, {}, "nuts"),
        (models.regularized_horseshoe, {}, "nuts"),
        (models.normal_inverse_gamma, {"parametrization": "noncentered"}, "nuts"),
    ],
)
def test_methods_suit_the_model(variant: object, options: dict, expected: str) -> None:
    targets = (Y > 0).astype(int) if options.get("likelihood") else Y
    model = variant(X, targets, hidden=(3,), **options)
    assert samplers.recommended_method(model) == expected


def test_steps_are_those_of_the_method(monkeypatch: pytest.MonkeyPatch) -> None:
    for step in (samplers.GibbsHMC, samplers.NUTS):
        monkeypatch.setattr(step, "_compile", lambda step: None)
    for variant, expected in ((models.ard, "gibbs_hmc"), (models.horseshoe, "compiled_nuts")):
        model = variant(X, Y, hidden=(3,))
        assert names(samplers.recommended_steps(model)) == [expected]


def test_added_variables_and_other_models_get_separate_steps() -> None:
    with models.normal_inverse_gamma(X, Y, hidden=(3,)) as model:
        extra = pm.Normal("extra")
        pm.Potential("link", -((extra - model["w0"].sum()) ** 2))
    assert names(samplers.recommended_steps(model)) == ["gibbs_precision", "static_hmc"]
    with pm.Model() as other:
        tau = pm.Gamma("tau", 2, 2)
        pm.Normal("x", 0, tau=tau, shape=3)
    assert samplers.recommended_method(other) == "gibbs_hmc"
    assert names(samplers.recommended_steps(other)) == ["gibbs_precision", "static_hmc"]
    with pm.Model() as plain:
        pm.Normal("x")
    assert names(samplers.recommended_steps(plain)) == ["compiled_nuts"]


def test_models_with_networks_in_them_get_longer_trajectories_after_a_search(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for kind in (samplers.GibbsPrecision, samplers.StaticHMC):
        monkeypatch.setattr(kind, "_compile", lambda step: None)
    with pm.Model() as parts:
        spread = pm.Gamma("spread", 2, 2)
        output = models.network(X, hidden=(2,), name="f") + pm.Normal("shift", 0, tau=spread)
        pm.Normal("y", output, 1.0, observed=Y)
    with pm.Model() as other:
        tau = pm.Gamma("tau", 2, 2)
        pm.Normal("x", 0, tau=tau, shape=3)
    expected = ((parts, {}, 600, 0.65), (parts, {"n_leapfrog": 7}, 7, 0.65), (other, {}, 300, None))
    for model, options, length, search in expected:
        step = samplers.recommended_steps(model, **options)[-1]
        assert (step.n_leapfrog, step.adaptation.search_accept) == (length, search)
    box = samplers.recommended_steps(models.BNN(X, Y, hidden=(2,), prior=models.Box()))[-1]
    assert (box.n_leapfrog, box.adaptation.search_accept) == (300, None)


def equal(a: DataTree, b: DataTree) -> bool:
    return all(a["posterior"][name].equals(b["posterior"][name]) for name in a["posterior"])


@pytest.mark.parametrize(
    "variant", [models.normal_inverse_gamma, models.horseshoe], ids=["gibbs_hmc", "nuts"]
)
def test_same_seed_gives_the_same_draws_in_one_process_and_in_two(variant: object) -> None:
    model = variant(X, Y, hidden=(3,))
    options = {"draws": 15, "tune": 15, "chains": 2, **QUIET}
    one = samplers.sample(model, cores=1, seed=1, **options)
    assert equal(one, samplers.sample(model, cores=2, seed=1, **options))
    other = samplers.sample(model, cores=1, seed=2, **options)
    assert not equal(one, other)
    first, second = (one["posterior"]["w1"].sel(chain=c).values for c in (0, 1))
    assert not np.array_equal(first, second)


def test_plain_pm_sample_takes_the_steps_sequential_and_parallel(network: models.BNN) -> None:
    with network:
        steps = [samplers.GibbsPrecision(), samplers.StaticHMC(n_leapfrog=10, jitter="uniform")]
        runs = [
            pm.sample(15, tune=15, step=steps, chains=2, cores=cores, random_seed=3, **QUIET)
            for cores in (1, 2)
        ]
    assert equal(*runs)
    assert runs[0]["posterior"]["w0"].dims == ("chain", "draw", "input", "hidden_0")
    statistics = runs[0]["sample_stats"]
    expected = ("acceptance_rate", "diverging", "energy", "lp", "n_steps", "step_size")
    assert set(expected) <= set(statistics)
    assert statistics["acceptance_rate"].dims == ("chain", "draw")


def test_log_posterior_of_every_draw_is_the_models(network: models.BNN) -> None:
    logp, targets = network.compile_logp(mode="FAST_COMPILE"), network["y"]
    combinations = [
        [samplers.GibbsHMC(5, model=network)],
        [samplers.GibbsPrecision(model=network), samplers.StaticHMC(n_leapfrog=5, model=network)],
        [samplers.NUTS(list(network.value_vars), model=network)],
    ]
    for steps, sign in product(combinations, (1, -1)):
        targets.get_value(borrow=True)[...] *= sign  # a chain sees what was changed in place
        idata = samplers.sample(
            network, draws=5, tune=5, chains=1, cores=1, seed=4, step=steps, **QUIET
        )
        targets.get_value(borrow=True)[...] *= sign
        posterior, start = idata["posterior"].isel(chain=0), initial_point(network)
        for draw in range(5):
            point = {}
            for name in start:
                free = name.removesuffix("_log__")
                value = posterior[free].values[draw]
                point[name] = np.asarray(np.log(value) if name != free else value)
            targets.get_value(borrow=True)[...] *= sign
            expected = float(logp(point))
            targets.get_value(borrow=True)[...] *= sign
            recorded = float(idata["sample_stats"]["lp"][0, draw])
            assert recorded == pytest.approx(expected, rel=1e-9), names(steps)


def test_a_chain_has_step_sizes_and_energies_of_data_changed_in_place() -> None:
    model = models.gaussian(X, Y, hidden=(3,), parametrization="noncentered")
    point = initial_point(model)
    for step in (samplers.GibbsHMC(2, model=models.normal_inverse_gamma(X, Y, hidden=(3,))),):
        before = step._neal.squares().copy()
        step.model["X"].get_value(borrow=True)[...] *= 3.0
        step.setup_chain(np.random.default_rng(1), 0, 1)
        np.testing.assert_allclose(step._neal.squares()[1:], 9 * before[1:])
    split = samplers.SplitLeapfrog(2, model=model)  # on a centred twin of the model
    logp = model.compile_logp(mode="FAST_COMPILE")
    for _ in range(2):
        model["X"].get_value(borrow=True)[...] *= 1.5
        split.setup_chain(np.random.default_rng(1), 0, 1)
        end, [found] = split.step(point)
        assert found["model_logp"] == pytest.approx(float(logp(end)), rel=1e-9)


def test_steps_mix_with_pymcs_own_in_a_larger_model() -> None:
    """A conjugate chain with a discrete and a bounded part, against its exact posterior."""
    y = np.array([0.3, 1.9, 2.4, 1.1])
    with pm.Model():
        tau = pm.Gamma("tau", 2.0, 1.0)
        level = pm.Normal("level", 0.0, 10.0)
        which = pm.Bernoulli("which", 0.3)
        pm.Beta("bounded", 2.0, 3.0)
        pm.Poisson("count", 2.0)
        pm.Normal("y", level + which, tau=tau, observed=y)
        steps = [
            samplers.GibbsPrecision(["tau"]),
            samplers.StaticHMC([level], 6, 0.5, step_sizes="adapt", jitter="uniform"),
        ]
        idata = pm.sample(4000, tune=500, step=steps, chains=2, cores=1, random_seed=5, **QUIET)
    exact = {"bounded": 0.4, "which": 0.3, "count": 2.0}  # the flat level absorbs the switch
    for name, mean in exact.items():
        draws = idata["posterior"][name].values.astype(float)
        error = float(az.mcse(draws, method="mean"))
        assert abs(draws.mean() - mean) < 4 * error + 0.005, name


def test_tuning_stops_on_every_chain(network: models.BNN) -> None:
    with network:
        step = samplers.StaticHMC(n_leapfrog=5, target_accept=0.8)
        idata = pm.sample(
            20, tune=30, step=[samplers.GibbsPrecision(), step], chains=2, cores=1, **QUIET
        )
    for chain in (0, 1):
        assert len(np.unique(idata["sample_stats"]["step_size"].sel(chain=chain))) == 1


def test_steps_survive_pickling_and_copying(network: models.BNN) -> None:
    """A spawned worker process gets steps by cloudpickle and compiles them again."""
    point = {**initial_point(network), **dispersed_starts(network, 1, np.random.default_rng(6))[0]}
    point = {k: np.asarray(v) for k, v in point.items() if k in initial_point(network)}
    for step in (
        samplers.GibbsPrecision(model=network),
        samplers.StaticHMC(n_leapfrog=5, model=network),
        samplers.GibbsHMC(5, model=network),
        samplers.NUTS(list(network.value_vars), model=network),
        samplers.ReplicaExchange([1.0, 2.0], n_leapfrog=5, model=network),
    ):
        results = []
        for each in (step, cloudpickle.loads(cloudpickle.dumps(step)), deepcopy(step)):
            if each is not step:
                with pytest.raises(ValueError, match="was pickled or copied, without what it"):
                    each.step(point)
            each.setup_chain(np.random.default_rng(7), tune=0, draws=1)
            results.append(each.step(point)[0])
        for name in point:
            np.testing.assert_array_equal(results[0][name], results[1][name])
            np.testing.assert_array_equal(results[0][name], results[2][name])


def test_a_copied_ladder_does_nothing_before_it_is_set_up(network: models.BNN) -> None:
    point = initial_point(network)
    ladder = deepcopy(samplers.ReplicaExchange([1.0, 2.0], n_leapfrog=5, model=network))
    for refused in (
        lambda: ladder.begin([point, point]),
        lambda: ladder.moved(point, 0.5),
        lambda: ladder.sampling_state,
    ):
        with pytest.raises(ValueError, match="was pickled or copied, without what it"):
            refused()


def test_copies_of_several_steps_move_one_model_and_share_nothing(network: models.BNN) -> None:
    weights = [value for value in network.value_vars if "precision" not in str(value.name)]
    steps = [
        samplers.GibbsPrecision(model=network),
        samplers.StaticHMC(weights, n_leapfrog=5, target_accept=0.8, model=network),
    ]
    with network:
        idata, again = (
            pm.sample(5, tune=5, chains=1, cores=1, step=given, random_seed=1, **QUIET)
            for given in (deepcopy(steps), steps)
        )
    assert idata["posterior"].to_dataset().equals(again["posterior"].to_dataset())
    for duplicate in (copy, deepcopy):
        steps[1].setup_chain(np.random.default_rng(1), 5, 5)
        other = duplicate(steps[1])
        assert other.model is network
        assert other.adaptation is not steps[1].adaptation
        assert other.rng is not steps[1].rng


def test_a_chain_is_not_set_up_on_inputs_without_their_targets(network: models.BNN) -> None:
    step = samplers.StaticHMC(n_leapfrog=5, model=network)
    network["X"].set_value(X[:5])
    try:
        with pytest.raises(ValueError, match="X has 5 cases and y has 10"):
            step.setup_chain(np.random.default_rng(0), tune=0, draws=1)
    finally:
        network["X"].set_value(X)


@pytest.mark.parametrize(
    ("variant", "steps"),
    [
        (lambda: models.normal_inverse_gamma(X, Y, hidden=(3,)), ["gibbs_hmc"]),
        (lambda: models.horseshoe(X, Y, hidden=(3,)), ["compiled_nuts"]),
    ],
    ids=["gibbs_hmc", "nuts"],
)
def test_the_target_of_acceptance_goes_to_the_step_that_suits(
    variant: Callable[[], models.BNN], steps: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []
    for step in (samplers.GibbsHMC, samplers.NUTS):
        monkeypatch.setattr(step, "_compile", lambda step: made.append(step))
    monkeypatch.setattr(pm, "sample", lambda **given: made.append(given["step"]))
    samplers.sample(variant(), chains=2, cores=2, target_accept=0.95, quiet=True)
    *compiled, given = made
    assert names(given) == steps
    assert [step.adaptation.target_accept for step in compiled] == [0.95]


def test_jitter_goes_to_the_step_and_a_seed_has_two_names(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[dict] = []
    monkeypatch.setattr(samplers.GibbsHMC, "_compile", lambda step: None)
    monkeypatch.setattr(pm, "sample", lambda **given: made.append(given))
    model = models.normal_inverse_gamma(X, Y, hidden=(3,))
    for seed in ({"seed": 1}, {"random_seed": 1}, {"seed": 2}):
        samplers.sample(model, chains=2, cores=2, jitter="cauchy", quiet=True, **seed)
    assert [given["step"][0].jitter for given in made] == ["cauchy"] * 3
    one, same, other = (given["random_seed"].random() for given in made)
    assert one == same != other


def test_starts_are_dispersed_and_reproducible(network: models.BNN) -> None:
    a, b = (dispersed_starts(network, 3, np.random.default_rng(8)) for _ in range(2))
    for x, y in zip(a, b, strict=True):
        for name in x:
            np.testing.assert_array_equal(x[name], y[name])
    weights = np.array([start["w0"] for start in a])
    assert (weights.std(axis=0) > 0).all()
    assert np.abs(weights).max() < 10


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "nutz"}, "nuts"),
        ({"draws": 0}, "draws=0: give a whole number of at least 1"),
        ({"chains": 1.5}, "chains=1.5"),
        ({"tune": -1}, "tune=-1"),
        ({"cores": 0}, "cores=0: give a whole number of at least 1"),
        ({"draws": "many"}, "draws='many': give a whole number"),
        ({"seed": 1, "random_seed": 1}, "seed and random_seed are the same; give one of them"),
        ({"random_seed": "one"}, "random_seed='one': give a whole number"),
        ({"seed": -1}, "seed=-1: give a whole number of at least 0, or a Generator"),
        ({"target_acept": 0.9}, "unknown option 'target_acept'; did you mean 'target_accept'?"),
        ({"nuts_sampler": "nutpie"}, "nuts_sampler is for steps that PyMC chooses; leave it out"),
        ({"init": "adapt_diag"}, "init is for steps that PyMC chooses; leave it out"),
        ({"random_seed": [1, 2]}, r"random_seed=\[1, 2\]: chains take theirs from one seed"),
        ({"step": [], "thin": 2, "jitter": "cauchy"}, "thin, jitter: give them to the step"),
        ({"target_accept": 1.5}, "target_accept=1.5: give a number between 0 and 1"),
        ({"jitter": "cauch"}, "unknown jitter 'cauch'; did you mean 'cauchy'?"),
        (
            {"method": "nuts", "jitter": "uniform"},
            "jitter='uniform': an option of GibbsHMC and StaticHMC, and NUTS samples this model",
        ),
        (
            {"max_treedepth": 12},
            "max_treedepth=12: an option of NUTS, and GibbsHMC samples this model",
        ),
    ],
)
def test_bad_arguments_are_refused(options: dict, message: str, network: models.BNN) -> None:
    with pytest.raises(ValueError, match=message) as error:
        samplers.sample(network, **options)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda m: samplers.StaticHMC(n_leapfrog=0, model=m), "n_leapfrog=0"),
        (lambda m: samplers.StaticHMC(step_scale=-1, model=m), "step_scale=-1"),
        (lambda m: samplers.StaticHMC(step_sizes="neil", model=m), "neal"),
        (lambda m: samplers.StaticHMC(target_accept=1.0, model=m), "target_accept=1.0"),
        (lambda m: samplers.GibbsHMC(thin=0, model=m), "thin=0"),
        (lambda m: samplers.NUTS(max_treedepth=0, model=m), "max_treedepth=0"),
        (lambda m: samplers.NUTS(["w9"], model=m), "w0"),
    ],
)
def test_steps_refuse_bad_arguments(build: object, message: str, network: models.BNN) -> None:
    with pytest.raises(ValueError, match=message):
        build(network)


def test_discrete_variables_are_refused_by_name() -> None:
    with pm.Model() as model:
        pm.Poisson("count", 3)
        pm.Normal("x")
    with pytest.raises(ValueError, match=r"discrete variable.*count"):
        samplers.NUTS(["count"], model=model)


@pytest.mark.parametrize("step", [samplers.NUTS, samplers.XHMC])
def test_variables_left_to_another_step_are_named(
    step: type, caplog: pytest.LogCaptureFixture
) -> None:
    with pm.Model() as model:
        tau = pm.Gamma("tau", 2.0, 2.0)
        pm.Normal("x", 0.0, tau=tau, observed=[1.0, 2.0])
        pm.Normal("y")
    with caplog.at_level(logging.INFO, "pymc"):
        assert [v.name for v in step(model=model).vars] == ["y"]
        [told] = [record.getMessage() for record in caplog.records]
        assert told.startswith(f"{step.__name__} leaves tau to another step")
        assert "\n" not in told
        caplog.clear()
        assert len(step(list(model.value_vars), model=model).vars) == 2
    assert not caplog.records


def test_discrete_variables_alone_are_left_to_pymc() -> None:
    with pm.Model() as model:
        pm.Normal("y", pm.Poisson("count", 2), 1, observed=[1.0])
    assert samplers.recommended_steps(model) == []
    run: dict[str, Any] = {"progressbar": False, "quiet": True, "compute_convergence_checks": False}
    idata = samplers.sample(model, 500, 100, chains=2, cores=1, seed=1, **run)
    prior, count = stats.poisson(2), np.arange(20)
    weights = prior.pmf(count) * stats.norm(count).pdf(1.0)
    mean, drawn = weights @ count / weights.sum(), idata["posterior"]["count"]
    assert abs(drawn.mean() - mean) < 4 * az.mcse(drawn.values)


def test_gibbs_hmc_names_what_it_cannot_sample() -> None:
    words = r"only the centred parametrization .*; recommended_steps\(model\) chooses others\.$"
    with pytest.raises(ValueError, match=words):
        samplers.GibbsHMC(model=models.horseshoe(X, Y, hidden=(2,)))
    with models.gaussian(X, Y, hidden=(2,)) as model:
        pm.Normal("extra")
    with pytest.raises(ValueError, match="extra"):
        samplers.GibbsHMC(model=model)


def test_thin_is_refused_where_no_step_takes_it() -> None:
    with pytest.raises(ValueError, match=r"thin=5.*leave thin out"):
        samplers.sample(models.horseshoe(X, Y, hidden=(2,)), draws=1, thin=5)


def test_steps_in_turn_record_every_so_many_th_draw() -> None:
    """Draws and counts are those of a run that records all, with nothing to adapt."""
    model = models.BNN(X, Y, hidden=(2,), prior=ONE_HORSESHOE)
    wanted = {"tune": 0, "chains": 2, "cores": 1, "seed": 5, "n_leapfrog": 4}
    wanted |= {"target_accept": None, "progressbar": False, "quiet": True}
    every = samplers.sample(model, draws=12, **wanted)
    third = samplers.sample(model, draws=4, thin=3, **wanted)
    for name in ("w0", "w0_global_precision", "noise_precision"):
        all_draws = every["posterior"][name].isel(draw=slice(2, None, 3))
        np.testing.assert_array_equal(third["posterior"][name], all_draws)
    stats = third["sample_stats"]
    assert (stats["n_steps"] == 12).all()
    assert (stats["transitions"] == 3).all()
    counted = every["sample_stats"]["interweave_evaluations"].values.reshape(2, 4, 3).sum(axis=2)
    np.testing.assert_array_equal(stats["interweave_evaluations"], counted)
    np.testing.assert_array_equal(
        stats["divergences"], every["sample_stats"]["divergences"].isel(draw=slice(2, None, 3))
    )


def test_steps_in_turn_are_repeated_at_any_temperature() -> None:
    model = models.BNN(X, Y, hidden=(2,), prior=ONE_HORSESHOE)
    wanted = {"draws": 3, "tune": 5, "chains": 1, "cores": 1, "seed": 5, "n_leapfrog": 8}
    wanted |= {"thin": 4, "progressbar": False, "quiet": True}
    for temperature in (2.0, [1.0, 3.0]):
        idata = samplers.sample(model, temperature=temperature, **wanted)
        assert (idata["sample_stats"]["n_steps"] == 4 * 8).all()
    with pytest.raises(ValueError, match="thin=0"):
        samplers.sample(model, draws=1, thin=0)


def test_steps_in_turn_adapt_for_all_their_passes() -> None:
    model = models.BNN(X, Y, hidden=(2,), prior=ONE_HORSESHOE)
    [repeated] = samplers.recommended_steps(model, thin=4)
    told: list[tuple[int, int]] = []
    for step in repeated.methods:
        step.setup_chain = lambda rng, tune, draws: told.append((tune, draws))
    repeated.setup_chain(np.random.default_rng(1), 10, 20)
    assert told == [(40, 80), (40, 80)]


FALLBACK = """
import numpy as np
import pytensor
pytensor.config.mode = "FAST_COMPILE"
from pymc_bnn import models, samplers
from pymc_bnn.samplers.compiled import engine
assert not engine.available()
X = np.random.default_rng(0).normal(size=(10, 2))
run = {"draws": 3, "tune": 3, "chains": 1, "cores": 1, "seed": 1, "progressbar": False}
for variant, short in (
    (models.normal_inverse_gamma, {"n_leapfrog": 4}),
    (models.horseshoe, {"max_treedepth": 3}),
):
    model = variant(X, np.tanh(X[:, 0]), hidden=(2,))
    idata = samplers.sample(model, **run, **short)
    assert np.isfinite(idata["sample_stats"]["lp"]).all()
windows = samplers.StaticHMC(None, 4, 0.1, "adapt", window=2, metric="dense", model=model)
point, [statistics] = windows.step(model.initial_point())
assert statistics["n_steps"] == 4
print("sampled")
"""


def test_everything_runs_without_pytensors_numba_internals() -> None:
    # without a compiler of C too, which takes a second for each operation
    flags = f"{os.environ.get('PYTENSOR_FLAGS', '')},cxx=".lstrip(",")
    environment = {**os.environ, "PYTHONWARNINGS": "ignore", "PYTENSOR_FLAGS": flags}
    run = subprocess.run(
        [sys.executable, "-c", FALLBACK], capture_output=True, text=True, env=environment
    )
    assert run.stdout.strip() == "sampled", run.stderr[-2000:]


def test_starts_may_be_left_to_the_model() -> None:
    """As by None, or by symbols, which PyMC takes."""
    with pm.Model() as model:
        pm.HalfNormal("scale")
        pm.Normal("x", shape=2)
    for given in ({"scale": None}, {"x": [pt.constant(1.0), pt.constant(2.0)]}, [{"scale": None}]):
        check_initvals(model, given)


def test_starts_that_are_given_leave_the_random_numbers_as_they_are() -> None:
    """Chains that are told to begin where they would have begun anyway draw the same."""
    with pm.Model() as model:
        pm.Normal("y", pm.Normal("x", shape=2), observed=np.ones(2))
    run: dict[str, Any] = {"draws": 5, "tune": 5, "chains": 2, "cores": 1, "seed": 3, **QUIET}
    given = dispersed_starts(model, 2, np.random.default_rng(3))
    drawn = [samplers.sample(model, **run, **own) for own in ({}, {"initvals": given})]
    first, second = (one["posterior"]["x"].to_numpy() for one in drawn)
    np.testing.assert_array_equal(first, second)
