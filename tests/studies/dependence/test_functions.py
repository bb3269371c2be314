"""Functions from prior and posterior run along one column, with the others where most rows are."""

import json

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from pymc_bnn import models
from pymc_bnn.studies.dependence.functions import functions_along
from pymc_bnn.studies.fits.fit_store import TABLE_ATTRIBUTE
from pymc_bnn.studies.reports.dependence_plots import function_limits, outside
from pymc_bnn.studies.reports.dependence_words import limit_in_words
from pymc_bnn.studies.tables.encoding import learn_encoding

from .test_partial_dependence import drawn


def test_functions_are_those_of_the_model_in_the_unit_of_the_table() -> None:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "size": rng.uniform(20, 80, 9),
            "age": [1.0, 2, 3, 4, 50, 60, 70, 80, 90],
            "kind": ["hut"] * 5 + ["flat"] * 4,
            "price": rng.normal(30, 10, 9),
        }
    )
    encoding = learn_encoding(frame, "price", "regression", range(9))
    model = models.gaussian(encoding.inputs(frame), encoding.targets(frame["price"]), hidden=(2,))
    idata = drawn(model, samples=10)
    idata.attrs[TABLE_ATTRIBUTE] = json.dumps({"encoding": encoding.to_dict()})
    found = functions_along(model, idata, "size")
    assert found.prior.shape == found.posterior.shape == (20, 120)
    np.testing.assert_allclose(
        found.grid.values[[0, -1]], [frame["size"].min(), frame["size"].max()]
    )
    np.testing.assert_allclose(found.x, frame["size"])
    np.testing.assert_allclose(found.y, frame["price"])
    typical = encoding.inputs(pd.DataFrame({"size": found.grid.values, "age": 50.0, "kind": "hut"}))
    f = model.predict(idata, typical, draws=["f"], seed=0)["predictions"].dataset["f"]
    expected = f.values.reshape(20, 120) * encoding.sd + encoding.mean
    np.testing.assert_allclose(found.posterior, expected)
    again = functions_along(model, idata, "size")
    np.testing.assert_array_equal(found.prior, again.prior)
    f = models.draw_functions(model, typical, 4000, seed=2).values[..., 0]
    # medians and quartiles of the prior by other draws: 20 lie on each side by chance
    below = (found.prior[:, 60] < np.median(f[:, 60]) * encoding.sd + encoding.mean).sum()
    assert 2 < below < 18  # else by chance 4 times in 10 000
    kinds = functions_along(model, idata, "kind")
    assert kinds.grid.values.tolist() == ["flat", "hut"]
    assert kinds.x.tolist() == [1] * 5 + [0] * 4
    limits = function_limits(found)
    assert limits.low < min(found.y.min(), found.posterior.min())
    assert limits.high > max(found.y.max(), found.posterior.max())
    assert 0 <= outside(found, limits) <= 20
    assert outside(found, function_limits(kinds)._replace(low=-np.inf, high=np.inf)) == 0


@pytest.mark.parametrize("likelihood", ["heteroscedastic_noise", "negative_binomial"])
def test_functions_are_means_whatever_the_noise(likelihood: str) -> None:
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(9, 2)), rng.poisson(3.0, size=9).astype(float)
    model = models.gaussian(X, y, hidden=(2,), likelihood=likelihood)
    idata = drawn(model, samples=10)
    found = functions_along(model, idata, "0")
    assert found.prior.shape == found.posterior.shape == (20, 120)
    typical = np.column_stack([found.grid.values, np.full(120, np.median(X[:, 1]))])
    name = "rate" if likelihood == "negative_binomial" else "f"
    expected = model.predict(idata, typical, draws=[name], seed=0)["predictions"].dataset[name]
    np.testing.assert_allclose(found.posterior, expected.values.reshape(20, 120))


@pytest.mark.parametrize("likelihood", ["categorical", "ordered"])
@pytest.mark.parametrize("classes", [2, 3])
def test_functions_are_those_of_the_class_they_name(likelihood: str, classes: int) -> None:
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(9, 2)), np.arange(9) % classes
    model = models.gaussian(X, y, hidden=(2,), likelihood=likelihood)
    idata = drawn(model, samples=10)
    if likelihood == "ordered":
        shares = rng.dirichlet(np.ones(classes), size=(2, 10))
        drawn_shares = {"class_shares": (("chain", "draw", "class"), shares)}
        idata["posterior"] = xr.DataTree(idata["posterior"].dataset.assign(drawn_shares))
    found = functions_along(model, idata, "0", label=1)
    typical = np.column_stack([found.grid.values, np.full(120, np.median(X[:, 1]))])
    predicted = model.predict(idata, typical, draws=["probability"], seed=0)
    expected = predicted["predictions"].dataset["probability"].sel(output=1)
    np.testing.assert_allclose(found.posterior, expected.values.reshape(20, 120))


def test_what_a_prior_of_known_scales_believes_has_a_limit_in_closed_form() -> None:
    X = np.linspace(-2, 2, 9)[:, None]
    wide = models.scaled(X, X[:, 0], hidden=(50,))
    found = functions_along(wide, drawn(wide, samples=3), "0")
    assert found.limit is not None
    f = models.draw_functions(wide, found.grid.values[:, None], 4000, seed=2).values[..., 0]
    inside = ((f > found.limit[0]) & (f < found.limit[1])).mean(axis=0)
    assert np.abs(inside - 0.95).max() < 4.5 * np.sqrt(0.95 * 0.05 / 4000)
    seen = function_limits(found)
    assert ((found.limit > seen.low) & (found.limit < seen.high)).any()
    assert "Dashed, where inside the axes: ends of 95% of the functions" in limit_in_words(found)


@pytest.mark.parametrize(
    ("variant", "likelihood", "y"),
    [
        ("normal_inverse_gamma", "gaussian_noise", np.arange(9.0)),
        ("scaled", "poisson", np.arange(9)),
        ("scaled", "bernoulli", np.arange(9) % 2),
    ],
)
def test_other_priors_and_means_have_no_limit(variant: str, likelihood: str, y: np.ndarray) -> None:
    X = np.linspace(-2, 2, 9)[:, None]
    model = models.VARIANTS[variant](X, y, hidden=(3,), likelihood=likelihood)
    found = functions_along(model, drawn(model, samples=3), "0", label=1 if model.classes else None)
    assert found.limit is None
    assert limit_in_words(found) == ""
