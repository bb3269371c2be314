"""Data far from unit scale get one warning, which names the columns and says what to do."""

import warnings

import numpy as np
import pandas as pd
import pytest
from pymc_bnn import models

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(RNG.normal(size=(50, 2)), columns=["age", "weight"])
Y = RNG.normal(size=50)
ONE_HOT = np.eye(1000)[:, :1]


def network(X: object = FRAME, y: object = Y, **options: object) -> models.BNN:
    return models.gaussian(X, y, hidden=(2,), **options)


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (FRAME.assign(weight=1e4 * FRAME["weight"]), Y, r"^X has column\(s\) 'weight' of root me"),
        (
            FRAME.assign(age=FRAME["age"] + 1990),
            Y,
            r"'age' of root mean square 2e\+03, and",
        ),
        (FRAME * 1e-3, Y, r"X has column\(s\) 'age', 'weight' of root mean square 0\.00\d+"),
        (FRAME * 1e200, Y, r"square inf, and the default priors are made for 1; standardize them"),
        (FRAME, 100 * Y, r"^y has column\(s\) 0 of root mean square"),
        (np.tile(30 * FRAME, (1, 4)), Y, r"0, 1, 2, 3, 4 and 3 more of root"),
    ],
)
def test_what_is_far_from_unit_scale_is_said_in_one_line(
    X: object, y: object, message: str
) -> None:
    with pytest.warns(models.ScaleWarning, match=message) as caught:
        network(X, y)
    [warning] = caught
    assert "\n" not in str(warning.message)
    assert warning.filename == __file__


@pytest.mark.parametrize(
    ("X", "y", "options"),
    [
        (FRAME, Y, {}),
        (3 * FRAME + 3, 0.2 * Y, {}),
        (ONE_HOT, RNG.normal(size=1000), {}),
        (ONE_HOT / 16, RNG.normal(size=1000), {}),
        (np.zeros((50, 1)), np.zeros(50), {}),
        (np.ones((50, 1)), Y, {}),
        (FRAME, np.where(Y > 0, 1000, 2000), {"likelihood": "bernoulli"}),
    ],
    ids=["standard", "moderate", "rare", "rare grey", "zeros", "ones", "classes"],
)
def test_what_priors_are_made_for_is_not_spoken_of(X: object, y: object, options: dict) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        network(X, y, **options)


def test_a_model_that_is_built_again_does_not_repeat_it() -> None:
    with pytest.warns(models.ScaleWarning):
        model = network(1e4 * FRAME)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.reparametrized("noncentered")
        model.with_data(1e4 * FRAME, Y)
