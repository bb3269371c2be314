"""All scales of a conjugate horseshoe are drawn exactly, in networks and in any PyMC model."""

import arviz as az
import numpy as np
import pymc as pm
import pytest
from pymc_bnn import models, samplers
from pymc_bnn.models.priors.conjugate_horseshoe import conjugate_half_cauchy
from pymc_bnn.samplers.compiled.memory import initial_point
from pymc_bnn.samplers.potential.conditional import Conditional
from pymc_bnn.samplers.precisions.conjugacy import conjugate_names, conjugate_precisions
from pymc_bnn.samplers.precisions.independent_blocks import independent_blocks
from pymc_bnn.samplers.precisions.sufficient_statistics import SufficientStatistics
from scipy import stats

pytestmark = pytest.mark.usefixtures("quick_graphs")

LEVEL = 1e-3
RNG = np.random.default_rng(0)
X = RNG.normal(size=(16, 2))
Y = np.tanh(1.5 * X[:, 0]) + 0.3 * RNG.normal(size=16)
PRIOR = {
    "w0": models.ConjugateHorseshoe(),
    "w1": models.ConjugateHorseshoe(ard=True, by="source"),
}


@pytest.fixture(scope="module")
def network() -> models.BNN:
    return models.BNN(X, Y, hidden=(3,), prior=PRIOR, biases=False)


def perturbed(model: pm.Model, seed: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {k: np.asarray(v + rng.normal(size=v.shape)) for k, v in initial_point(model).items()}


def check_full_conditionals(model: pm.Model) -> None:
    """The ratio of the model's density to the gamma density is the same for all precisions."""
    log_posterior = model.compile_logp(mode="FAST_COMPILE")
    precisions = conjugate_precisions(model)
    point = perturbed(model, 1)
    for block in independent_blocks(precisions):
        shape, rate = SufficientStatistics(model, block, precisions)(point)
        ratios = []
        for seed in range(4):
            other = perturbed(model, 2 + seed)
            names = [precision.value.name for precision in block]
            moved = point | {name: other[name] for name in names}
            logs = np.concatenate([moved[name].ravel() for name in names])
            gamma = stats.gamma.logpdf(np.exp(logs), shape, scale=1 / rate) + logs
            ratios.append(float(log_posterior(moved)) - gamma.sum())
        np.testing.assert_allclose(ratios, ratios[0], rtol=0, atol=1e-10 * max(1, abs(ratios[0])))


def test_full_conditionals_of_a_network_are_its_density(network: models.BNN) -> None:
    names = {v.name for v in network.value_vars} - set(network.groups)
    assert conjugate_names(network) == names
    check_full_conditionals(network)


def products() -> pm.Model:
    """Rows and columns, a rate behind both, and observed targets with a precision of each."""
    with pm.Model() as model:
        slow = pm.Gamma("slow", 2.0, 4.0)
        common = pm.Gamma("common", 1.5, 0.5 * slow)
        row = pm.Gamma("row", [1.0, 2.0], 2.0 * common)
        column = pm.Gamma("column", 0.5, common, shape=3)
        level = pm.Normal("level", [[1.0, -2.0, 0.5]], 3 / pm.math.sqrt(row[:, None] * column))
        pm.Normal("y", level, tau=row[:, None], observed=np.arange(6.0).reshape(2, 3))
    return model


def test_products_and_rates_in_any_model_are_found() -> None:
    model = products()
    check_full_conditionals(model)
    blocks = independent_blocks(conjugate_precisions(model))
    assert [[p.variable.name for p in block] for block in blocks] == [
        ["slow", "row"],
        ["common"],
        ["column"],
    ]
    assert samplers.recommended_method(model) == "gibbs_hmc"


def test_rates_that_are_not_conjugate_are_left_to_other_steps() -> None:
    with pm.Model() as model:
        added, shape, other = (pm.Gamma(name, 2, 2) for name in ("added", "shape", "other"))
        for i, tau in enumerate(
            (pm.Gamma("a", 2, 1 + added), pm.Gamma("b", shape, 2), pm.Gamma("c", 2, other))
        ):
            pm.Normal(f"x{i}", 0, tau=tau)
        pm.Poisson("count", other)
    assert conjugate_names(model) == {"a_log__", "b_log__", "c_log__"}
    for name, reason in (
        ("added", "the rate of 'a' is not proportional to it"),
        ("shape", "the shape of 'b' depends on it"),
        ("other", "'count' is Poisson, not Normal or Gamma"),
    ):
        with pytest.raises(samplers.NotConjugateError, match=reason):
            samplers.GibbsPrecision([name], model=model)


@pytest.mark.parametrize("interweave", [False, True])
def test_scales_of_weights_from_the_prior_stay_half_cauchy(interweave: bool) -> None:
    with pm.Model() as model:
        scale = conjugate_half_cauchy("global")
        local = conjugate_half_cauchy("local", None)
        pm.Normal("w", 0.0, scale * local, shape=2)
    step = samplers.GibbsPrecision(interweave=interweave, model=model)
    rng = np.random.default_rng(3)
    step.setup_chain(rng, tune=0, draws=1)
    after = []
    for _ in range(3000):
        rates = rng.gamma(0.5, size=2)
        precisions = rng.gamma(0.5, size=2) / rates
        point = {
            "global_rate_log__": rates[0],
            "global_precision_log__": precisions[0],
            "local_rate_log__": rates[1],
            "local_precision_log__": precisions[1],
        }
        point = {name: np.asarray(np.log(value)) for name, value in point.items()}
        point["w"] = rng.normal(size=2) / np.sqrt(precisions.prod())
        moved, _ = step.step(point)
        logs = np.array([moved["global_precision_log__"], moved["local_precision_log__"]])
        after.append([*np.exp(-0.5 * logs), moved["w"][0] * np.exp(0.5 * logs.sum())])
    first, second, raw = np.array(after).T
    assert stats.kstest(first, stats.halfcauchy.cdf).pvalue > LEVEL
    assert stats.kstest(second, stats.halfcauchy.cdf).pvalue > LEVEL
    assert stats.kstest(raw, stats.norm.cdf).pvalue > LEVEL


def test_step_sizes_see_the_product_of_the_precisions(network: models.BNN) -> None:
    point = perturbed(network, 4)
    conditional = Conditional(network, network.groups)
    assert conditional.fused
    precision = conditional.parameters(point).precision[conditional.layout.slices["w0"]]
    logs = point["w0_global_precision_log__"] + point["w0_local_precision_log__"]
    np.testing.assert_allclose(precision, np.exp(logs).ravel(), rtol=1e-12)


def test_recommended_steps_are_gibbs_and_static_hmc(network: models.BNN) -> None:
    assert samplers.recommended_method(network) == "gibbs_hmc"
    steps = samplers.recommended_steps(network)
    assert [step.name for step in steps] == ["gibbs_precision", "static_hmc"]
    assert {v.name for v in steps[0].vars} == conjugate_names(network)
    raw = network.reparametrized("noncentered")
    assert samplers.recommended_method(raw) == "nuts"
    for step in (samplers.GibbsHMC, samplers.SplitLeapfrog):
        with pytest.raises(ValueError, match="precisions that depend on each other"):
            step(model=network)


def outputs(posterior: object, inputs: np.ndarray) -> np.ndarray:
    """Network outputs at some inputs, shape (chain, draw, case)."""
    w0, b0, w1, b1 = (posterior[name].values for name in ("w0", "b0", "w1", "b1"))
    hidden = np.tanh(np.einsum("ni,cdih->cdnh", inputs, w0) + b0[:, :, None])
    return np.einsum("cdnh,cdho->cdn", hidden, w1) + b1


def test_posterior_is_that_of_the_horseshoe_by_nuts() -> None:
    others = {"w0": models.Gaussian(), "b0": models.Gaussian(), "b1": models.Gaussian()}
    options = {"chains": 4, "cores": 1, "progressbar": False, "quiet": True}
    options["compute_convergence_checks"] = False
    results = []
    for kind, draws in ((models.ConjugateHorseshoe, 1500), (models.Horseshoe, 700)):
        model = models.BNN(X, Y, hidden=(3,), prior={**others, "w1": kind()})
        idata = samplers.sample(model, draws=draws, tune=500, seed=5, **options)
        posterior = idata["posterior"].dataset
        found = [outputs(posterior, X[::4])]
        found.append(np.log((posterior["w1"].values ** 2).sum(axis=2)))
        found.append(np.log(posterior["w1_global"].values)[..., None])
        found.append(-0.5 * np.log(posterior["noise_precision"].values)[..., None])
        values = np.concatenate(found, axis=-1)
        columns = np.moveaxis(values, -1, 0)
        errors = [float(az.mcse(column, method="mean")) for column in columns]
        results.append((values.mean(axis=(0, 1)), np.array(errors)))
    (a, a_error), (b, b_error) = results
    z = (a - b) / np.hypot(a_error, b_error)
    assert np.abs(z).max() < 4.0, z
    assert a_error.max() < 0.15
