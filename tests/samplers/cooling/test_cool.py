"""Cooling measures errors that are known, stops where they rise, and leaves the model as it was."""

from typing import Any

import numpy as np
import pytest
import xarray as xr
from pymc_bnn import models, samplers
from pymc_bnn.samplers.cooling.chains_at_temperatures import ChainsAtTemperatures
from pymc_bnn.samplers.cooling.validation_path import Validated, has_risen
from pymc_bnn.samplers.potential.temperature import current
from scipy.special import expit

RNG = np.random.default_rng(4)
INPUTS = RNG.normal(size=(30, 1))
LABELS = RNG.random(30) < expit(INPUTS[:, 0])
NEW = RNG.normal(size=(200, 1))
LADDER = [100.0, 10.0, 1.0, 0.1]
RUN: dict[str, Any] = {"chains": 2, "seed": 1, "n_leapfrog": 5}
WIDEST = 4.5  # of 12 scores, with errors that are themselves estimated


@pytest.fixture(scope="module")
def model() -> models.BNN:
    return logistic_regression(sd=3.0)


def logistic_regression(sd: float) -> models.BNN:
    """Logistic regression with one weight, whose posteriors can be integrated."""
    prior = models.Gaussian(sd=sd)
    return models.BNN(INPUTS, LABELS, (), prior=prior, likelihood="bernoulli", biases=False)


def exact_errors(labels: np.ndarray) -> np.ndarray:
    """Mean validation error at each temperature, by a sum over a grid of weights."""
    w = np.linspace(-15, 15, 20_001)

    def log_likelihood(X: np.ndarray, y: np.ndarray) -> np.ndarray:
        return -np.logaddexp(0, -np.where(y, 1, -1)[:, None] * X * w).sum(axis=0)

    training, new = log_likelihood(INPUTS, LABELS), log_likelihood(NEW, labels) / len(NEW)
    errors = []
    for temperature in LADDER:
        density = training / temperature - w**2 / 18
        weights = np.exp(density - density.max())
        errors.append(-(weights @ new) / weights.sum())
    return np.array(errors)


@pytest.mark.parametrize("slope", [0.7, 2.0, -1.0])
def test_errors_and_the_best_temperature_are_exact(model: models.BNN, slope: float) -> None:
    labels = np.random.default_rng(5).random(200) < expit(slope * NEW[:, 0])
    expected = exact_errors(labels)
    idata = samplers.cool(model, NEW, labels, LADDER, draws=1000, tune=200, patience=4, **RUN)
    path = idata["cooling"].to_dataset()
    scores = (path["error"] - expected) / path["standard_error"]
    assert np.abs(scores).max() < WIDEST, scores.values
    assert idata.attrs["temperature"] == LADDER[int(np.argmin(expected))]
    assert idata.attrs["stopped"] == "last temperature"
    assert samplers.diagnose(idata).draws == 1000  # by the data beside the draws
    sampled = samplers.sample(model, 1, 0, chains=1, seed=1, quiet=True, progressbar=False)
    for group in ("observed_data", "constant_data"):
        xr.testing.assert_equal(idata[group].dataset, sampled[group].dataset)
    errors = -model.log_likelihood(idata, NEW, labels)
    assert float(errors.mean()) == pytest.approx(float(path["error"].min()), rel=1e-12)


def test_training_cases_ask_for_cold_and_their_opposite_for_hot() -> None:
    model = logistic_regression(sd=0.2)
    same = samplers.cool(model, INPUTS, LABELS, LADDER, draws=200, tune=100, **RUN)
    assert same.attrs["temperature"] < 1
    wrong = samplers.cool(model, INPUTS, ~LABELS, LADDER, draws=200, tune=100, patience=1, **RUN)
    assert wrong.attrs["temperature"] >= 10
    assert wrong.attrs["stopped"] == "error rose"
    assert wrong["cooling"].sizes["temperature"] < len(LADDER)


def path_of(*errors: float) -> list[Validated]:
    return [Validated(1.0, error, 0.1, 0.8) for error in errors]


@pytest.mark.parametrize(
    ("errors", "risen"),
    [
        ((3.0, 1.0, 1.5, 1.6), True),
        ((3.0, 1.0, 1.5), False),  # once
        ((3.0, 1.0, 1.2, 1.2), False),  # by less than two standard errors of a difference
        ((3.0, 1.0, 1.5, 1.2), False),
        ((1.0, 1.5, 1.6), True),
        ((1.0,), False),
        ((3.0, 1.5, 1.6, 1.0), False),
    ],
)
def test_an_error_has_risen_if_it_is_clearly_higher_twice(errors: tuple, risen: bool) -> None:
    assert has_risen(path_of(*errors), 2) is risen


def test_same_seed_same_draws_and_a_prediction(model: models.BNN) -> None:
    run = {"temperatures": [10.0, 1.0], "draws": 20, "tune": 20, **RUN}
    first, again = (samplers.cool(model, NEW, NEW[:, 0] > 0, **run) for _ in range(2))
    np.testing.assert_array_equal(first["posterior"]["w0"], again["posterior"]["w0"])
    draws = first["posterior"]["w0"].values
    assert not np.array_equal(draws[0], draws[1])
    prediction = model.predict(first, NEW, seed=1)["predictions"]["probability"]
    assert prediction.sizes["chain"] == 2
    assert prediction.sizes["draw"] == 20


@pytest.mark.parametrize("kind", [KeyboardInterrupt, RuntimeError])
def test_the_model_keeps_its_temperature_whatever_happens(
    model: models.BNN, monkeypatch: pytest.MonkeyPatch, kind: type[BaseException]
) -> None:
    """Ctrl-C returns the best of what is done, and the temperature is 1 again."""
    one_chain, count = ChainsAtTemperatures._one_chain, 0

    def failing(self: ChainsAtTemperatures, chain: int) -> Any:
        nonlocal count
        count += 1
        if count == 6:  # the second chain at the third temperature
            assert current(model) == 1 / LADDER[2]
            raise kind
        return one_chain(self, chain)

    monkeypatch.setattr(ChainsAtTemperatures, "_one_chain", failing)
    if kind is RuntimeError:
        with pytest.raises(RuntimeError):
            samplers.cool(model, NEW, NEW[:, 0] > 0, LADDER, draws=10, tune=10, **RUN)
    else:
        idata = samplers.cool(model, NEW, NEW[:, 0] > 0, LADDER, draws=10, tune=10, **RUN)
        assert idata.attrs["stopped"] == "interrupted"
        assert idata["cooling"]["temperature"].values.tolist() == LADDER[:2]
        assert idata.attrs["temperature"] in LADDER[:2]
    assert current(model) == 1


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"temperatures": [1.0, 2.0]}, "falling"),
        ({"temperatures": []}, "falling"),
        ({"temperatures": [1.0, -1.0]}, "temperature=-1.0"),
        ({"patience": 0}, "patience=0"),
        ({"X": None}, "validation cases"),
        ({"X": NEW[:5]}, "X has 5 cases"),
    ],
)
def test_what_is_refused(model: models.BNN, changes: dict, message: str) -> None:
    given = {"X": NEW, "y": NEW[:, 0] > 0, **changes}
    with pytest.raises(ValueError, match=message):
        samplers.cool(model, **given)
