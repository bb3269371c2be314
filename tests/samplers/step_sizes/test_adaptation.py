"""Warm-up learns scales and a step size, and then leaves them alone."""

import numpy as np
import pymc as pm
import pytest
from pymc_bnn.samplers import NUTS, StaticHMC
from pymc_bnn.samplers.step_sizes.adaptation import Adaptation, window_bounds
from pymc_bnn.samplers.step_sizes.welford import Welford


def windows_of_stan(tune: int) -> list[int]:
    """Bounds of the windows by the words of Lau (2018), 2.5."""
    bounds, width, end = [75], 25, tune - 50
    while bounds[-1] < end:
        following = bounds[-1] + width
        # whether the next window, twice as long, would fit too
        bounds.append(following if following + 2 * width <= end else end)
        width *= 2
    return bounds


@pytest.mark.parametrize("tune", [150, 151, 199, 200, 499, 500, 1000, 2000, 5000])
def test_windows_are_those_of_stan(tune: int) -> None:
    assert window_bounds(tune) == windows_of_stan(tune)


@pytest.mark.parametrize("tune", [0, 10, 19, 20, 30, 75, 100, 149])
def test_windows_of_a_short_warm_up_grow_and_leave_time_for_the_step_size(tune: int) -> None:
    bounds = window_bounds(tune)
    assert bounds == sorted(set(bounds))
    assert (len(bounds) >= 2) == (tune >= 20)
    assert not bounds or 0 < bounds[0] < bounds[-1] < tune


def test_an_estimate_is_that_of_its_window_shrunk_as_in_stan() -> None:
    """The first interval enters no estimate, nor does one window that of the next."""
    for metric in ("diag", "dense"):
        adaptation = Adaptation(3, 0.1, 0.8, metric)
        adaptation.start(200)  # windows from 75 to 100 and from there to 150
        draws = np.random.default_rng(1).normal(size=(200, 3)) @ np.triu(np.ones((3, 3)))
        draws[:75] *= 1e6
        estimates = []
        for draw in draws:
            adaptation.update(draw, 0.8)
            estimates.append(adaptation.scale @ adaptation.scale.T)
        for begin, end in ((75, 100), (100, 150)):
            n = end - begin
            covariance = np.cov(draws[begin:end], rowvar=False) * n / (n + 5)
            covariance += 1e-3 * 5 / (n + 5) * np.eye(3)
            expected = covariance if metric == "dense" else np.trace(covariance)
            np.testing.assert_allclose(estimates[end - 1], expected, rtol=1e-12)
        np.testing.assert_array_equal(estimates[74], np.eye(3) if metric == "dense" else 3.0)


def test_covariance_is_learnt_within_its_error() -> None:
    adaptation = Adaptation(4, 0.1, 0.8, "dense")
    adaptation.start(4000)
    rng = np.random.default_rng(2)
    factor = np.tril(rng.normal(size=(4, 4))) * np.array([1e-2, 1.0, 1.0, 50.0])
    covariance = factor @ factor.T
    for _ in range(4000):
        adaptation.update(5.0 + factor @ rng.normal(size=4), 0.8)
    np.testing.assert_array_equal(np.triu(adaptation.scale, 1), 0.0)
    sd = np.sqrt(covariance.diagonal())
    found = adaptation.scale @ adaptation.scale.T
    # the last window holds 2375 draws; Stan's shrinkage moves an estimate by 5 of them
    assert np.all(abs(found - covariance) < 4.2 * np.outer(sd, sd) * np.sqrt(2 / 2375) + 3e-6)


@pytest.mark.parametrize("draws", [0, 1])
def test_too_few_draws_give_no_estimate(draws: int) -> None:
    for dense in (False, True):
        moments = Welford(3, dense)
        for _ in range(draws):
            moments.add(np.ones(3))
        assert moments.scale() is None


def test_draws_fewer_than_variables_give_a_factor_all_the_same() -> None:
    moments = Welford(30, dense=True)
    draws = np.random.default_rng(3).normal(size=(8, 30))
    for draw in draws:
        moments.add(draw)
    found = moments.scale()
    expected = np.cov(draws, rowvar=False) * 8 / 13 + 1e-3 * 5 / 13 * np.eye(30)
    np.testing.assert_allclose(found @ found.T, expected, atol=1e-12)


def test_a_warm_up_too_short_for_a_covariance_is_reported(
    caplog: pytest.LogCaptureFixture,
) -> None:
    Adaptation(30, 0.1, 0.8, "dense").start(1000)
    Adaptation(600, 0.1, 0.8, "diag").start(1000)
    assert not caplog.records
    Adaptation(600, 0.1, 0.8, "dense").start(1000)
    assert "no window of warm-up has more draws (500) than there are variables (600)" in caplog.text


def test_variances_stand_in_where_rounding_leaves_no_cholesky_factor() -> None:
    moments = Welford(2, dense=True)
    for draw in (-1e12, 1e12):
        moments.add(np.array([draw, draw * (1 + 1e-16)]))
    found = moments.scale()
    assert found[1, 0] == 0.0
    np.testing.assert_allclose(found.diagonal(), np.sqrt(2 / 7 * 2) * 1e12, rtol=1e-12)


def test_what_was_learnt_is_restored_from_its_state() -> None:
    adaptation, other = Adaptation(2, 0.1, 0.8, "dense"), Adaptation(2, 0.1, 0.8, "dense")
    adaptation.start(200)
    draws = np.random.default_rng(4).normal(size=(200, 2))
    for i, draw in enumerate(draws):
        if i == 90:
            other.sampling_state = adaptation.sampling_state
        adaptation.update(draw, 0.7)
    for draw in draws[90:]:
        other.update(draw, 0.7)
    np.testing.assert_array_equal(adaptation.scale, other.scale)
    assert adaptation.current_factor(False) == other.current_factor(False)


def test_standard_deviations_are_learnt() -> None:
    adaptation = Adaptation(3, 0.1, 0.8, "diag")
    adaptation.start(2000)
    rng = np.random.default_rng(1)
    sd = np.array([0.1, 1.0, 30.0])
    for _ in range(2000):
        adaptation.update(5.0 + sd * rng.normal(size=3), 0.8)
    np.testing.assert_allclose(adaptation.scale, sd, rtol=0.1)


def test_factor_alone_is_learnt_on_request() -> None:
    adaptation = Adaptation(2, 0.1, 0.8, "unit")
    adaptation.start(500)
    for _ in range(500):
        # the acceptance that a factor of 0.4 turns into 0.8
        factor = adaptation.current_factor(True)
        adaptation.update(np.ones(2), min(1.0, float(np.exp(np.log(0.8) * factor / 0.4))))
    np.testing.assert_array_equal(adaptation.scale, 1.0)
    assert adaptation.current_factor(False) == pytest.approx(0.4, rel=0.05)


@pytest.mark.parametrize("step", [StaticHMC, NUTS])
def test_acceptance_settles_near_its_target(step: type) -> None:
    options = {"n_leapfrog": 7, "jitter": "uniform"} if step is StaticHMC else {}
    with pm.Model() as model:
        pm.StudentT("x", 5, mu=0.0, sigma=np.geomspace(0.01, 100, 30), shape=30)
        idata = pm.sample(
            1000,
            tune=1000,
            step=step(step_sizes="adapt", target_accept=0.7, model=model, **options),
            chains=2,
            cores=1,
            progressbar=False,
            quiet=True,
            compute_convergence_checks=False,
            random_seed=3,
        )
    acceptance = float(idata["sample_stats"]["acceptance_rate"].mean())
    # the averaged factor is smaller than those it averages, as in PyMC and Stan
    assert 0.65 < acceptance < 0.9
