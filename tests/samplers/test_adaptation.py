"""Warm-up learns scales and a step size, and then leaves them alone."""

import numpy as np
import pymc as pm
import pytest
from pymc_bnn.samplers import NUTS, StaticHMC
from pymc_bnn.samplers.adaptation import Adaptation, window_bounds


@pytest.mark.parametrize("tune", [0, 10, 20, 100, 500, 1000, 5000])
def test_windows_grow_and_leave_time_for_the_step_size(tune: int) -> None:
    ends = window_bounds(tune)
    assert ends == sorted(set(ends))
    assert not ends or ends[-1] < tune
    if tune >= 150:
        assert tune - ends[-1] == 50


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
            random_seed=2,
        )
    acceptance = float(idata["sample_stats"]["acceptance_rate"].mean())
    # the averaged factor is smaller than those it averages, as in PyMC and Stan
    assert 0.65 < acceptance < 0.9
