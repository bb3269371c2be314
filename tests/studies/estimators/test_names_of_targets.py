"""Predictions carry the names of targets: a table in, its names out."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from pymc_bnn import studies
from pymc_bnn.studies.estimators.target_names import names_of_targets

from .test_estimators import LINE, SAME, line

X, Y = line(60, 3)


def outputs_of(y: Any) -> list:
    found = studies.BNNRegressor(prior="gaussian", **SAME).fit(X, y)
    drawn = pickle.loads(pickle.dumps(found)).sample_predictions(X[:4])
    assert drawn.name == "y"
    assert drawn.dims == ("chain", "draw", "obs", "output")
    return drawn["output"].values.tolist()


@pytest.mark.parametrize(
    ("y", "names"),
    [
        (pd.DataFrame({"speed": Y, "height": 100 - Y}), ["speed", "height"]),
        (pd.DataFrame({"speed": Y}), ["speed"]),
        (pd.Series(Y, name="speed"), ["speed"]),
        (pd.Series(Y), [0]),
        (np.column_stack([Y, 100 - Y]), [0, 1]),
    ],
    ids=["frame", "column", "series", "no name", "array"],
)
def test_draws_of_numbers_have_the_names_of_targets(y: Any, names: list) -> None:
    assert outputs_of(y) == names


def test_names_change_nothing_else() -> None:
    both = pd.DataFrame({"speed": Y, "height": 100 - Y}, index=X.index + 7)
    named, bare = (
        studies.BNNRegressor(prior="gaussian", **SAME).fit(X, y) for y in (both, both.to_numpy())
    )
    np.testing.assert_array_equal(named.predict(X), bare.predict(X))
    drawn = named.sample_predictions(X).sel(output="height")
    np.testing.assert_array_equal(drawn, bare.sample_predictions(X).sel(output=1))
    assert named.idata_["posterior"]["output"].values.tolist() == ["speed", "height"]


def test_numbered_columns_are_no_names() -> None:
    """Targets without names, which have the numbers from 0, would be those of other columns."""
    both = pd.DataFrame({1: Y, 2: 100 - Y})
    found = studies.BNNRegressor(prior="gaussian", **SAME).fit(X, both)
    assert found.sample_predictions(X[:4])["output"].values.tolist() == [0, 1]
    assert np.isfinite(found.log_density(X, both)).all()


def test_a_report_takes_named_targets(tmp_path: Path) -> None:
    y = pd.Series(Y, name="speed")
    found = studies.BNNRegressor(prior="gaussian", **SAME).fit(X, y)
    assert found.report_(tmp_path / "report.html", X, y).is_file()
    assert found.log_density(X, y).mean() > -2
    assert len(studies.predict_table(found.idata_, X)) == len(X)


def test_drawn_classes_have_the_name_of_theirs() -> None:
    labels = np.where(Y > 0, "up", "down")
    found = studies.BNNClassifier(prior="gaussian", **LINE)
    assert found.fit(X, pd.Series(labels, name="way")).sample_predictions(X[:4]).name == "way"
    assert found.fit(X, labels).sample_predictions(X[:4]).name == "y"


def test_names_that_cannot_be_used_are_none() -> None:
    pairs = pd.DataFrame([[1.0, 2.0]], columns=pd.MultiIndex.from_tuples([("a", 1), ("a", 2)]))
    assert names_of_targets(pairs) == names_of_targets(None) == ()
    twice = pd.DataFrame([[1.0, 2.0]], columns=["u", "u"])
    assert names_of_targets(twice) == ()
    table = xr.DataArray([[1.0, 2.0]], dims=("case", "target"), coords={"target": ["u", "v"]})
    assert names_of_targets(table) == ("u", "v")
