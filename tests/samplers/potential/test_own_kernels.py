"""A likelihood from outside the package brings its kernel; one derived from it has none."""

from typing import Any

import numpy as np
import pytest
from pymc_bnn import models, samplers
from pymc_bnn.models.activations import activation
from pymc_bnn.models.likelihoods.gaussian_noise import IntegratedNoise
from pymc_bnn.samplers.batch.network.potential import compile_potential
from pymc_bnn.samplers.batch.sampling import are_lanes
from pymc_bnn.samplers.potential.conditional import Conditional
from pymc_bnn.samplers.potential.recognition import why_no_kernel
from pymc_bnn.samplers.potential.temperature import at_temperature

from tests.models.likelihoods.logistic_noise import LogisticNoise

from ..block import Block
from ..plain_graph import log_posterior_and_gradient

TOLERANCE = 1e-12
X = np.random.default_rng(0).normal(size=(9, 3))
Y = np.random.default_rng(1).normal(size=(9, 2))


class Derived(LogisticNoise):
    """A class that may observe otherwise than the one whose kernel it could inherit."""


class Sharp(LogisticNoise):
    """A class whose energy is infinite at once, without curvature to match."""

    kernel = LogisticNoise.kernel

    def information(self, units: int) -> np.ndarray:
        return np.ones(units)


class OwnNoise(IntegratedNoise):
    """A class that says itself what its kernel is of."""

    kernel = IntegratedNoise.kernel


class DerivedNoise(IntegratedNoise):
    """A class that does not."""


def network(likelihood: models.Likelihood, **options: Any) -> models.BNN:
    return models.gaussian(X, Y, hidden=(4,), likelihood=likelihood, **options)


def test_kernel_of_a_likelihood_has_the_energy_that_it_observes() -> None:
    block = Block(network(LogisticNoise(scale=0.5)))
    assert block.conditional.fused
    point = block.point(seed=7, size=0.5)
    ours = block.evaluate(point)
    logp, *gradients = log_posterior_and_gradient(block, point)
    assert abs(ours.logp - logp) <= TOLERANCE * ours.size
    for (name, part), expected in zip(block.parts(ours.gradient).items(), gradients, strict=True):
        assert abs(part - expected).max() <= TOLERANCE * abs(expected).max(), name
    np.testing.assert_array_equal(ours.curvature, LogisticNoise(scale=0.5).information(2))


def test_kernel_of_a_likelihood_serves_weights_that_are_functions_of_others() -> None:
    model = network(LogisticNoise(), parametrization="noncentered")
    assert Conditional(model, [model.free_name(name) for name in model.groups]).mapped is not None


@pytest.mark.parametrize(("likelihood", "mapped"), [(OwnNoise, True), (DerivedNoise, False)])
def test_a_kernel_says_itself_that_its_precision_is_integrated_out(
    likelihood: type[models.GaussianNoise], mapped: bool
) -> None:
    kept, own = (
        Block(network(noise))
        for noise in (models.GaussianNoise(0.7, 3.0, integrate=True), likelihood(0.7, 3.0))
    )
    assert (own.conditional.mapped is not None) == mapped
    point = kept.point(seed=7, size=0.5)
    assert own.evaluate(point).logp == pytest.approx(kept.evaluate(point).logp, rel=1e-12)


def test_the_prior_knows_nothing_of_where_a_kernel_overflows() -> None:
    block = Block(network(Sharp(scale=1e-308)))
    with at_temperature(block.conditional.model, np.inf):
        found = block.evaluate(block.point(seed=7, size=5.0))
    assert np.isfinite(found.logp)
    assert np.isfinite(found.gradient).all()


def test_what_is_no_kernel_is_none_and_one_without_squares_is_refused() -> None:
    other = type("Other", (LogisticNoise,), {"kernel": 1.0})
    lacking = type("Lacking", (models.GaussianNoise,), {"kernel": LogisticNoise.kernel})
    assert other.own_kernel() is None
    model = network(lacking(0.7, 3.0))
    with pytest.raises(TypeError, match=r"Lacking\.kernel lacks with_squares"):
        why_no_kernel(model)


def test_a_likelihood_inherits_no_kernel() -> None:
    model = network(Derived())
    assert why_no_kernel(model) == "there is no kernel for its likelihood Derived"
    assert not Conditional(model, model.groups).fused


def test_chains_of_a_kernel_for_one_alone_run_one_by_one() -> None:
    steps = samplers.recommended_steps(network(LogisticNoise()))
    assert [step.name for step in steps] == ["gibbs_hmc"]
    assert not are_lanes(steps)
    with pytest.raises(ValueError, match="no kernel for LogisticNoise; run chains one by one"):
        compile_potential(activation("tanh"), LogisticNoise)
