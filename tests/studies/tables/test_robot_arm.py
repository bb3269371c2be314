"""The robot arm: where its cases are, and errors on MacKay's scale."""

import numpy as np
import pytest
from pymc_bnn import studies
from pymc_bnn.studies.tables.robot_arm import arm_position


def test_cases_have_the_ranges_of_the_report_and_its_noise() -> None:
    arm = studies.robot_arm(cases=20_000, tests=200, seed=1)
    size = arm.X["x1"].abs()
    assert size.min() == pytest.approx(0.453, abs=1e-3)
    assert size.max() == pytest.approx(1.932, abs=1e-3)
    assert (arm.X["x1"] < 0).mean() == pytest.approx(0.5, abs=0.02)
    assert arm.X["x2"].min() == pytest.approx(0.534, abs=1e-3)
    assert arm.X["x2"].max() == pytest.approx(3.142, abs=1e-3)
    noise = (arm.y - arm_position(arm.X)).to_numpy()
    assert noise.std() == pytest.approx(0.05, rel=0.02)
    assert abs(np.corrcoef(noise.T)[0, 1]) < 0.03
    reach = np.hypot(*arm_position(arm.X).to_numpy().T)
    assert reach.min() > 0.69
    assert reach.max() < 3.31


def test_fewer_cases_are_the_first_of_more() -> None:
    few, many = studies.robot_arm(100, seed=3), studies.robot_arm(200, seed=3)
    assert few.X.equals(many.X[:100])
    assert few.y.equals(many.y[:100])
    assert few.y_test.equals(many.y_test)
    assert not few.X.equals(studies.robot_arm(100, seed=4).X)
    assert not np.isclose(many.X.to_numpy(), many.X_test.to_numpy()).any()


def test_the_truth_has_an_error_of_400_and_no_excess() -> None:
    errors = []
    for seed in range(20):
        arm = studies.robot_arm(seed=seed)
        errors.append(arm.test_error(arm_position(arm.X_test)))
        assert arm.excess_error(arm.y_truth) == 0
    assert abs(np.mean(errors) - 400) < 4 * np.sqrt(2 * 400 / 20)
    squares = ((arm.y_test - arm_position(arm.X_test)) ** 2).to_numpy().sum()
    assert errors[-1] == pytest.approx(squares / 0.05**2)
    with pytest.raises(ValueError, match=r"mean has shape \(200,\); give \(200, 2\)"):
        arm.test_error(np.zeros(200))
    with pytest.raises(ValueError, match="cases=0: give a positive whole number"):
        studies.robot_arm(0)


def test_the_grid_reaches_beyond_the_training_cases() -> None:
    grid = studies.robot_arm_grid()
    assert 0 < grid["inside"].sum() < len(grid) / 2
    inside = grid[grid["inside"]]
    assert inside["x1"].abs().between(0.453, 1.932).all()
    assert inside["x2"].between(0.534, 3.142).all()
