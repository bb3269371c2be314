"""Dynamics without a test of where it ends: its draws have the bias that is known."""

import numpy as np
import pymc as pm
import pytest
from pymc_bnn.studies.neal1995.runs.stochastic_dynamics import StochasticDynamics
from scipy import stats

VARIABLES, SD, STEP = 100, 0.5, 0.6
WIDEST = stats.t(VARIABLES - 1).isf(0.5e-3)  # false alarms in 1 of 1000


@pytest.fixture(scope="module")
def model() -> pm.Model:
    with pm.Model() as model:
        pm.Normal("x", 0.0, SD, shape=VARIABLES)
    return model


@pytest.mark.parametrize("n_leapfrog", [1, 4])
def test_normal_variables_have_the_variance_of_leapfrog_steps(
    n_leapfrog: int, model: pm.Model
) -> None:
    """Variables are independent, and so tell the error of what each of them has over a chain."""
    step = StochasticDynamics(None, n_leapfrog, STEP, step_sizes="adapt", model=model)
    step.setup_chain(np.random.default_rng(1), tune=0, draws=500)
    biased = SD**2 / (1 - STEP**2 / SD**2 / 4)
    point = {"x": np.random.default_rng(2).normal(0.0, np.sqrt(biased), VARIABLES)}
    squares = np.empty((500, VARIABLES))
    for i in range(500):
        point, [statistics] = step.step(point)
        assert statistics["trajectory_accepted"]
        squares[i] = point["x"] ** 2
    each = squares.mean(axis=0)
    error = each.std(ddof=1) / np.sqrt(VARIABLES)
    assert abs(each.mean() - biased) < WIDEST * error
    assert each.mean() - SD**2 > 10 * error
