"""Models beside the ones that kernels are made for are sampled right, or refused in a line."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pymc as pm
import pytensor.tensor as pt
import pytest
from pymc.exceptions import SamplingError
from pymc_bnn import models, samplers
from pymc_bnn.models.activations import ACTIVATIONS
from pymc_bnn.models.priors.base import Group, gamma_precision
from pymc_bnn.samplers.potential.agreement import (
    DisagreementError,
    check_conditionals,
    check_energy,
    check_potential,
    density_of,
    random_points,
)
from pymc_bnn.samplers.potential.conditional import Conditional
from pymc_bnn.samplers.potential.layout import Layout
from pymc_bnn.samplers.potential.rest import compile_probe
from pymc_bnn.samplers.precisions.conjugacy import conjugate_names, conjugate_precision
from pymc_bnn.samplers.precisions.precision_blocks import PrecisionBlock
from pymc_bnn.samplers.recommended import recommended_steps
from pymc_bnn.samplers.sweeps.split.twin import check_twin
from pytensor.compile.mode import Mode

PYTHON = Mode(linker="py", optimizer=None)
RNG = np.random.default_rng(5)
X = RNG.normal(size=(10, 2))
Y = X[:, 0] + 0.1 * RNG.normal(size=10)
LABELS = (Y > 0).astype(int)
REPLICATES = 0.3 * RNG.normal(size=200)


def replicates() -> pm.Model:
    """Regression with other data on the precision of its noise."""
    with models.normal_inverse_gamma(X, Y, hidden=(2,)) as model:
        pm.Normal("replicates", 0, model["noise_precision"] ** -0.5, observed=REPLICATES)
    return model


def observed_scale() -> pm.Model:
    """Classes, with data on the precision of the weights."""
    with models.normal_inverse_gamma(X, LABELS, hidden=(2,), likelihood="bernoulli") as model:
        pm.Normal("scale", 0, model["w0_precision"] ** -0.5, observed=REPLICATES)
    return model


def ridge(**arguments: Any) -> pm.Model:
    """Network with a potential on its weights."""
    with models.normal_inverse_gamma(X, Y, hidden=(2,), **arguments) as model:
        pm.Potential("ridge", -3.0 * (model["w0"] ** 2).sum())
    return model


def shared_precision() -> pm.Model:
    """Network whose precision scales a variable of the user's, too."""
    with models.normal_inverse_gamma(X, Y, hidden=(2,)) as model:
        pm.Normal("more", 0, model["w0_precision"] ** -0.5, shape=3)
    return model


class Linear(models.BNN):
    """Network with a fixed linear part."""

    def _declare(self, X: np.ndarray, y: np.ndarray) -> None:
        super()._declare(X, y)
        pm.Potential("linear", -(((y - 3.0 * X[:, :1]) ** 2).sum()) * self["noise_precision"])


@dataclass(frozen=True)
class Student(models.GaussianNoise):
    """Heavy-tailed noise under the name and fields of the normal one."""

    def observe(self, f: Any, y: Any) -> None:
        precision = pm.Gamma("noise_precision", 2.0, 2.0)
        pm.StudentT("y_obs", nu=3, mu=f, sigma=precision**-0.5, observed=y)


def probit() -> models.Likelihood:
    """Two classes by the normal distribution function, by a class named as ours."""

    @dataclass(frozen=True)
    class Bernoulli(models.Bernoulli):
        def observe(self, f: Any, y: Any) -> None:
            p = 0.5 * (1 + pt.erf(f[:, 0] / np.sqrt(2)))
            pm.Bernoulli("y_obs", p=p, observed=y)

    return Bernoulli()


NIG = models.NormalInverseGamma()
BESIDE: dict[str, Callable[[], pm.Model]] = {
    "replicates": replicates,
    "observed scale": observed_scale,
    "ridge": ridge,
    "shared precision": shared_precision,
    "subclass": lambda: Linear(X, Y, (2,), prior=NIG),
    "heavy tails": lambda: models.BNN(X, Y, (2,), prior=NIG, likelihood=Student()),
    "probit": lambda: models.BNN(X, LABELS, (2,), prior=NIG, likelihood=probit()),
}


@pytest.mark.parametrize("name", BESIDE)
@pytest.mark.parametrize("step", [samplers.GibbsHMC, samplers.SplitLeapfrog])
def test_steps_for_networks_alone_refuse_all_others(name: str, step: type) -> None:
    with pytest.raises(ValueError, match=r"and there are|cannot sample this model") as error:
        step(model=BESIDE[name]())
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", BESIDE)
def test_a_kernel_serves_likelihoods_of_ours_with_nothing_else_on_the_weights(name: str) -> None:
    model = BESIDE[name]()
    conditional = Conditional(model, list(model.groups))
    assert conditional.fused == (name in ("replicates", "observed scale", "shared precision"))
    assert (conditional.mapped is not None) == (name == "ridge")  # what was added is a graph
    kernel = conditional.fused or conditional.mapped is not None
    assert (conditional.fallback() is None) == kernel


@pytest.mark.parametrize("name", [n for n in BESIDE if n not in ("replicates", "observed scale")])
def test_energy_of_weights_is_that_of_the_whole_model(name: str) -> None:
    model = BESIDE[name]()
    conditional, density = Conditional(model, list(model.groups)), density_of(model)
    for point in random_points(model):
        parameters, q = conditional.parameters_once(point), conditional.layout.ravel(point)
        given = [variable for variable in conditional.held if variable in model.value_vars]
        vector = pt.dvector("q")
        energy = conditional.energy(vector).eval(
            {vector: q, **{v: point[v.name] for v in given}}, mode=PYTHON, on_unused_input="ignore"
        )
        if conditional.fused:  # the constants of normal noise are in log_constant there
            tau = np.exp(point["noise_precision_log__"])
            energy += 0.5 * len(Y) * np.log(tau / (2 * np.pi))
        energy += 0.5 * np.sum(parameters.precision * (q - parameters.mean) ** 2)
        expected = density(point).total
        np.testing.assert_allclose(parameters.log_constant - energy, expected, rtol=1e-9)


@pytest.mark.parametrize("name", BESIDE)
def test_precisions_get_the_conditionals_of_the_whole_model(name: str) -> None:
    model = BESIDE[name]()
    rvs = [v for v in model.free_RVs if model.rvs_to_values[v].name in conjugate_names(model)]
    precisions = [conjugate_precision(model, variable) for variable in rvs]
    whole = name in ("replicates", "ridge", "shared precision", "heavy tails")
    assert len(precisions) == (5 if whole else 4)  # with that of noise, or without
    block = PrecisionBlock(model, precisions, precisions, False)
    check_conditionals(model, block.layout, block.statistics, name)


def test_a_network_with_additions_falls_back_and_says_so(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="pymc"):
        steps = recommended_steps(replicates(), n_leapfrog=2)
    assert [step.name for step in steps] == ["gibbs_precision", "static_hmc"]
    [line] = [record.message for record in caplog.records if "not GibbsHMC" in record.message]
    assert line.endswith("because of what was added to it: replicates.")


def test_nuts_keeps_what_was_added(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    sampled: list[pm.Model] = []

    def stop(model: pm.Model, *_: Any, **__: Any) -> None:
        sampled.append(model)
        raise InterruptedError

    monkeypatch.setattr("pymc_bnn.samplers.sampling.recommended_steps", stop)
    for model in (ridge(), Linear(X, Y, (2,)), models.gaussian(X, Y, (2,))):
        caplog.clear()
        with caplog.at_level(logging.INFO, logger="pymc"), pytest.raises(InterruptedError):
            samplers.sample(model, method="nuts")
        kept = sampled[-1] is model
        assert kept == any("centred parametrization" in r.message for r in caplog.records)
        assert kept or not model.added
    assert not kept


def test_a_kernel_that_disagrees_with_the_graph_is_refused() -> None:
    model = models.normal_inverse_gamma(X, Y, hidden=(2,))
    conditional = Conditional(model, list(model.groups))
    rest = conditional.compile_rest(gradient=True)
    check_potential(conditional, compile_probe(conditional, rest), "a step")
    model.activation = ACTIVATIONS["relu"]  # the kernel's, not the graph's
    other = Conditional(model, list(model.groups))
    potential = compile_probe(other, other.compile_rest(gradient=True))
    with pytest.raises(DisagreementError, match=r"a step: the gradient by \w\d is off by") as error:
        check_potential(other, potential, "a step")
    assert "\n" not in str(error.value)


def test_a_conditional_that_disagrees_with_the_graph_is_refused() -> None:
    model = models.normal_inverse_gamma(X, Y, hidden=(2,))
    layout = Layout(model, ["noise_precision_log__"])
    with pytest.raises(DisagreementError, match="conditional distribution of noise_precision is"):
        check_conditionals(model, layout, lambda point: (np.ones(1), np.ones(1)), "a step")


POWERS: dict[str, Callable[[Any], Any]] = {
    "smaller": lambda tau: pt.minimum(tau**-0.5, 3.0),
    "larger": lambda tau: pt.maximum(tau**-0.5, 0.01),
    "clipped": lambda tau: pt.clip(tau, 1e-3, 1e3) ** -0.5,
    "added to the variance": lambda tau: (1 / tau + 1e-6) ** 0.5,
    "added to the scale": lambda tau: tau**-0.5 + 1e-6,
}


@pytest.mark.parametrize("name", POWERS)
def test_only_powers_of_a_precision_are_conjugate(name: str) -> None:
    with pm.Model() as model:
        tau = pm.Gamma("tau", 2.0, 2.0)
        pm.Normal("x", 0, POWERS[name](tau), observed=np.full(100, 0.01))
    with pytest.raises(ValueError, match="not proportional to 1 over it"):
        conjugate_precision(model, tau)


@pytest.mark.parametrize(
    "scale",
    [
        lambda tau: 2.0 / pt.sqrt(tau),
        lambda tau: pt.exp(-0.5 * pt.log(tau)),
        lambda tau: pt.sign(tau) * abs(tau) ** -0.5,  # as PyMC turns a precision into a scale
        lambda tau: pt.broadcast_to(tau, (100,)) ** -0.5 * np.linspace(1, 2, 100),
    ],
)
def test_powers_in_other_words_are_conjugate(scale: Callable[[Any], Any]) -> None:
    with pm.Model() as model:
        tau = pm.Gamma("tau", 2.0, 2.0)
        pm.Normal("x", 0, scale(tau), observed=np.full(100, 0.01))
    assert conjugate_precision(model, tau).children[0].unit.tolist() == [0] * 100


def test_points_with_impossible_parameters_have_no_density() -> None:
    """As in what PyMC compiles, where an invalid parameter is a density of zero, not an error."""
    with pm.Model() as model:
        sd = pm.Normal("sd", 1, 1)
        pm.Normal("y", 0, sd, observed=1.0)
    found = density_of(model)({"sd": np.array(-1.0)})
    assert found.total == -np.inf
    assert np.isnan(found.gradient["sd"])
    assert all(point["sd"] > 0 for point in random_points(model))


def test_models_without_a_density_around_their_initial_point_are_refused() -> None:
    """Nothing could be compared there: a scale below zero has the kernel's energy of one above."""
    with pm.Model() as model:
        pm.Normal("x", 0, pt.constant(-2.0), shape=3)
    with pytest.raises(SamplingError, match=r"log density of x \(-inf\) is not finite at the"):
        samplers.StaticHMC(step_sizes="adapt", model=model)
    with pm.Model() as model:
        x = pm.Normal("x", 0, 1)
        pm.Potential("far", pt.switch(x > 50.0, 0.0, -np.inf))
    with pytest.raises(SamplingError, match="give its variables an initval there"):
        samplers.NUTS(model=model)
    with pm.Model() as model:
        x = pm.Normal("x", 0, 1, initval=60.0)
        pm.Potential("far", pt.switch(x > 50.0, 0.0, -np.inf))
    assert len(random_points(model)) == 2


def test_energies_alone_are_compared_where_the_graph_has_no_slopes() -> None:
    with pm.Model() as model:
        x = pm.Normal("x", 0, 1, shape=2)
        pm.Potential("rough", -pt.sqrt(x[0] - x[0]))  # whose slope is 0 times infinity
    conditional = Conditional(model, ["x"])
    first, second = random_points(model)
    assert first["x"][1] != second["x"][1]
    expected = density_of(model)(first)
    assert np.isnan(expected.gradient["x"][0])
    assert np.isfinite(expected.gradient["x"][1])
    energy, slopes = 0.5 * float(first["x"] @ first["x"]), first["x"].copy()
    check_energy(conditional, first, energy, slopes, "a step")
    with pytest.raises(DisagreementError, match="the energy of x, rough is off by 1 from"):
        check_energy(conditional, first, energy + 1.0, slopes, "a step")
    with pytest.raises(DisagreementError, match="the gradient by x is off by 1 from"):
        check_energy(conditional, first, energy, slopes + np.array([0.0, 1.0]), "a step")
    check_energy(conditional, first, np.nan, np.full(2, np.nan), "a step")


@dataclass(frozen=True)
class Around(models.Prior):
    """Normal weights around one, in either parametrization."""

    def scale(self, group: Group) -> Any:
        return gamma_precision(f"{group.name}_precision", 1.0, 2.0) ** -0.5

    def declare(self, group: Group, scale: Any, parametrization: str) -> Any:
        if parametrization == "centered":
            return pm.Normal(group.name, 1.0, scale, dims=group.dims)
        raw = pm.Normal(f"{group.name}_raw", dims=group.dims)
        return pm.Deterministic(group.name, 1.0 + raw * scale, dims=group.dims)

    def words(self) -> str:
        return "normal around one"


def test_raw_weights_around_a_mean_have_the_centred_form() -> None:
    model = models.BNN(X, Y, (2,), prior=Around(), parametrization="noncentered")
    check_twin(model, model.reparametrized("centered"), "a step")
