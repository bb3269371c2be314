"""Precisions of priors so vague that they fall below the smallest number."""

import numpy as np
import pymc as pm
import pytest
from pymc_bnn import samplers
from pymc_bnn.samplers.potential.temperature import at_temperature
from pymc_bnn.samplers.precisions.conjugacy import conjugate_precisions
from pymc_bnn.samplers.precisions.sufficient_statistics import SufficientStatistics
from scipy.special import gammaln

Y = np.array([1.0, 2.0, 0.0, -1.0, -3.0, -2.0])
PLACES = np.array([0, 1, 0, 1, 0, 1])
VAGUE = 0.01


def _of_noise() -> pm.Model:
    with pm.Model() as model:
        tau = pm.Gamma("tau_precision", VAGUE, VAGUE)
        pm.Normal("y", pm.Normal("mu"), tau**-0.5, observed=Y)
    return model


def _of_groups() -> pm.Model:
    with pm.Model() as model:
        tau = pm.Gamma("tau_precision", VAGUE, VAGUE, shape=2)
        pm.Gamma("rate", 0.5, tau[PLACES])
        pm.Normal("y", pm.Normal("mu"), (1 + PLACES) * tau[PLACES] ** -0.5, observed=Y)
    return model


def _of_two() -> pm.Model:
    with pm.Model() as model:
        one, other = (pm.Gamma(f"{name}_precision", VAGUE, VAGUE) for name in ("a", "b"))
        pm.Normal("x", 0.0, one**-0.5 * other**-0.5, shape=6)
    return model


def _of_targets(kind: str) -> pm.Model:
    with pm.Model() as model:
        one, other = (pm.Gamma(f"{name}_precision", VAGUE, VAGUE) for name in ("a", "b"))
        if kind == "rate":
            pm.Gamma("y", 2.0, one * other, observed=np.abs(Y) + 1)
        elif kind == "t":
            pm.StudentT("y", 3.0, pm.Normal("mu"), sigma=(one * other) ** -0.5, observed=Y)
        else:
            pm.Normal("y", pm.Normal("mu"), (one * other) ** -0.5, observed=Y)
    return model


@pytest.mark.parametrize("kind", ["normal", "t", "rate"])
@pytest.mark.parametrize("log_precision", [-1e4, -700.0, 480.0])
def test_other_precisions_leave_it_a_distribution(kind: str, log_precision: float) -> None:
    model = _of_targets(kind)
    precisions = conjugate_precisions(model)
    statistics = SufficientStatistics(model, precisions[:1], precisions)
    name = str(precisions[1].value.name)
    point = model.initial_point(0) | {name: np.array(log_precision)}
    added = 12.0 if kind == "rate" else 3.0
    shape, rate = statistics(point)
    np.testing.assert_allclose(shape, VAGUE + added, rtol=1e-12)
    assert np.isfinite(rate).all()
    with at_temperature(model, np.inf):  # weights of t variables have no other at this
        shape, rate = statistics(point)
        np.testing.assert_allclose(shape, VAGUE, rtol=1e-12)
        np.testing.assert_allclose(rate, VAGUE, rtol=1e-12)


@pytest.mark.parametrize("build", [_of_noise, _of_groups, _of_two])
@pytest.mark.parametrize("log_precision", [-1e4, -700.0, -480.0, 480.0])
def test_a_conditional_distribution_does_not_depend_on_the_precision_itself(
    build: object, log_precision: float
) -> None:
    model = build()  # type: ignore[operator]
    precisions = conjugate_precisions(model)
    statistics = SufficientStatistics(model, precisions[:1], precisions)
    point = model.initial_point(0)
    name = str(precisions[0].value.name)
    ours = {**point, name: np.full_like(point[name], log_precision)}
    np.testing.assert_allclose(statistics(ours), statistics(point), rtol=1e-12)
    with at_temperature(model, np.inf):
        np.testing.assert_allclose(statistics(ours), statistics(point), rtol=1e-12)


def test_draws_below_the_smallest_number_have_the_distribution_of_the_others() -> None:
    model, rng, draws = _of_noise(), np.random.default_rng(4), 4000
    step = samplers.GibbsPrecision(model=model)
    point, found = model.initial_point(0), np.empty(draws)
    with at_temperature(model, np.inf):
        for i in range(draws):
            point, _ = step._blocks[0](point, rng)
            found[i] = point["tau_precision_log__"]
    assert np.isfinite(found).all()
    # P(g < x) of a gamma variable is x^a / Gamma(1 + a) to rounding, where x is small
    for log_number in (-740.0, -460.0, -200.0):
        exact = np.exp(VAGUE * (log_number + np.log(VAGUE)) - gammaln(1 + VAGUE))
        share = (found < log_number).mean()
        assert abs(share - exact) < 3.9 * np.sqrt(exact * (1 - exact) / draws), log_number
