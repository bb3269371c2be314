"""scikit-learn's own checks of estimators."""

from typing import Any

import pytest
from pymc_bnn import studies
from pymc_bnn.samplers.diagnosis import identified
from sklearn.utils.estimator_checks import estimator_checks_generator

TINY: dict[str, Any] = {"draws": 20, "tune": 20, "chains": 1, "cores": 1, "random_state": 0}

# this check skips itself unless SciPy was told of it before it was imported
WITHOUT = "check_array_api_input"
MADE = (
    studies.BNNRegressor(hidden=(4,), likelihood="gaussian", **TINY),  # without pilots
    studies.BNNClassifier(hidden=(4,), **TINY),
)
CHECKS = [
    (estimator, check)
    for made in MADE
    for estimator, check in estimator_checks_generator(made)
    if check.func.__name__ != WITHOUT
]


@pytest.mark.parametrize(
    ("estimator", "check"),
    CHECKS,
    ids=[f"{type(estimator).__name__}-{check.func.__name__}" for estimator, check in CHECKS],
)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("few_sweeps")
def test_scikit_learn_takes_them(
    estimator: Any, check: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(identified, "MOST_CASES", 10)  # whose outputs are diagnosed
    check(estimator)
