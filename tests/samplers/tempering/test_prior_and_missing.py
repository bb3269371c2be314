"""Nothing of a likelihood is left at infinite temperature, and joint densities are not tempered."""

from typing import Any
from warnings import catch_warnings

import arviz as az
import numpy as np
import pymc as pm
import pytest
from pymc.exceptions import ImputationWarning
from pymc_bnn import models, samplers
from pymc_bnn.samplers.potential.agreement import density_of
from pymc_bnn.samplers.potential.temperature import at_temperature
from pymc_bnn.samplers.tempering.log_likelihood import LogLikelihood

WIDEST = 4.0
QUIET: dict[str, Any] = {"cores": 1, "progressbar": False, "quiet": True, "seed": 1}


def half_defined() -> pm.Model:
    """The likelihood of numbers below 0 is 0, and its slope is undefined there."""
    with pm.Model() as model:
        x = pm.Normal("x", 0, 1, initval=1.0)
        pm.Poisson("y", mu=pm.math.maximum(x, 0.0), observed=np.array([1, 2, 0]))
    return model


def with_missing(joint: bool) -> pm.Model:
    data = np.ma.masked_invalid([[1.0, np.nan], [0.5, 1.2], [2.0, np.nan]])
    with pm.Model() as model, catch_warnings(action="ignore", category=ImputationWarning):
        sd = pm.HalfNormal("sd", 3.0)
        if joint:
            pm.MvNormal("y", mu=np.zeros(2), chol=sd * np.eye(2), observed=data)
        else:
            pm.Normal("y", 0.0, sd, observed=data)
    return model


def test_slopes_are_those_of_the_prior_where_no_likelihood_is_defined() -> None:
    model = half_defined()
    with at_temperature(model, np.inf):
        found = density_of(model)({"x": np.array(-1.0)})
    assert found.gradient["x"] == pytest.approx(1.0)
    assert found.total == pytest.approx(-0.5 - 0.5 * np.log(2 * np.pi))


def test_the_prior_is_sampled_beyond_the_border_of_the_likelihood() -> None:
    run = {**QUIET, "temperature": np.inf, "initvals": {"x": 1.0}}
    idata = samplers.sample(half_defined(), 1000, 500, 4, **run)
    x = idata["posterior"]["x"].values
    above = (x > 0).astype(float)
    assert abs(above.mean() - 0.5) / az.mcse(above, method="mean") < WIDEST
    assert not idata["sample_stats"]["diverging"].values.any()


def test_the_evidence_knows_the_whole_prior() -> None:
    ladder = [1, 2, 4, 10, 30, np.inf]
    run = {**QUIET, "temperatures": ladder, "initvals": {"x": 1.0}}
    found = samplers.evidence(half_defined(), draws=1000, tune=500, chains=4, **run)
    assert abs(found.log_evidence + 4.97168) < WIDEST * found.standard_error < 0.2
    assert "diverged" in found.cautions[0]  # trajectories of the posterior meet the border


def test_an_undefined_likelihood_is_none() -> None:
    with pm.Model() as model:
        x = pm.Normal("x", 0, 1, initval=1.0)
        pm.Normal("y", pm.math.sqrt(x), 0.5, observed=0.7)
    assert LogLikelihood(model)({"x": np.array(-1.0)}) == -np.inf
    assert np.isfinite(LogLikelihood(model)({"x": np.array(1.0)}))


@pytest.mark.parametrize("given", [{"temperature": 3.0}, {"temperature": [1.0, 3.0]}])
def test_missing_parts_of_a_joint_density_are_not_tempered(given: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"y_observed are missing.*leave rows with missing values"):
        samplers.sample(with_missing(joint=True), 10, 10, 1, **QUIET, **given)
    with pytest.raises(ValueError, match="y_observed are missing"):
        samplers.evidence(with_missing(joint=True), draws=50, tune=10, chains=1, **QUIET)


def test_missing_values_with_densities_of_their_own_are_tempered() -> None:
    idata = samplers.sample(with_missing(joint=False), 10, 10, 1, temperature=3.0, **QUIET)
    assert idata.attrs["temperature"] == 3.0


def test_ladders_say_what_diverged_at_each_temperature() -> None:
    idata = samplers.sample(
        half_defined(), 50, 50, 1, temperature=[1, 4, np.inf], initvals={"x": 1.0}, **QUIET
    )
    diverging = idata["replica_exchange"]["diverging"]
    assert diverging.dims == ("chain", "draw", "temperature")
    assert diverging.dtype == bool
    assert not diverging.sel(temperature=np.inf).values.any()


@pytest.mark.parametrize("likelihood", [models.Poisson(), models.HeteroscedasticNoise()])
def test_kernels_leave_the_prior_alone_where_exponentials_are_infinite(
    likelihood: models.Likelihood,
) -> None:
    X, y = np.linspace(-1, 1, 6)[:, None], np.array([0, 1, 2, 1, 3, 2])
    network = models.BNN(X, y, (2,), prior=models.Gaussian(300.0), likelihood=likelihood)
    run = {**QUIET, "method": "gibbs_hmc", "temperature": np.inf}
    idata = samplers.sample(network, 1000, 500, 4, **run)
    assert not idata["sample_stats"]["diverging"].values.any()
    bias = idata["posterior"]["b1"].values[..., 0] / 300
    for values, exact in ((bias > 0, 0.5), (bias**2, 1.0), (np.tanh(bias), 0.0)):
        found = values.astype(float)
        assert abs(found.mean() - exact) / az.mcse(found, method="mean") < WIDEST
