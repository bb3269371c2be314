"""Noise that is integrated out, against integrals over its precision."""

import pickle
import warnings
from typing import Any

import arviz as az
import numpy as np
import pymc as pm
import pytest
from pymc_bnn import models, samplers
from pymc_bnn.models import forward_pass
from pymc_bnn.models.likelihoods import likelihood
from pymc_bnn.models.likelihoods.joint_noise import JointNoise
from pymc_bnn.samplers.potential.temperature import at_temperature
from pymc_bnn.studies import waic
from pymc_bnn.studies.scores.densities import TrainingDensities
from pymc_bnn.studies.scores.refitting import leave_one_out
from scipy import stats
from scipy.integrate import quad
from scipy.special import logsumexp
from xarray import DataTree

RNG = np.random.default_rng(3)
NOISE = models.GaussianNoise(sd=0.7, alpha=3.0, integrate=True)
X = RNG.normal(size=(5, 2))
Y = RNG.normal(size=(5, 2))
F = RNG.normal(size=(4, 5, 2))  # draws, cases, outputs


def prior() -> Any:
    """Prior of the precision: Choo's Eq. 3.7, and Neal's Eq. 32 with m0 = 3, s0 = 3 * 0.49."""
    found = stats.gamma(3.0 / 2, scale=2 / (3.0 * 0.49))
    assert found.mean() == pytest.approx(0.7**-2)
    return found


def log_integral(errors: np.ndarray) -> float:
    """Log density of targets with these errors, all of one precision."""
    law, size, squares = prior(), errors.size, float((errors**2).sum())

    def density(tau: float) -> float:
        likelihood = (tau / (2 * np.pi)) ** (size / 2) * np.exp(-tau * squares / 2)
        return float(law.pdf(tau) * likelihood)

    return float(np.log(quad(density, 0, np.inf, epsabs=0, epsrel=1e-10)[0]))


def draws_of(f: np.ndarray) -> dict[str, np.ndarray]:
    squares = ((Y - f) ** 2).sum(axis=(1, 2))
    scale = np.sqrt((3.0 * 0.49 + squares) / (3.0 + Y.size))
    return {"squared_error": squares, "noise_scale": scale}


def test_a_new_case_has_the_density_given_all_others() -> None:
    new, f_new = RNG.normal(size=(1, 2)), RNG.normal(size=(4, 1, 2))
    found = NOISE.log_density(f_new, new, draws_of(F))
    for f, f_at, density in zip(F, f_new, found, strict=True):
        expected = log_integral(np.vstack([Y - f, new - f_at])) - log_integral(Y - f)
        assert density[0] == pytest.approx(expected, rel=1e-7)


def test_a_training_case_has_the_density_given_the_others() -> None:
    found = NOISE.log_density_of_trained(F, Y, draws_of(F))
    for f, densities in zip(F, found, strict=True):
        whole = log_integral(Y - f)
        for i, density in enumerate(densities):
            expected = whole - log_integral(np.delete(Y - f, i, axis=0))
            assert density == pytest.approx(expected, rel=1e-7)
    with pytest.raises(ValueError, match="A squared error is larger than that of all"):
        NOISE.log_density_of_trained(F, Y + 10, draws_of(F))


def test_simulated_targets_have_the_predictive_distribution() -> None:
    draws = {k: np.repeat(v[:1], 20_000) for k, v in draws_of(F).items()}
    y = NOISE.simulate(np.zeros((20_000, 1, 2)), draws, np.random.default_rng(1))
    t = stats.t(3.0 + Y.size, scale=draws["noise_scale"][0])
    assert stats.kstest(y[:, 0, 0], t.cdf).pvalue > 1e-4
    assert np.corrcoef(y[:, 0, 0] ** 2, y[:, 0, 1] ** 2)[0, 1] > 0.03  # one precision for both


Built = tuple[models.BNN, samplers.StaticHMC]


@pytest.fixture(scope="module")
def built() -> Built:
    """A network, and a step that is compiled for it."""
    model = models.gaussian(X, Y, hidden=(3,), likelihood=NOISE)
    return model, samplers.StaticHMC(n_leapfrog=2, model=model)


@pytest.mark.compiled
def test_the_model_has_the_density_of_all_targets(built: Built) -> None:
    """Its graph and its kernel, which is checked against the graph at two temperatures."""
    model, static = built
    weights = {n: RNG.normal(size=g.shape) for n, g in model.groups.items()}
    hidden = np.tanh(X @ weights["w0"] + weights["b0"])
    errors = Y - hidden @ weights["w1"] - weights["b1"]
    logp = model.compile_logp(vars=model.observed_RVs)
    assert float(logp(weights)) == pytest.approx(log_integral(errors), rel=1e-7)
    for step in (static, samplers.NUTS(model=model)):
        assert step.conditional.mapped is not None
        assert not step.conditional.fused
        assert step.agrees
    added = models.gaussian(X, Y, hidden=(3,), likelihood=NOISE)
    with added:
        pm.Potential("more", -(added["w0"] ** 2).sum())
    assert samplers.StaticHMC(n_leapfrog=2, step_sizes="adapt", model=added).agrees


@pytest.mark.compiled
def test_the_kernel_knows_temperature_and_number_of_cases(built: Built) -> None:
    model, step = built
    potential, point = step._potential(), model.initial_point()
    logp = model.compile_logp(vars=model.observed_RVs)
    for temperature in (1.0, 3.0, np.inf):
        with at_temperature(model, temperature):
            parameters = step.conditional.parameters(point)
            energy, _ = potential(point)
            prior_part = float(model.compile_logp(vars=model.free_RVs)(point))
            expected = prior_part + float(logp(point)) / temperature
            assert float(parameters.log_constant) - energy == pytest.approx(expected, rel=1e-9)
    single = samplers.StaticHMC(n_leapfrog=2, precision="float32", model=model)
    assert single._potential()(point)[0] == pytest.approx(potential(point)[0], rel=1e-12)


@pytest.mark.compiled
@pytest.mark.parametrize(
    "step",
    [
        lambda m: samplers.GibbsHMC(model=m),
        lambda m: samplers.SplitLeapfrog(model=m),
        lambda m: samplers.SGLD(0.1, model=m),
    ],
)
def test_steps_that_need_a_precision_refuse(step: Any) -> None:
    model = models.normal_inverse_gamma(X, Y, hidden=(3,), likelihood=NOISE)
    with pytest.raises(ValueError, match="no kernel for its likelihood IntegratedNoise"):
        step(model)
    names = [type(s).__name__ for s in samplers.recommended_steps(model, n_leapfrog=2)]
    assert names == ["GibbsPrecision", "StaticHMC"]


def test_predictive_draws_are_right_or_refused() -> None:
    model = models.logistic(X, Y, hidden=(2,), likelihood=NOISE)
    with model:
        idata = pm.sample_prior_predictive(draws=20, random_seed=1)
        y = idata["prior_predictive"]["y_obs"]
        assert y.dims == ("chain", "draw", "obs", "output")
        idata["posterior"] = idata["prior"]
        with pytest.raises(ValueError, match="would draw targets of GaussianNoise"):
            pm.sample_posterior_predictive(idata, progressbar=False)
        joint = pm.compute_log_likelihood(idata, progressbar=False, extend_inferencedata=False)
    assert joint["y_obs"].dims == ("chain", "draw")
    assert model.predict(idata, X, seed=1)["predictions"]["y"].shape == (1, 20, 5, 2)
    with pytest.raises(ValueError, match="one number for all cases of a draw"):
        TrainingDensities(model, DataTree.from_dict({"log_likelihood": joint}))
    with pytest.raises(ValueError, match="one number for all cases of a draw"):
        waic(DataTree.from_dict({"log_likelihood": joint}))
    assert models.load(idata).likelihood == NOISE


@pytest.mark.compiled
def test_criteria_of_a_run_are_those_of_cases_given_all_others(built: Built) -> None:
    """Beside multivariate t densities of all targets, and of those that a case leaves out."""
    (model, step), count = built, 1000
    options: Any = {"chains": 2, "cores": 1, "seed": 3, "progressbar": False, "quiet": True}
    idata = samplers.sample(model, count // 2, 200, step=step, **options)
    w = {name: idata["posterior"][name].values.reshape(count, *g.shape)
         for name, g in model.groups.items()}  # fmt: skip
    hidden = np.tanh(X @ w["w0"] + w["b0"][:, None])
    errors = Y - hidden @ w["w1"] - w["b1"][:, None]

    def together(errors: np.ndarray) -> np.ndarray:
        law = stats.multivariate_t(shape=0.49 * np.eye(errors[0].size), df=3.0)
        return law.logpdf(errors.reshape(count, -1))

    whole = together(errors)
    given = np.array([whole - together(np.delete(errors, i, axis=1)) for i in range(len(Y))])
    found = model.log_likelihood(idata)
    np.testing.assert_allclose(found.values.reshape(count, -1).T, given, rtol=1e-7)
    idata["log_likelihood"] = DataTree(found.to_dataset(name="y"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        criterion, loo = waic(idata), az.loo(idata, pointwise=True)
    by_hand = logsumexp(given, axis=1, b=1 / count) - given.var(axis=1)
    np.testing.assert_allclose(criterion.elpd_i.values, by_hand, rtol=1e-7)
    known = loo.pareto_k.values < 0.5
    assert known.any()
    harmonic = -logsumexp(-given, axis=1, b=1 / count)
    np.testing.assert_allclose(loo.elpd_i.values[known], harmonic[known], atol=0.01)
    np.testing.assert_allclose(leave_one_out(model, idata).elpd_i, loo.elpd_i, rtol=1e-7)


def test_another_process_finds_the_distribution_of_a_pickled_model() -> None:
    """A class that a module holds is pickled by its name; one made for a variable cannot be."""
    model = models.logistic(X, Y, hidden=(2,), likelihood=NOISE)
    kind = type(model["y_obs"].owner.op)
    assert pickle.loads(pickle.dumps(kind)) is kind


def test_targets_are_drawn_with_one_precision_for_all() -> None:
    draws = pm.draw(JointNoise.dist(np.zeros((3, 2)), 6.0, 2.94), 2000, random_seed=1)
    law = stats.multivariate_t(shape=0.49 * np.eye(6), df=6.0, seed=2).rvs(2000)
    assert draws.shape == (2000, 3, 2)
    of_both = [(each.reshape(2000, 6) ** 2).mean(axis=1) for each in (draws, law)]
    assert stats.ks_2samp(*of_both).pvalue > 1e-3
    assert stats.ks_2samp(draws[:, 0, 0], law[:, 0]).pvalue > 1e-3
    batches = pm.draw(JointNoise.dist(np.zeros((2, 20, 2)), 3.0, 1.47), 400, random_seed=3)
    shared = np.corrcoef(np.log((batches**2).mean(axis=(2, 3))).T)[0, 1]
    assert abs(shared) < 3.3 / 400**0.5  # each batch has a precision of its own


def test_it_is_said_in_one_way_and_kept() -> None:
    assert NOISE == models.GaussianNoise(0.7, 3.0, integrate=True) != models.GaussianNoise(0.7, 3.0)
    assert pickle.loads(pickle.dumps(NOISE)) == likelihood(NOISE.to_dict()) == NOISE
    assert NOISE.to_dict()["name"] == "GaussianNoise"
    assert "integrate" not in models.GaussianNoise().to_dict()  # as saved fits have it
    with pytest.raises(ValueError, match="leave per_output out"):
        models.GaussianNoise(per_output=True, integrate=True)

    class Mine(models.GaussianNoise):
        pass

    with pytest.raises(ValueError, match="only GaussianNoise itself"):
        Mine(integrate=True)


def test_targets_of_all_batches_share_the_noise_of_their_draw(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = models.gaussian(X, Y, hidden=(3,), likelihood=NOISE)
    with model:
        drawn = pm.sample_prior_predictive(draws=1500, random_seed=1)
    drawn["posterior"] = drawn["prior"]
    monkeypatch.setattr(forward_pass, "BATCH_NUMBERS", 1500 * 3 * 40)  # forty cases each
    assert (
        len(list(forward_pass.batches(model, forward_pass.PosteriorDraws(model, drawn), 80))) == 2
    )
    found = model.predict(drawn, np.zeros((80, X.shape[1])), seed=2)["predictions"].dataset
    scaled = (found["y"] - found["f"]) / drawn["posterior"].dataset["noise_scale"]
    noise = np.log(abs(scaled)).mean("output").values[0]
    early, late = noise[:, :40].mean(axis=1), noise[:, -40:].mean(axis=1)
    assert np.corrcoef(early, late)[0, 1] > 0.3  # else 0 with an error of 0.03
