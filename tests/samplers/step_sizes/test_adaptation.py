"""Warm-up learns scales and a step size, and then leaves them alone."""

import numpy as np
import pymc as pm
import pytest
from pymc_bnn.models.priors.reflection import Reflected
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


def test_warm_up_searches_by_longer_steps_and_settles_by_others() -> None:
    """An acceptance of exp(-factor) has its aims at factors of 0.43 and 0.22."""
    adaptation = Adaptation(3, 0.1, 0.8, "diag", search_accept=0.65)
    adaptation.start(1000)
    rng, aims, factors = np.random.default_rng(5), [], []
    for _ in range(1000):
        aims.append(adaptation.aim)
        factor = adaptation.current_factor(True) * float(adaptation.scale.mean())
        adaptation.update(rng.normal(size=3), float(np.exp(-factor)))
        factors.append(adaptation.current_factor(False) * float(adaptation.scale.mean()))
    assert aims == [0.65] * 950 + [0.8] * 50
    assert factors[900] == pytest.approx(-np.log(0.65), rel=0.1)
    assert factors[-1] == pytest.approx(-np.log(0.8), rel=0.1)


@pytest.mark.parametrize(("tune", "search"), [(10, 0.65), (1000, 0.9), (1000, None)])
def test_warm_up_has_one_aim_without_windows_or_a_lower_one(tune: int, search: float) -> None:
    adaptation = Adaptation(1, 0.1, 0.8, "diag", search)
    adaptation.start(tune)
    assert adaptation.aim == 0.8


def test_steps_as_long_as_an_interval_grow_no_more_while_warm_up_searches() -> None:
    with pm.Model() as model:
        pm.Uniform("x", -1, 1, shape=2, default_transform=Reflected(-1, 1))
        step = StaticHMC(n_leapfrog=3, step_sizes="adapt", search_accept=0.5, model=model)
    step.setup_chain(np.random.default_rng(6), 200, 0)
    point = model.initial_point()
    for _ in range(74):  # before the first window
        point, _ = step.step(point)
    assert step.adaptation.current_factor(True) < 20  # by an aim that is always exceeded e^70


def test_an_aim_of_search_that_is_none_is_refused() -> None:
    with pm.Model() as model:
        pm.Normal("x")
    with pytest.raises(ValueError, match=r"search_accept=1\.5: give a number between"):
        StaticHMC(step_sizes="adapt", search_accept=1.5, model=model)


@pytest.mark.parametrize("step", [StaticHMC, NUTS])
def test_acceptance_settles_near_its_target(step: type) -> None:
    options = {"n_leapfrog": 7, "jitter": "uniform"} if step is StaticHMC else {}
    with pm.Model() as model:
        pm.StudentT("x", 5, mu=0.0, sigma=np.geomspace(0.01, 100, 30), shape=30)
        idata = pm.sample(
            1000,
            tune=1000,
            step=step(step_sizes="adapt", target_accept=0.7, model=model, **options),
            chains=8,  # whose acceptance has a spread of 0.03
            cores=1,
            progressbar=False,
            quiet=True,
            compute_convergence_checks=False,
            random_seed=3,
        )
    acceptance = float(idata["sample_stats"]["acceptance_rate"].mean())
    # the averaged factor is smaller than those it averages, as in PyMC and Stan
    assert 0.65 < acceptance < 0.92
